package warehousetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// Wide are limits that nothing of the suite reaches unless it means to.
var Wide = warehouse.Limits{Rows: 50_000, Bytes: 16 << 20, Time: 30 * time.Second}

// patience is how long something may take that should be at once, on a machine
// that has other things to do. It is less than the time of Wide, which would end a
// query that nobody has killed.
const patience = 15 * time.Second

// Run runs the suite against s.
func Run(t *testing.T, s Source) {
	for _, part := range []struct {
		name string
		run  func(*testing.T, Source)
	}{
		// First what counts connections, then what may run at the same time.
		{"stops", stops},
		{"servers", servers},
		{"attacks", attacks},
		{"values", values},
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

// classOf is the class of err, and a failure of the test when err is not in our
// words.
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

// stops: whatever way a query ends, nothing of it goes on.
func stops(t *testing.T, s Source) {
	c := s.Open(t)
	for _, sql := range append([]string{s.Slow}, s.Runaways...) {
		t.Run(sql, func(t *testing.T) {
			onTime(t, s, func(limit time.Duration) (time.Duration, error) {
				start := time.Now()
				_, err := c.Query(t.Context(), sql, nil, warehouse.Limits{Rows: 1, Bytes: 100, Time: limit}, &Table{})
				return time.Since(start) - limit, err
			}, warehouse.Timeout)
			onTime(t, s, func(limit time.Duration) (time.Duration, error) {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				start := time.Now()
				_, err := c.Query(ctx, sql, nil, Wide, &Table{})
				return time.Since(start) - limit, err
			}, warehouse.Timeout)
			onTime(t, s, func(time.Duration) (time.Duration, error) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				failed := make(chan error, 1)
				go func() {
					_, err := c.Query(ctx, sql, nil, Wide, &Table{})
					failed <- err
				}()
				for deadline := time.Now().Add(patience); s.Running != nil && s.Running(t) == 0; {
					if time.Now().After(deadline) {
						t.Fatal("the query does not start")
					}
				}
				start := time.Now()
				cancel()
				err := <-failed
				return time.Since(start), err
			})
		})
	}
	t.Run("a context that has ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Query(ctx, "SELECT 1 AS n", nil, Wide, &Table{}); err == nil {
			t.Error("it ran")
		}
		gone(t, s)
	})
	quick := func(t *testing.T, start time.Time) {
		t.Helper()
		if took := time.Since(start); took > patience {
			t.Errorf("it took %s", took)
		}
		gone(t, s)
	}
	t.Run("enough rows", func(t *testing.T) {
		start := time.Now()
		var table Table
		stats, err := c.Query(t.Context(), s.Endless, nil, warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: time.Minute}, &table)
		if err != nil || len(table.Rows) != 10 || !stats.Truncated {
			t.Errorf("%d rows, %+v, %v", len(table.Rows), stats, err)
		}
		quick(t, start)
	})
	t.Run("enough bytes", func(t *testing.T) {
		start := time.Now()
		var table Table
		stats, err := c.Query(t.Context(), s.Endless, nil, warehouse.Limits{Rows: 10_000, Bytes: 100, Time: time.Minute}, &table)
		if err != nil || len(table.Rows) == 0 || len(table.Rows) > 50 || !stats.Truncated {
			t.Errorf("%d rows, %+v, %v", len(table.Rows), stats, err)
		}
		quick(t, start)
	})
	t.Run("a sink that fails", func(t *testing.T) {
		start := time.Now()
		full := errors.New("full")
		for _, sink := range []warehouse.Sink{&broken{at: -1, err: full}, &broken{at: 5, err: full}} {
			if _, err := c.Query(t.Context(), s.Endless, nil, Wide, sink); !errors.Is(err, full) {
				t.Errorf("%v", err)
			}
		}
		quick(t, start)
	})
	t.Run("a row that is too long", func(t *testing.T) {
		start := time.Now()
		_, err := c.Query(t.Context(), s.Long, nil, Wide, &Table{})
		if class := classOf(t, s, s.Long, err); class != warehouse.TooLarge {
			t.Errorf("class %q: %v", class, err)
		}
		quick(t, start)
	})
	t.Run("describing", func(t *testing.T) {
		start := time.Now()
		cols, err := c.Describe(t.Context(), s.Slow, nil)
		if err != nil || len(cols) != 1 || cols[0].Name != "n" {
			t.Errorf("%v, %v", cols, err)
		}
		quick(t, start)
	})
	t.Run("its end", func(t *testing.T) {
		if err := c.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		ask(t, c, "SELECT id FROM orders")
		gone(t, s)
	})
}

// tolerance is how far from its limit a query may be given up on a machine that
// has much else to do. BenchmarkGivingUp measures how far it is.
const tolerance = time.Second

// onTime makes a query that runs away, and wants it given up at its limit and ended
// on the source. ask is told the limit, and returns how late it came back. Its error
// is of one of the classes, or that of a context that was cancelled where there are
// none. When the limit is over before the source was even asked, it is raised.
func onTime(t *testing.T, s Source, ask func(limit time.Duration) (time.Duration, error), classes ...warehouse.Class) {
	t.Helper()
	for _, limit := range []time.Duration{300 * time.Millisecond, time.Second, 5 * time.Second} {
		late, err := ask(limit)
		class := warehouse.Class("")
		if len(classes) > 0 {
			class = classOf(t, s, "", err)
		}
		gone(t, s)
		switch {
		case len(classes) == 0 && !errors.Is(err, context.Canceled):
			t.Fatalf("%v, want that it was cancelled", err)
		case class == warehouse.Connect && !slices.Contains(classes, class):
			continue
		case len(classes) > 0 && !slices.Contains(classes, class):
			t.Fatalf("%v, want class %v", err, classes)
		case late.Abs() > tolerance:
			t.Fatalf("it came back %s after its limit", late)
		case late < -limit/2:
			t.Fatalf("it came back %s before its limit", -late)
		}
		return
	}
	t.Fatal("the source cannot be asked in time")
}

