package trino_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store/warehouse"
	"service/store/warehouse/rest/resttest"
	"service/store/warehouse/rest/trino"
)

// A standIn answers as "Trino client REST API" (trino.io/docs/current/develop/client-protocol.html) and the classes of its module
// trino-client have it. A request that they do not allow fails the test.
type standIn struct {
	*resttest.Server[col]
}

type (
	recorded = resttest.Recorded[col]
	run      = resttest.Run[col]
)

// A col is a Column. A cell is JSON, or an instant, which is written in its zone.
type col struct {
	Name          string         `json:"name"`
	Type          string         `json:"type"`
	TypeSignature map[string]any `json:"typeSignature"`
}

func colOf(name, kind string) col {
	raw, _, _ := strings.Cut(kind, "(")
	return col{name, kind, map[string]any{"rawType": raw, "arguments": []any{}}}
}

// start starts a stand-in with all statements.
func start(t testing.TB) *resttest.Server[col] {
	s := standIn{&resttest.Server[col]{
		TB: t, Recorded: statements(), Connect: trino.Open, Operation: operation, Refuse: refuse, Target: target,
	}}
	s.Serve = s.serve
	s.Start()
	return s.Server
}

func target(t *warehouse.Target) {
	t.Database, t.User, t.Password, t.MaxBytes = "hive.shop", "reader", "open sesame", 1_000_000
}

// operation is describe, submit, results or cancel.
func operation(r *http.Request) string {
	switch {
	case r.Method == http.MethodDelete:
		return "cancel"
	case r.Method == http.MethodGet:
		return "results"
	case strings.HasSuffix(string(resttest.Body(r)), "\n) LIMIT 0"):
		return "describe"
	}
	return "submit"
}

// refuse answers with a QueryError, whose name is the code of the fault. A fault of another status than 200 is a text.
func refuse(w http.ResponseWriter, f resttest.Fault) {
	if f.Status != http.StatusOK {
		http.Error(w, f.Message, f.Status)
		return
	}
	bad := map[string]any{"message": f.Message, "errorCode": 1, "errorName": f.Code, "errorType": "USER_ERROR"}
	if m := place.FindStringSubmatch(f.Message); m != nil {
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2])
		bad["errorLocation"] = map[string]any{"lineNumber": line, "columnNumber": column}
	}
	resttest.Answer(w, http.StatusOK, map[string]any{
		"id": "20260203_040506_00007_abcde", "stats": map[string]any{"state": "FAILED"}, "error": bad,
	})
}

// place matches the beginning of a message with a position.
var place = regexp.MustCompile(`^line ([0-9]+):([0-9]+): `)

func (s standIn) serve(w http.ResponseWriter, r *http.Request) {
	user, password, ok := r.BasicAuth()
	if !ok || user != "reader" || password != "open sesame" || r.Header.Get("X-Trino-User") != "reader" {
		s.Errorf("it signs in as %s with %s, for %s", user, password, r.Header.Get("X-Trino-User"))
		refuse(w, resttest.Err(http.StatusUnauthorized, "", "Access Denied: Invalid credentials"))
		return
	}
	s.Only(r)
	parts := strings.Split(r.URL.Path, "/") // "", v1, statement, queued or executing, id, slug, number
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/v1/statement":
		s.submit(w, r)
	case r.Method == http.MethodGet && len(parts) == 7:
		s.results(w, r, parts)
	case r.Method == http.MethodDelete && len(parts) == 7: // "A DELETE to nextUri terminates a running query"
		s.Cancel(parts[4])
		w.WriteHeader(http.StatusNoContent)
	default:
		s.Errorf("there is no method %s %s", r.Method, r.URL.Path)
		refuse(w, resttest.Err(http.StatusNotFound, "", "Not Found"))
	}
}

// headers are the forms of the headers of a statement: "Client request headers", and "Query management properties" for those of the
// session.
var headers = map[string]*regexp.Regexp{
	"X-Trino-User": regexp.MustCompile(`^reader$`), "X-Trino-Source": regexp.MustCompile(`^service$`),
	"X-Trino-Catalog": regexp.MustCompile(`^hive$`), "X-Trino-Schema": regexp.MustCompile(`^shop$`),
	"X-Trino-Time-Zone": regexp.MustCompile(`^[A-Za-z_/]+$`), "X-Trino-Client-Tags": regexp.MustCompile(`^[!-~]+$`),
	"X-Trino-Client-Capabilities": regexp.MustCompile(`^PARAMETRIC_DATETIME$`),
	"X-Trino-Session":             regexp.MustCompile(`^query_max_run_time=[1-9][0-9]*s,query_max_scan_physical_bytes=([1-9][0-9]*)B$`),
}

