package databricks_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store/warehouse"
	"service/store/warehouse/rest/databricks"
	"service/store/warehouse/rest/resttest"
)

// A standIn answers as "Statement Execution API" (docs.databricks.com/api/statement-execution/v1) and, for tokens, "Authorize service
// principal access to Databricks with OAuth" have it. A request that they do not allow fails the test.
type standIn struct {
	*resttest.Server[col]
	forms map[string]*regexp.Regexp // of the statements that have the time zone in them
}

type (
	recorded = resttest.Recorded[col]
	run      = resttest.Run[col]
)

// A col is a ColumnInfo.
type col struct {
	Name     string `json:"name"`
	TypeText string `json:"type_text"`
	TypeName string `json:"type_name"`
	Position int    `json:"position"`
}

func colOf(name, kind string) col {
	base, _, _ := strings.Cut(kind, "(")
	return col{Name: name, TypeText: kind, TypeName: base}
}

const token = "eyJ0b2tlbiI6MX0"

// start starts a stand-in with all statements.
func start(t testing.TB) *resttest.Server[col] {
	s := standIn{&resttest.Server[col]{
		TB: t, Recorded: statements(), Connect: databricks.Open, Operation: operation, Refuse: refuse, Target: target,
	}, map[string]*regexp.Regexp{}}
	for sql := range s.Recorded {
		if strings.Contains(sql, "current_timezone()") {
			form := strings.ReplaceAll(regexp.QuoteMeta(sql), `current_timezone\(\)`, `'([A-Za-z_/]+)'`)
			s.forms[sql] = regexp.MustCompile("^" + form + "$")
		}
	}
	s.Serve = s.serve
	s.Start()
	return s.Server
}

func target(t *warehouse.Target) {
	t.Database, t.User, t.Password, t.Place = "main.shop", "0f2a-client", "open-sesame", "/sql/1.0/warehouses/1234567890abcdef"
}

// operation is token, describe, submit, status, chunk, link or cancel.
func operation(r *http.Request) string {
	switch {
	case r.URL.Path == "/oidc/v1/token":
		return "token"
	case strings.HasPrefix(r.URL.Path, "/storage/"):
		return "link"
	case strings.HasSuffix(r.URL.Path, "/cancel"):
		return "cancel"
	case strings.Contains(r.URL.Path, "/result/chunks/"):
		return "chunk"
	case r.Method == http.MethodGet:
		return "status"
	case strings.Contains(string(resttest.Body(r)), `) LIMIT 0"`):
		return "describe"
	}
	return "submit"
}

// refuse answers with a ServiceError. A fault with the status 200 is a statement that has failed.
func refuse(w http.ResponseWriter, f resttest.Fault) {
	bad := map[string]any{"error_code": f.Code, "message": f.Message}
	if f.Status != http.StatusOK {
		resttest.Answer(w, f.Status, bad)
		return
	}
	resttest.Answer(w, http.StatusOK, map[string]any{
		"statement_id": uuid.NewString(), "status": map[string]any{"state": "FAILED", "error": bad, "sql_state": "42000"},
	})
}

