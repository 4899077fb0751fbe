package snowflake_test

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/rest/resttest"
)

// A counted is a sink that adds up the numbers of its rows, and notes a row that does not follow the one before.
type counted struct {
	rows, sum, last int64
	wrong           string
}

func (c *counted) Columns([]cube.Column) error { return nil }

func (c *counted) Row(row []any) error {
	n := row[0].(int64)
	if n != c.last+1 && c.wrong == "" {
		c.wrong = fmt.Sprintf("%d follows %d", n, c.last)
	}
	c.rows, c.sum, c.last = c.rows+1, c.sum+n, n
	return nil
}

const (
	longSQL = "SELECT n, note FROM long"
	longRow = 10_000 // bytes of a note
)

// longRows are the columns of longSQL.
var longRows = []col{{Name: "N", Type: "fixed", Scale: new(int)}, textOf("NOTE")}

// startLong starts a stand-in whose partitions are written by f, compressed: "Retrieving the additional partitions … are compressed in gzip
// format". open is what precedes the rows of a partition. Each partition has 3,000 rows, which are 30 MB.
func startLong(t *testing.T, partitions int, f func(w io.Writer, r *http.Request, partition int, open string)) *resttest.Server[col] {
	s := start(t)
	s.Recorded[longSQL] = recorded{Cols: longRows, Rows: resttest.Fixed[col](nil).Rows}
	s.Disturb("status", 1<<30, func(w http.ResponseWriter, r *http.Request) {
		n := 0
		fmt.Sscan(r.URL.Query().Get("partition"), &n)
		open := `{"data":[`
		if n == 0 {
			open = `{"resultSetMetaData":{"rowType":[{"name":"N","type":"fixed","scale":0},{"name":"NOTE","type":"text"}],"partitionInfo":[` +
				strings.TrimSuffix(strings.Repeat(`{"rowCount":3000},`, partitions), ",") + `]},"data":[`
		}
		w.Header().Set("Content-Encoding", "gzip")
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		b := bufio.NewWriterSize(z, 64<<10)
		f(b, r, n, open)
		b.Flush()
		z.Close()
	})
	return s
}

var note = []string{strings.Repeat("ä", longRow/2)}

// noise returns notes that gzip cannot compress: they differ from those in the 32 KiB before them.
func noise() []string {
	random, out := rand.NewChaCha8([32]byte{}), make([]string, 8)
	for i := range out {
		bytes := make([]byte, longRow/4*3)
		random.Read(bytes) // never fails
		out[i] = base64.StdEncoding.EncodeToString(bytes)
	}
	return out
}

// write writes the rows of a partition from row from to row to, without those after it, with the notes in turn.
func write(w io.Writer, notes []string, partition, from, to int) {
	for i := from; i < to; i++ {
		comma := ","
		if i == 0 {
			comma = ""
		}
		fmt.Fprintf(w, "%s [\"%d\",\n\"%s\"]", comma, partition*3000+i+1, notes[i%len(notes)])
	}
}

// ask runs longSQL.
func ask(t *testing.T, s *resttest.Server[col], rows int) (got counted, stats warehouse.Stats, err error) {
	t.Helper()
	stats, err = s.At("").Query(t.Context(), longSQL, nil, warehouse.Limits{Rows: rows, Bytes: 1 << 30, Time: time.Minute}, &got)
	return got, stats, err
}

// TestLongPartitions: partitions of 30 MB are read in the memory of a page, also if they break off, in which case they are requested again
// from the first row and none is read twice.
func TestLongPartitions(t *testing.T) {
	for name, breaks := range map[string]int{"whole": 0, "broken once": 1, "broken twice": 2} {
		t.Run(name, func(t *testing.T) {
			met := 0
			s := startLong(t, 2, func(w io.Writer, _ *http.Request, partition int, open string) {
				io.WriteString(w, open)
				if partition == 1 && met < breaks {
					met++
					write(w, note, partition, 0, 1500+met*700)
					w.(*bufio.Writer).Flush()
					panic(http.ErrAbortHandler)
				}
				write(w, note, partition, 0, 3000)
				io.WriteString(w, `],"code":"090001","message":"successfully executed"}`)
			})
			var got counted
			var stats warehouse.Stats
			var err error
			used := resttest.Spent(func() { got, stats, err = ask(t, s, 10_000) })
			if err != nil || got.wrong != "" || got.rows != 6000 || got.sum != 6000*6001/2 || stats.Rows != 6000 || stats.Truncated {
				t.Errorf("%+v, %+v, %v", got, stats, err)
			}
			if used > 64<<20 || met != breaks {
				t.Errorf("%d MiB, broken %d times", used>>20, met)
			}
		})
	}
}

