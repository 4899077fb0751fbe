package bigquery_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/rest/bigquery"
	"service/store/warehouse/rest/resttest"
)

// A standIn answers as the REST reference of BigQuery v2 has it. A request that the reference does not allow fails the test. Sections are
// those of cloud.google.com/bigquery/docs/reference/rest/v2, unless another document is named.
type standIn struct{ *resttest.Server[col] }

type (
	recorded = resttest.Recorded[col]
	run      = resttest.Run[col]
)

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

const (
	account = "reader@acme-prod.iam.gserviceaccount.com"
	place   = "europe-west3" // where jobs run
)

// start starts a stand-in with all statements.
func start(t testing.TB) *resttest.Server[col] {
	s := standIn{&resttest.Server[col]{
		TB: t, Recorded: statements(), Connect: bigquery.Open, Operation: operation, Refuse: refuse, Target: target,
	}}
	s.Serve = s.serve
	s.Start()
	return s.Server
}

func target(t *warehouse.Target) {
	file, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "acme-prod", "private_key_id": "0123abc", "client_email": account,
		"private_key": resttest.PEM(),
		"client_id":   "1", "token_uri": "https://oauth2.googleapis.com/token", "universe_domain": "googleapis.com",
	})
	if err != nil {
		panic(err)
	}
	t.Database, t.Password = "shop", string(file)
}

// operation is plan (a dry run), insert, results or cancel.
func operation(r *http.Request) string {
	switch {
	case strings.HasSuffix(r.URL.Path, "/cancel"):
		return "cancel"
	case strings.Contains(r.URL.Path, "/queries/"):
		return "results"
	case bytes.Contains(resttest.Body(r), []byte(`"dryRun":true`)):
		return "plan"
	}
	return "insert"
}

// refuse answers as "Error messages", "Sample error response" has it. The code of a fault is a reason.
func refuse(w http.ResponseWriter, f resttest.Fault) {
	resttest.Answer(w, f.Status, map[string]any{"error": map[string]any{
		"code": f.Status, "message": f.Message, "status": "FAILED",
		"errors": []any{map[string]any{"domain": "global", "reason": f.Code, "message": f.Message}},
	}})
}

func (s standIn) serve(w http.ResponseWriter, r *http.Request) {
	if why := unsigned(r.Header.Get("Authorization")); why != "" {
		s.Errorf("a token that is not good: %s", why)
		refuse(w, resttest.Err(http.StatusUnauthorized, "authError", "Invalid Credentials"))
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
		s.Errorf("there is no method %s %s", r.Method, r.URL.Path)
		refuse(w, resttest.Err(http.StatusNotFound, "notFound", "Not Found"))
	}
}

// unsigned returns the fault of a token. It must have what AIP-4111, "Expected Behavior", lists, and no more.
func unsigned(header string) string {
	var head map[string]string
	var claims struct {
		Iss, Sub, Aud string
		Iat, Exp      int64
	}
	err := resttest.Token(header, &head, &claims)
	switch now := time.Now().Unix(); {
	case err != nil:
		return err.Error()
	case !maps.Equal(head, map[string]string{"alg": "RS256", "typ": "JWT", "kid": "0123abc"}):
		return fmt.Sprint("its header is ", head)
	case claims.Iss != account || claims.Sub != account || claims.Aud != "https://127.0.0.1/":
		return fmt.Sprint("its claims are ", claims)
	case claims.Exp != claims.Iat+3600 || claims.Iat > now || claims.Exp <= now: // "exactly 3600 seconds later"
		return fmt.Sprint("its times are ", claims)
	}
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
	typings = map[string]typing{                                // QueryParameter, and "Data types" for how literals are written
		"STRING":  {`(?s)^.*$`, func(text string) (any, error) { return text, nil }},
		"INT64":   {`^-?[0-9]+$`, func(text string) (any, error) { return strconv.ParseInt(text, 10, 64) }},
		"BOOL":    {`^(true|false)$`, func(text string) (any, error) { return strconv.ParseBool(text) }},
		"FLOAT64": {`^[0-9.e+-]+$`, func(text string) (any, error) { return strconv.ParseFloat(text, 64) }},
		"DATE":    {`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`, func(text string) (any, error) { return time.Parse(time.DateOnly, text) }},
		"TIMESTAMP": {
			`^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}(\.[0-9]{1,6})?Z$`,
			func(text string) (any, error) { return time.Parse("2006-01-02 15:04:05.999999Z", text) },
		},
	}
)

