package snowflake_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store/warehouse"
)

// A standIn answers as the OpenAPI document of Snowflake's SQL API (sqlapi.yaml, version 2.0.0) and docs.snowflake.com/en/developer-guide/
// sql-api have it, for statements whose outcome is recorded: it knows SQL by its text, and does not read it. A request that they do not
// allow fails the test.
type standIn struct {
	t        testing.TB
	http     *httptest.Server
	key      *rsa.PrivateKey
	recorded map[string]recorded

	mu      sync.Mutex
	runs    map[string]*standInRun
	handles map[string]string // of submissions, by requestId
	effects []string          // statements that ran and are not a SELECT
	// before is called first for each request; it may answer itself, which it reports.
	before func(w http.ResponseWriter, r *http.Request) (answered bool)
}

// recorded is the outcome of a statement.
type recorded struct {
	effect bool // it is not a query, so it cannot be a subquery
	types  []col
	rows   func(p params) (n int, row func(i int) []any)
	slow   bool  // it runs until it is cancelled
	fails  fault // when it is compiled
	breaks fault // when it runs
}

// A col is an item of rowType.
type col struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Length    *int   `json:"length"`
	Precision *int   `json:"precision"`
	Scale     *int   `json:"scale"`
	Nullable  bool   `json:"nullable"`
}

// A fault is a QueryFailureStatus.
type fault struct {
	status        int
	code, message string
}

// params are the bindings of a statement, and its time zone.
type params struct {
	values []*string
	zone   string
}

type standInRun struct {
	recorded
	params
	cancelled chan struct{}
	done      bool
	most      int // rows_per_resultset; 0 for no limit
	tag       string
}

// key is the key of the user.
var key = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func newStandIn(t testing.TB, all map[string]recorded) *standIn {
	s := &standIn{t: t, key: key(), recorded: all, runs: map[string]*standInRun{}, handles: map[string]string{}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// target is the stand-in at an address; empty means its own.
func (s *standIn) target(address string) warehouse.Target {
	if address == "" {
		address = s.http.Listener.Addr().String()
	}
	at := netip.MustParseAddrPort(address)
	private, err := x509.MarshalPKCS8PrivateKey(s.key)
	if err != nil {
		s.t.Fatal(err)
	}
	return warehouse.Target{
		Host: at.Addr().String(), Port: int(at.Port()), Database: "SALES.SHOP", User: "reader", TLS: warehouse.TLSOff,
		Password: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
	}
}

// running counts the statements that have not ended.
func (s *standIn) running() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		if !r.done {
			n++
		}
	}
	return n
}

func (s *standIn) answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// refuse answers with a QueryFailureStatus.
func (s *standIn) refuse(w http.ResponseWriter, f fault) {
	s.answer(w, f.status, map[string]any{
		"code": f.code, "sqlState": "42000", "message": f.message, "statementHandle": uuid.NewString(), "createdOn": 1,
	})
}

func (s *standIn) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	before := s.before
	s.mu.Unlock()
	if before != nil && before(w, r) {
		return
	}
	if why := s.unsigned(r.Header); why != "" {
		s.t.Errorf("a token that is not good: %s", why)
		s.refuse(w, fault{http.StatusUnauthorized, "390144", "JWT token is invalid."})
		return
	}
	if r.Header.Get("User-Agent") == "" { // parameters, User-Agent: required
		s.t.Error("no User-Agent")
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
		s.t.Errorf("there is no operation %s %s", r.Method, r.URL.Path)
		s.refuse(w, fault{http.StatusNotFound, "390404", "Not Found"})
	}
}

// unsigned returns the fault of a token: "Authenticating to the server", "Using key-pair authentication".
func (s *standIn) unsigned(h http.Header) string {
	if got := h.Get("X-Snowflake-Authorization-Token-Type"); got != "KEYPAIR_JWT" {
		return "its type is " + got
	}
	token, ok := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	parts := strings.Split(token, ".")
	if !ok || len(parts) != 3 {
		return "it is not a bearer token of three parts"
	}
	var head struct{ Alg, Typ string }
	var claims struct {
		Iss, Sub string
		Iat, Exp int64
	}
	for i, to := range []any{&head, &claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			return err.Error()
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(to); err != nil {
			return err.Error()
		}
	}
	signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	public, _ := x509.MarshalPKIXPublicKey(&s.key.PublicKey)
	fingerprint := sha256.Sum256(public)
	issuer := "127.READER.SHA256:" + base64.StdEncoding.EncodeToString(fingerprint[:]) // account and user in capitals
	switch now := time.Now().Unix(); {
	case rsa.VerifyPKCS1v15(&s.key.PublicKey, crypto.SHA256, digest[:], signature) != nil:
		return "its signature is wrong"
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
	} `json:"parameters"`
}

