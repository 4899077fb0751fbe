package trino

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/sqltext"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

const path = "/v1/statement"

// submit posts SQL, and returns the run even with an error if the server may have received it.
func (e *engine) submit(s *rest.Session, st rest.Statement, sql string) (*run, rest.Page, error) {
	h := http.Header{
		"X-Trino-Source": {"service"}, "X-Trino-Catalog": {e.catalog}, "X-Trino-Schema": {e.schema}, "X-Trino-Time-Zone": {st.Zone},
		"X-Trino-Client-Capabilities": {"PARAMETRIC_DATETIME"}, // without it times have no microseconds
		"X-Trino-Session": {fmt.Sprintf("query_max_run_time=%ds,query_max_scan_physical_bytes=%dB",
			max(1, int64(math.Ceil(s.Left().Seconds()))), st.Scan)},
	}
	if tags := tags(st.Tags); tags != "" {
		h.Set("X-Trino-Client-Tags", tags)
	}
	r := &run{engine: e, st: st, read: -1}
	a, err := s.Send(rest.Request{Method: http.MethodPost, Path: path, Header: h, Body: []byte(sql), Type: "text/plain; charset=utf-8"}, st)
	if err != nil {
		return r, rest.Page{}, err
	}
	page, err := r.page(a)
	return r, page, err
}

// tags returns the tags of a statement, in order: "a comma-separated list".
func tags(tags map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		all = append(all, strings.Map(func(r rune) rune {
			if r <= ' ' || r == ',' || r > '~' {
				return '-'
			}
			return r
		}, name+"="+tags[name]))
	}
	return strings.Join(all, ",")
}

// Describe runs a statement as a subquery with a limit of no rows.
func (e *engine) Describe(s *rest.Session, st rest.Statement) (rest.Plan, error) {
	sql, err := Inline(st)
	if err != nil {
		return rest.Plan{}, err
	}
	st.Line = 1
	asked := time.Now()
	r, page, err := e.submit(s, st, "SELECT * FROM (\n"+sql+"\n) LIMIT 0")
	cols := page.Columns
	for err == nil && !page.Last {
		if err = s.Rest(asked); err != nil {
			break
		}
		asked = time.Now()
		if page, err = r.Next(s, 1); cols == nil {
			cols = page.Columns
		}
	}
	if err == nil && cols == nil {
		err = rest.ErrForm
	}
	if err != nil {
		return rest.Plan{}, err
	}
	return rest.Plan{Columns: cols, Bytes: -1}, nil
}

// Start submits a statement.
func (e *engine) Start(s *rest.Session, st rest.Statement, p rest.Plan) (rest.Run, error) {
	sql, err := Inline(st)
	if err != nil {
		return nil, err
	}
	sql, st.Line = InUTC(sql, p.Columns)
	r, page, err := e.submit(s, st, sql)
	r.first = &page
	return r, err
}

func instants(cols []rest.Column) bool {
	return slices.ContainsFunc(cols, func(c rest.Column) bool { return c.Type == cube.Instant })
}

// sorted reports whether the rows of SQL are sorted: ORDER outside of brackets.
func sorted(sql string) bool {
	q, _ := sqltext.Parse(sql, sqltext.Trino)
	depth := 0
	for i := range q.Tokens {
		switch {
		case q.Is(i, "(", "["):
			depth++
		case q.Is(i, ")", "]"):
			depth--
		case depth == 0 && q.Is(i, "order"):
			return true
		}
	}
	return false
}

// InUTC returns SQL that converts the instants of a query to UTC, and the number of our lines before the query's. It returns sql unchanged
// if there are no instants, or if its rows are sorted: a subquery need not keep their order.
func InUTC(sql string, cols []rest.Column) (wrapped string, lines int) {
	if !instants(cols) || sorted(sql) {
		return sql, 0
	}
	var read, named []string
	for i, c := range cols {
		name := "c" + strconv.Itoa(i+1)
		named = append(named, name)
		if c.Type == cube.Instant {
			name += " AT TIME ZONE 'UTC'"
		}
		read = append(read, name+" AS "+sqltext.Trino.Quote(c.Name))
	}
	return "SELECT " + strings.Join(read, ", ") + "\nFROM (\n" + sql + "\n) AS t (" + strings.Join(named, ", ") + ")", 2
}

