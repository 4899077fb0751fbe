package bigquery_test

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
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"service/store/warehouse"
)

// A standIn answers as the REST reference of BigQuery v2 has it, for statements whose outcome is recorded: it knows SQL by its text, and
// does not read it. A request that the reference does not allow fails the test. Sections are those of
// cloud.google.com/bigquery/docs/reference/rest/v2, unless another document is named.
type standIn struct {
	t        testing.TB
	http     *httptest.Server
	key      *rsa.PrivateKey
	recorded map[string]recorded
	place    string // where its jobs run

	mu      sync.Mutex
	jobs    map[string]*standInJob
	effects []string // statements that ran and are not a SELECT
	signed  map[string]int
	// before is called first for each request; it may answer itself, which it reports.
	before func(w http.ResponseWriter, r *http.Request) (answered bool)
}

// recorded is the outcome of a statement.
type recorded struct {
	kind   string // statementType; empty for SELECT
	schema []col
	bytes  int64
	rows   func(p params) (n int, row func(i int) []any)
	slow   bool  // it runs until it is cancelled
	fails  fault // when it is planned
	breaks fault // when it runs
}

// A col is a column of a schema. A value of it is nil, a text, a list ([]any) of values where the mode is REPEATED, or of members where
// the type is RECORD.
type col struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Mode      string `json:"mode,omitempty"`
	Precision string `json:"precision,omitempty"`
	Scale     string `json:"scale,omitempty"`
	Fields    []col  `json:"fields,omitempty"`
}

// A fault is an error as "Error messages" of the documentation lists them.
type fault struct {
	status  int
	reason  string
	message string
}

// params are the values of a statement's parameters, and its time zone.
type params struct {
	values map[string]*string
	types  map[string]string
	zone   string
}

type standInJob struct {
	recorded
	params
	cancelled chan struct{}
	done      bool
	tokens    map[string]int // the row at which the page of a token begins
	labels    map[string]string
	most      string
}

// key is the key of the service account.
var key = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

const account = "reader@acme-prod.iam.gserviceaccount.com"

func newStandIn(t testing.TB, all map[string]recorded) *standIn {
	s := &standIn{t: t, key: key(), recorded: all, place: "europe-west3", jobs: map[string]*standInJob{}, signed: map[string]int{}}
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
	file, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "acme-prod", "private_key_id": "0123abc", "client_email": account,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
		"client_id":   "1", "token_uri": "https://oauth2.googleapis.com/token", "universe_domain": "googleapis.com",
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return warehouse.Target{
		Host: at.Addr().String(), Port: int(at.Port()), Database: "shop", Password: string(file), TLS: warehouse.TLSOff,
	}
}

// running counts the jobs that have not ended.
func (s *standIn) running() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.jobs {
		if !j.done {
			n++
		}
	}
	return n
}

func (s *standIn) answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// refuse answers as "Error messages", "Sample error response" has it.
func (s *standIn) refuse(w http.ResponseWriter, f fault) {
	s.answer(w, f.status, map[string]any{"error": map[string]any{
		"code": f.status, "message": f.message, "status": "FAILED",
		"errors": []any{map[string]any{"domain": "global", "reason": f.reason, "message": f.message}},
	}})
}

func (s *standIn) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	before := s.before
	s.mu.Unlock()
	if before != nil && before(w, r) {
		return
	}
	if why := s.unsigned(r.Header.Get("Authorization")); why != "" {
		s.t.Errorf("a token that is not good: %s", why)
		s.refuse(w, fault{http.StatusUnauthorized, "authError", "Invalid Credentials"})
		return
	}
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), "/bigquery/v2/projects/acme-prod/")
	parts := strings.Split(path, "/")
	switch {
	case ok && r.Method == http.MethodPost && path == "jobs":
		s.insert(w, r)
	case ok && r.Method == http.MethodGet && len(parts) == 2 && parts[0] == "queries":
		s.results(w, r, parts[1])
	case ok && r.Method == http.MethodPost && len(parts) == 3 && parts[0] == "jobs" && parts[2] == "cancel":
		s.cancel(w, r, parts[1])
	default:
		s.t.Errorf("there is no method %s %s", r.Method, r.URL.Path)
		s.refuse(w, fault{http.StatusNotFound, "notFound", "Not Found"})
	}
}