// typings are the forms of bindings: "Submitting a request to execute SQL statements", "Using bind variables in a statement".
var typings = map[string]*regexp.Regexp{
	"TEXT": regexp.MustCompile(`(?s)^.*$`), "FIXED": regexp.MustCompile(`^-?[0-9]+$`), "REAL": regexp.MustCompile(`^[0-9.e+-]+$`),
	"BOOLEAN": regexp.MustCompile(`^(true|false)$`), "DATE": regexp.MustCompile(`^-?[0-9]+$`),
	"TIMESTAMP_LTZ": regexp.MustCompile(`^-?[0-9]+$`),
}

// submit is SubmitStatement.
func (s *standIn) submit(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	for name := range query {
		if !slices.Contains([]string{"requestId", "async", "retry"}, name) {
			s.t.Errorf("SubmitStatement has the parameter %s", name)
		}
	}
	var body sent
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(&body)
	if err != nil || body.Timeout < 1 || body.Database != "SALES" || body.Schema != "SHOP" || body.Parameters.StatementCount != 1 ||
		r.Header.Get("Content-Type") != "application/json" || uuid.Validate(query.Get("requestId")) != nil {
		s.t.Errorf("SubmitStatement: %v, %+v, %s", err, body, r.URL.RawQuery)
		s.refuse(w, fault{http.StatusBadRequest, "390100", "invalid"})
		return
	}
	p := params{make([]*string, len(body.Bindings)), body.Parameters.Timezone}
	for i := range p.values {
		b, ok := body.Bindings[strconv.Itoa(i+1)]
		if form := typings[b.Type]; !ok || form == nil || b.Value != nil && !form.MatchString(*b.Value) {
			s.t.Errorf("the binding %d of %+v", i+1, body.Bindings)
		}
		p.values[i] = b.Value
	}
	sql, described := strings.CutPrefix(body.Statement, "SELECT * FROM (\n")
	if described {
		sql, described = strings.CutSuffix(sql, "\n) LIMIT 0")
	}
	known, ok := s.recorded[sql]
	_, zone := time.LoadLocation(p.zone)
	switch {
	case !ok:
		s.t.Errorf("this statement is not recorded: %s", body.Statement)
		known.fails = fault{http.StatusUnprocessableEntity, "001003", "SQL compilation error"}
	case zone != nil:
		known.fails = fault{http.StatusUnprocessableEntity, "001008", "invalid value [" + p.zone + "] for parameter 'TIMEZONE'"}
	case strings.Count(sql, "?") > len(p.values) && !strings.Contains(sql, "'?'"):
		known.fails = fault{http.StatusUnprocessableEntity, "002049", "SQL compilation error: Bind variable ? not set."}
	case described && known.effect:
		known.fails = fault{http.StatusUnprocessableEntity, "001003", "SQL compilation error:\nsyntax error line 2 at position 0 unexpected 'x'."}
	}
	if known.fails.status != 0 {
		f := known.fails
		if described { // the statement begins on the second line
			f.message = place.ReplaceAllStringFunc(f.message, func(at string) string {
				n, _ := strconv.Atoi(place.FindStringSubmatch(at)[1])
				return fmt.Sprint("line ", n+1, " at position")
			})
		}
		s.refuse(w, f)
		return
	}
	run := &standInRun{
		recorded: known, params: p, cancelled: make(chan struct{}), done: !known.slow, most: body.Parameters.Rows, tag: body.Parameters.QueryTag,
	}
	if described {
		run.done, run.slow, run.breaks = true, false, fault{}
		run.rows = func(params) (int, func(int) []any) { return 0, nil }
	}
	handle, id := uuid.NewString(), query.Get("requestId")
	s.mu.Lock()
	if known := s.handles[id]; known != "" { // "Resubmitting a request to execute SQL statements"
		if query.Get("retry") != "true" {
			s.t.Error("a submission is repeated without retry=true")
		}
		handle, run = known, s.runs[known]
	}
	s.runs[handle], s.handles[id] = run, handle
	if known.effect {
		s.effects = append(s.effects, sql)
	}
	s.mu.Unlock()
	if query.Get("async") == "true" {
		s.still(w, handle)
		return
	}
	s.partition(w, run, handle, 0)
}

