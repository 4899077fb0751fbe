package snowflake

import (
	"errors"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// A request is the body of POST /api/v2/statements. Role and warehouse are those of the user.
type request struct {
	Statement  string             `json:"statement"`
	Timeout    int64              `json:"timeout"` // seconds
	Database   string             `json:"database,omitempty"`
	Schema     string             `json:"schema,omitempty"`
	Bindings   map[string]binding `json:"bindings,omitempty"`
	Parameters parameters         `json:"parameters"`
}

type parameters struct {
	Timezone       string `json:"timezone"`
	QueryTag       string `json:"query_tag,omitempty"`
	StatementCount int    `json:"multi_statement_count"`
	Rows           int    `json:"rows_per_resultset,omitempty"`
	ChunkSize      int    `json:"client_result_chunk_size"` // MB of a partition, at most
}

// chunkSize is the smallest size of a partition that Snowflake takes: "Parameters", CLIENT_RESULT_CHUNK_SIZE. The default is 160.
const chunkSize = 16

const path = "/api/v2/statements"

// submit sends a statement. It returns the run, even with an error if the server may have received the statement, and the first page if the
// statement has already ended.
func (e *engine) submit(s *rest.Session, st rest.Statement, sql string, rows int, async bool) (*run, rest.Page, error) {
	body := request{
		Statement: sql, Timeout: max(1, int64(math.Ceil(s.Left().Seconds()))), Database: e.database, Schema: e.schema,
		Bindings: map[string]binding{}, Parameters: parameters{
			Timezone: st.Zone, QueryTag: tag(st.Tags), StatementCount: 1, Rows: rows, ChunkSize: chunkSize,
		},
	}
	for i, arg := range st.Args {
		b, err := encode(arg)
		if err != nil {
			return nil, rest.Page{}, err
		}
		body.Bindings[strconv.Itoa(i+1)] = b
	}
	r := &run{st: st, body: body}
	page, err := r.submit(s, async)
	return r, page, err
}

// submit submits the statement under a new name.
func (r *run) submit(s *rest.Session, async bool) (rest.Page, error) {
	r.first, r.handle = url.Values{"requestId": {uuid.NewString()}}, ""
	if async {
		r.first.Set("async", "true")
	}
	r.again = maps.Clone(r.first)
	r.again.Set("retry", "true")
	a, err := s.Repost(path, r.first, r.again, r.body, r.st)
	if err != nil {
		return rest.Page{}, err
	}
	if err := r.started(a); err != nil {
		return rest.Page{}, err
	}
	return r.page(a)
}

// started keeps the handle of the statement.
func (r *run) started(a rest.Answer) error {
	if r.handle = rest.PickText(a.Body, "statementHandle"); uuid.Validate(r.handle) != nil {
		return rest.ErrForm
	}
	return nil
}

// tag returns the query tag: the tags of a statement, in order.
func tag(tags map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		all = append(all, name+"="+tags[name])
	}
	return strings.Join(all, " ")
}

// Describe runs a statement as a subquery with a limit of no rows.
func (e *engine) Describe(s *rest.Session, st rest.Statement) (rest.Plan, error) {
	st.Line = 1
	r, page, err := e.submit(s, st, describing+st.SQL+"\n) LIMIT 0", 0, false)
	for err == nil && page.Waiting {
		if err = s.Wait(100 * time.Millisecond); err == nil {
			page, err = r.Next(s, 1)
		}
	}
	if err != nil {
		return rest.Plan{}, err
	}
	p := rest.Plan{Columns: page.Columns, Bytes: -1}
	if !st.Own {
		p.Bytes, err = e.estimate(s, st)
	}
	if err == nil {
		err = bounded(st, p)
	}
	return p, err
}

// explaining precedes the SQL of a statement whose plan is asked for.
const explaining = "EXPLAIN USING JSON\n"

