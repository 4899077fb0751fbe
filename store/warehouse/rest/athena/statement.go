package athena

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
	"service/store/warehouse/rest/trino"
)

// A start is the body of StartQueryExecution.
type start struct {
	Token     string  `json:"ClientRequestToken"`
	Context   context `json:"QueryExecutionContext"`
	Query     string  `json:"QueryString"`
	WorkGroup string  `json:"WorkGroup"`
}

type context struct {
	Catalog  string `json:"Catalog"`
	Database string `json:"Database"`
}

// call sends a request of an operation. All of them may be repeated.
func (e *engine) call(s *rest.Session, operation string, body any, st rest.Statement) (rest.Answer, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return rest.Answer{}, fmt.Errorf("athena: write a request: %w", err)
	}
	return s.Send(rest.Request{
		Method: http.MethodPost, Path: "/", Body: text, Type: "application/x-amz-json-1.1",
		Header: http.Header{"X-Amz-Target": {"AmazonAthena." + operation}},
	}, st)
}

// guard refuses a workgroup that does not limit the data scanned per query.
func (e *engine) guard(s *rest.Session, st rest.Statement) error {
	a, err := e.call(s, "GetWorkGroup", map[string]string{"WorkGroup": e.workgroup}, st)
	if err != nil {
		return err
	}
	group := rest.Pick(a.Body, "WorkGroup")
	if rest.PickText(group, "State") != "ENABLED" {
		return warehouse.Errorf(warehouse.Refused, `The workgroup "%s" is not enabled in Athena.`, e.workgroup)
	}
	limit, err := strconv.ParseInt(string(rest.Pick(group, "Configuration", "BytesScannedCutoffPerQuery")), 10, 64)
	switch {
	case err != nil || limit <= 0:
		return warehouse.Errorf(warehouse.Refused, `The workgroup "%s" has no limit of data scanned per query. Set one of at most %s in Athena, `+
			"under Workgroups, Data controls.", e.workgroup, warehouse.Size(e.most))
	case limit > e.most:
		return warehouse.Errorf(warehouse.Refused, `The workgroup "%s" lets a query scan %s, and this connection allows %s. Lower that limit in `+
			"Athena, or have the connection's owner raise this one.", e.workgroup, warehouse.Size(limit), warehouse.Size(e.most))
	}
	return nil
}

// start starts a query. It returns the run even with an error if Athena may have received it.
func (e *engine) start(s *rest.Session, st rest.Statement, sql string) (*run, error) {
	sql, err := rest.Zoned(sql, e.Lexer(), st.Zone)
	if err != nil {
		return nil, err
	}
	r := &run{engine: e, st: st, scanned: -1, body: start{
		Token: uuid.NewString(), Context: context{"AwsDataCatalog", e.database}, Query: sql, WorkGroup: e.workgroup,
	}}
	return r, r.begin(s)
}

// Describe runs a statement as a subquery with a limit of no rows.
func (e *engine) Describe(s *rest.Session, st rest.Statement) (rest.Plan, error) {
	sql, err := trino.Inline(st)
	if err != nil {
		return rest.Plan{}, err
	}
	if err := e.guard(s, st); err != nil {
		return rest.Plan{}, err
	}
	st.Line = 1
	r, err := e.start(s, st, "SELECT * FROM (\n"+sql+"\n) LIMIT 0")
	if err != nil {
		return rest.Plan{}, err
	}
	for {
		asked := time.Now()
		page, err := r.Next(s, 1)
		if err != nil {
			return rest.Plan{}, err
		}
		if !page.Waiting {
			return rest.Plan{Columns: page.Columns, Bytes: -1}, nil
		}
		if err := s.Rest(asked); err != nil {
			return rest.Plan{}, err
		}
	}
}

// Start starts a statement.
func (e *engine) Start(s *rest.Session, st rest.Statement, p rest.Plan) (rest.Run, error) {
	sql, err := trino.Inline(st)
	if err != nil {
		return nil, err
	}
	sql, st.Line = trino.InUTC(sql, p.Columns)
	r, err := e.start(s, st, sql)
	if r == nil {
		return nil, err
	}
	return r, err
}

// A run is a query that was started.
type run struct {
	engine *engine
	st     rest.Statement
	body   start
	id     string // empty before the first answer
	ended  bool
	read   bool   // the first page
	token  string // of the next page

	scanned int64 // bytes; -1 before Athena has reported them
}

