package databricks

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// A request is the body of "Execute a SQL statement".
type request struct {
	Statement     string      `json:"statement"`
	Warehouse     string      `json:"warehouse_id"`
	Catalog       string      `json:"catalog"`
	Schema        string      `json:"schema"`
	Parameters    []parameter `json:"parameters,omitempty"`
	RowLimit      int         `json:"row_limit,omitempty"`
	ByteLimit     int         `json:"byte_limit,omitempty"`
	Disposition   string      `json:"disposition"`
	Format        string      `json:"format"`
	WaitTimeout   string      `json:"wait_timeout"`
	OnWaitTimeout string      `json:"on_wait_timeout,omitempty"`
	Tags          []tag       `json:"query_tags,omitempty"`
}

// A parameter is a value of a named marker. A value that is left out is NULL.
type parameter struct {
	Name  string  `json:"name"`
	Type  string  `json:"type"`
	Value *string `json:"value,omitempty"`
}

type tag struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

const (
	path = "/api/2.0/sql/statements"

	inline   = "INLINE"
	external = "EXTERNAL_LINKS"

	// leastBytes is the smallest limit of bytes that is sent: the server counts them in its own way.
	leastBytes = 2 << 20
)

// request converts a statement, of which sql is sent.
func (e *engine) request(st rest.Statement, sql string) (request, error) {
	r := request{
		Warehouse: e.warehouse, Catalog: e.catalog, Schema: e.schema, Disposition: inline, Format: "JSON_ARRAY", WaitTimeout: "0s",
	}
	var err error
	if r.Statement, err = rest.Zoned(sql, e.Lexer(), st.Zone); err != nil {
		return r, err
	}
	for i, arg := range st.Args {
		p, err := encode(i+1, arg)
		if err != nil {
			return r, err
		}
		r.Parameters = append(r.Parameters, p)
	}
	for _, name := range slices.Sorted(maps.Keys(st.Tags)) {
		r.Tags = append(r.Tags, tag{name, st.Tags[name]})
	}
	return r, nil
}

// Describe runs a statement as a subquery with a limit of no rows, and waits for it at most as long as a call may take.
func (e *engine) Describe(s *rest.Session, st rest.Statement) (rest.Plan, error) {
	st.Line = 1
	body, err := e.request(st, "SELECT * FROM (\n"+st.SQL+"\n) LIMIT 0")
	if err != nil {
		return rest.Plan{}, err
	}
	body.WaitTimeout, body.OnWaitTimeout = "10s", "CANCEL"
	a, err := s.Post(path, nil, body, st)
	if err != nil {
		return rest.Plan{}, err
	}
	switch state := rest.PickText(a.Body, "status", "state"); state {
	case succeeded:
	case canceled:
		return rest.Plan{}, warehouse.Errorf(warehouse.Timeout, "The SQL warehouse did not plan the query in 10 seconds. "+
			"If it was stopped, it is starting now: try again in a few minutes.")
	default:
		return rest.Plan{}, e.ended(a.Body, state, st)
	}
	cols, err := columnsOf(rest.Pick(a.Body, "manifest", "schema", "columns"))
	return rest.Plan{Columns: cols, Bytes: -1}, err
}

// The states of a statement.
const (
	pending, running            = "PENDING", "RUNNING"
	succeeded, closed           = "SUCCEEDED", "CLOSED"
	failed, canceled            = "FAILED", "CANCELED"
	inlineLimit                 = "Inline byte limit exceeded"
	sayGone                     = "Databricks no longer has the query, or the host is not that of a workspace. Try again."
	sayCancelled                = "The query was cancelled in Databricks."
	maxChunks                   = 1 << 16
	storageS3, storageAzureBlob = "amazonaws.com", "blob.core.windows.net"
	storageAzure, storageGoogle = "dfs.core.windows.net", "storage.googleapis.com"
)

// errInline is the failure of a statement whose result is too large for INLINE.
var errInline = errors.New("databricks: the result does not fit inline")

// ended returns the error of a statement that ended in another state than success.
func (e *engine) ended(body []byte, state string, st rest.Statement) error {
	switch state {
	case failed:
		text := rest.PickText(body, "status", "error", "message")
		if strings.HasPrefix(text, inlineLimit) {
			return errInline
		}
		return e.wrong(rest.PickText(body, "status", "error", "error_code"), text, st)
	case canceled:
		return warehouse.Errorf(warehouse.Failed, sayCancelled)
	case closed:
		return warehouse.Errorf(warehouse.Failed, sayGone)
	}
	return rest.ErrForm
}

// Start submits a statement.
func (e *engine) Start(s *rest.Session, st rest.Statement, _ rest.Plan) (rest.Run, error) {
	body, err := e.request(st, st.SQL)
	if err != nil {
		return nil, err
	}
	body.RowLimit, body.ByteLimit = st.Most.Rows+1, max(leastBytes, st.Most.Bytes)
	r := &run{engine: e, st: st, body: body}
	return r, r.submit(s)
}

