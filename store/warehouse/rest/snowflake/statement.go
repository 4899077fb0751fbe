package snowflake

import (
	"errors"
	"maps"
	"math"
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
}

const path = "/api/v2/statements"

// submit sends a statement. It returns the run, even with an error if the server may have received the statement, and the first page if the
// statement has already ended.
func (e *engine) submit(s *rest.Session, st rest.Statement, sql string, rows int, async bool) (*run, rest.Page, error) {
	body := request{
		Statement: sql, Timeout: max(1, int64(math.Ceil(s.Left().Seconds()))), Database: e.database, Schema: e.schema,
		Bindings: map[string]binding{}, Parameters: parameters{Timezone: st.Zone, QueryTag: tag(st.Tags), StatementCount: 1, Rows: rows},
	}
	for i, arg := range st.Args {
		b, err := encode(arg)
		if err != nil {
			return nil, rest.Page{}, err
		}
		body.Bindings[strconv.Itoa(i+1)] = b
	}
	r := &run{st: st, body: body, first: url.Values{"requestId": {uuid.NewString()}}}
	if async {
		r.first.Set("async", "true")
	}
	r.again = maps.Clone(r.first)
	r.again.Set("retry", "true")
	a, err := s.Repost(path, r.first, r.again, body, st)
	if err != nil {
		return r, rest.Page{}, err
	}
	if err := r.started(a); err != nil {
		return r, rest.Page{}, err
	}
	page, err := r.page(a)
	return r, page, err
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
	return rest.Plan{Columns: page.Columns, Bytes: -1}, nil
}

// describing precedes the SQL of a described statement, on lines of its own.
const describing = "SELECT * FROM (\n"

// Start submits a statement.
func (e *engine) Start(s *rest.Session, st rest.Statement, _ rest.Plan) (rest.Run, error) {
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
}

// Next polls the statement, or reads a partition.
func (r *run) Next(s *rest.Session, _ int) (rest.Page, error) {
	query := url.Values{}
	if r.next > 0 {
		query.Set("partition", strconv.Itoa(r.next))
	}
	a, err := s.Get(path+"/"+r.handle, query, r.st)
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
	page := rest.Page{Rows: rest.Pick(a.Body, "data"), Cells: cells}
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

// statusRunning is the answer to a statement that has not ended.
const statusRunning = 202

// cells returns the values of a row, which is a list.
func cells(row []byte, all [][]byte) ([][]byte, error) {
	for cell := range rawjson.Elements(row) {
		if len(all) > warehouse.MaxColumns {
			return nil, rest.ErrForm
		}
		all = append(all, cell)
	}
	return all, nil
}

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
