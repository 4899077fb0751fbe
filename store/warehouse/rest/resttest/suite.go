package resttest

import (
	"fmt"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse/warehousetest"
)

// A Tongue is the way in which a vendor describes columns and writes cells.
type Tongue[C any] struct {
	Placeholder func(n int) string
	// Columns of integers, of numbers with two digits after the point, of texts, days and instants.
	Integer, Amount, Text, Date, Instant func(name string) C
	// Cell writes an int64, Cents, a string, a cube.Day, or an instant (a time.Time in the zone of the statement).
	Cell func(v any) any
	// Clock has the expressions by which the test rounds moments: hours and weeks are instants, days and months are days.
	Clock warehousetest.Clock
	// Slow, Endless and Long are the queries of these names in [warehousetest.Source]. Length is the number of characters of Long's only row.
	Slow, Endless, Long string
	Length              int
}

// Statements returns the statements of the conformance suite, and those of values, with their outcomes.
func Statements[C any](v Tongue[C], values []Value[C]) map[string]Recorded[C] {
	all := map[string]Recorded[C]{}
	columns := []C{v.Integer("id"), v.Date("day"), v.Amount("amount"), v.Text("note")}
	cells := func(row []any) []any {
		for i, cell := range row {
			row[i] = v.Cell(cell)
		}
		return row
	}
	table := func(from, to int) Recorded[C] {
		return Many(columns, to-from+1, func(i int) []any { return cells(order(from - 1 + i)) })
	}
	column := func(i int, name func(string) C, called string, n int) Recorded[C] {
		return Many([]C{name(called)}, n, func(row int) []any { return cells(order(row)[i : i+1]) })
	}
	id := func(n int) Recorded[C] { return column(0, v.Integer, "id", n) }
	fixed := func(cols []C, row ...any) Recorded[C] { return Fixed(cols, cells(row)) }
	one := fixed([]C{v.Integer("n")}, int64(1))
	ids := func(name string, of ...int) Recorded[C] {
		return Many([]C{v.Integer(name)}, len(of), func(i int) []any { return cells([]any{int64(of[i])}) })
	}
	for sql, r := range map[string]Recorded[C]{
		"SELECT 1 AS n":                         one,
		"SELECT 1 AS n -- a comment":            one,
		"SELECT 1 AS n ":                        one,
		"\n SELECT /* a ; b */ ';' AS n":        fixed([]C{v.Text("n")}, ";"),
		"SELECT 1 AS a, 2 AS a":                 fixed([]C{v.Integer("a"), v.Integer("a")}, int64(1), int64(2)),
		"SELECT id FROM orders":                 id(20_000),
		"SELECT id AS turning FROM orders":      column(0, v.Integer, "turning", 20_000),
		"SELECT id FROM orders WHERE id <= 700": id(700),
		"SELECT id FROM orders WHERE id < 0":    id(0),
		"SELECT note FROM orders":               column(3, v.Text, "note", 20_000),
		"WITH x AS (SELECT id FROM orders WHERE id <= 3) SELECT id FROM x UNION ALL SELECT id FROM x": ids("id", 1, 2, 3, 1, 2, 3),
		"(SELECT id FROM orders WHERE id = 1) UNION (SELECT id FROM orders WHERE id = 2)":             ids("id", 1, 2),
		"SELECT id, day, amount, note FROM orders ORDER BY id LIMIT 3":                                table(1, 3),
		"SELECT id, day, amount, note FROM orders WHERE id BETWEEN 31 AND 32 ORDER BY id":             table(31, 32),
		"SELECT day, SUM(amount) AS revenue, COUNT(*) AS orders FROM orders GROUP BY day ORDER BY day -- by day": fixed(
			[]C{v.Date("day"), v.Amount("revenue"), v.Integer("orders")}, dayOf(30), Cents(6_663_330), int64(666)),
		"WITH big AS (SELECT * FROM orders WHERE amount > 100) SELECT MAX(day) AS last, MIN(note) AS first FROM big": fixed(
			[]C{v.Date("last"), v.Text("first")}, dayOf(29), note(10001)),
		v.Slow:    {Cols: []C{v.Integer("n")}, Slow: true, Bytes: 160_000},
		v.Endless: column(0, v.Integer, "n", 8_000_000_000_000),
		v.Long:    Many([]C{v.Text("n")}, 1, func(int) []any { return []any{v.Cell(strings.Repeat("x", v.Length))} }),
	} {
		all[sql] = r
	}
	v.conditions(all)
	v.rounded(all)
	for _, value := range values {
		all["SELECT "+value.SQL+" AS v"] = Fixed([]C{value.Col}, []any{value.Sent})
	}
	return all
}

