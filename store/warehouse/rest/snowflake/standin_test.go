package snowflake_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
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
	"service/store/warehouse/rest/resttest"
	"service/store/warehouse/rest/snowflake"
)

// A standIn answers as the OpenAPI document of Snowflake's SQL API (sqlapi.yaml, version 2.0.0) and docs.snowflake.com/en/developer-guide/
// sql-api have it. A request that they do not allow fails the test.
type standIn struct {
	*resttest.Server[col]
	handles *sync.Map // of submissions, by requestId
}

type (
	recorded = resttest.Recorded[col]
	run      = resttest.Run[col]
)

// A col is an item of rowType.
type col struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Length    *int   `json:"length"`
	Precision *int   `json:"precision"`
	Scale     *int   `json:"scale"`
	Nullable  bool   `json:"nullable"`
}

// start starts a stand-in with all statements.
func start(t testing.TB) *resttest.Server[col] {
	s := standIn{&resttest.Server[col]{
		TB: t, Recorded: statements(), Connect: snowflake.Open, Operation: operation, Refuse: refuse, Target: target,
	}, &sync.Map{}}
	s.Serve = s.serve
	s.Start()
	return s.Server
}

func target(t *warehouse.Target) {
	t.Database, t.User, t.Password = "SALES.SHOP", "reader", resttest.PEM()
}

// operation is describe, explain, submit, status or cancel.
func operation(r *http.Request) string {
	switch {
	case r.Method == http.MethodGet:
		return "status"
	case strings.HasSuffix(r.URL.Path, "/cancel"):
		return "cancel"
	case bytes.Contains(resttest.Body(r), []byte(`"statement":"EXPLAIN`)):
		return "explain"
	case r.URL.Query().Get("async") == "":
		return "describe"
	}
	return "submit"
}

// refuse answers with a QueryFailureStatus.
func refuse(w http.ResponseWriter, f resttest.Fault) {
	resttest.Answer(w, f.Status, map[string]any{
		"code": f.Code, "sqlState": "42000", "message": f.Message, "statementHandle": uuid.NewString(), "createdOn": 1,
	})
}

func (s standIn) serve(w http.ResponseWriter, r *http.Request) {
	if why := unsigned(r.Header); why != "" {
		s.Errorf("a token that is not good: %s", why)
		refuse(w, resttest.Err(http.StatusUnauthorized, "390144", "JWT token is invalid."))
		return
	}
	if r.Header.Get("User-Agent") == "" { // parameters, User-Agent: required
		s.Error("no User-Agent")
	}
	path, ok := strings.CutPrefix(r.URL.Path, "/api/v2/statements")
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case ok && r.Method == http.MethodPost && path == "":
		s.submit(w, r)
	case ok && r.Method == http.MethodGet && len(parts) == 1:
		s.status(w, r, parts[0])
	case ok && r.Method == http.MethodPost && len(parts) == 2 && parts[1] == "cancel":
		s.cancel(w, r, parts[0])
	default:
		s.Errorf("there is no operation %s %s", r.Method, r.URL.Path)
		refuse(w, resttest.Err(http.StatusNotFound, "390404", "Not Found"))
	}
}

// unsigned returns the fault of a token: "Authenticating to the server", "Using key-pair authentication".
func unsigned(h http.Header) string {
	if got := h.Get("X-Snowflake-Authorization-Token-Type"); got != "KEYPAIR_JWT" {
		return "its type is " + got
	}
	var head struct{ Alg, Typ string }
	var claims struct {
		Iss, Sub string
		Iat, Exp int64
	}
	err := resttest.Token(h.Get("Authorization"), &head, &claims)
	public, _ := x509.MarshalPKIXPublicKey(&resttest.Key().PublicKey)
	fingerprint := sha256.Sum256(public)
	issuer := "127.READER.SHA256:" + base64.StdEncoding.EncodeToString(fingerprint[:]) // account and user in capitals
	switch now := time.Now().Unix(); {
	case err != nil:
		return err.Error()
	case head.Alg != "RS256" || head.Typ != "JWT" || claims.Sub != "127.READER" || claims.Iss != issuer:
		return fmt.Sprint(head, claims)
	case claims.Exp > claims.Iat+3600 || claims.Iat > now || claims.Exp <= now: // "valid for at most one hour"
		return fmt.Sprint("its times are ", claims)
	}
	return ""
}

