package cube

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	hundred := strings.Repeat("7", MaxDigits)
	for _, tt := range []struct {
		t    Type
		text string
		want any
	}{
		{Integer, "0", int64(0)},
		{Integer, "-9223372036854775808", int64(math.MinInt64)},
		{Integer, "9223372036854775808", Decimal("9223372036854775808")},
		{Integer, "18446744073709551615", Decimal("18446744073709551615")},
		{Integer, "12.00", int64(12)},
		{Integer, "1e3", int64(1000)},
		{Integer, "-0", int64(0)},
		{Integer, "12345678901234567890.00", Decimal("12345678901234567890")},
		{Number, "007", 7.0},
		{Number, "-0.0000000000000000", 0.0},
		{Number, "10000000000000000", 1e16},
		{Integer, hundred, Decimal(hundred)},
		{Number, "0.10", 0.1},
		{Number, "-0.00", 0.0},
		{Number, "1e-3", 0.001},
		{Number, "123456789012345.6", 123456789012345.6},
		{Number, "0.30000000000000004", 0.30000000000000004},
		{Number, "9007199254740993", Decimal("9007199254740993")},
		{Number, "10000000000000000000000", 1e22},
		{Number, "12345678901234567.89", Decimal("12345678901234567.89")},
		{Number, "+12345678901234567.8900", Decimal("12345678901234567.89")},
		{
			Number, "-.000000000000000000000000000000000000012345678901234567890",
			Decimal("-0.00000000000000000000000000000000000001234567890123456789"),
		},
		{Number, "1.2345678901234567890123e5", Decimal("123456.78901234567890123")},
		{Number, hundred + "." + hundred, Decimal(hundred + "." + hundred)},
		{Number, "7" + hundred, 7.777777777777778e100}, // too long to keep
		{Number, "1e300", 1e300},
		{Number, "1e-300", 1e-300},
		{Number, "NaN", Lost},
		{Number, "Infinity", Lost},
		{Number, "-inf", Lost},
	} {
		got, err := Parse(tt.t, tt.text)
		if err != nil || got != tt.want {
			t.Errorf("Parse(%s, %.40s) = %v, %v; want %v", tt.t, tt.text, got, err, tt.want)
		}
	}
	for _, tt := range []struct {
		t    Type
		text string
	}{
		{Integer, "1.5"},
		{Integer, "7" + hundred},
		{Number, "1e400"},
		{Number, strings.Repeat("9", 5000)},
		{Number, ""},
		{Number, "-"},
		{Number, "."},
		{Number, "1.2.3"},
		{Number, "-+5"},
		{Number, "0x1p-2000000000000000000000"},
		{Number, "12345678901234567x"},
		{Number, "1e99999999999999999999"},
	} {
		if got, err := Parse(tt.t, tt.text); err == nil {
			t.Errorf("Parse(%s, %q) = %v; want an error", tt.t, tt.text, got)
		}
	}
}

// FuzzParse holds Parse against the arithmetic of math/big.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "-1.50", "1e5", "123456789012345678901234567890.5", "9007199254740993", "1e-7", "00012", "-.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse(Number, text)
		if err != nil || v == nil || len(text) > 300 {
			return
		}
		if strings.Trim(text, "+-.0123456789eE") != "" {
			t.Fatalf("%q was read as %v", text, v)
		}
		want, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is no number, but was read as %v", text, v)
		}
		label := Label(v)
		got, _ := new(big.Rat).SetString(label)
		if d, exact := v.(Decimal); exact || len(text) <= 15 && !strings.ContainsAny(text, "eE") {
			if got.Cmp(want) != 0 {
				t.Fatalf("%q became %s", text, label)
			}
			if again, err := Parse(Number, label); err != nil || again != v {
				t.Fatalf("%q became %v, and that %v", text, v, again)
			}
			if f := d.Float(); exact && (len(d) < 2 || d[0] == '+' || fmt.Sprint(f) == label) {
				t.Fatalf("%q became the Decimal %q", text, d)
			}
		}
	})
}

func TestCompare(t *testing.T) {
	t.Parallel()
	ascending := []any{
		Decimal("-18446744073709551616"), -1.5, int64(0), 0.1, int64(9007199254740992), Decimal("9007199254740993"),
		int64(9007199254740994), Decimal("9007199254740994.5"), 1e300,
	}
	for i, a := range ascending {
		for j, b := range ascending {
			if got, ok := Compare(a, b); !ok || got != big.NewInt(int64(i)).Cmp(big.NewInt(int64(j))) {
				t.Errorf("Compare(%v, %v) = %d, %v", a, b, got, ok)
			}
		}
	}
	for _, other := range []any{"1", nil, []byte("1")} {
		if _, ok := Compare(other, other); ok {
			t.Errorf("Compare takes %T for a number", other)
		}
	}
}

