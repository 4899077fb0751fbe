package warehousetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// Wide are limits that no test of the suite reaches unintentionally.
var Wide = warehouse.Limits{Rows: 50_000, Bytes: 16 << 20, Time: time.Minute}

// patience is how long an immediate action may take on a busy machine. It is less than the time of Wide, which would end a query that was
// not killed.
const patience = 45 * time.Second

// Run runs the suite against s.
func Run(t *testing.T, s Source) {
	for _, part := range []struct {
		name string
		run  func(*testing.T, Source)
	}{
		// First the tests that count connections, then those that may run at the same time.
		{"stops", stops},
		{"servers", servers},
		{"bombs", bombs},
		{"attacks", attacks},
		{"values", values},
		{"clocks", clocks},
		{"limits", limits},
		{"describe", describe},
		{"introspect", introspect},
		{"mistakes", mistakes},
		{"arguments", arguments},
		{"concurrent", concurrent},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, s) })
	}
}

// ask runs a query with wide limits.
func ask(t *testing.T, c warehouse.Connector, sql string, args ...any) Table {
	t.Helper()
	var table Table
	if _, err := c.Query(t.Context(), sql, args, Wide, &table); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return table
}

// classOf returns the class of err. It fails the test if err is not a [warehouse.Error].
func classOf(t *testing.T, s Source, sql string, err error) warehouse.Class {
	t.Helper()
	if err == nil {
		return ""
	}
	bad, ok := errors.AsType[*warehouse.Error](err)
	if !ok {
		t.Errorf("%s\nits error is not in our words: %v", sql, err)
		return ""
	}
	if bad.Message == "" || strings.Contains(bad.Message, "%!") {
		t.Errorf("%s\nits error is %q", sql, bad.Message)
	}
	for _, secret := range s.Secrets {
		if strings.Contains(bad.Message, secret) {
			t.Errorf("%s\nits error tells a secret: %s", sql, bad.Message)
		}
	}
	return bad.Class
}

// attacks checks that no statement changes anything.
func attacks(t *testing.T, s Source) {
	c := s.Open(t)
	before := s.State(t)
	known := map[string]bool{}
	for _, attack := range s.Attacks {
		for _, sql := range attack.SQL {
			if known[sql] {
				t.Errorf("%s is there twice", sql)
			}
			known[sql] = true
		}
	}
	if len(known) < 150 {
		t.Errorf("there are %d statements, not at least 150", len(known))
	}
	for _, attack := range s.Attacks {
		l := warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: time.Second}
		if attack.Class != "" {
			l.Time = Wide.Time // it must not time out instead
		}
		t.Run(attack.Name, func(t *testing.T) {
			for _, sql := range attack.SQL {
				var table Table
				start := time.Now()
				_, err := c.Query(t.Context(), sql, nil, l, &table)
				class := classOf(t, s, sql, err)
				if err == nil && s.Strict {
					t.Errorf("%s\nit ran: %v", sql, table.Rows)
				}
				if attack.Class != "" && class != attack.Class {
					t.Errorf("%s\nclass %q, want %q: %v", sql, class, attack.Class, err)
				}
				_, err = c.Describe(t.Context(), sql, nil)
				if classOf(t, s, sql, err); err == nil && s.Strict && !attack.Run {
					t.Errorf("%s\nit is described", sql)
				}
				if took := time.Since(start); took > l.Time+patience {
					t.Errorf("%s\nit took %s", sql, took)
				}
				if after := s.State(t); after != before {
					t.Fatalf("%s\nit changed something:\n%s", sql, cmp.Diff(before, after))
				}
			}
		})
	}
}

func values(t *testing.T, s Source) {
	c := s.Open(t)
	for _, v := range s.Values {
		t.Run(v.SQL, func(t *testing.T) {
			sql := "SELECT " + v.SQL + " AS v"
			if v.From != "" {
				sql += " FROM " + v.From
			}
			table := ask(t, c, sql)
			if diff := cmp.Diff([]cube.Column{{Name: "v", Type: v.Type}}, table.Cols); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([][]any{{v.Want}}, table.Rows); diff != "" {
				t.Error(diff)
			}
			cols, err := c.Describe(t.Context(), sql, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]cube.Column{{Name: "v", Type: v.Type}}, cols); diff != "" {
				t.Error("described: ", diff)
			}
		})
	}
}