// conditions adds the statements with parameters.
func (v Tongue[C]) conditions(all map[string]Recorded[C]) {
	p := v.Placeholder
	first := func(col C, cell func(arg any) any) Recorded[C] {
		return Recorded[C]{Cols: []C{col}, Bytes: 160_000, Rows: func(p Params) (int, func(int) []any) {
			return 1, func(int) []any { return []any{v.Cell(cell(p.Args[0]))} }
		}}
	}
	all["SELECT id FROM orders WHERE id = "+p(1)] = first(v.Integer("id"), func(arg any) any { return arg.(int64) })
	all["SELECT note FROM orders WHERE id = "+p(1)] = first(v.Text("note"), func(arg any) any { return note(int(arg.(int64))) })
	for where, keep := range map[string]func(id int, args []any) bool{
		"id = " + p(1):     func(id int, args []any) bool { return int64(id) == args[0] },
		"day >= " + p(1):   func(id int, args []any) bool { return !dayOf(id).Time().Before(args[0].(time.Time)) },
		"amount > " + p(1): func(id int, args []any) bool { return float64(id)/100 > args[0].(float64) },
		"note = " + p(1):   func(id int, args []any) bool { return note(id) == args[0] },
		"note <> " + p(1):  func(id int, args []any) bool { return note(id) != args[0] },
		"id >= " + p(1) + " AND note = " + p(2) + " AND day < " + p(3): func(id int, args []any) bool {
			return int64(id) >= args[0].(int64) && note(id) == args[1] && dayOf(id).Time().Before(args[2].(time.Time))
		},
	} {
		all["SELECT COUNT(*) AS n FROM orders WHERE "+where] = Recorded[C]{
			Cols: []C{v.Integer("n")}, Bytes: 160_000,
			Rows: func(p Params) (int, func(int) []any) {
				n := 0
				for id := range 20_000 {
					if keep(id+1, p.Args) {
						n++
					}
				}
				return 1, func(int) []any { return []any{v.Cell(int64(n))} }
			},
		}
	}
}

// rounded adds the statements that count moments by their hour, day, week and month.
func (v Tongue[C]) rounded(all map[string]Recorded[C]) {
	midnight := func(l time.Time) time.Time { return cube.DayOf(l).In(l.Location()) } // the day's first moment, if midnight does not exist
	day := func(l time.Time) any { return cube.DayOf(l) }
	for expression, begin := range map[string]func(local time.Time) any{
		v.Clock.Hour: func(l time.Time) any {
			_, offset := l.Zone()
			local := l.Add(time.Duration(offset) * time.Second).UTC()
			return l.Add(local.Truncate(time.Hour).Sub(local))
		},
		v.Clock.Day:   day,
		v.Clock.Week:  func(l time.Time) any { return midnight(l.AddDate(0, 0, -(int(l.Weekday())+6)%7)) },
		v.Clock.Month: func(l time.Time) any { return day(l.AddDate(0, 0, 1-l.Day())) },
	} {
		kind := v.Date
		if expression == v.Clock.Hour || expression == v.Clock.Week {
			kind = v.Instant
		}
		all["SELECT "+expression+" AS at, count(*) AS n FROM "+v.Clock.Moments+" GROUP BY 1"] = Recorded[C]{
			Cols: []C{kind("at"), v.Integer("n")}, Bytes: 160_000,
			Rows: func(p Params) (int, func(int) []any) {
				zone, err := time.LoadLocation(p.Zone)
				if err != nil {
					panic(fmt.Sprint("a stand-in accepts the time zone ", p.Zone)) // it must have refused it
				}
				counts, order := map[any]int64{}, []any{}
				for i := range warehousetest.Moments {
					at := begin(warehousetest.FirstMoment.Add(time.Duration(i) * 30 * time.Minute).In(zone))
					if counts[at]++; counts[at] == 1 {
						order = append(order, at)
					}
				}
				return len(order), func(i int) []any { return []any{v.Cell(order[i]), v.Cell(counts[order[i]])} }
			},
		}
	}
}