// estimate returns the number of bytes that Snowflake assigns to a statement, which is an upper bound: "EXPLAIN", bytesAssigned. It returns
// -1 if Snowflake does not explain the statement. EXPLAIN needs no running warehouse.
func (e *engine) estimate(s *rest.Session, st rest.Statement) (int64, error) {
	r, page, err := e.submit(s, st, explaining+st.SQL, 0, false)
	for err == nil && page.Waiting {
		if err = s.Wait(100 * time.Millisecond); err == nil {
			page, err = r.Next(s, 1)
		}
	}
	if refusal, ok := errors.AsType[*warehouse.Error](err); ok && !refusal.Class.OfSource() {
		return -1, nil
	}
	if err != nil {
		return -1, err
	}
	for row := range rawjson.Elements(page.Rows) {
		for cell := range rawjson.Elements(row) {
			text, ok := rest.Text(cell)
			if !ok || !rawjson.Valid([]byte(text)) {
				return -1, nil
			}
			if n, err := strconv.ParseInt(string(rest.Pick([]byte(text), "GlobalStats", "bytesAssigned")), 10, 64); err == nil && n >= 0 {
				return n, nil
			}
			return -1, nil
		}
	}
	return -1, nil
}

// bounded refuses a statement whose bytes have a limit and are not known: Snowflake does not end a statement that reads more.
func bounded(st rest.Statement, p rest.Plan) error {
	if !st.Own && p.Bytes < 0 && st.Scan < math.MaxInt64 {
		return warehouse.Errorf(warehouse.Refused, "Snowflake does not estimate how much the query reads, and this connection limits that. "+
			"Write the query in another way, or have the connection's owner remove the limit.")
	}
	return nil
}

// describing precedes the SQL of a described statement, on lines of its own.
const describing = "SELECT * FROM (\n"

// Start submits a statement.
func (e *engine) Start(s *rest.Session, st rest.Statement, p rest.Plan) (rest.Run, error) {
	if err := bounded(st, p); err != nil {
		return nil, err
	}
	r, _, err := e.submit(s, st, st.SQL, st.Most.Rows+1, true)
	if r == nil {
		return nil, err
	}
	if _, refused := errors.AsType[*warehouse.Error](err); refused {
		return nil, err // it does not run
	}
	return r, err
}

// A run is a statement that was submitted.
type run struct {
	st           rest.Statement
	body         request
	first, again url.Values // of the submission, and of repeating it
	handle       string     // empty before the first answer
	next         int        // the partition to read
	partitions   int        // 0 before the statement has ended
	repeated     bool       // it was lost, and submitted again
}

// Next polls the statement, or reads a partition.
func (r *run) Next(s *rest.Session, _ int) (rest.Page, error) {
	query := url.Values{}
	if r.next > 0 {
		query.Set("partition", strconv.Itoa(r.next))
	}
	a, err := s.Send(rest.Request{Method: http.MethodGet, Path: path + "/" + r.handle, Query: query, Rows: rows}, r.st)
	if a.Status == http.StatusNotFound && r.partitions == 0 && !r.repeated { // lost before its rows were read: it is submitted once more
		r.repeated = true
		return r.submit(s, r.first.Has("async"))
	}
	if err != nil {
		return rest.Page{}, err
	}
	return r.page(a)
}

// page reads an answer: a QueryStatus means that the statement is running, a ResultSet is a partition.
func (r *run) page(a rest.Answer) (rest.Page, error) {
	if a.Status == statusRunning {
		return rest.Page{Waiting: true}, nil
	}
	page := rest.Page{Rows: rest.Pick(a.Body, rows), Long: a.Long, Cells: rest.Cells}
	if r.partitions == 0 {
		metadata := rest.Pick(a.Body, "resultSetMetaData")
		cols, err := columnsOf(metadata)
		if err != nil {
			return page, err
		}
		page.Columns = cols
		n := 0
		for range rawjson.Elements(rest.Pick(metadata, "partitionInfo")) {
			n++
		}
		r.partitions = max(1, n)
	}
	r.next++
	page.Last = r.next == r.partitions
	return page, nil
}

// rows is the member of a ResultSet that has the rows.
const rows = "data"

// statusRunning is the answer to a statement that has not ended.
const statusRunning = 202

// Cancel cancels the statement. If the answer with its handle did not arrive, the submission is repeated, which does not run the statement
// again: "Resubmitting a request to execute SQL statements".
func (r *run) Cancel(s *rest.Session) error {
	if r.partitions > 0 {
		return nil // it has ended
	}
	if r.handle == "" {
		a, err := s.Post(path, r.again, r.body, r.st)
		if err == nil {
			err = r.started(a)
		}
		if err != nil {
			return err
		}
	}
	_, err := s.Post(path+"/"+r.handle+"/cancel", nil, nil, r.st)
	return err
}
