package cube

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// every is one column of each type.
var every = []Column{
	{"city", Text},
	{"open", Boolean},
	{"orders", Integer},
	{"revenue", Number},
	{"day", Date},
	{"at", Timestamp},
	{"moment", Instant},
}

// random makes rows of all types, a few of them NULL.
func random(seed uint64, rows int) (*Cube, [][]any) {
	r := rand.New(rand.NewPCG(seed, 1))
	b := NewBuilder(every)
	var in [][]any
	for range rows {
		row := []any{
			fmt.Sprintf("city %d", r.IntN(300)), r.IntN(2) == 0, r.Int64() - math.MaxInt64/2,
			math.Round(r.NormFloat64()*1e5) / 100, Day(r.IntN(40000) - 10000).Time(),
			time.UnixMicro(r.Int64N(4e15) - 1e15).UTC(), time.UnixMicro(r.Int64N(4e15) - 1e15).UTC(),
		}
		for i := range row {
			if r.IntN(10) == 0 {
				row[i] = nil
			}
		}
		if err := b.Add(row); err != nil {
			panic(err)
		}
		in = append(in, row)
	}
	return b.Cube(), in
}

func cells(c *Cube) [][]any {
	var out [][]any
	for row := range c.Rows() {
		var vs []any
		for col := range c.Columns() {
			vs = append(vs, c.Value(row, col))
		}
		out = append(out, vs)
	}
	return out
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{0, 1, 63, 64, 65, 1000} {
		c, in := random(uint64(rows), rows)
		if diff := cmp.Diff(in, cells(c)); diff != "" {
			t.Fatalf("%d rows, as built (-want +got):\n%s", rows, diff)
		}
		d, err := Decode(c.Encode())
		if err != nil {
			t.Fatalf("%d rows: %v", rows, err)
		}
		if diff := cmp.Diff(every, d.Columns()); diff != "" {
			t.Errorf("columns (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(in, cells(d)); diff != "" {
			t.Errorf("%d rows, decoded (-want +got):\n%s", rows, diff)
		}
		if diff := cmp.Diff(c.Encode(), d.Encode()); diff != "" {
			t.Errorf("%d rows: a second encoding differs", rows)
		}
		if c.Size() != d.Size() { // a shelf counts a built cube, and a page a decoded one
			t.Errorf("%d rows take %d bytes as built, and %d decoded", rows, c.Size(), d.Size())
		}
	}
}

func TestNumbersKeepEveryBit(t *testing.T) {
	t.Parallel()
	for _, vs := range [][]float64{
		{0, 1, -1},
		{0.1, 0.2, 0.30000000000000004},
		{1e300, -1e-300},
		{math.Copysign(0, -1)},
		{1 << 53, 1<<53 + 2},
		{12.34, 1e15},
		{0.000001},
		{math.MaxFloat64},
		{19.99, -0.01, 1234567.89},
	} {
		b := NewBuilder([]Column{{"n", Number}})
		for _, v := range vs {
			if err := b.Add([]any{v}); err != nil {
				t.Fatal(err)
			}
		}
		c, err := Decode(b.Cube().Encode())
		if err != nil {
			t.Fatal(err)
		}
		for row, v := range vs {
			if got := c.Value(row, 0).(float64); math.Float64bits(got) != math.Float64bits(v) {
				t.Errorf("%v of %v came back as %v", v, vs, got)
			}
		}
	}
}

func TestBuilderRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	b := NewBuilder(every)
	epoch := time.Unix(0, 0).UTC()
	ok := []any{"a", true, int64(1), 1.5, epoch, epoch, epoch}
	for i, bad := range []any{7, "x", 1.5, "1.5", "2024-01-01", int64(5), "2024-01-01T00:00:00Z"} {
		row := append([]any{}, ok...)
		row[i] = bad
		if err := b.Add(row); err == nil {
			t.Errorf("column %s took a %T", every[i].Name, bad)
		}
	}
	if err := b.Add(ok[:3]); err == nil {
		t.Error("took a short row")
	}
	if b.Rows() != 0 {
		t.Errorf("%d rows were kept of refused ones", b.Rows())
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		row := append([]any{}, ok...)
		row[3] = f
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	if b.cols[3].lost != 3 {
		t.Errorf("%d numbers were lost, want 3", b.cols[3].lost)
	}
	row := append([]any{}, ok...)
	row[0], row[3] = "bad \xff byte", int64(3)
	if err := b.Add(row); err != nil {
		t.Fatal(err)
	}
	c := b.Cube()
	got := []any{c.Value(0, 3), c.Value(1, 3), c.Value(2, 3), c.Value(3, 3), c.Value(3, 0)}
	if !cmp.Equal(got, []any{nil, nil, nil, 3.0, "bad \uFFFD byte"}) {
		t.Errorf("kept %v", got)
	}
}

// TestYears: times that the calendar of a page cannot name are kept as NULL.
func TestYears(t *testing.T) {
	t.Parallel()
	b := NewBuilder([]Column{{Name: "day", Type: Date}, {Name: "at", Type: Timestamp}})
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	east := time.FixedZone("", 3600)
	for _, at := range []time.Time{
		first, last, first.Add(-time.Microsecond), last.Add(time.Microsecond),
		time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-4712, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1, 1, 1, 0, 30, 0, 0, east), time.Date(10000, 1, 1, 0, 30, 0, 0, east),
	} {
		if err := b.Add([]any{at, at}); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Cube()
	var got [2][]bool
	for row := range c.Rows() {
		for col := range got {
			got[col] = append(got[col], c.Value(row, col) != nil)
		}
	}
	// A date is the day that was given, a timestamp a moment.
	want := [2][]bool{{true, true, false, false, false, false, true, false}, {true, true, false, false, false, false, false, true}}
	if !cmp.Equal(got, want) {
		t.Errorf("kept %v, want %v", got, want)
	}
	again, err := Decode(c.Encode())
	if err != nil {
		t.Fatal(err)
	}
	for col, want := range []int{5, 5} {
		if c.Lost(col) != want || again.Lost(col) != want {
			t.Errorf("column %d lost %d values, and %d once decoded, want %d", col, c.Lost(col), again.Lost(col), want)
		}
	}
}

func TestDecodeRefusesEveryCut(t *testing.T) {
	t.Parallel()
	c, _ := random(5, 40)
	enc := c.Encode()
	for n := range enc {
		if _, err := Decode(enc[:n]); err == nil {
			t.Fatalf("took the first %d of %d bytes", n, len(enc))
		}
	}
	if _, err := Decode(append(enc, 0)); err == nil {
		t.Error("took a byte too many")
	}
}

func FuzzDecode(f *testing.F) {
	for _, rows := range []int{0, 1, 70} {
		c, _ := random(uint64(rows), rows)
		f.Add(c.Encode())
	}
	f.Add([]byte(magic + "\xff\xff\xff\xff\x07\x01\x01a\x02\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Decode(data)
		if err != nil {
			return
		}
		if c.Size() > 64+16*len(data)+320*len(c.cols) {
			t.Fatalf("%d bytes took %d of memory", len(data), c.Size())
		}
		again, err := Decode(c.Encode())
		if err != nil {
			t.Fatalf("its own encoding: %v", err)
		}
		if diff := cmp.Diff(cells(c), cells(again)); diff != "" {
			t.Fatalf("changed on the way (-want +got):\n%s", diff)
		}
	})
}