var place = regexp.MustCompile(`line ([0-9]+) at position`)

// still is a QueryStatus of a statement that has not ended: "202".
func (s *standIn) still(w http.ResponseWriter, handle string) {
	s.answer(w, http.StatusAccepted, map[string]any{
		"code": "333334", "message": "Asynchronous execution in progress.", "statementHandle": handle,
		"statementStatusUrl": "/api/v2/statements/" + handle,
	})
}

// run is the statement of a request, whose parameters are allowed and which has no body.
func (s *standIn) run(w http.ResponseWriter, r *http.Request, handle string, allowed ...string) *standInRun {
	body, _ := io.ReadAll(r.Body)
	for name := range r.URL.Query() {
		if !slices.Contains(allowed, name) {
			s.t.Errorf("%s has the parameter %s", r.URL.Path, name)
		}
	}
	if len(body) > 0 {
		s.t.Errorf("%s has a body: %s", r.URL.Path, body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	run := s.runs[handle]
	if run == nil {
		s.refuse(w, fault{http.StatusNotFound, "391918", "Statement handle not found"})
	}
	return run
}

// status is GetStatementStatus.
func (s *standIn) status(w http.ResponseWriter, r *http.Request, handle string) {
	run := s.run(w, r, handle, "partition")
	if run == nil {
		return
	}
	select {
	case <-run.cancelled:
		s.refuse(w, fault{http.StatusUnprocessableEntity, "000604", "SQL execution canceled"})
		return
	default:
	}
	if run.slow {
		s.still(w, handle)
		return
	}
	n, err := strconv.Atoi("0" + r.URL.Query().Get("partition"))
	if err != nil {
		s.t.Errorf("partition: %v", err)
	}
	s.partition(w, run, handle, n)
}

// perPartition is how many rows a partition has, at most.
const perPartition = 6_000

// partition writes a ResultSet: the metadata are in the first one.
func (s *standIn) partition(w http.ResponseWriter, r *standInRun, handle string, number int) {
	if r.breaks.status != 0 {
		s.refuse(w, r.breaks)
		return
	}
	n, row := r.rows(r.params)
	if r.most > 0 { // ROWS_PER_RESULTSET: "the maximum number of rows returned in a result set"
		n = min(n, r.most)
	}
	partitions := max(1, (n+perPartition-1)/perPartition)
	if number >= partitions {
		s.t.Errorf("there is no partition %d of %d", number, partitions)
		s.refuse(w, fault{http.StatusBadRequest, "391902", "Invalid partition"})
		return
	}
	body := map[string]any{}
	if number == 0 {
		var info []any
		for i := range partitions {
			info = append(info, map[string]any{"rowCount": min(perPartition, n-i*perPartition), "uncompressedSize": 1000})
		}
		body["code"], body["statementHandle"], body["createdOn"] = "090001", handle, 1
		body["resultSetMetaData"] = map[string]any{"format": "jsonv2", "numRows": n, "rowType": r.types, "partitionInfo": info}
	}
	rows := [][]any{}
	for i := number * perPartition; i < min(n, (number+1)*perPartition); i++ {
		rows = append(rows, row(i))
	}
	body["data"] = rows
	s.answer(w, http.StatusOK, body)
}

// cancel is CancelStatement.
func (s *standIn) cancel(w http.ResponseWriter, r *http.Request, handle string) {
	run := s.run(w, r, handle)
	if run == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !run.done {
		run.done = true
		close(run.cancelled)
	}
	s.answer(w, http.StatusOK, map[string]any{"message": "successfully canceled", "statementHandle": handle})
}