// unsigned returns the fault of a token. It must have what AIP-4111, "Expected Behavior", lists, and no more.
func (s *standIn) unsigned(header string) string {
	token, ok := strings.CutPrefix(header, "Bearer ")
	parts := strings.Split(token, ".")
	if !ok || len(parts) != 3 {
		return "it is not a bearer token of three parts"
	}
	var head map[string]string
	var claims struct {
		Iss, Sub, Aud string
		Iat, Exp      int64
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
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	switch now := time.Now().Unix(); {
	case err != nil:
		return err.Error()
	case rsa.VerifyPKCS1v15(&s.key.PublicKey, crypto.SHA256, digest[:], signature) != nil:
		return "its signature is wrong"
	case !maps.Equal(head, map[string]string{"alg": "RS256", "typ": "JWT", "kid": "0123abc"}):
		return fmt.Sprint("its header is ", head)
	case claims.Iss != account || claims.Sub != account || claims.Aud != "https://127.0.0.1/":
		return fmt.Sprint("its claims are ", claims)
	case claims.Exp != claims.Iat+3600 || claims.Iat > now || claims.Exp <= now: // "exactly 3600 seconds later"
		return fmt.Sprint("its times are ", claims)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signed[token]++
	return ""
}

// A sentJob is the part of Job, "JSON representation", that the stand-in supports: anything else is a mistake.
type sentJob struct {
	JobReference *struct {
		ProjectID string `json:"projectId"`
		JobID     string `json:"jobId"`
		Location  string `json:"location"`
	} `json:"jobReference"`
	Configuration struct {
		DryRun       bool              `json:"dryRun"`
		JobTimeoutMs string            `json:"jobTimeoutMs"` // Int64Value
		Labels       map[string]string `json:"labels"`
		Query        *struct {
			Query          string `json:"query"`
			UseLegacySQL   *bool  `json:"useLegacySql"`
			DefaultDataset struct {
				ProjectID string `json:"projectId"`
				DatasetID string `json:"datasetId"`
			} `json:"defaultDataset"`
			MaximumBytesBilled string `json:"maximumBytesBilled"` // Int64Value
			ParameterMode      string `json:"parameterMode"`
			QueryParameters    []struct {
				Name          string `json:"name"`
				ParameterType struct {
					Type string `json:"type"`
				} `json:"parameterType"`
				ParameterValue struct {
					Value *string `json:"value"`
				} `json:"parameterValue"`
			} `json:"queryParameters"`
			ConnectionProperties []struct {
				Key   string `json:"key"`
				Value string `json:"value"`
			} `json:"connectionProperties"`
		} `json:"query"`
	} `json:"configuration"`
}

var (
	jobID   = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)            // JobReference, jobId
	labels  = regexp.MustCompile(`^[a-z0-9_-]{0,63}$`)          // Job, JobConfiguration, labels
	int64s  = regexp.MustCompile(`^[0-9]{1,18}$`)               // discovery, type-format, int64
	named   = regexp.MustCompile(`(?:^|[^@])@([a-z][a-z0-9]*)`) // "Lexical structure", "Named query parameters"
	typings = map[string]*regexp.Regexp{                        // QueryParameter, and "Data types" for how literals are written
		"STRING": regexp.MustCompile(`(?s)^.*$`), "INT64": regexp.MustCompile(`^-?[0-9]+$`), "BOOL": regexp.MustCompile(`^(true|false)$`),
		"FLOAT64": regexp.MustCompile(`^[0-9.e+-]+$`), "DATE": regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`),
		"TIMESTAMP": regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}(\.[0-9]{1,6})?Z$`),
	}
)

// wrong returns the part of a job that the reference does not allow.
func (j *sentJob) wrong() string {
	q := j.Configuration.Query
	switch {
	case q == nil:
		return "configuration.query is missing"
	case q.UseLegacySQL == nil || *q.UseLegacySQL: // JobConfigurationQuery: "The default value is true"
		return "useLegacySql is not false"
	case q.DefaultDataset.ProjectID != "acme-prod" || q.DefaultDataset.DatasetID != "shop":
		return fmt.Sprint("defaultDataset is ", q.DefaultDataset)
	case q.ParameterMode != "NAMED":
		return "parameterMode is " + q.ParameterMode
	case len(q.ConnectionProperties) != 1 || q.ConnectionProperties[0].Key != "time_zone": // ConnectionProperty
		return fmt.Sprint("connectionProperties are ", q.ConnectionProperties)
	case j.Configuration.DryRun && j.JobReference != nil:
		return "a dry run has a name"
	case !j.Configuration.DryRun && (j.JobReference == nil || !jobID.MatchString(j.JobReference.JobID) ||
		j.JobReference.ProjectID != "acme-prod"):
		return fmt.Sprint("jobReference is ", j.JobReference)
	case !j.Configuration.DryRun && !(int64s.MatchString(q.MaximumBytesBilled) && int64s.MatchString(j.Configuration.JobTimeoutMs)):
		return "maximumBytesBilled or jobTimeoutMs is not an int64"
	}
	for name, value := range j.Configuration.Labels {
		if !labels.MatchString(name) || !labels.MatchString(value) || name == "" || name[0] < 'a' { // "Label keys must start with a letter"
			return fmt.Sprintf("the label %q: %q", name, value)
		}
	}
	seen := map[string]bool{}
	for _, p := range q.QueryParameters { // QueryParameter: "should be unique within a query"
		form := typings[p.ParameterType.Type]
		if p.Name == "" || seen[p.Name] || form == nil || p.ParameterValue.Value != nil && !form.MatchString(*p.ParameterValue.Value) {
			return fmt.Sprintf("the parameter %+v", p)
		}
		seen[p.Name] = true
	}
	return ""
}