// wide makes a column of numbers of all lengths and its values as fractions.
func wide(t *testing.T, kind Type, seed uint64, rows int) (*Cube, []*big.Rat) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	b := NewBuilder([]Column{{"n", kind}, {"g", Text}})
	var in []*big.Rat
	for range rows {
		digits := fmt.Sprintf("%d%018d", r.Int64N(1e9)-5e8, r.Int64N(1e18))[:1+r.IntN(24)]
		if digits = strings.TrimSuffix(digits, "-"); digits == "" {
			digits = "0"
		}
		if kind == Number && r.IntN(2) == 0 {
			digits += fmt.Sprintf(".%d", r.Int64N(1e6))
		}
		v, err := Parse(kind, digits)
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(10) == 0 {
			v = nil
		}
		if err := b.Add([]any{v, fmt.Sprint(r.IntN(3))}); err != nil {
			t.Fatal(err)
		}
		if v == nil {
			in = append(in, nil)
			continue
		}
		n, _ := new(big.Rat).SetString(digits)
		in = append(in, n)
	}
	return b.Cube(), in
}

func TestWideNumbersKeepEveryDigit(t *testing.T) {
	t.Parallel()
	for _, kind := range []Type{Integer, Number} {
		for seed := range uint64(20) {
			built, in := wide(t, kind, seed, 200)
			c, err := Decode(built.Encode())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(cells(built), cells(c)); diff != "" {
				t.Fatalf("as built and as decoded differ:\n%s", diff)
			}
			if string(c.Encode()) != string(built.Encode()) {
				t.Error("a second encoding differs")
			}
			for row, want := range in {
				v := c.Value(row, 0)
				if want == nil {
					if v != nil {
						t.Errorf("NULL came back as %v", v)
					}
					continue
				}
				if got, ok := new(big.Rat).SetString(Label(v)); !ok || got.Cmp(want) != 0 {
					t.Fatalf("%s came back as %v", want.RatString(), v)
				}
			}
		}
	}
}

func TestWideNumbersAddUpExactly(t *testing.T) {
	t.Parallel()
	for _, kind := range []Type{Integer, Number} {
		c, in := wide(t, kind, 11, 500)
		for _, agg := range []Agg{Sum, Min, Max} {
			q := Query{By: []Dim{{Column: "g"}}, Measures: []Measure{{Column: "n", Agg: agg}}}
			by := map[any]*big.Rat{}
			var all *big.Rat
			into := func(old, v *big.Rat) *big.Rat {
				switch {
				case old == nil:
					return v
				case agg == Sum:
					return new(big.Rat).Add(old, v)
				case v.Cmp(old) < 0 == (agg == Min):
					return v
				}
				return old
			}
			for row, v := range in {
				if v != nil {
					group := c.Value(row, 1)
					by[group], all = into(by[group], v), into(all, v)
				}
			}
			g := c.Group(c.Select(), q)
			for i := range g.Len() {
				if got, _ := new(big.Rat).SetString(Label(g.Exact(i, 0))); got.Cmp(by[g.Category(i, 0).Value]) != 0 {
					t.Errorf("%s of %s: %v, want %s", agg, kind, g.Exact(i, 0), by[g.Category(i, 0).Value].RatString())
				}
			}
			if got, _ := new(big.Rat).SetString(Label(g.Fold().Exact(0, 0))); got.Cmp(all) != 0 {
				t.Errorf("%s of all %s: %v, want %s", agg, kind, g.Fold().Exact(0, 0), all.RatString())
			}
			// The order is that of the exact values, both ways.
			for _, descending := range []bool{false, true} {
				order := g.Sorted(0, descending)
				for i := 1; i < len(order); i++ {
					a, b := by[g.Category(order[i-1], 0).Value], by[g.Category(order[i], 0).Value]
					if a.Cmp(b) > 0 != descending {
						t.Errorf("%s of %s: wrong order", agg, kind)
					}
				}
			}
		}
	}
}

