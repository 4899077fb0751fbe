package isolate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/clickhouse"
	"service/store/warehouse/isolate"
	"service/store/warehouse/mysql"
)

// kinds are the kinds that the processes of these tests support.
var kinds = map[string]isolate.Open{
	"mysql": func(t warehouse.Target, d warehouse.Dialer) (warehouse.Connector, error) { return mysql.Open(t, d) },
	"clickhouse": func(t warehouse.Target, d warehouse.Dialer) (warehouse.Connector, error) {
		return clickhouse.Open(t, d)
	},
	"fake": func(t warehouse.Target, _ warehouse.Dialer) (warehouse.Connector, error) { return fake{target: t}, nil },
}

func TestMain(m *testing.M) {
	isolate.Dispatch(kinds)
	os.Exit(m.Run())
}

// open is a connector of a kind whose calls have processes of their own.
func open(t testing.TB, kind string, to warehouse.Target) *isolate.Connector {
	t.Helper()
	p := isolate.New(isolate.Config{Argv: []string{os.Args[0], isolate.Command}, Kinds: kinds, AllowPrivate: true})
	c, err := p.Open(kind, to)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A fake connector does what the SQL names.
type fake struct {
	target warehouse.Target
	zone   string
}

func (fake) Dialect() string                              { return "fake" }
func (fake) Placeholder(n int) string                     { return ":" + strconv.Itoa(n) }
func (f fake) In(zone *time.Location) warehouse.Connector { return fake{f.target, zone.String()} }
func (f fake) Ping(context.Context) error                 { return f.fail() }
func (f fake) Warning(context.Context) string             { return "of " + f.target.User + f.zone }

func (f fake) Describe(context.Context, string, []any) ([]cube.Column, error) {
	return columns, f.fail()
}

// fail is the error that the target's database names.
func (f fake) fail() error {
	switch f.target.Database {
	case "plain":
		return errors.New("fake: not for users")
	case "":
		return nil
	}
	return &warehouse.Error{
		Class: warehouse.Class(f.target.Database), Message: "A sentence about \"é\".", Line: 2, Column: 3, Suggestions: []string{"a", "b"},
	}
}

// Introspect returns more columns than fit into a frame.
func (f fake) Introspect(_ context.Context, q warehouse.Introspection) ([]warehouse.Table, error) {
	var catalog warehouse.Catalog
	for i := range 3 {
		t := warehouse.Table{Name: fmt.Sprint(q.Table, "\n", i), Kind: "view", Comment: strings.Repeat("é", 2000)}
		for n := range warehouse.MaxColumns {
			catalog.Add(t, warehouse.TableColumn{
				Column: cube.Column{Name: fmt.Sprint(q.Pattern, n), Type: cube.Date}, Nullable: n%2 == 0, Comment: strings.Repeat("<", n%999),
			})
		}
	}
	return catalog.Tables(), f.fail()
}

var columns = []cube.Column{
	{Name: "t", Type: cube.Text},
	{Name: "b", Type: cube.Boolean},
	{Name: "i", Type: cube.Integer},
	{Name: "n", Type: cube.Number},
	{Name: "d", Type: cube.Date},
	{Name: "ts", Type: cube.Timestamp},
	{Name: strings.Repeat("long\t", 100), Type: cube.Instant},
}

var day = time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)

var rows = [][]any{
	{nil, nil, nil, nil, nil, nil, nil},
	{"", false, int64(0), 0.0, day, day, day},
	{"é漢\x00", true, int64(math.MinInt64), math.MaxFloat64, day.AddDate(-2025, 0, 0), day.Add(time.Microsecond), day.Add(time.Hour)},
	{
		strings.Repeat("x", 1<<20), true, cube.Decimal("9223372036854775808"), cube.Decimal("0.12345678901234567890123"),
		day.AddDate(7900, 0, 0), day, day,
	},
	{cube.Lost, cube.Lost, cube.Lost, cube.Lost, cube.Lost, cube.Lost, cube.Lost},
}

// attacks tries actions that the process must not be able to do, and returns their results. dir is a folder of the test.
var attacks func(dir string) []string

// held is memory that the compiler must not leave out.
var held []byte

// Query returns the answer that the SQL names.
func (f fake) Query(
	ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (stats warehouse.Stats, err error) {
	switch sql {
	case "values":
		if err := sink.Columns(columns); err != nil {
			return stats, err
		}
		for _, row := range rows {
			if err := sink.Row(append([]any{}, row...)); err != nil {
				return stats, err
			}
			stats.Rows++
		}
		stats.Truncated = true
		return stats, f.fail()
	case "odd": // values that a column does not hold, or not in this form
		odd := []any{"\xff", true, int64(1), int64(7), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Time{}.AddDate(-1, 0, 0), day}
		second := append([]any{}, odd...)
		second[3] = math.Inf(1)
		third := append([]any{}, odd...)
		third[3] = int64(math.MaxInt64)
		return stats, errors.Join(sink.Columns(columns), sink.Row(odd), sink.Row(second), sink.Row(third))
	case "echo":
		text := fmt.Sprintf("%s %+v %+v", f.zone, f.target, l)
		for _, a := range args {
			text += fmt.Sprintf(" %T %v", a, a)
		}
		return stats, errors.Join(sink.Columns(columns[:1]), sink.Row([]any{text}))
	case "count":
		err := sink.Columns(columns[2:3])
		for ; err == nil && stats.Rows < l.Rows; stats.Rows++ {
			err = sink.Row([]any{int64(stats.Rows)})
		}
		return stats, err
	case "memory":
		held = make([]byte, 4<<30)
		return stats, sink.Columns(columns)
	case "panic":
		go panic("nobody can recover from this")
		<-ctx.Done()
	case "wrong":
		return stats, errors.Join(sink.Columns(columns[:1]), sink.Row([]any{1}))
	case "attacks":
		err := sink.Columns(columns[:1])
		for _, result := range attacks(args[0].(string)) {
			err = errors.Join(err, sink.Row([]any{result}))
		}
		return stats, err
	case "deaf": // to the end of its context
		time.Sleep(time.Hour)
	case "waits":
		<-ctx.Done()
		return stats, warehouse.Ended(ctx, ctx.Err(), false)
	}
	return stats, errors.New("fake: " + sql)
}