func (s standIn) serve(w http.ResponseWriter, r *http.Request) {
	if parts := strings.Split(r.URL.Path, "/"); operation(r) == "link" {
		// "Because URLs are already generated with embedded temporary credentials, you must not set an Authorization header"
		if r.Header.Get("Authorization") != "" || r.URL.Query().Get("X-Amz-Signature") != "s1gned" || len(parts) != 4 {
			s.Errorf("it fetches %s with %q", r.URL, r.Header)
		}
		n, _ := strconv.Atoi(parts[3])
		rows, _, _ := s.rows(s.Run(parts[2]), n)
		resttest.Answer(w, http.StatusOK, rows)
		return
	} else if operation(r) == "token" {
		s.grant(w, r)
		return
	} else if r.Header.Get("Authorization") != "Bearer "+token {
		s.Errorf("its token is %s", r.Header.Get("Authorization"))
		refuse(w, resttest.Err(http.StatusUnauthorized, "UNAUTHENTICATED", "Credential was not sent or was of an unsupported type"))
		return
	} else {
		s.Only(r)
		switch op := operation(r); {
		case r.Method == http.MethodPost && r.URL.Path == "/api/2.0/sql/statements":
			s.submit(w, r, op == "describe")
		case r.Method == http.MethodGet && len(parts) == 6 && strings.HasPrefix(r.URL.Path, "/api/2.0/sql/statements/"):
			s.status(w, r, parts[5])
		case r.Method == http.MethodGet && len(parts) == 9 && op == "chunk":
			s.chunk(w, r, parts[5], parts[8])
		case r.Method == http.MethodPost && len(parts) == 7 && op == "cancel": // "Cancel response is empty"
			s.Bodiless(r)
			s.Cancel(parts[5])
			resttest.Answer(w, http.StatusOK, map[string]any{})
		default:
			s.Errorf("there is no operation %s %s", r.Method, r.URL.Path)
			refuse(w, resttest.Err(http.StatusNotFound, "ENDPOINT_NOT_FOUND", "No API found"))
		}
	}
}

// grant answers a request for a token: RFC 6749, 4.4.
func (s standIn) grant(w http.ResponseWriter, r *http.Request) {
	id, secret, ok := r.BasicAuth()
	if err := r.ParseForm(); err != nil || !ok || id != "0f2a-client" || secret != "open-sesame" || r.Method != http.MethodPost ||
		r.PostForm.Encode() != "grant_type=client_credentials&scope=all-apis" {
		s.Errorf("it asks for a token as %s with %s: %v, %v", id, secret, r.PostForm, err)
		resttest.Answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	resttest.Answer(w, http.StatusOK, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600, "scope": "all-apis"})
}

// A sent is the part of ExecuteStatementRequest that the stand-in supports: anything else is a mistake.
type sent struct {
	Statement  string `json:"statement"`
	Warehouse  string `json:"warehouse_id"`
	Catalog    string `json:"catalog"`
	Schema     string `json:"schema"`
	Parameters []struct {
		Name  string  `json:"name"`
		Type  string  `json:"type"`
		Value *string `json:"value"`
	} `json:"parameters"`
	RowLimit      int    `json:"row_limit"`
	ByteLimit     int    `json:"byte_limit"`
	Disposition   string `json:"disposition"`
	Format        string `json:"format"`
	WaitTimeout   string `json:"wait_timeout"`
	OnWaitTimeout string `json:"on_wait_timeout"`
	Tags          []struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	} `json:"query_tags"`
}

// waits matches wait_timeout: "0s", or between 5 and 50 seconds.
var waits = regexp.MustCompile(`^(0s|([5-9]|[1-4][0-9]|50)s)$`)

// wrong returns the part of a request that the reference does not allow.
func (b sent) wrong() string {
	switch {
	case b.Warehouse != "1234567890abcdef" || b.Catalog != "main" || b.Schema != "shop":
		return "its place is another"
	case b.Format != "JSON_ARRAY" || b.Disposition != "INLINE" && b.Disposition != "EXTERNAL_LINKS":
		return "format or disposition"
	case !waits.MatchString(b.WaitTimeout), b.WaitTimeout == "0s" && b.OnWaitTimeout != "": // on_wait_timeout: "When wait_timeout > 0s"
		return "wait_timeout " + b.WaitTimeout + ", on_wait_timeout " + b.OnWaitTimeout
	case b.OnWaitTimeout != "" && b.OnWaitTimeout != "CONTINUE" && b.OnWaitTimeout != "CANCEL":
		return "on_wait_timeout " + b.OnWaitTimeout
	}
	return ""
}

// read reads a parameter: "the given value is cast to the type".
func read(kind, text string) (any, error) {
	switch kind {
	case "STRING":
		return text, nil
	case "BIGINT":
		return strconv.ParseInt(text, 10, 64)
	case "DOUBLE":
		return strconv.ParseFloat(text, 64)
	case "BOOLEAN":
		return strconv.ParseBool(text)
	case "DATE":
		return time.Parse(time.DateOnly, text)
	case "TIMESTAMP":
		return time.Parse(time.RFC3339Nano, text)
	}
	return nil, fmt.Errorf("there is no type %s", kind)
}

