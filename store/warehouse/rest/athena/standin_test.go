package athena_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store/warehouse"
	"service/store/warehouse/rest/athena"
	"service/store/warehouse/rest/resttest"
	"service/store/warehouse/sts/ststest"
)

// A standIn answers as the "Amazon Athena API Reference" (docs.aws.amazon.com/athena/latest/APIReference) and, for signatures, "Create a
// signed AWS API request" have it. A request that they do not allow fails the test.
type standIn struct {
	*resttest.Server[col]
	tokens *sync.Map // of queries, by ClientRequestToken
	cutoff int64     // BytesScannedCutoffPerQuery; 0 for none
	role   bool      // requests are signed with the credentials of a role
}

type (
	recorded = resttest.Recorded[col]
	run      = resttest.Run[col]
)

// A col is a ColumnInfo. A cell is a text, nil, or an instant, which is written in its zone.
type col struct {
	Name      string `json:"Name"`
	Label     string `json:"Label"`
	Type      string `json:"Type"`
	Precision int    `json:"Precision"`
	Scale     int    `json:"Scale"`
	Nullable  string `json:"Nullable"`
}

// colOf returns a column of a type such as decimal(10,2).
func colOf(name, kind string) col {
	base, parameters, _ := strings.Cut(strings.TrimSuffix(kind, ")"), "(")
	precision, scale, _ := strings.Cut(parameters, ",")
	c := col{Name: name, Label: name, Type: base, Nullable: "UNKNOWN"}
	c.Precision, _ = strconv.Atoi(precision)
	c.Scale, _ = strconv.Atoi(scale)
	return c
}

const instants = "timestamp with time zone"

// start starts a stand-in with all statements.
func start(t testing.TB) *resttest.Server[col] { return startLimited(t, 1_000_000_000) }

// startLimited starts a stand-in whose workgroup limits the data scanned per query.
func startLimited(t testing.TB, cutoff int64) *resttest.Server[col] { return startAs(t, cutoff, false) }

// startAs starts a stand-in that accepts the credentials of a role alone.
func startAs(t testing.TB, cutoff int64, role bool) *resttest.Server[col] {
	s := standIn{
		Server: &resttest.Server[col]{
			TB: t, Recorded: statements(), Connect: athena.Open, Operation: operation, Refuse: refuse, Target: target,
		},
		tokens: &sync.Map{}, cutoff: cutoff, role: role,
	}
	s.Serve = s.serve
	s.Start()
	return s.Server
}

const (
	keyID  = "AKIDEXAMPLE"
	secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
)

func target(t *warehouse.Target) {
	t.Database, t.User, t.Password, t.Place, t.MaxBytes = "shop", keyID, secret, "eu-central-1/dashboards", 2_000_000_000
}

// operation is GetWorkGroup, describe or start (StartQueryExecution), GetQueryExecution, GetQueryResults or StopQueryExecution.
func operation(r *http.Request) string {
	name := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "AmazonAthena.")
	switch {
	case name != "StartQueryExecution":
		return name
	case strings.Contains(string(resttest.Body(r)), `) LIMIT 0"`):
		return "describe"
	}
	return "start"
}

// refuse answers with an error of AWS JSON 1.1, whose type is the code of the fault.
func refuse(w http.ResponseWriter, f resttest.Fault) {
	resttest.Answer(w, f.Status, map[string]any{"__type": "com.amazonaws.athena#" + f.Code, "message": f.Message})
}

