package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
	"service/store/rawjson"
	"service/store/warehouse"
)

func TestPick(t *testing.T) {
	t.Parallel()
	raw := []byte(` {"a": {"b": [1, {"c": 2}], "d\"": "x"}, "e": null, "a": 3, "f": "é\n"} `)
	for want, path := range map[string][]string{
		`[1, {"c": 2}]`: {"a", "b"}, "null": {"e"}, "": {"a", "b", "c"}, `"é\n"`: {"f"},
	} {
		if got := string(Pick(raw, path...)); got != want {
			t.Errorf("%v: %s, want %s", path, got, want)
		}
	}
	if got := PickText(raw, "f") + PickText(raw, "a", "b") + PickText(raw, "nothing"); got != "é\n" {
		t.Errorf("%q", got)
	}
}

// TestPause: Retry-After is seconds or a date (RFC 9110, 10.2.3). Without it the wait doubles.
func TestPause(t *testing.T) {
	t.Parallel()
	at := func(after string) time.Duration { return pauseOf(http.Header{"Retry-After": {after}}, 2) }
	for after, want := range map[string]time.Duration{
		"3": 3 * time.Second, " 0 ": 0, "": time.Second, "-1": time.Second, "soon": time.Second,
	} {
		if got := at(after); got != want {
			t.Errorf("%q: %s, want %s", after, got, want)
		}
	}
	if got := at(time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)); got < 58*time.Second || got > time.Minute {
		t.Errorf("a date: %s", got)
	}
	if got := at("Thu, 01 Jan 1970 00:00:00 GMT"); got != 0 {
		t.Errorf("a date that is over: %s", got)
	}
}

func TestReading(t *testing.T) {
	t.Parallel()
	for _, try := range []struct {
		kind cube.Type
		read func(string) (any, error)
		raw  string
		want any // an error for nil with a raw that is not null
		size int
	}{
		{cube.Integer, Numeric(cube.Integer), `"12"`, int64(12), 2},
		{cube.Integer, Numeric(cube.Integer), `"1.5"`, nil, 0},
		{cube.Number, Numeric(cube.Number), `"0.10"`, 0.1, 4},
		{cube.Boolean, Boolean, `"true"`, true, 4},
		{cube.Boolean, Boolean, `"yes"`, nil, 0},
		{cube.Date, Times(time.DateOnly), `"2026-02-03"`, time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC), 10},
		{cube.Date, Times(time.DateOnly), `"2026-02-30"`, nil, 0},
		{cube.Instant, Micros, `"-1"`, time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC), 2},
		{cube.Text, Legible, `"a\u0000"`, `\x6100`, 6},
		{cube.Text, Base64, `"YQ=="`, "a", 1},
		{cube.Text, Base64, `"?"`, nil, 0},
		{cube.Text, Legible, `1`, nil, 0},
		{cube.Text, Legible, ``, nil, 0},
	} {
		got, size, err := Reading(try.kind, try.read)([]byte(try.raw))
		bad := errors.Is(err, ErrForm)
		if diff := cmp.Diff(try.want, got); diff != "" || size != try.size || bad != (try.want == nil) {
			t.Errorf("%s: %v, %d, %v", try.raw, got, size, err)
		}
		if got, size, err := Reading(try.kind, try.read)([]byte("null")); got != nil || size != 0 || err != nil {
			t.Errorf("null: %v, %d, %v", got, size, err)
		}
	}
}

// nothing is a sink that keeps nothing.
type nothing struct{}

func (nothing) Columns([]cube.Column) error { return nil }
func (nothing) Row([]any) error             { return nil }

// BenchmarkRows compares the reader of pages with encoding/json into maps, of 100,000 rows of four columns.
func BenchmarkRows(b *testing.B) {
	var page bytes.Buffer
	for i := range 100_000 {
		if i > 0 {
			page.WriteByte(',')
		}
		fmt.Fprintf(&page, `{"f":[{"v":"%d"},{"v":"2026-01-%02d"},{"v":"%d.%02d"},{"v":"note %d"}]}`, i, 1+i%28, i/100, i%100, i)
	}
	body := []byte(`{"rows":[` + page.String() + `]}`)
	col := func(name string, kind cube.Type, read func(string) (any, error)) Column {
		return Column{cube.Column{Name: name, Type: kind}, Reading(kind, read)}
	}
	reads := []func(string) (any, error){Numeric(cube.Integer), Times(time.DateOnly), Numeric(cube.Number), Legible}
	cols := []Column{
		col("id", cube.Integer, reads[0]), col("day", cube.Date, reads[1]), col("amount", cube.Number, reads[2]),
		col("note", cube.Text, reads[3]),
	}
	cells := func(row []byte, all [][]byte) ([][]byte, error) {
		for cell := range rawjson.Elements(Pick(row, "f")) {
			all = append(all, Pick(cell, "v"))
		}
		return all, nil
	}
	b.Run("here", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			r := reader{sink: nothing{}, most: warehouse.Limits{Rows: 1 << 20, Bytes: 1 << 30}}
			if err := r.begin(cols); err != nil || !rawjson.Valid(body) {
				b.Fatal(err)
			}
			if err := r.read(Page{Rows: Pick(body, "rows"), Cells: cells}); err != nil || r.stats.Rows != 100_000 {
				b.Fatal(r.stats, err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			var all map[string]any
			if err := json.Unmarshal(body, &all); err != nil {
				b.Fatal(err)
			}
			for _, row := range all["rows"].([]any) {
				for i, cell := range row.(map[string]any)["f"].([]any) {
					if _, err := reads[i](cell.(map[string]any)["v"].(string)); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
	})
}