// mostInline is how large a result may be that is returned inline: disposition, "larger than 25 MiB, that statement execution is aborted".
const mostInline = 25 << 20

var line = regexp.MustCompile(`line ([0-9]+)`)

// submit is "Execute Statement".
func (s standIn) submit(w http.ResponseWriter, r *http.Request, described bool) {
	var body sent
	err := resttest.Decode(r, &body)
	if why := body.wrong(); err != nil || why != "" {
		s.Errorf("Execute Statement: %s, %v", why, err)
		refuse(w, resttest.Err(http.StatusBadRequest, "INVALID_REQUEST", why))
		return
	}
	p := resttest.Params{Zone: "UTC"}
	for i, one := range body.Parameters {
		var v any
		if one.Value != nil {
			v, err = read(one.Type, *one.Value)
		}
		if err != nil || one.Name != "p"+strconv.Itoa(i+1) || !strings.Contains(body.Statement, ":"+one.Name) {
			s.Errorf("the parameter %d of %+v: %v", i+1, body, err)
		}
		p.Args = append(p.Args, v)
	}
	sql := body.Statement
	if described {
		sql = strings.TrimSuffix(strings.TrimPrefix(sql, "SELECT * FROM (\n"), "\n) LIMIT 0")
	}
	known, ok := s.Recorded[sql]
	for text, form := range s.forms {
		if m := form.FindStringSubmatch(sql); m != nil {
			known, ok, p.Zone = s.Recorded[text], true, m[1]
		}
	}
	known.Cols = slices.Clone(known.Cols) // requests share what is recorded
	for i := range known.Cols {
		known.Cols[i].Position = i
	}
	switch {
	case !ok:
		s.Errorf("this statement is not recorded: %s", sql)
		known.Fails = resttest.Err(http.StatusOK, "BAD_REQUEST", "[PARSE_SYNTAX_ERROR] Syntax error at or near end of input.")
	case strings.Contains(sql, ":p1") && len(p.Args) == 0 && !strings.Contains(sql, "'"):
		known.Fails = resttest.Err(http.StatusOK, "BAD_REQUEST", "[UNBOUND_SQL_PARAMETER] Found the unbound parameter: p1.")
	case described && known.Effect != "":
		known.Fails = resttest.Err(http.StatusOK, "BAD_REQUEST", "[PARSE_SYNTAX_ERROR] Syntax error at or near 'x'. (line 1, pos 0)")
	}
	f := known.Fails
	if described { // the statement begins on the second line
		f.Message = line.ReplaceAllStringFunc(f.Message, func(at string) string {
			n, _ := strconv.Atoi(strings.TrimPrefix(at, "line "))
			return fmt.Sprint("line ", n+1)
		})
		known.Slow, known.Breaks, known.Rows = false, resttest.Fault{}, resttest.Fixed[col](nil).Rows
	} else if f.Status == 0 && known.Bytes > mostInline && body.Disposition == "INLINE" {
		known.Breaks = resttest.Err(http.StatusOK, "BAD_REQUEST", "Inline byte limit exceeded. Statements executed with disposition=INLINE can "+
			"have a result size of at most 26214400 bytes.")
	}
	if f.Status != 0 {
		refuse(w, f)
		return
	}
	id := uuid.NewString()
	run := &run{Recorded: known, Params: p, SQL: sql, Sent: body}
	s.Begin(id, run)
	if described {
		s.result(w, run, id)
		return
	}
	resttest.Answer(w, http.StatusOK, map[string]any{"statement_id": id, "status": map[string]any{"state": "PENDING"}})
}