// gone waits until nothing of the connector is left on the source.
func gone(t *testing.T, s Source) {
	t.Helper()
	if s.Running == nil {
		return
	}
	for deadline := time.Now().Add(patience); ; {
		n := s.Running(t)
		if n == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d are left", n)
		}
	}
}

// servers: a server that does not answer, or hardly, holds nobody up.
func servers(t *testing.T, s Source) {
	if s.At == nil {
		return // there is none
	}
	for _, way := range []struct {
		name string
		turn func(*Proxy)
	}{
		{"falls silent", (*Proxy).Silence},
		{"says a byte at a time", (*Proxy).Trickle},
	} {
		t.Run(way.name, func(t *testing.T) {
			for _, try := range []struct {
				name string
				at   string // what the server is told before it turns; empty for from the start
				ask  func(context.Context, warehouse.Connector) error
			}{
				{"from the start", "", func(ctx context.Context, c warehouse.Connector) error { return c.Ping(ctx) }},
				{"in a query", "turning", func(ctx context.Context, c warehouse.Connector) error {
					_, err := c.Query(ctx, "SELECT id AS turning FROM orders", nil, Wide, &Table{})
					return err
				}},
				{"in a description", "turning", func(ctx context.Context, c warehouse.Connector) error {
					_, err := c.Describe(ctx, "SELECT id AS turning FROM orders", nil)
					return err
				}},
				{"in a look around", "turning", func(ctx context.Context, c warehouse.Connector) error {
					_, err := c.Introspect(ctx, warehouse.Introspection{Pattern: "turning"})
					return err
				}},
			} {
				t.Run(try.name, func(t *testing.T) {
					onTime(t, s, func(limit time.Duration) (time.Duration, error) {
						before := runtime.NumGoroutine()
						p := NewProxy(t, s.Address)
						defer p.Close()
						if try.at == "" {
							way.turn(p)
						} else {
							p.When(try.at, way.turn)
						}
						ctx, cancel := context.WithTimeout(t.Context(), limit)
						defer cancel()
						start := time.Now()
						err := try.ask(ctx, s.At(t, p.Address))
						late := time.Since(start) - limit
						cancel()
						deadline := time.Now().Add(patience)
						for p.Open() > 0 {
							if time.Now().After(deadline) {
								t.Fatalf("%d connections are left", p.Open())
							}
							time.Sleep(time.Millisecond)
						}
						p.Close()
						for runtime.NumGoroutine() > before {
							if time.Now().After(deadline) {
								t.Fatalf("%d goroutines more than before", runtime.NumGoroutine()-before)
							}
							time.Sleep(time.Millisecond)
						}
						return late, err
					}, warehouse.Timeout, warehouse.Connect)
				})
			}
		})
	}
}

// broken is a sink that fails at its columns (-1) or a row.
type broken struct {
	at, rows int
	err      error
}

func (b *broken) Columns([]cube.Column) error {
	if b.at < 0 {
		return b.err
	}
	return nil
}

func (b *broken) Row([]any) error {
	if b.rows++; b.rows > b.at {
		return b.err
	}
	return nil
}

// attacks: whatever a statement is, nothing changes by it.
func attacks(t *testing.T, s Source) {
	c := s.Open(t)
	before := s.State(t)
	for _, attack := range s.Attacks {
		t.Run(attack.Name, func(t *testing.T) {
			for _, sql := range attack.SQL {
				var table Table
				start := time.Now()
				_, err := c.Query(t.Context(), sql, nil, warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: time.Second}, &table)
				class := classOf(t, s, sql, err)
				if err == nil && s.Strict {
					t.Errorf("%s\nit ran: %v", sql, table.Rows)
				}
				if attack.Class != "" && class != attack.Class {
					t.Errorf("%s\nclass %q, want %q: %v", sql, class, attack.Class, err)
				}
				_, err = c.Describe(t.Context(), sql, nil)
				if classOf(t, s, sql, err); err == nil && s.Strict {
					t.Errorf("%s\nit is described", sql)
				}
				if took := time.Since(start); took > time.Second+patience {
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
		if err != nil || len(table.Rows) != try.rows || stats != (warehouse.Stats{Rows: try.rows, Truncated: try.cut}) || len(table.Cols) != 1 {
			t.Errorf("%s, %+v: %d rows, %+v, %v", try.sql, try.l, len(table.Rows), stats, err)
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
	want := []cube.Column{{Name: "id", Type: cube.Integer}, {Name: "day", Type: cube.Date}, {Name: "amount", Type: cube.Number}, {Name: "note", Type: cube.Text}}
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
	for _, text := range []string{`n7' OR '1'='1`, `'; DROP TABLE orders; --`, `\' OR 1=1 -- `, "a\nb\tc\\", "%s $1 ? {p1:String} {{x}}", "日本語", ""} {
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