// begin starts the query, or asks for its id once more: ClientRequestToken, "the same response is returned and another query is not
// created".
func (r *run) begin(s *rest.Session) error {
	a, err := r.engine.call(s, "StartQueryExecution", r.body, r.st)
	if err != nil {
		return err
	}
	if r.id = rest.PickText(a.Body, "QueryExecutionId"); r.id == "" || len(r.id) > 128 {
		return rest.ErrForm
	}
	return nil
}

// maxResults is the largest number of rows of a page.
const maxResults = 1000

// Next polls the query, or reads a page.
func (r *run) Next(s *rest.Session, most int) (rest.Page, error) {
	if !r.ended {
		if waiting, err := r.poll(s); waiting || err != nil {
			return rest.Page{Waiting: true}, err
		}
	}
	ask := map[string]any{"QueryExecutionId": r.id, "MaxResults": min(maxResults, max(most, 1)+1)}
	if r.token != "" {
		ask["NextToken"] = r.token
	}
	a, err := r.engine.call(s, "GetQueryResults", ask, r.st)
	if err != nil {
		return rest.Page{}, err
	}
	result := rest.Pick(a.Body, "ResultSet")
	page := rest.Page{Rows: rest.Pick(result, "Rows"), Cells: cells, Head: !r.read}
	if page.Columns, err = columnsOf(rest.Pick(result, "ResultSetMetadata", "ColumnInfo")); err != nil {
		return page, err
	}
	if page.Head && !headed(page) {
		return page, rest.ErrForm
	}
	r.read, r.token = true, rest.PickText(a.Body, "NextToken")
	page.Last = r.token == ""
	return page, nil
}

// headed reports whether the first row has the names of the columns.
func headed(page rest.Page) bool {
	for raw := range rawjson.Elements(page.Rows) {
		all, err := cells(raw, nil)
		if err != nil || len(all) != len(page.Columns) {
			return false
		}
		for i, cell := range all {
			if name, _ := rest.Text(cell); name != page.Columns[i].Name {
				return false
			}
		}
		return true
	}
	return false
}

// Read returns the number of bytes that the query has scanned.
func (r *run) Read() int64 { return r.scanned }

// poll asks for the state of the query. waiting is whether it has not ended.
func (r *run) poll(s *rest.Session) (waiting bool, err error) {
	a, err := r.engine.call(s, "GetQueryExecution", map[string]string{"QueryExecutionId": r.id}, r.st)
	if err != nil {
		return false, err
	}
	told := rest.Pick(a.Body, "QueryExecution")
	if n, err := strconv.ParseInt(string(rest.Pick(told, "Statistics", "DataScannedInBytes")), 10, 64); err == nil && n >= 0 {
		r.scanned = n
	}
	switch rest.PickText(told, "Status", "State") {
	case "QUEUED", "RUNNING":
		return true, nil
	case "SUCCEEDED":
		r.ended = true
		if rest.PickText(told, "StatementType") != "DML" || rest.PickText(told, "SubstatementType") != "SELECT" {
			return false, warehouse.Errorf(warehouse.Refused, warehouse.SayOneSelect)
		}
		return false, nil
	case "FAILED", "CANCELLED":
		r.ended = true
		return false, r.engine.failed(rest.PickText(told, "Status", "State"), rest.PickText(told, "Status", "StateChangeReason"), r.scanned, r.st)
	}
	return false, rest.ErrForm
}

// cells returns the values of a row, which is {"Data": [{"VarCharValue": …}, …]}. NULL has no value.
func cells(row []byte, all [][]byte) ([][]byte, error) {
	return rest.CellsOf(rest.Pick(row, "Data"), all, func(cell []byte) []byte {
		value := rest.Pick(cell, "VarCharValue")
		if value == nil && strings.HasPrefix(string(cell), "{") {
			value = []byte("null")
		}
		return value
	})
}

// Cancel stops the query. If the answer with its id did not arrive, it is asked for once more.
func (r *run) Cancel(s *rest.Session) error {
	if r.ended {
		return nil
	}
	if r.id == "" {
		if err := r.begin(s); err != nil {
			return err
		}
	}
	_, err := r.engine.call(s, "StopQueryExecution", map[string]string{"QueryExecutionId": r.id}, r.st)
	return err
}
