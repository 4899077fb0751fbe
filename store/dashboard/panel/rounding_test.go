package panel

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
	"service/store/storetest"
)

// roundings has, for each format, how Postgres rounds the numeric v for it: the digits, and the unit after them.
var roundings = map[string]string{
	"integer":          `round(v)::text`,
	"number":           `trim_scale(round(v, 2))::text`,
	"number1":          `round(v, 1)::text`,
	"number2":          `round(v, 2)::text`,
	"percent":          `round(v * 100)::text`,
	"percent1":         `round(v * 100, 1)::text`,
	"percent2":         `round(v * 100, 2)::text`,
	"currency":         `round(v)::text`,
	"currency2":        `round(v, 2)::text`,
	"compact":          compactInSQL(),
	"currency_compact": compactInSQL(),
	"bytes":            bytesInSQL(),
	"duration": `CASE
		WHEN v = 0 THEN '0 s'
		WHEN round(v * 1000, 1) = 0 THEN '0 ms'
		WHEN abs(round(v * 1000, 1)) < 1000 THEN trim_scale(round(v * 1000, 1)) || ' ms'
		WHEN abs(round(v, 1)) < 60 THEN trim_scale(round(v, 1)) || ' s'
		WHEN abs(round(v)) < 3600 THEN trunc(round(v) / 60) || ' m' || coalesce(' ' || nullif(abs(round(v)) % 60, 0) || ' s', '')
		WHEN abs(round(v / 60)) < 1440 THEN trunc(round(v / 60) / 60) || ' h' || coalesce(' ' || nullif(abs(round(v / 60)) % 60, 0) || ' m', '')
		ELSE trunc(round(v / 3600) / 24) || ' d' || coalesce(' ' || nullif(abs(round(v / 3600)) % 24, 0) || ' h', '') END`,
	"": smallInSQL,
}

// smallInSQL returns two decimals, or three significant digits of a number below one.
const smallInSQL = `trim_scale(round(v, CASE WHEN abs(v) >= 1 OR v = 0 THEN 2 ELSE 2 - floor(log(abs(v)))::int END))::text`

// compactInSQL returns a number of at most three digits before its unit, with a decimal if it has at most two of them.
func compactInSQL() string {
	sql := `CASE WHEN abs(v) < 1 THEN ` + smallInSQL + `
		WHEN abs(v) < 999.5 THEN trim_scale(round(v, CASE WHEN abs(v) >= 100 THEN 0 ELSE 1 END))::text`
	for i, unit := range []string{"K", "M", "B", "T"} {
		size := fmt.Sprintf("1e%d", 3*i+3)
		largest := " OR true"
		if unit != "T" {
			largest = ""
		}
		sql += fmt.Sprintf(`
			WHEN abs(v) < 999.5 * %s%s THEN trim_scale(round(v / %s, CASE WHEN abs(v / %s) < 99.95 THEN 1 ELSE 0 END)) || '%s'`,
			size, largest, size, size, unit)
	}
	return sql + ` END`
}

// bytesInSQL returns a number of at most three digits before its unit, with at most one decimal.
func bytesInSQL() string {
	sql := `CASE`
	for i, unit := range []string{"B", "KB", "MB", "GB", "TB"} {
		size := fmt.Sprintf("1e%d", 3*i)
		sql += fmt.Sprintf(`
			WHEN abs(round(v / %s, 1)) < 1000 THEN trim_scale(round(v / %s, 1)) || ' %s'`, size, size, unit)
	}
	return sql + ` ELSE trim_scale(round(v / 1e15, 1)) || ' PB' END`
}

// randomDecimals returns numbers of many sizes, many of which are halves of the last digit of a format.
func randomDecimals(n int) []string {
	r := rand.New(rand.NewPCG(7, 26))
	out := []string{"2.675", "0.145", "-0.145", "1.005", "8.345", "0.285", "-0.5", "0.5", "999.5", "99.95", "59.95", "0.9995"}
	for len(out) < n {
		digits := fmt.Sprint(r.Int64N([]int64{10, 1000, 100_000, 1e9, 1e15, 1e18}[r.IntN(6)]))
		if r.IntN(2) == 0 {
			digits += "5"
		}
		decimals := r.IntN(9)
		if missing := decimals + 1 - len(digits); missing > 0 {
			digits = strings.Repeat("0", missing) + digits
		}
		d := digits[:len(digits)-decimals]
		if decimals > 0 {
			d += "." + digits[len(digits)-decimals:]
		}
		if r.IntN(3) == 0 && strings.Trim(d, "0.") != "" {
			d = "-" + d
		}
		if len(digits)-decimals < 18 { // larger ones have an exponent
			out = append(out, d)
		}
	}
	return out
}