// status is "Get status, manifest, and result first chunk".
func (s standIn) status(w http.ResponseWriter, r *http.Request, id string) {
	s.Bodiless(r)
	run := s.Run(id)
	if run == nil {
		refuse(w, resttest.Err(http.StatusNotFound, "NOT_FOUND", "The statement "+id+" was not found."))
		return
	}
	state := ""
	select {
	case <-run.Cancelled:
		state = "CANCELED"
	default:
		if run.Slow {
			state = "RUNNING"
		}
	}
	switch {
	case state != "":
		resttest.Answer(w, http.StatusOK, map[string]any{"statement_id": id, "status": map[string]any{"state": state}})
	case run.Breaks.Status != 0:
		refuse(w, run.Breaks)
	default:
		s.result(w, run, id)
	}
}

// perChunk is how many rows a chunk has.
const perChunk = 6_000

// rows returns the rows of a chunk, and how many chunks there are.
func (s standIn) rows(r *run, number int) (rows [][]any, chunks int, truncated bool) {
	all, row := r.Rows(r.Params)
	n, known := s.RowAt(r, "end")
	if !known {
		n = end(r)
		s.Token(r, "end", n)
	}
	rows = [][]any{}
	for i := number * perChunk; i < min(n, (number+1)*perChunk); i++ {
		rows = append(rows, row(i))
	}
	return rows, max(1, (n+perChunk-1)/perChunk), n < all
}

// end returns how many rows a result has: row_limit and byte_limit cut it.
func end(r *run) int {
	n, row := r.Rows(r.Params)
	limits, size := r.Sent.(sent), 0
	if limits.RowLimit > 0 {
		n = min(n, limits.RowLimit)
	}
	for i := range n {
		for _, cell := range row(i) {
			text, _ := cell.(string)
			size += len(text)
		}
		if limits.ByteLimit > 0 && size > limits.ByteLimit {
			return i
		}
	}
	return n
}

// result writes the answer to a statement that has succeeded.
func (s standIn) result(w http.ResponseWriter, r *run, id string) {
	_, chunks, truncated := s.rows(r, 0)
	resttest.Answer(w, http.StatusOK, map[string]any{
		"statement_id": id, "status": map[string]any{"state": "SUCCEEDED"},
		"manifest": map[string]any{
			"format": "JSON_ARRAY", "schema": map[string]any{"column_count": len(r.Cols), "columns": r.Cols}, "total_chunk_count": chunks,
			"truncated": truncated,
		},
		"result": s.data(r, id, 0),
	})
}

// data is a ResultData: the rows of a chunk, or the link to them.
func (s standIn) data(r *run, id string, number int) map[string]any {
	rows, chunks, _ := s.rows(r, number)
	chunk := map[string]any{"chunk_index": number, "row_offset": number * perChunk, "row_count": len(rows)}
	if number+1 < chunks {
		chunk["next_chunk_index"] = number + 1
		chunk["next_chunk_internal_link"] = fmt.Sprintf("/api/2.0/sql/statements/%s/result/chunks/%d", id, number+1)
	}
	if r.Sent.(sent).Disposition == "EXTERNAL_LINKS" {
		chunk["external_link"] = fmt.Sprintf("http://%s/storage/%s/%d?X-Amz-Signature=s1gned", s.Address(), id, number)
		chunk["expiration"] = "2026-02-03T04:05:06.000Z"
		return map[string]any{"external_links": []any{chunk}}
	}
	chunk["data_array"] = rows
	return chunk
}

// chunk is "Get result chunk by index".
func (s standIn) chunk(w http.ResponseWriter, r *http.Request, id, number string) {
	s.Bodiless(r)
	n, err := strconv.Atoi(number)
	run := s.Run(id)
	if run == nil || err != nil {
		s.Errorf("it reads the chunk %s of %s", number, id)
		refuse(w, resttest.Err(http.StatusNotFound, "NOT_FOUND", "not found"))
		return
	}
	if _, chunks, _ := s.rows(run, n); n < 1 || n >= chunks {
		s.Errorf("there is no chunk %d of %d", n, chunks)
	}
	resttest.Answer(w, http.StatusOK, s.data(run, id, n))
}