// A typing is the form of a type's parameters, and the function that reads them.
type typing struct {
	form string
	read func(text string) (any, error)
}

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
		form, value := typings[p.ParameterType.Type].form, p.ParameterValue.Value
		if p.Name == "" || seen[p.Name] || form == "" || value != nil && !regexp.MustCompile(form).MatchString(*value) {
			return fmt.Sprintf("the parameter %+v", p)
		}
		seen[p.Name] = true
	}
	return ""
}

// params returns the arguments of a statement, whose parameters are p1, p2 and so on, and the names of these.
func (j *sentJob) params() (p resttest.Params, names []string) {
	q := j.Configuration.Query
	p.Zone = q.ConnectionProperties[0].Value
	for i, one := range q.QueryParameters {
		names = append(names, one.Name)
		text := one.ParameterValue.Value
		if one.Name != "p"+strconv.Itoa(i+1) || text == nil {
			p.Args = append(p.Args, nil)
			continue
		}
		arg, err := typings[one.ParameterType.Type].read(*text)
		if err != nil {
			panic(err) // wrong has accepted it
		}
		p.Args = append(p.Args, arg)
	}
	return p, names
}

// insert is jobs.insert.
func (s standIn) insert(w http.ResponseWriter, r *http.Request) {
	var j sentJob
	if err := resttest.Decode(r, &j); err != nil || len(r.URL.RawQuery) > 0 {
		s.Errorf("jobs.insert: %v, ?%s", err, r.URL.RawQuery)
		refuse(w, resttest.Err(http.StatusBadRequest, "invalid", "Invalid JSON payload received."))
		return
	}
	if why := j.wrong(); why != "" {
		s.Errorf("jobs.insert: %s", why)
		refuse(w, resttest.Err(http.StatusBadRequest, "invalid", why))
		return
	}
	q := j.Configuration.Query
	known, ok := s.Recorded[q.Query]
	p, names := j.params()
	_, zone := time.LoadLocation(p.Zone)
	switch {
	case !ok:
		s.Errorf("this statement is not recorded: %s", q.Query)
		known.Fails = resttest.Err(http.StatusBadRequest, "invalidQuery", "Syntax error: Unexpected end of script at [1:1]")
	case zone != nil:
		known.Fails = resttest.Err(http.StatusBadRequest, "invalid", "Invalid time zone: "+p.Zone)
	}
	if known.Fails.Status != 0 {
		refuse(w, known.Fails)
		return
	}
	kind := known.Effect
	if kind == "" {
		kind = "SELECT"
	}
	if j.Configuration.DryRun {
		var undeclared []any // JobStatistics2, undeclaredQueryParameters: "detected during a dry run validation"
		for _, m := range named.FindAllStringSubmatch(q.Query, -1) {
			if !slices.Contains(names, m[1]) {
				undeclared = append(undeclared, map[string]any{"name": m[1], "parameterType": map[string]any{"type": "INT64"}})
			}
		}
		told := map[string]any{"statementType": kind, "totalBytesProcessed": strconv.FormatInt(known.Bytes, 10)}
		if undeclared != nil {
			told["undeclaredQueryParameters"] = undeclared
		}
		if kind == "SELECT" { // "The schema of the results. Present only for successful dry run of non-legacy SQL queries."
			told["schema"] = map[string]any{"fields": known.Cols}
		}
		resttest.Answer(w, http.StatusOK, map[string]any{
			"kind": "bigquery#job", "jobReference": map[string]any{"projectId": "acme-prod", "location": place},
			"statistics": map[string]any{"query": told}, "status": map[string]any{"state": "DONE"},
		})
		return
	}
	for _, name := range names {
		if !strings.Contains(q.Query, "@"+name) {
			s.Errorf("the parameter %s is not in %s", name, q.Query)
		}
	}
	most, _ := strconv.ParseInt(q.MaximumBytesBilled, 10, 64)
	if known.Bytes > most { // JobConfigurationQuery, maximumBytesBilled: "will fail (without incurring a charge)"
		known.Breaks = resttest.Err(http.StatusBadRequest, "bytesBilledLimitExceeded",
			fmt.Sprintf("Query exceeded limit for bytes billed: %d. %d or higher required.", most, known.Bytes))
	}
	id := j.JobReference.JobID
	if !s.Begin(id, &run{Recorded: known, Params: p, SQL: q.Query, Sent: j, Tokens: map[string]int{"": 0}}) {
		// "Error messages", duplicate: "trying to create a job … that already exists"
		refuse(w, resttest.Err(http.StatusConflict, "duplicate", "Already Exists: Job acme-prod:"+place+"."+id))
		return
	}
	resttest.Answer(w, http.StatusOK, map[string]any{
		"kind": "bigquery#job", "jobReference": map[string]any{"projectId": "acme-prod", "jobId": id, "location": place},
		"status": map[string]any{"state": "RUNNING"},
	})
}