func limits(t *testing.T, s Source) {
	t.Parallel()
	c := s.Open(t)
	for _, try := range []struct {
		sql  string
		l    warehouse.Limits
		rows int
		cut  bool
	}{
		{"SELECT id FROM orders", warehouse.Limits{Rows: 700, Bytes: 1 << 20, Time: Wide.Time}, 700, true},
		{"SELECT id FROM orders", warehouse.Limits{Rows: 20_000, Bytes: 1 << 24, Time: Wide.Time}, 20_000, false},
		{"SELECT id FROM orders", warehouse.Limits{Rows: 19_999, Bytes: 1 << 24, Time: Wide.Time}, 19_999, true},
		{"SELECT id FROM orders WHERE id <= 700", warehouse.Limits{Rows: 700, Bytes: 1 << 20, Time: Wide.Time}, 700, false},
		{"SELECT id FROM orders WHERE id < 0", Wide, 0, false},
		{"SELECT id FROM orders", warehouse.Limits{Rows: 0, Bytes: 1 << 20, Time: Wide.Time}, 0, true},
		{"SELECT 1 AS n -- a comment", Wide, 1, false},
		{"SELECT 1 AS n ; ", Wide, 1, false},
		{"\n SELECT /* a ; b */ ';' AS n;\n-- end", Wide, 1, false},
		{"WITH x AS (SELECT id FROM orders WHERE id <= 3) SELECT id FROM x UNION ALL SELECT id FROM x", Wide, 6, false},
		{"(SELECT id FROM orders WHERE id = 1) UNION (SELECT id FROM orders WHERE id = 2)", Wide, 2, false},
	} {
		var table Table
		stats, err := c.Query(t.Context(), try.sql, nil, try.l, &table)
		stats.Read = 0 // see resttest.Bytes
		if err != nil || len(table.Rows) != try.rows || stats != (warehouse.Stats{Rows: try.rows, Truncated: try.cut}) || len(table.Cols) != 1 {
			t.Errorf("%s, at most %d rows: %d rows, %+v, %v", try.sql, try.l.Rows, len(table.Rows), stats, err)
		}
	}
	var table Table
	stats, err := c.Query(t.Context(), "SELECT note FROM orders", nil, warehouse.Limits{Rows: 20_000, Bytes: 1000, Time: Wide.Time}, &table)
	if err != nil || !stats.Truncated || stats.Rows < 20 || stats.Rows > 1000 || len(table.Rows) != stats.Rows {
		t.Errorf("1000 bytes hold %d rows: %+v, %v", len(table.Rows), stats, err)
	}
}

func describe(t *testing.T, s Source) {
	t.Parallel()
	c := s.Open(t)
	for _, sql := range []string{
		"SELECT id, day, amount, note FROM orders ORDER BY id LIMIT 3",
		"SELECT day, SUM(amount) AS revenue, COUNT(*) AS orders FROM orders GROUP BY day ORDER BY day -- by day",
		"WITH big AS (SELECT * FROM orders WHERE amount > 100) SELECT MAX(day) AS last, MIN(note) AS first FROM big",
	} {
		cols, err := c.Describe(t.Context(), sql, nil)
		if diff := cmp.Diff(ask(t, c, sql).Cols, cols); diff != "" || err != nil {
			t.Errorf("%s: %s, %v", sql, diff, err)
		}
	}
	want := []cube.Column{
		{Name: "id", Type: cube.Integer}, {Name: "day", Type: cube.Date}, {Name: "amount", Type: cube.Number}, {Name: "note", Type: cube.Text},
	}
	table := ask(t, c, "SELECT id, day, amount, note FROM orders WHERE id BETWEEN 31 AND 32 ORDER BY id")
	if diff := cmp.Diff(want, table.Cols); diff != "" {
		t.Error(diff)
	}
	second := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	if diff := cmp.Diff([][]any{{int64(31), second, 0.31, "n31"}, {int64(32), second.AddDate(0, 0, 1), 0.32, "n32"}}, table.Rows); diff != "" {
		t.Error(diff)
	}
	twice := "SELECT 1 AS a, 2 AS a"
	if _, err := c.Describe(t.Context(), twice, nil); classOf(t, s, twice, err) != warehouse.Refused {
		t.Errorf("%v", err)
	}
	if _, err := c.Query(t.Context(), twice, nil, Wide, &Table{}); classOf(t, s, twice, err) != warehouse.Refused {
		t.Errorf("%v", err)
	}
}