// one is a cube of one column.
func one(t *testing.T, kind Type, values ...any) *Cube {
	t.Helper()
	b := NewBuilder([]Column{{"n", kind}})
	for _, v := range values {
		if err := b.Add([]any{v}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Decode(b.Cube().Encode())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestExactSums(t *testing.T) {
	t.Parallel()
	repeat := func(v any, n int) (vs []any) {
		for range n {
			vs = append(vs, v)
		}
		return vs
	}
	for name, tt := range map[string]struct {
		kind   Type
		values []any
		want   any
	}{
		"ten times 0.1":                     {Number, repeat(0.1, 10), 1.0},
		"cents":                             {Number, repeat(0.29, 200_000), 58000.0},
		"integers beyond 2^53":              {Integer, []any{int64(1) << 53, int64(1)}, Decimal("9007199254740993")},
		"integers beyond int64":             {Integer, repeat(int64(math.MaxInt64), 3), Decimal("27670116110564327421")},
		"negative beyond int64":             {Integer, repeat(int64(math.MinInt64), 2), Decimal("-18446744073709551616")},
		"over and back":                     {Integer, []any{int64(math.MaxInt64), int64(1), int64(-1)}, Decimal("9223372036854775807")},
		"a decimal of 19 digits":            {Number, []any{Decimal("12345678901234567.89"), 0.01}, Decimal("12345678901234567.9")},
		"decimals that cancel out":          {Number, []any{Decimal("12345678901234567890.5"), Decimal("-12345678901234567890.25")}, 0.25},
		"fractions that are no decimals":    {Number, []any{1.0 / 3, 1.0 / 3, 1.0 / 3}, 1.0},
		"an integer in a number column":     {Number, []any{int64(9007199254740993), 0.5}, Decimal("9007199254740993.5")},
		"numbers past every warehouse":      {Number, []any{1e300, Decimal("12345678901234567.89")}, nil},
		"a whole number past 64 bits":       {Integer, []any{Decimal("18446744073709551615"), int64(1)}, Decimal("18446744073709551616")},
		"one that would have fit after all": {Integer, []any{Decimal("5"), int64(1)}, 6.0},
	} {
		c := one(t, tt.kind, tt.values...)
		g := c.Group(c.Select(), Query{Measures: []Measure{{Column: "n", Agg: Sum}}})
		got := g.Exact(0, 0)
		if tt.want == nil { // kept whole: 301 digits and two decimals
			if d, ok := got.(Decimal); !ok || len(d) != 304 || !strings.HasSuffix(string(d), "12345678901234567.89") {
				t.Errorf("%s: %v", name, got)
			}
			continue
		}
		if got != tt.want {
			t.Errorf("%s: %v (%T), want %v", name, got, got, tt.want)
		}
		if f, ok := g.Value(0, 0); !ok || math.Abs(f-mustFloat(tt.want)) > math.Abs(f)*1e-15 {
			t.Errorf("%s: %v as a float, want %v", name, f, tt.want)
		}
	}
}

func mustFloat(v any) float64 {
	f, ok := Float(v)
	if !ok {
		panic(v)
	}
	return f
}

// TestOrderIsExact ranks and sorts numbers that are equal as float64.
func TestOrderIsExact(t *testing.T) {
	t.Parallel()
	b := NewBuilder([]Column{{"n", Integer}, {"g", Text}})
	for _, row := range [][]any{{int64(1) << 53, "a"}, {int64(1)<<53 + 1, "b"}, {nil, "c"}, {int64(1) << 53, "d"}} {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Cube()
	g := c.Group(c.Select(), Query{By: []Dim{{Column: "g"}}, Measures: []Measure{{Column: "n", Agg: Sum}}})
	want := []int{1, 0, 3, 2}
	if diff := cmp.Diff(want, g.Ranked(0, 0)); diff != "" {
		t.Errorf("ranked\n%s", diff)
	}
	if diff := cmp.Diff(want, g.Sorted(0, true)); diff != "" {
		t.Errorf("sorted\n%s", diff)
	}
	if top, _ := g.Top(0, 0, 1, false); top.index(Category{Value: "b", Rank: 1}) < 0 {
		t.Errorf("the largest was cut: %v", top.Axes[0])
	}
}

func TestWideNumbersAsDimensions(t *testing.T) {
	t.Parallel()
	c := one(t, Integer, Decimal("18446744073709551615"), int64(7), nil, Decimal("18446744073709551614"), Decimal("18446744073709551615"))
	g := c.Group(c.Select(), Query{By: []Dim{{Column: "n"}}})
	var got []any
	for i := range g.Len() {
		got = append(got, g.Category(i, 0).Value, g.Rows(i))
	}
	if diff := cmp.Diff([]any{int64(7), 1, Decimal("18446744073709551614"), 1, Decimal("18446744073709551615"), 2, nil, 1}, got); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if got := c.Select(Filter{Column: "n", Values: []string{"18446744073709551615", "7.0", "x", "1.5"}}); len(got) != 3 {
		t.Errorf("the filter keeps rows %v", got)
	}
	n := one(t, Number, Decimal("0.12345678901234567890"), 0.5)
	if got := n.Select(Filter{Column: "n", Values: []string{"0.1234567890123456789"}}); len(got) != 1 || got[0] != 0 {
		t.Errorf("the filter keeps rows %v", got)
	}
}

func BenchmarkParse(b *testing.B) {
	for _, text := range []string{"1234.5", "1234567890123456.5", "12345678901234567890.25", "1.25e3"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				if _, err := Parse(Number, text); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(text+" as a float64", func(b *testing.B) {
			for b.Loop() {
				if _, err := strconv.ParseFloat(text, 64); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