// job is the job of a request that must name its location: getQueryResults and cancel, location, "If the job's location is in a single
// region". allowed are the parameters of the request.
func (s standIn) job(w http.ResponseWriter, r *http.Request, id string, allowed ...string) (*run, url.Values) {
	s.Only(r, allowed...)
	s.Bodiless(r) // "The request body must be empty."
	j, query := s.Run(id), r.URL.Query()
	if j == nil || query.Get("location") != place {
		refuse(w, resttest.Err(http.StatusNotFound, "notFound", "Not found: Job acme-prod:"+id))
		return nil, nil
	}
	return j, query
}

// results is jobs.getQueryResults.
func (s standIn) results(w http.ResponseWriter, r *http.Request, id string) {
	j, query := s.job(w, r, id, "location", "maxResults", "pageToken", "timeoutMs", "formatOptions.useInt64Timestamp")
	if j == nil {
		return
	}
	wait, err := strconv.Atoi(query.Get("timeoutMs"))
	most, err2 := strconv.Atoi(query.Get("maxResults"))
	from, known := s.RowAt(j, query.Get("pageToken"))
	if err != nil || err2 != nil || most < 1 || !known || query.Get("formatOptions.useInt64Timestamp") != "true" {
		s.Errorf("getQueryResults: %s", r.URL.RawQuery)
		refuse(w, resttest.Err(http.StatusBadRequest, "invalid", "Invalid value"))
		return
	}
	if j.Slow {
		select {
		case <-j.Cancelled:
			refuse(w, resttest.Err(http.StatusOK+299, "stopped", "Job execution was cancelled: User requested cancellation"))
		case <-r.Context().Done():
		case <-time.After(time.Duration(wait) * time.Millisecond):
			// "If the query has not yet completed, jobComplete is false."
			resttest.Answer(w, http.StatusOK, map[string]any{"kind": "bigquery#getQueryResultsResponse", "jobComplete": false})
		}
		return
	}
	if j.Breaks.Status != 0 {
		refuse(w, j.Breaks)
		return
	}
	n, row := j.Rows(j.Params)
	s.page(w, j, from, min(from+most, n), n, row)
}

// maxReply is how long a reply may be: jobs.query, maxResults, "responses are also limited to 10 MB".
const maxReply = 10_000_000

// page writes a page as getQueryResults, "Response body", has it. A row is "a series of JSON f,v objects".
func (s standIn) page(w http.ResponseWriter, j *run, from, to, n int, row func(i int) []any) {
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
			writeCell(&rows, j.Cols[i], v)
		}
		rows.WriteString(`]}`)
	}
	schema, _ := json.Marshal(j.Cols)
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	fmt.Fprintf(w, `{"kind":"bigquery#getQueryResultsResponse","etag":"x","schema":{"fields":%s},"totalRows":"%d","jobComplete":true,`+
		`"totalBytesProcessed":"%d"`, schema, n, j.Bytes)
	if rows.Len() > 0 {
		fmt.Fprintf(w, `,"rows":[%s]`, rows.Bytes())
	}
	if at < n {
		token := fmt.Sprintf("T%dA=", at)
		s.Token(j, token, at)
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
func (s standIn) cancel(w http.ResponseWriter, r *http.Request, id string) {
	j, _ := s.job(w, r, id, "location")
	if j == nil {
		return
	}
	s.Cancel(id)
	resttest.Answer(w, http.StatusOK, map[string]any{"kind": "bigquery#jobCancelResponse", "job": map[string]any{}})
}