// A sent is the part of SubmitStatement's request body that the stand-in supports: anything else is a mistake.
type sent struct {
	Statement string `json:"statement"`
	Timeout   int64  `json:"timeout"`
	Database  string `json:"database"`
	Schema    string `json:"schema"`
	Bindings  map[string]struct {
		Type  string  `json:"type"`
		Value *string `json:"value"`
	} `json:"bindings"`
	Parameters struct {
		Timezone       string `json:"timezone"`
		QueryTag       string `json:"query_tag"`
		StatementCount int    `json:"multi_statement_count"`
		Rows           int    `json:"rows_per_resultset"`
		ChunkSize      int    `json:"client_result_chunk_size"`
	} `json:"parameters"`
}

// A typing is the form of a type's bindings, and the function that reads them.
type typing struct {
	form string
	read func(text string) (any, error)
}

// typings: "Submitting a request to execute SQL statements", "Using bind variables in a statement". Dates are milliseconds, and instants
// nanoseconds, since 1970.
var typings = map[string]typing{
	"TEXT":    {`(?s)^.*$`, func(text string) (any, error) { return text, nil }},
	"FIXED":   {`^-?[0-9]+$`, func(text string) (any, error) { return strconv.ParseInt(text, 10, 64) }},
	"REAL":    {`^[0-9.e+-]+$`, func(text string) (any, error) { return strconv.ParseFloat(text, 64) }},
	"BOOLEAN": {`^(true|false)$`, func(text string) (any, error) { return strconv.ParseBool(text) }},
	"DATE": {`^-?[0-9]+$`, func(text string) (any, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		return time.UnixMilli(n).UTC(), err
	}},
	"TIMESTAMP_LTZ": {`^-?[0-9]+$`, func(text string) (any, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		return time.Unix(0, n).UTC(), err
	}},
}

// params are the bindings of a statement, and its time zone.
func (s standIn) params(body sent) resttest.Params {
	p := resttest.Params{Args: make([]any, len(body.Bindings)), Zone: body.Parameters.Timezone}
	for i := range p.Args {
		b, ok := body.Bindings[strconv.Itoa(i+1)]
		typing := typings[b.Type]
		if !ok || typing.form == "" || b.Value != nil && !regexp.MustCompile(typing.form).MatchString(*b.Value) {
			s.Errorf("the binding %d of %+v", i+1, body.Bindings)
			continue
		}
		if b.Value != nil {
			p.Args[i], _ = typing.read(*b.Value)
		}
	}
	return p
}

// submit is SubmitStatement.
func (s standIn) submit(w http.ResponseWriter, r *http.Request) {
	s.Only(r, "requestId", "async", "retry")
	var body sent
	query, err := r.URL.Query(), resttest.Decode(r, &body)
	if err != nil || body.Timeout < 1 || body.Database != "SALES" || body.Schema != "SHOP" || body.Parameters.StatementCount != 1 ||
		body.Parameters.ChunkSize < 16 || body.Parameters.ChunkSize > 160 || // "Parameters", CLIENT_RESULT_CHUNK_SIZE
		r.Header.Get("Content-Type") != "application/json" || uuid.Validate(query.Get("requestId")) != nil {
		s.Errorf("SubmitStatement: %v, %+v, %s", err, body, r.URL.RawQuery)
		refuse(w, resttest.Err(http.StatusBadRequest, "390100", "invalid"))
		return
	}
	p := s.params(body)
	sql, described := strings.CutPrefix(body.Statement, "SELECT * FROM (\n")
	if described {
		sql, described = strings.CutSuffix(sql, "\n) LIMIT 0")
	}
	sql, explained := strings.CutPrefix(sql, "EXPLAIN USING JSON\n")
	known, ok := s.Recorded[sql]
	_, zone := time.LoadLocation(p.Zone)
	switch {
	case !ok:
		s.Errorf("this statement is not recorded: %s", body.Statement)
		known.Fails = resttest.Err(http.StatusUnprocessableEntity, "001003", "SQL compilation error")
	case zone != nil:
		known.Fails = resttest.Err(http.StatusUnprocessableEntity, "001008", "invalid value ["+p.Zone+"] for parameter 'TIMEZONE'")
	case strings.Count(sql, "?") > len(p.Args) && !strings.Contains(sql, "'?'"):
		known.Fails = resttest.Err(http.StatusUnprocessableEntity, "002049", "SQL compilation error: Bind variable ? not set.")
	case described && known.Effect != "":
		known.Fails = resttest.Err(http.StatusUnprocessableEntity, "001003",
			"SQL compilation error:\nsyntax error line 2 at position 0 unexpected 'x'.")
	}
	if known.Fails.Status != 0 {
		f := known.Fails
		if described { // the statement begins on the second line
			f.Message = place.ReplaceAllStringFunc(f.Message, func(at string) string {
				n, _ := strconv.Atoi(place.FindStringSubmatch(at)[1])
				return fmt.Sprint("line ", n+1, " at position")
			})
		}
		refuse(w, f)
		return
	}
	if explained { // "EXPLAIN", "Output": a row with a text; it compiles the statement, and does not run it
		plan := fmt.Sprintf(`{"GlobalStats":{"partitionsTotal":9,"partitionsAssigned":2,"bytesAssigned":%d},"Operations":[[]]}`, known.Bytes)
		known = resttest.Fixed([]col{textOf("content")}, []any{plan})
	}
	if described {
		known.Slow, known.Breaks, known.Rows = false, resttest.Fault{}, resttest.Fixed[col](nil).Rows
	}
	handle := uuid.NewString()
	if first, again := s.handles.LoadOrStore(query.Get("requestId"), handle); again { // "Resubmitting a request to execute SQL statements"
		if query.Get("retry") != "true" {
			s.Error("a submission is repeated without retry=true")
		}
		handle = first.(string)
	} else {
		s.Begin(handle, &run{Recorded: known, Params: p, SQL: sql, Sent: body})
	}
	if query.Get("async") == "true" {
		s.still(w, handle)
		return
	}
	s.partition(w, s.Run(handle), handle, 0)
}