// TestLongPartitionLimits: a partition without an end is read up to the limit of rows, and the rest is not. Its notes cannot be compressed:
// otherwise, buffers of the network would have room for hundreds of megabytes before anybody reads them.
func TestLongPartitionLimits(t *testing.T) {
	var sent atomic.Int32
	notes := noise()
	s := startLong(t, 1, func(w io.Writer, r *http.Request, partition int, open string) {
		io.WriteString(w, open)
		for n := 0; n < 100 && r.Context().Err() == nil; n++ {
			write(w, notes, n, min(n, 1), 3000)
			sent.Add(1)
		}
	})
	got, stats, err := ask(t, s, 2500)
	if err != nil || got.rows != 2500 || got.wrong != "" || !stats.Truncated || stats.Rows != 2500 {
		t.Errorf("%+v, %+v, %v", got, stats, err)
	}
	if n := sent.Load(); n > 10 {
		t.Errorf("%d MB were sent", n*30)
	}
}

// TestHostilePartitions: a long partition that is not as the reference has it costs little memory, and ends in an error of ours.
func TestHostilePartitions(t *testing.T) {
	endless := func(w io.Writer, text string) {
		piece := []byte(strings.Repeat(text, 1+(64<<10)/len(text)))
		for sent := 0; sent < 3<<29; sent += len(piece) {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}
	for name, try := range map[string]struct {
		class  warehouse.Class
		answer func(w io.Writer, open string)
	}{
		"a row without end":   {warehouse.TooLarge, func(w io.Writer, open string) { endless(begin(w, open+`["1","`), "s3cret") }},
		"spaces without end":  {warehouse.TooLarge, func(w io.Writer, open string) { endless(begin(w, open), " ") }},
		"spaces between rows": {warehouse.TooLarge, func(w io.Writer, open string) { endless(begin(w, open+`["1","a"]`), "\n") }},
		"a head without end":  {warehouse.TooLarge, func(w io.Writer, _ string) { endless(begin(w, `{"s3cret":[`), "1,") }},
		"members without end": {warehouse.TooLarge, func(w io.Writer, _ string) { endless(begin(w, `{"a":1`), `,"a":1`) }},
		"a tail without end":  {warehouse.TooLarge, func(w io.Writer, open string) { long(w, open); endless(begin(w, `],"x":[0`), ",1") }},
		"deep rows": {warehouse.Connect, func(w io.Writer, open string) {
			long(w, open)
			begin(w, `,`+strings.Repeat("[", 1<<20)+`]`+strings.Repeat("]", 1<<20))
		}},
		"a comma too many":    {warehouse.Connect, ends(`,]}`)},
		"no comma":            {warehouse.Connect, ends(`["1","a"]]}`)},
		"a row that is not":   {warehouse.Connect, ends(`,"s3cret"]}`)},
		"half a row":          {warehouse.Connect, ends(`,["1",s3cret]]}`)},
		"an object":           {warehouse.Failed, ends(`,{"1":"s3cret"}]}`)},
		"more cells":          {warehouse.Failed, ends(`,["1","a","b"]]}`)},
		"a text for a number": {warehouse.Failed, ends(`,["s3cret","a"]]}`)},
		"a long row":          {warehouse.TooLarge, ends(`,["1","` + strings.Repeat("a", 2<<20) + `"]]}`)},
		"another end":         {warehouse.Connect, ends(`]} s3cret`)},
		"no end":              {warehouse.Connect, ends(`]`)},
		"no end of the list":  {warehouse.Connect, long},
		"metadata after rows": {warehouse.Failed, func(w io.Writer, open string) { long(w, `{"data":[`); begin(w, `],`+open[1:]+`]}`) }},
		"other columns of it": {warehouse.Failed, func(w io.Writer, open string) {
			long(w, strings.Replace(open, "fixed", "text", 1))
			begin(w, `]}`)
		}},
		"a head with mistakes": {warehouse.Connect, func(w io.Writer, open string) { long(w, `{"x":s3cret,`+open[1:]); begin(w, `]}`) }},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			s := startLong(t, 1, func(w io.Writer, _ *http.Request, _ int, open string) {
				asked++
				try.answer(w, open)
			})
			var err error
			used := resttest.Spent(func() { _, _, err = ask(t, s, 10_000) })
			bad, ok := err.(*warehouse.Error)
			if !ok || bad.Class != try.class || strings.Contains(bad.Message, "s3cret") || used > 64<<20 || asked > 3 {
				t.Errorf("%v, %d MiB, %d requests", err, used>>20, asked)
			}
		})
	}
}

// ends writes rows of more than 16 MiB, and a text after them.
func ends(text string) func(w io.Writer, open string) {
	return func(w io.Writer, open string) {
		long(w, open)
		begin(w, text)
	}
}

// begin writes a text.
func begin(w io.Writer, text string) io.Writer {
	io.WriteString(w, text)
	return w
}

// long writes open and rows of more than 16 MiB.
func long(w io.Writer, open string) {
	io.WriteString(w, open)
	write(w, note, 0, 0, 1800)
}