// A run is a statement that was submitted.
type run struct {
	engine *engine
	st     rest.Statement
	body   request
	id     string // empty before the first answer
	ended  bool
	next   int // the chunk to read
	cut    bool
}

// submit submits the statement, and keeps its id.
func (r *run) submit(s *rest.Session) error {
	r.id, r.ended, r.next = "", false, 0
	a, err := s.Post(path, nil, r.body, r.st)
	if err != nil {
		return err
	}
	id := rest.PickText(a.Body, "statement_id")
	if uuid.Validate(id) != nil {
		return rest.ErrForm
	}
	r.id = id
	return nil
}

// Next polls the statement, or reads a chunk.
func (r *run) Next(s *rest.Session, _ int) (rest.Page, error) {
	if r.next > 0 {
		a, err := s.Get(path+"/"+r.id+"/result/chunks/"+strconv.Itoa(r.next), nil, r.st)
		if err != nil {
			return rest.Page{}, err
		}
		return r.chunk(s, a.Body, nil)
	}
	a, err := s.Get(path+"/"+r.id, nil, r.st)
	if err != nil {
		return rest.Page{}, err
	}
	switch state := rest.PickText(a.Body, "status", "state"); state {
	case pending, running:
		return rest.Page{Waiting: true}, nil
	case succeeded:
	default:
		r.ended = true
		err := r.engine.ended(a.Body, state, r.st)
		if errors.Is(err, errInline) && r.body.Disposition == inline {
			r.body.Disposition = external
			return rest.Page{Waiting: true}, r.submit(s)
		}
		if errors.Is(err, errInline) {
			err = warehouse.Errorf(warehouse.TooLarge, warehouse.SayTooLarge)
		}
		return rest.Page{}, err
	}
	r.ended = true
	cols, err := columnsOf(rest.Pick(a.Body, "manifest", "schema", "columns"))
	if err != nil {
		return rest.Page{}, err
	}
	r.cut = string(rest.Pick(a.Body, "manifest", "truncated")) == "true"
	return r.chunk(s, rest.Pick(a.Body, "result"), cols)
}

// chunk reads a chunk of the result: its rows, or the link to them.
func (r *run) chunk(s *rest.Session, result []byte, cols []rest.Column) (rest.Page, error) {
	page := rest.Page{Rows: rest.Pick(result, "data_array"), Cells: rest.Cells, Columns: cols, Cut: r.cut}
	following, link := rest.Pick(result, "next_chunk_index"), ""
	for one := range rawjson.Elements(rest.Pick(result, "external_links")) {
		if link != "" { // of a chunk there is one
			return page, rest.ErrForm
		}
		for range rawjson.Members(rest.Pick(one, "http_headers")) {
			return page, warehouse.Errorf(warehouse.Refused, "The storage of the workspace needs headers of its own, which are not sent.")
		}
		if link = rest.PickText(one, "external_link"); link == "" {
			return page, rest.ErrForm
		}
		following = rest.Pick(one, "next_chunk_index")
	}
	if page.Last = following == nil || rest.Null(following); !page.Last {
		n, err := strconv.Atoi(string(following))
		if err != nil || n != r.next+1 || n > maxChunks {
			return page, rest.ErrForm
		}
		r.next = n
	}
	if (link != "") != (r.body.Disposition == external) && page.Rows != nil {
		return page, rest.ErrForm
	}
	if link != "" {
		a, err := s.Fetch(link, storageS3, storageAzureBlob, storageAzure, storageGoogle)
		if err != nil {
			return page, err
		}
		page.Rows = a.Body
	}
	return page, nil
}

// Cancel cancels the statement. If the answer with its id did not arrive, the limits of the warehouse end it.
func (r *run) Cancel(s *rest.Session) error {
	if r.id == "" || r.ended {
		return nil
	}
	_, err := s.Post(path+"/"+r.id+"/cancel", nil, nil, r.st)
	return err
}

// encode returns the parameter of an argument: "Named parameter markers".
func encode(n int, arg any) (parameter, error) {
	bind := func(kind, text string) (parameter, error) {
		return parameter{Name: "p" + strconv.Itoa(n), Type: kind, Value: &text}, nil
	}
	switch a := arg.(type) {
	case nil:
		return parameter{Name: "p" + strconv.Itoa(n), Type: "STRING"}, nil
	case string:
		return bind("STRING", a)
	case int64:
		return bind("BIGINT", strconv.FormatInt(a, 10))
	case float64:
		return bind("DOUBLE", strconv.FormatFloat(a, 'g', -1, 64))
	case bool:
		return bind("BOOLEAN", strconv.FormatBool(a))
	case time.Time:
		if a = a.UTC(); a.Equal(a.Truncate(24 * time.Hour)) {
			return bind("DATE", a.Format(time.DateOnly))
		}
		return bind("TIMESTAMP", a.Format("2006-01-02T15:04:05.999999Z"))
	}
	return parameter{}, fmt.Errorf("databricks: an argument is a %T", arg)
}