// submit is the POST of a statement.
func (s standIn) submit(w http.ResponseWriter, r *http.Request) {
	for name, values := range r.Header {
		form := headers[name]
		if strings.HasPrefix(name, "X-Trino-") && (form == nil || len(values) != 1 || !form.MatchString(values[0])) {
			s.Errorf("the header %s: %q", name, values)
		}
	}
	for _, name := range []string{"X-Trino-Catalog", "X-Trino-Time-Zone", "X-Trino-Session", "X-Trino-Client-Capabilities"} {
		if r.Header.Get(name) == "" {
			s.Errorf("there is no header %s", name)
		}
	}
	zone := r.Header.Get("X-Trino-Time-Zone")
	if _, err := time.LoadLocation(zone); err != nil {
		refuse(w, resttest.Err(http.StatusBadRequest, "", "Time zone not supported: "+zone))
		return
	}
	read := resttest.NewTrinoSQL(s.TB, s.Recorded, false, func(c col) (string, bool) {
		return c.Name, strings.HasSuffix(c.Type, "with time zone")
	})
	sql := string(resttest.Body(r))
	known := read.Read(sql)
	known.Zone = zone
	most, _ := strconv.ParseInt(headers["X-Trino-Session"].FindStringSubmatch(r.Header.Get("X-Trino-Session"))[1], 10, 64)
	switch {
	case !known.Known:
		s.Errorf("this statement is not recorded: %s", sql)
		known.Fails = resttest.Err(http.StatusOK, "SYNTAX_ERROR", "line 1:1: mismatched input")
	case known.Unset:
		known.Fails = resttest.Err(http.StatusOK, "INVALID_PARAMETER_USAGE", "line 1:1: Incorrect number of parameters: expected 1 but found 0")
	case known.Described && known.Effect != "":
		known.Fails = resttest.Err(http.StatusOK, "SYNTAX_ERROR", "line 1:1: mismatched input 'x'. Expecting: <query>")
	case known.Bytes > most: // query.max-scan-physical-bytes: "When this limit is reached, query processing is terminated"
		known.Breaks = resttest.Err(http.StatusOK, "EXCEEDED_SCAN_LIMIT", "Query exceeded the maximum amount of data")
	}
	if known.Fails.Status != 0 { // positions are those in the SQL that was sent
		f := known.Fails
		f.Message = place.ReplaceAllStringFunc(f.Message, func(at string) string {
			m := place.FindStringSubmatch(at)
			n, _ := strconv.Atoi(m[1])
			return fmt.Sprintf("line %d:%s: ", n+known.Lines, m[2])
		})
		refuse(w, f)
		return
	}
	id := "20260203_040506_" + strings.ReplaceAll(uuid.NewString(), "-", "_")
	s.Begin(id, &run{Recorded: known.Recorded, Params: known.Params, SQL: known.Text, Sent: r.Header})
	s.write(w, id, "QUEUED", "queued", 1, nil, "")
}

// write writes a QueryResults. The address of the next has the name by which the coordinator calls itself, which may differ from the
// client's name for it.
func (s standIn) write(w http.ResponseWriter, id, state, way string, next int, cols []col, data string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":%q,"infoUri":"http://coordinator.internal:8080/ui/query.html?%s"`, id, id)
	if way != "" {
		fmt.Fprintf(w, `,"nextUri":"http://coordinator.internal:8080/v1/statement/%s/%s/slug/%d"`, way, id, next)
	}
	if cols != nil {
		text, _ := json.Marshal(cols)
		fmt.Fprintf(w, `,"columns":%s`, text)
	}
	if data != "" {
		fmt.Fprintf(w, `,"data":[%s]`, data)
	}
	read := int64(0) // StatementStats, physicalInputBytes
	if run := s.Run(id); run != nil {
		read = run.Bytes
	}
	fmt.Fprintf(w, `,"stats":{"state":%q,"queued":false,"physicalInputBytes":%d},"warnings":[]}`, state, read)
}

// maxReply is about how long a reply is.
const maxReply = 1 << 20

// results is a GET of nextUri. A page may be read again, and pages are read in order.
func (s standIn) results(w http.ResponseWriter, r *http.Request, parts []string) {
	s.Bodiless(r)
	way, id := parts[3], parts[4]
	number, err := strconv.Atoi(parts[6])
	run := s.Run(id)
	switch {
	case run == nil:
		refuse(w, resttest.Err(http.StatusNotFound, "", "Query not found"))
		return
	case err != nil || parts[5] != "slug" || way != "queued" && way != "executing":
		s.Errorf("it reads %s", r.URL.Path)
		return
	case way == "queued":
		s.Token(run, "0", 0)
		s.write(w, id, "RUNNING", "executing", 0, nil, "")
		return
	}
	from, known := s.RowAt(run, parts[6])
	if !known {
		s.Errorf("it reads %s before the page in front of it", r.URL.Path)
	}
	if run.Slow {
		select {
		case <-run.Cancelled:
			refuse(w, resttest.Err(http.StatusOK, "USER_CANCELED", "Query was canceled"))
		case <-r.Context().Done():
		case <-time.After(time.Second): // a page without rows
			s.write(w, id, "RUNNING", "executing", number, run.Cols, "")
		}
		return
	}
	if run.Breaks.Status != 0 {
		refuse(w, run.Breaks)
		return
	}
	n, row := run.Rows(run.Params)
	var rows strings.Builder
	at := from
	for ; at < n && rows.Len() < maxReply; at++ {
		if at > from {
			rows.WriteByte(',')
		}
		rows.WriteString(line(run.Cols, row(at)))
	}
	if at == n {
		s.write(w, id, "FINISHED", "", 0, run.Cols, rows.String())
		return
	}
	s.Token(run, strconv.Itoa(number+1), at)
	s.write(w, id, "RUNNING", "executing", number+1, run.Cols, rows.String())
}

// line writes a row: "Each row is itself a list".
func line(cols []col, cells []any) string {
	all := make([]string, len(cells))
	for i, cell := range cells {
		if at, ok := cell.(time.Time); ok { // SqlTimestampWithTimeZone
			digits := map[string]int{"timestamp(3) with time zone": 3, "timestamp(6) with time zone": 6}[cols[i].Type]
			cell = resttest.TrinoInstant(at, digits)
		}
		text, err := json.Marshal(cell)
		if err != nil {
			panic(err)
		}
		all[i] = string(text)
	}
	return "[" + strings.Join(all, ",") + "]"
}