// insert is jobs.insert.
func (s *standIn) insert(w http.ResponseWriter, r *http.Request) {
	var j sentJob
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil || len(r.URL.RawQuery) > 0 {
		s.t.Errorf("jobs.insert: %v, ?%s", err, r.URL.RawQuery)
		s.refuse(w, fault{http.StatusBadRequest, "invalid", "Invalid JSON payload received."})
		return
	}
	if why := j.wrong(); why != "" {
		s.t.Errorf("jobs.insert: %s", why)
		s.refuse(w, fault{http.StatusBadRequest, "invalid", why})
		return
	}
	q := j.Configuration.Query
	known, ok := s.recorded[q.Query]
	p := params{map[string]*string{}, map[string]string{}, q.ConnectionProperties[0].Value}
	for _, one := range q.QueryParameters {
		p.values[one.Name], p.types[one.Name] = one.ParameterValue.Value, one.ParameterType.Type
	}
	_, zone := time.LoadLocation(p.zone)
	switch {
	case !ok:
		s.t.Errorf("this statement is not recorded: %s", q.Query)
		known.fails = fault{http.StatusBadRequest, "invalidQuery", "Syntax error: Unexpected end of script at [1:1]"}
	case zone != nil:
		known.fails = fault{http.StatusBadRequest, "invalid", "Invalid time zone: " + p.zone}
	}
	if known.fails.status != 0 {
		s.refuse(w, known.fails)
		return
	}
	kind := known.kind
	if kind == "" {
		kind = "SELECT"
	}
	if j.Configuration.DryRun {
		var undeclared []any // JobStatistics2, undeclaredQueryParameters: "detected during a dry run validation"
		for _, m := range named.FindAllStringSubmatch(q.Query, -1) {
			if _, declared := p.values[m[1]]; !declared {
				undeclared = append(undeclared, map[string]any{"name": m[1], "parameterType": map[string]any{"type": "INT64"}})
			}
		}
		told := map[string]any{"statementType": kind, "totalBytesProcessed": strconv.FormatInt(known.bytes, 10)}
		if undeclared != nil {
			told["undeclaredQueryParameters"] = undeclared
		}
		if kind == "SELECT" { // "The schema of the results. Present only for successful dry run of non-legacy SQL queries."
			told["schema"] = map[string]any{"fields": known.schema}
		}
		s.answer(w, http.StatusOK, map[string]any{
			"kind": "bigquery#job", "jobReference": map[string]any{"projectId": "acme-prod", "location": s.place},
			"statistics": map[string]any{"query": told}, "status": map[string]any{"state": "DONE"},
		})
		return
	}
	for name := range p.values {
		if !strings.Contains(q.Query, "@"+name) {
			s.t.Errorf("the parameter %s is not in %s", name, q.Query)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := j.JobReference.JobID
	if s.jobs[id] != nil { // "Error messages", duplicate: "trying to create a job … that already exists"
		s.refuse(w, fault{http.StatusConflict, "duplicate", "Already Exists: Job acme-prod:" + s.place + "." + id})
		return
	}
	if kind != "SELECT" {
		s.effects = append(s.effects, q.Query)
	}
	most, _ := strconv.ParseInt(q.MaximumBytesBilled, 10, 64)
	if known.bytes > most { // JobConfigurationQuery, maximumBytesBilled: "will fail (without incurring a charge)"
		known.breaks = fault{http.StatusBadRequest, "bytesBilledLimitExceeded", "Query exceeded limit for bytes billed"}
	}
	s.jobs[id] = &standInJob{
		recorded: known, params: p, cancelled: make(chan struct{}), done: !known.slow,
		tokens: map[string]int{"": 0}, labels: j.Configuration.Labels, most: q.MaximumBytesBilled,
	}
	s.answer(w, http.StatusOK, map[string]any{
		"kind": "bigquery#job", "jobReference": map[string]any{"projectId": "acme-prod", "jobId": id, "location": s.place},
		"status": map[string]any{"state": "RUNNING"},
	})
}

// job is the job of a request that must name its location: getQueryResults and cancel, location, "If the job's location is in a single
// region". allowed are the parameters of the request.
func (s *standIn) job(w http.ResponseWriter, r *http.Request, id string, allowed ...string) (*standInJob, url.Values) {
	body, _ := io.ReadAll(r.Body)
	query := r.URL.Query()
	for name := range query {
		if !slices.Contains(allowed, name) || len(query[name]) != 1 {
			s.t.Errorf("%s has the parameter %s: %v", r.URL.Path, name, query[name])
		}
	}
	if len(body) > 0 { // "The request body must be empty."
		s.t.Errorf("%s has a body: %s", r.URL.Path, body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[id]
	if j == nil || query.Get("location") != s.place {
		s.refuse(w, fault{http.StatusNotFound, "notFound", "Not found: Job acme-prod:" + id})
		return nil, nil
	}
	return j, query
}

// results is jobs.getQueryResults.
func (s *standIn) results(w http.ResponseWriter, r *http.Request, id string) {
	j, query := s.job(w, r, id, "location", "maxResults", "pageToken", "timeoutMs", "formatOptions.useInt64Timestamp")
	if j == nil {
		return
	}
	wait, err := strconv.Atoi(query.Get("timeoutMs"))
	most, err2 := strconv.Atoi(query.Get("maxResults"))
	s.mu.Lock()
	from, known := j.tokens[query.Get("pageToken")]
	s.mu.Unlock()
	if err != nil || err2 != nil || most < 1 || !known || query.Get("formatOptions.useInt64Timestamp") != "true" {
		s.t.Errorf("getQueryResults: %s", r.URL.RawQuery)
		s.refuse(w, fault{http.StatusBadRequest, "invalid", "Invalid value"})
		return
	}
	if j.slow {
		select {
		case <-j.cancelled:
			s.refuse(w, fault{http.StatusOK + 299, "stopped", "Job execution was cancelled: User requested cancellation"})
		case <-r.Context().Done():
		case <-time.After(time.Duration(wait) * time.Millisecond):
			// "If the query has not yet completed, jobComplete is false."
			s.answer(w, http.StatusOK, map[string]any{"kind": "bigquery#getQueryResultsResponse", "jobComplete": false})
		}
		return
	}
	if j.breaks.status != 0 {
		s.refuse(w, j.breaks)
		return
	}
	n, row := j.rows(j.params)
	s.page(w, j, from, min(from+most, n), n, row)
}

// maxReply is how long a reply may be: jobs.query, maxResults, "responses are also limited to 10 MB".
const maxReply = 10_000_000

// page writes a page as getQueryResults, "Response body", has it. A row is "a series of JSON f,v objects".
func (s *standIn) page(w http.ResponseWriter, j *standInJob, from, to, n int, row func(i int) []any) {
	var rows bytes.Buffer
	at := from
	for ; at < to && (at == from || rows.Len() < maxReply-1_000_000); at++ {
		if at > from {
			rows.WriteByte(',')
		}
		rows.WriteString(`{"f":[`)
		for i, v := range row(at) {
			if i > 0 {
				rows.WriteByte(',')
			}
			writeCell(&rows, j.schema[i], v)
		}
		rows.WriteString(`]}`)
	}
	schema, _ := json.Marshal(j.schema)
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	fmt.Fprintf(w, `{"kind":"bigquery#getQueryResultsResponse","etag":"x","schema":{"fields":%s},"totalRows":"%d","jobComplete":true`,
		schema, n)
	if rows.Len() > 0 {
		fmt.Fprintf(w, `,"rows":[%s]`, rows.Bytes())
	}
	if at < n {
		token := fmt.Sprintf("T%dA=", at)
		s.mu.Lock()
		j.tokens[token] = at
		s.mu.Unlock()
		fmt.Fprintf(w, `,"pageToken":%q`, token)
	}
	io.WriteString(w, "}")
}

// writeCell writes {"v": …}: null, a text, a list of such cells, or {"f": [cells]}.
func writeCell(b *bytes.Buffer, c col, v any) {
	b.WriteString(`{"v":`)
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case string:
		text, _ := json.Marshal(v)
		b.Write(text)
	case []any:
		repeated := c.Mode == "REPEATED"
		b.WriteString(map[bool]string{true: "[", false: `{"f":[`}[repeated])
		for i, one := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			inner := c
			if inner.Mode = ""; !repeated {
				inner = c.Fields[i]
			}
			writeCell(b, inner, one)
		}
		b.WriteString(map[bool]string{true: "]", false: "]}"}[repeated])
	}
	b.WriteString("}")
}

// cancel is jobs.cancel: "This call will return immediately".
func (s *standIn) cancel(w http.ResponseWriter, r *http.Request, id string) {
	j, _ := s.job(w, r, id, "location")
	if j == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !j.done {
		j.done = true
		close(j.cancelled)
	}
	s.answer(w, http.StatusOK, map[string]any{"kind": "bigquery#jobCancelResponse", "job": map[string]any{}})
}
