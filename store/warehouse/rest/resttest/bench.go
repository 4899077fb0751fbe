package resttest

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// millions is the number of rows of the query of [Million].
const millions = 1_000_000

// An answer is an answer of a stand-in, as it was sent.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// A tape has the answers to the requests of one query, in order.
type tape struct {
	mu      sync.Mutex
	answers []answer
	next    int // that is sent; at the end the tape is recorded
	serve   http.HandlerFunc
}

// rewind begins the query again.
func (t *tape) rewind() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next = 0
}

func (t *tape) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	if t.next == len(t.answers) {
		rec := httptest.NewRecorder()
		t.serve(rec, r)
		t.answers = append(t.answers, answer{rec.Code, rec.Header(), rec.Body.Bytes()})
	}
	a := t.answers[t.next]
	t.next++
	t.mu.Unlock()
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	w.Write(a.body)
}

// list returns the longest list in a decoded answer: its rows.
func list(v any) (longest []any) {
	switch v := v.(type) {
	case []any:
		return v
	case map[string]any:
		for _, member := range v {
			if l := list(member); len(l) > len(longest) {
				longest = l
			}
		}
	}
	return longest
}

// scalars adds the scalars of a row to all, in order.
func scalars(v any, all []any) []any {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			all = scalars(element, all)
		}
		return all
	case map[string]any:
		for _, member := range v {
			all = scalars(member, all)
		}
		return all
	}
	return append(all, v)
}

// mapped returns a row as a map of its values.
func mapped(cells []any) map[string]any {
	text := [4]string{}
	for i, cell := range cells {
		switch cell := cell.(type) {
		case string:
			text[i] = cell
		case float64:
			text[i] = strconv.FormatFloat(cell, 'f', -1, 64)
		}
	}
	id, _ := strconv.ParseInt(text[0], 10, 64)
	day, err := time.Parse(time.DateOnly, text[1])
	if err != nil { // days since 1970
		n, _ := strconv.Atoi(text[1])
		day = time.Unix(int64(n)*86400, 0).UTC()
	}
	amount, _ := strconv.ParseFloat(text[2], 64)
	return map[string]any{"id": id, "day": day, "amount": amount, "note": text[3]}
}

// none is a sink that keeps nothing.
type none struct{}

func (none) Columns([]cube.Column) error { return nil }
func (none) Row([]any) error             { return nil }

// Million compares a query of a million rows of four columns with a program that requests the same answers, decodes them by encoding/json
// and makes a map of each row. The stand-in sends answers that were recorded before. It reports the largest heap too.
func Million[C any](b *testing.B, start Starter[C], v Tongue[C]) {
	const sql = "SELECT id, day, amount, note FROM orders"
	s := start(b)
	s.Recorded[sql] = Many([]C{v.Integer("id"), v.Date("day"), v.Amount("amount"), v.Text("note")}, millions, func(i int) []any {
		row := order(i)
		for i, cell := range row {
			row[i] = v.Cell(cell)
		}
		return row
	})
	t := &tape{serve: s.Serve}
	s.Before(func(w http.ResponseWriter, r *http.Request) bool { t.ServeHTTP(w, r); return true })
	ask := func() {
		t.rewind()
		stats, err := s.At("").Query(b.Context(), sql, nil, warehouse.Limits{Rows: 2 * millions, Bytes: 1 << 31, Time: time.Hour}, none{})
		if err != nil || stats.Rows != millions {
			b.Fatal(stats, err)
		}
	}
	ask()
	size := int64(0)
	for _, a := range t.answers {
		size += int64(len(a.body))
	}
	for name, read := range map[string]func(){
		"here": ask,
		"encoding-json": func() {
			t.rewind()
			for range t.answers {
				response, err := http.Get("http://" + s.Address())
				if err != nil {
					b.Fatal(err)
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				var all any
				if err != nil || json.Unmarshal(body, &all) != nil && len(body) > 0 {
					b.Fatal(err)
				}
				for _, row := range list(all) {
					if cells := scalars(row, nil); len(cells) == 4 && len(mapped(cells)) != 4 {
						b.Fatal(row)
					}
				}
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				read()
			}
			b.ReportMetric(float64(Spent(read))/1e6, "peak-MB")
			b.ReportMetric(float64(len(t.answers)), "answers")
		})
	}
}