func introspect(t *testing.T, s Source) {
	t.Parallel()
	c := s.Open(t)
	find := func(q warehouse.Introspection) (names []string) {
		tables, err := c.Introspect(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if tables == nil {
			t.Error("no tables are null, not an empty list")
		}
		for _, table := range tables {
			names = append(names, table.Name+" "+table.Kind)
		}
		return names
	}
	all := append([]string{"orders table"}, s.Tables...)
	sorted := cmpopts.SortSlices(strings.Compare)
	for _, try := range []struct {
		q    warehouse.Introspection
		want []string
	}{
		{warehouse.Introspection{}, all},
		{warehouse.Introspection{Table: "orders"}, all[:1]},
		{warehouse.Introspection{Pattern: "RDER"}, all[:1]},
		{warehouse.Introspection{Table: "order"}, nil},
		{warehouse.Introspection{Pattern: "o%s"}, nil},
		{warehouse.Introspection{Table: "orders' OR '1'='1"}, nil},
	} {
		if diff := cmp.Diff(try.want, find(try.q), sorted); diff != "" {
			t.Errorf("%+v: %s", try.q, diff)
		}
	}
	tables, err := c.Introspect(t.Context(), warehouse.Introspection{Table: "orders"})
	if err != nil || len(tables) != 1 {
		t.Fatal(tables, err)
	}
	types := map[string]cube.Type{}
	for _, col := range tables[0].Columns {
		types[col.Name] = col.Type
	}
	for name, want := range map[string]cube.Type{"id": cube.Integer, "day": cube.Date, "amount": cube.Number, "note": cube.Text} {
		if types[name] != want {
			t.Errorf("%s is %q, want %q", name, types[name], want)
		}
	}
}

func mistakes(t *testing.T, s Source) {
	t.Parallel()
	c := s.Open(t)
	for _, m := range append([]Mistake{
		{SQL: "", Class: warehouse.Refused},
		{SQL: " ; ", Class: warehouse.Refused},
	}, s.Mistakes...) {
		_, err := c.Query(t.Context(), m.SQL, nil, Wide, &Table{})
		class := classOf(t, s, m.SQL, err)
		if err == nil || class != m.Class {
			t.Errorf("%s\nclass %q, want %q: %v", m.SQL, class, m.Class, err)
			continue
		}
		bad, _ := errors.AsType[*warehouse.Error](err)
		if bad.Line != m.Line || !strings.Contains(bad.Message, m.Names) {
			t.Errorf("%s\nline %d, want %d; it does not name %q: %s", m.SQL, bad.Line, m.Line, m.Names, bad.Message)
		}
	}
}

func arguments(t *testing.T, s Source) {
	t.Parallel()
	c := s.Open(t)
	count := func(where string, args ...any) int64 {
		for i := range args {
			where = strings.Replace(where, "%", c.Placeholder(i+1), 1)
		}
		return ask(t, c, "SELECT COUNT(*) AS n FROM orders WHERE "+where, args...).Rows[0][0].(int64)
	}
	day := time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC)
	for _, try := range []struct {
		where string
		args  []any
		want  int64
	}{
		{"id = %", []any{int64(7)}, 1},
		{"note = %", []any{"n7"}, 1},
		{"day >= %", []any{day}, 666},
		{"amount > %", []any{199.995}, 1},
		{"id >= % AND note = % AND day < %", []any{int64(2), "n7", day}, 1},
		{"note = %", []any{nil}, 0},
	} {
		if got := count(try.where, try.args...); got != try.want {
			t.Errorf("%s %v: %d, want %d", try.where, try.args, got, try.want)
		}
	}
	for _, text := range []string{
		`n7' OR '1'='1`, `'; DROP TABLE orders; --`, `\' OR 1=1 -- `, "a\nb\tc\\", "%s $1 ? {p1:String} {{x}}",
		"日本語", "",
	} {
		if got := count("note = %", text); got != 0 {
			t.Errorf("%q: %d", text, got)
		}
		if got := count("note <> %", text); got != 20_000 {
			t.Errorf("%q: %d", text, got)
		}
	}
	sql := "SELECT id FROM orders WHERE id = " + c.Placeholder(1)
	cols, err := c.Describe(t.Context(), sql, []any{int64(1)})
	if diff := cmp.Diff([]cube.Column{{Name: "id", Type: cube.Integer}}, cols); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, err := c.Query(t.Context(), sql, nil, Wide, &Table{}); err == nil {
		t.Error("a parameter without a value runs")
	} else {
		classOf(t, s, sql, err)
	}
}

func concurrent(t *testing.T, s Source) {
	t.Parallel()
	c := s.Open(t)
	var all sync.WaitGroup
	for worker := range 6 {
		all.Go(func() {
			for round := range 5 {
				id := int64(worker*100 + round + 1)
				var table Table
				_, err := c.Query(t.Context(), "SELECT note FROM orders WHERE id = "+c.Placeholder(1), []any{id}, Wide, &table)
				if diff := cmp.Diff([][]any{{fmt.Sprint("n", id)}}, table.Rows); diff != "" || err != nil {
					t.Errorf("%s, %v", diff, err)
				}
			}
		})
	}
	all.Wait()
}