// Inline returns the SQL of a statement with its arguments, as literals in place of the first question marks.
func Inline(st rest.Statement) (string, error) {
	if len(st.Args) == 0 {
		return st.SQL, nil
	}
	q, err := sqltext.Parse(st.SQL, sqltext.Trino)
	if err != nil {
		return "", warehouse.RefuseSQL(err)
	}
	var b strings.Builder
	from, n := 0, 0
	for i, t := range q.Tokens {
		if n < len(st.Args) && q.Is(i, "?") {
			text, err := literal(st.Args[n])
			if err != nil {
				return "", err
			}
			b.WriteString(st.SQL[from:t.From] + text)
			from, n = t.To, n+1
		}
	}
	return b.String() + st.SQL[from:], nil
}

// literal writes an argument as SQL, without a line break: "Data types".
func literal(arg any) (string, error) {
	switch a := arg.(type) {
	case nil:
		return "NULL", nil
	case string:
		return text(a), nil
	case int64:
		return "BIGINT '" + strconv.FormatInt(a, 10) + "'", nil
	case float64:
		return "DOUBLE '" + strconv.FormatFloat(a, 'g', -1, 64) + "'", nil
	case bool:
		return strconv.FormatBool(a), nil
	case time.Time:
		if a = a.UTC(); a.Equal(a.Truncate(24 * time.Hour)) {
			return "DATE '" + a.Format(time.DateOnly) + "'", nil
		}
		return "TIMESTAMP '" + a.Format("2006-01-02 15:04:05.999999 UTC") + "'", nil
	}
	return "", fmt.Errorf("trino: an argument is a %T", arg)
}

// text writes a string. One with control characters is in the form of U&'…', in which a backslash begins the number of a character.
func text(s string) string {
	quoted := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if header(s) {
		return quoted
	}
	var b strings.Builder
	b.WriteString("U&")
	for _, r := range quoted {
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// A run is a query that was submitted.
type run struct {
	engine *engine
	st     rest.Statement
	first  *rest.Page // of the submission, until it is read
	next   string     // the path of the next page; empty before the first answer and after the last
	read   int64      // bytes; -1 before the first answer that reports them
}

// Next returns the page of the submission, and then requests the next one, for which the server waits a little.
func (r *run) Next(s *rest.Session, _ int) (rest.Page, error) {
	if r.first != nil {
		page := *r.first
		r.first = nil
		return page, nil
	}
	a, err := s.Get(r.next, nil, r.st)
	if err != nil {
		return rest.Page{}, err
	}
	return r.page(a)
}

// Read returns the number of bytes that the query has read from storage, as the last answer has reported it.
func (r *run) Read() int64 { return r.read }

// page reads a QueryResults.
func (r *run) page(a rest.Answer) (rest.Page, error) {
	if n, err := strconv.ParseInt(string(rest.Pick(a.Body, "stats", "physicalInputBytes")), 10, 64); err == nil && n >= 0 {
		r.read = n
	}
	if bad := rest.Pick(a.Body, "error"); bad != nil && !rest.Null(bad) {
		r.next = ""
		return rest.Page{}, r.engine.wrong(bad, r.st)
	}
	page := rest.Page{Rows: rest.Pick(a.Body, "data"), Cells: rest.Cells}
	if page.Rows != nil && page.Rows[0] != '[' { // spooled rows, which were not asked for
		return page, rest.ErrForm
	}
	if list := rest.Pick(a.Body, "columns"); list != nil {
		cols, err := columnsOf(list)
		if err != nil {
			return page, err
		}
		page.Columns = cols
	}
	address := rest.PickText(a.Body, "nextUri")
	if address == "" {
		r.next, page.Last = "", true
		return page, nil
	}
	u, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(u.Path, path+"/") || strings.Contains(u.Path, "..") || u.RawQuery != "" {
		return page, rest.ErrForm
	}
	r.next = u.EscapedPath()
	return page, nil
}

// Cancel ends the query: "A DELETE to nextUri terminates a running query".
func (r *run) Cancel(s *rest.Session) error {
	if r.next == "" {
		return nil
	}
	_, err := s.Send(rest.Request{Method: http.MethodDelete, Path: r.next}, r.st)
	return err
}