var place = regexp.MustCompile(`line ([0-9]+) at position`)

// still is a QueryStatus of a statement that has not ended: "202".
func (s standIn) still(w http.ResponseWriter, handle string) {
	resttest.Answer(w, http.StatusAccepted, map[string]any{
		"code": "333334", "message": "Asynchronous execution in progress.", "statementHandle": handle,
		"statementStatusUrl": "/api/v2/statements/" + handle,
	})
}

// run is the statement of a request, whose parameters are allowed and which has no body.
func (s standIn) run(w http.ResponseWriter, r *http.Request, handle string, allowed ...string) *run {
	s.Only(r, allowed...)
	s.Bodiless(r)
	run := s.Run(handle)
	if run == nil {
		refuse(w, resttest.Err(http.StatusNotFound, "391918", "Statement handle not found"))
	}
	return run
}

// status is GetStatementStatus.
func (s standIn) status(w http.ResponseWriter, r *http.Request, handle string) {
	run := s.run(w, r, handle, "partition")
	if run == nil {
		return
	}
	select {
	case <-run.Cancelled:
		refuse(w, resttest.Err(http.StatusUnprocessableEntity, "000604", "SQL execution canceled"))
		return
	default:
	}
	if run.Slow {
		s.still(w, handle)
		return
	}
	n, err := strconv.Atoi("0" + r.URL.Query().Get("partition"))
	if err != nil {
		s.Errorf("partition: %v", err)
	}
	s.partition(w, run, handle, n)
}

// perPartition is how many rows a partition has, at most.
const perPartition = 6_000

// partition writes a ResultSet: the metadata are in the first one.
func (s standIn) partition(w http.ResponseWriter, r *run, handle string, number int) {
	if r.Breaks.Status != 0 {
		refuse(w, r.Breaks)
		return
	}
	n, row := r.Rows(r.Params)
	if most := r.Sent.(sent).Parameters.Rows; most > 0 { // ROWS_PER_RESULTSET: "the maximum number of rows returned in a rows"
		n = min(n, most)
	}
	partitions := max(1, (n+perPartition-1)/perPartition)
	if number >= partitions {
		s.Errorf("there is no partition %d of %d", number, partitions)
		refuse(w, resttest.Err(http.StatusBadRequest, "391902", "Invalid partition"))
		return
	}
	body := map[string]any{}
	if number == 0 {
		var info []any
		for i := range partitions {
			info = append(info, map[string]any{"rowCount": min(perPartition, n-i*perPartition), "uncompressedSize": 1000})
		}
		body["code"], body["statementHandle"], body["createdOn"] = "090001", handle, 1
		body["resultSetMetaData"] = map[string]any{"format": "jsonv2", "numRows": n, "rowType": r.Cols, "partitionInfo": info}
	}
	rows := [][]any{}
	for i := number * perPartition; i < min(n, (number+1)*perPartition); i++ {
		rows = append(rows, row(i))
	}
	body["data"] = rows
	resttest.Answer(w, http.StatusOK, body)
}

// cancel is CancelStatement.
func (s standIn) cancel(w http.ResponseWriter, r *http.Request, handle string) {
	if s.run(w, r, handle) == nil {
		return
	}
	s.Cancel(handle)
	resttest.Answer(w, http.StatusOK, map[string]any{"message": "successfully canceled", "statementHandle": handle})
}