func (s standIn) serve(w http.ResponseWriter, r *http.Request) {
	body := resttest.Body(r)
	s.Only(r)
	keys := map[string]string{keyID: secret}
	if s.role {
		keys = map[string]string{ststest.ID: ststest.Secret}
	}
	if why := ststest.Signed(r, body, keys, "athena", "eu-central-1"); why != "" {
		s.Errorf("a signature that is not good: %s", why)
		refuse(w, resttest.Err(http.StatusForbidden, "InvalidSignatureException", "The request signature we calculated does not match"))
		return
	}
	if r.Method != http.MethodPost || r.URL.Path != "/" || r.Header.Get("Content-Type") != "application/x-amz-json-1.1" {
		s.Errorf("%s %s of %s", r.Method, r.URL.Path, r.Header.Get("Content-Type"))
	}
	switch name := operation(r); name {
	case "GetWorkGroup":
		s.workgroup(w, r)
	case "describe", "start":
		s.begin(w, r)
	case "GetQueryExecution", "StopQueryExecution":
		var ask struct {
			ID string `json:"QueryExecutionId"`
		}
		if err := resttest.Decode(r, &ask); err != nil {
			s.Errorf("%s: %v", name, err)
		}
		if name == "StopQueryExecution" {
			s.Cancel(ask.ID)
			resttest.Answer(w, http.StatusOK, map[string]any{})
			return
		}
		s.execution(w, ask.ID)
	case "GetQueryResults":
		s.results(w, r)
	default:
		s.Errorf("there is no operation %s", name)
		refuse(w, resttest.Err(http.StatusBadRequest, "UnknownOperationException", ""))
	}
}

// workgroup is GetWorkGroup.
func (s standIn) workgroup(w http.ResponseWriter, r *http.Request) {
	var ask struct{ WorkGroup string }
	if err := resttest.Decode(r, &ask); err != nil || ask.WorkGroup != "dashboards" {
		s.Errorf("GetWorkGroup: %+v, %v", ask, err)
		refuse(w, resttest.Err(http.StatusBadRequest, "InvalidRequestException", "WorkGroup "+ask.WorkGroup+" is not found."))
		return
	}
	configuration := map[string]any{
		"EnforceWorkGroupConfiguration": true,
		"ResultConfiguration":           map[string]any{"OutputLocation": "s3://b/r/"},
	}
	if s.cutoff > 0 {
		configuration["BytesScannedCutoffPerQuery"] = s.cutoff
	}
	resttest.Answer(w, http.StatusOK, map[string]any{"WorkGroup": map[string]any{
		"Name": "dashboards", "State": "ENABLED", "Configuration": configuration,
	}})
}

// A sent is the part of StartQueryExecution's request that the stand-in supports: anything else is a mistake.
type sent struct {
	Token  string `json:"ClientRequestToken"`
	Query  string `json:"QueryString"`
	Group  string `json:"WorkGroup"`
	Within struct {
		Catalog  string `json:"Catalog"`
		Database string `json:"Database"`
	} `json:"QueryExecutionContext"`
}

// place matches the beginning of a message with a position.
var place = regexp.MustCompile(`line ([0-9]+):`)

// begin is StartQueryExecution.
func (s standIn) begin(w http.ResponseWriter, r *http.Request) {
	var body sent
	err := resttest.Decode(r, &body)
	if err != nil || len(body.Token) < 32 || len(body.Token) > 128 || body.Group != "dashboards" || // ClientRequestToken: 32 to 128 characters
		body.Within.Catalog != "AwsDataCatalog" || body.Within.Database != "shop" || len(body.Query) > 262_144 {
		s.Errorf("StartQueryExecution: %+v, %v", body, err)
		refuse(w, resttest.Err(http.StatusBadRequest, "InvalidRequestException", "invalid"))
		return
	}
	read := resttest.NewTrinoSQL(s.TB, s.Recorded, true, func(c col) (string, bool) { return c.Name, c.Type == instants })
	known := read.Read(body.Query)
	switch {
	case !known.Known:
		s.Errorf("this statement is not recorded: %s", body.Query)
		known.Breaks = failure("SYNTAX_ERROR: line 1:1: mismatched input")
	case known.Unset:
		known.Breaks = failure("INVALID_PARAMETER_USAGE: line 1:1: Incorrect number of parameters: expected 1 but found 0")
	case known.Described && known.Effect != "":
		known.Breaks = failure("SYNTAX_ERROR: line 1:1: mismatched input 'x'")
	case known.Fails.Status != 0:
		known.Breaks = known.Fails
	case known.Bytes > s.cutoff: // "If any query that runs in the workgroup exceeds the limit, it is canceled"
		known.Breaks = resttest.Err(http.StatusOK, "CANCELLED", "Bytes scanned limit was exceeded")
	}
	if known.Breaks.Status != 0 { // it has no effect
		known.Effect = ""
	}
	known.Breaks.Message = place.ReplaceAllStringFunc(known.Breaks.Message, func(at string) string { // of the SQL that was sent
		n, _ := strconv.Atoi(place.FindStringSubmatch(at)[1])
		return fmt.Sprintf("line %d:", n+known.Lines)
	})
	id := uuid.NewString()
	if first, again := s.tokens.LoadOrStore(body.Token, id); again { // "the same response is returned and another query is not created"
		id = first.(string)
	} else {
		s.Begin(id, &run{
			Recorded: known.Recorded, Params: known.Params, SQL: known.Text, Sent: body, Tokens: map[string]int{"": 0},
		})
	}
	resttest.Answer(w, http.StatusOK, map[string]any{"QueryExecutionId": id})
}