// TestRoundingIsThatOfPostgres: in every format a number is rounded in decimals, halves away from zero, like numeric. That holds for a
// float64, which has at most 15 digits here, and for a number with more digits.
func TestRoundingIsThatOfPostgres(t *testing.T) {
	t.Parallel()
	pool := storetest.Empty(t)
	us := format.Formatter{Locale: locale.For("en-US"), Currency: "USD"}
	numbers := randomDecimals(100_000)
	values := make([]any, len(numbers))
	kinds := map[string]int{}
	for i, d := range numbers {
		v, err := cube.Parse(cube.Number, d)
		if err != nil {
			t.Fatal(err)
		}
		values[i] = v
		kinds[fmt.Sprintf("%T", v)]++
	}
	if kinds["float64"] < 10_000 || kinds["cube.Decimal"] < 1000 {
		t.Errorf("the numbers are %v", kinds)
	}
	formats := slices.Sorted(maps.Keys(roundings))
	columns, want, scan := make([]string, len(formats)), make([]string, len(formats)), make([]any, len(formats))
	for i, format := range formats {
		columns[i], scan[i] = roundings[format], &want[i]
	}
	rows, err := pool.Query(t.Context(),
		`SELECT `+strings.Join(columns, ", ")+` FROM unnest($1::numeric[]) WITH ORDINALITY of_all (v, n) ORDER BY n`, numbers)
	if err != nil {
		t.Fatal(err)
	}
	wrong := map[string]int{}
	written := strings.NewReplacer(",", "", format.Minus, "-", format.NBSP, " ", "%", "", "$", "")
	n := 0
	for ; rows.Next(); n++ {
		if err := rows.Scan(scan...); err != nil {
			t.Fatal(err)
		}
		for i, format := range formats {
			if got := written.Replace(us.Amount(format, values[n])); got != want[i] {
				if wrong[format]++; wrong[format] <= 3 {
					t.Errorf("%s as %q: %q, want %q", numbers[n], format, got, want[i])
				}
			}
		}
	}
	if err := rows.Err(); err != nil || n != len(numbers) || len(wrong) > 0 {
		t.Errorf("of %d numbers %d came back (%v); wrong are %v", len(numbers), n, err, wrong)
	}
}

// TestRoundingReachesEverything: one rule holds on the page and in its sketch, for a float64, a longer number, and numbers computed from
// either.
func TestRoundingReachesEverything(t *testing.T) {
	t.Parallel()
	long := cube.Decimal("12345678901234567.675")
	v := tiny([]dashboard.Panel{
		{Type: dashboard.Table, Data: "d", Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "amount"}, {Column: "rate"}}},
		{Type: dashboard.Pivot, Data: "d", Rows: []string{"name"}, Values: []string{"amount"}},
		{Type: dashboard.Bar, Data: "d", X: "name", Y: []string{"rate"}},
		{Type: dashboard.Bar, Data: "d", X: "name", Y: []string{"rate"}, Horizontal: true},
		{Type: dashboard.Text, Data: "d", Markdown: "Of {{d.rate}}."},
	}, []string{"name text", "amount number sum number2", "rate number max percent"},
		[]any{"a", 2.675, 0.145}, []any{"b", long, -0.145}, []any{"c", -1.005, 0.105})
	doc := string(render(t, v))
	for _, want := range []string{"2.68", "12,345,678,901,234,567.68", "−1.01", "15%", "−15%", "11%", "Of 15%."} {
		if !strings.Contains(doc, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, wrong := range []string{">2.67<", "567.67", "−1.00", ">14%"} {
		if strings.Contains(doc, wrong) {
			t.Errorf("the page has %q", wrong)
		}
	}
	all, _ := examine(v)
	text := ""
	for _, s := range all {
		text += s.Text + "\n" + s.Sketch + "\n"
	}
	for _, want := range []string{"2.68", "567.68", "−1.01", "15%"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text pictures have no %q:\n%s", want, text)
		}
	}
}

// TestChangesAreRoundedInDecimals: the change of a KPI is computed from the numbers that people read.
func TestChangesAreRoundedInDecimals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		format    string
		was, base float64
		want      string
	}{
		{"percent1", 0.1, 0.2445, "+14.5 pp"},
		{"percent1", 0.3, 0.2005, "−10.0 pp"},
		{"number", 1.2, 1.2078, "+0.7%"}, // 0.65
		{"number", 40, 40.26, "+0.7%"},
		{"number", 0.4, 0.4026, "+0.7%"},
		{"number", 200, 2201, "+1,001%"}, // 1000.5
	} {
		k := &kpiPanel{Panel: &Panel{Rows: Rows{Settings: Settings{Env: &Env{Formatter: format.Formatter{Locale: locale.For("en-US")}}}}}}
		k.col.Format = tc.format
		if got := strings.ReplaceAll(k.change(&comparison{ok: true, value: tc.was, base: tc.base}), format.NBSP, " "); got != tc.want {
			t.Errorf("from %v to %v: %s, want %s", tc.was, tc.base, got, tc.want)
		}
	}
}