// failure is the end of a query whose state is FAILED, with its StateChangeReason.
func failure(reason string) resttest.Fault { return resttest.Err(http.StatusOK, "FAILED", reason) }

// execution is GetQueryExecution.
func (s standIn) execution(w http.ResponseWriter, id string) {
	run := s.Run(id)
	if run == nil {
		refuse(w, resttest.Err(http.StatusBadRequest, "InvalidRequestException", "QueryExecution "+id+" was not found"))
		return
	}
	status := map[string]any{"State": "SUCCEEDED"}
	select {
	case <-run.Cancelled:
		status["State"], status["StateChangeReason"] = "CANCELLED", "Query cancelled by user"
	default:
		switch {
		case run.Slow:
			status["State"] = "RUNNING"
		case run.Breaks.Status != 0:
			status["State"], status["StateChangeReason"] = run.Breaks.Code, run.Breaks.Message
		}
	}
	kind := "SELECT"
	if run.Effect != "" {
		kind = run.Effect
	}
	resttest.Answer(w, http.StatusOK, map[string]any{"QueryExecution": map[string]any{
		"QueryExecutionId": id, "Status": status, "StatementType": "DML", "SubstatementType": kind,
		"Statistics": map[string]any{"DataScannedInBytes": run.Bytes}, // QueryExecutionStatistics
	}})
}

// results is GetQueryResults. The first row of the first page has the names of the columns.
func (s standIn) results(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		ID    string `json:"QueryExecutionId"`
		Most  int    `json:"MaxResults"`
		Token string `json:"NextToken"`
	}
	err := resttest.Decode(r, &ask)
	run := s.Run(ask.ID)
	if err != nil || run == nil || ask.Most < 1 || ask.Most > 1000 { // MaxResults: "Minimum value of 1. Maximum value of 1000."
		s.Errorf("GetQueryResults: %+v, %v", ask, err)
		refuse(w, resttest.Err(http.StatusBadRequest, "InvalidRequestException", "invalid"))
		return
	}
	from, known := s.RowAt(run, ask.Token)
	if !known || run.Slow || run.Breaks.Status != 0 {
		s.Errorf("it reads %q of a query that has not succeeded, or that there is not", ask.Token)
	}
	n, row := run.Rows(run.Params)
	rows := []any{}
	if ask.Token == "" {
		var names []any
		for _, c := range run.Cols {
			names = append(names, c.Name)
		}
		rows = append(rows, data(names))
	}
	at := from
	for ; at < n && len(rows) < ask.Most; at++ {
		rows = append(rows, data(row(at)))
	}
	answer := map[string]any{"UpdateCount": 0, "ResultSet": map[string]any{
		"Rows": rows, "ResultSetMetadata": map[string]any{"ColumnInfo": run.Cols},
	}}
	if at < n {
		token := fmt.Sprintf("page %d", at)
		s.Token(run, token, at)
		answer["NextToken"] = token
	}
	resttest.Answer(w, http.StatusOK, answer)
}

// data is a Row: a list of Datum, of which NULL has no VarCharValue.
func data(cells []any) map[string]any {
	all := make([]map[string]string, len(cells))
	for i, cell := range cells {
		switch v := cell.(type) {
		case nil:
			all[i] = map[string]string{}
		case time.Time:
			all[i] = map[string]string{"VarCharValue": resttest.TrinoInstant(v, 6)}
		default:
			all[i] = map[string]string{"VarCharValue": fmt.Sprint(v)}
		}
	}
	return map[string]any{"Data": all}
}
