package datafile

import (
	"encoding/csv"
	"errors"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// seeds are files that cover many paths of the package.
var seeds = []struct{ format, data string }{
	{"csv", "a,b\n1,2\n"},
	{"csv", "Report\n\na,b,c\n1,$2.50,y\n\n2,\"($3)\",n\nTotal,5,\nnote\n"},
	{"csv", "a;b\n1.234,5;12 %\n(7);NA\n"},
	{"csv", "sep=;\r\na;b\r1;\"2\r\n3\"\n"},
	{"csv", "1,2\n3,4\n5\n"},
	{"tsv", "a\tb\n2024-01-01\tNA\n1/2/2024\t\"x\n"},
	{"csv", "d,t\n1/2/2024,2024-01-01T00:00:00+02:00\n13/2/2024,\n"},
	{"json", `[{"a":1},{"b":[1,{"c":2}],"a":"NA"}]`},
	{"json", `{"data":[{"a":"5 %"},{"a":null}],"n":1}`},
	{"json", `[["a","b"],[1,2],[3]]`},
	{"ndjson", "{\"a\":1}\n{\"a\":9007199254740993.5}\n"},
}

// FuzzRead reads anything. It may be refused with a message, or read within the bounds of memory into values of the columns' types.
func FuzzRead(f *testing.F) {
	for _, s := range seeds {
		f.Add(s.format, []byte(s.data))
	}
	f.Add("xlsx", workbook(f, func(x *excelize.File) { rows(f, x, "Sheet1", []any{"a"}, []any{1}) }))
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		table, err := readFirst(Format(format), data)
		runtime.ReadMemStats(&after)
		// The total of all allocations, so no less than the memory in use at any time.
		limit := uint64(128<<20 + 600*len(data))
		if format == "xlsx" {
			limit = 16 * maxUnzipped
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > limit {
			t.Errorf("%d bytes took %d MiB", len(data), took>>20)
		}
		if err != nil {
			if _, ok := errors.AsType[*warehouse.Error](err); !ok {
				t.Errorf("an error of no class: %v", err)
			}
			return
		}
		for i, c := range table.Columns {
			if len(table.Values[i]) != table.Rows {
				t.Fatalf("column %d has %d values, want %d", i, len(table.Values[i]), table.Rows)
			}
			for _, v := range table.Values[i] {
				ok := v == nil
				switch v.(type) {
				case string:
					ok = c.Type == cube.Text
				case bool:
					ok = c.Type == cube.Boolean
				case int64:
					ok = c.Type == cube.Integer
				case float64:
					ok = c.Type == cube.Number
				case time.Time:
					ok = c.Type.IsTime()
				}
				if !ok {
					t.Fatalf("column %d is %s and has a %T", i, c.Type, v)
				}
			}
		}
		if len(table.Report.Notes) > maxNotes {
			t.Errorf("%d notes", len(table.Report.Notes))
		}
	})
}

var (
	saidBlank = regexp.MustCompile(`^(\d+) blank lines? (?:was|were) skipped`)
	saidOut   = regexp.MustCompile(`^left out (?:above|below) the table: lines? ([0-9, and]+?)(?: and (\d+) more)?$`)
	saidTotal = regexp.MustCompile(`^line \d+ is the total`)
	numbers   = regexp.MustCompile(`\d+`)
)

// FuzzNothingIsLost reads text of lines and fields. Each line is a row of the
// table, the line of the names, or named in the report; each value is in the
// table, a name, or counted there.
func FuzzNothingIsLost(f *testing.F) {
	for _, s := range seeds {
		if s.format == "csv" || s.format == "tsv" {
			f.Add(strings.NewReplacer(";", "\x1f", ",", "\x1f", "\t", "\x1f", "\n", "\x1e").Replace(s.data))
		}
	}
	f.Add("a\x1fb\x1e1\x1f2\x1e3\x1f\x1e\x1f\x1e\x1e4\x1f5")
	f.Add("a\x1e1\x1e\x1e2\x1eSource: x y")
	f.Fuzz(func(t *testing.T, data string) {
		if !utf8.ValidString(data) || strings.ContainsFunc(data, func(r rune) bool {
			return r == '\ufeff' || r != '\n' && r != '\r' && r != '\t' && r != '\x1e' && r != '\x1f' && unicode.IsControl(r)
		}) {
			return // encodings and names without visible characters are another matter
		}
		var text strings.Builder
		w := csv.NewWriter(&text)
		w.Comma = '\t'
		lines, values := 0, 0
		for record := range strings.SplitSeq(data, "\x1e") {
			fields := strings.Split(record, "\x1f")
			lines++
			for _, field := range fields {
				if strings.TrimSpace(field) != "" {
					values++
				}
			}
			if err := w.Write(fields); err != nil {
				t.Skip(err)
			}
		}
		w.Flush()
		table, err := readFirst(TSV, []byte(text.String()))
		if err != nil {
			return // refused as a whole
		}
		foundLines, foundValues, certain := table.Rows, 0, true
		names := 1
		for _, note := range table.Report.Notes {
			switch {
			case saidBlank.MatchString(note):
				n, _ := strconv.Atoi(saidBlank.FindStringSubmatch(note)[1])
				foundLines += n
			case saidOut.MatchString(note):
				m := saidOut.FindStringSubmatch(note)
				more, _ := strconv.Atoi(m[2])
				n := len(numbers.FindAllString(m[1], -1)) + more
				foundLines += n
				foundValues += n // titles and remarks have one
			case saidTotal.MatchString(note):
				foundLines++
				certain = false
			case strings.HasPrefix(note, "the first line holds values"):
				names = 0
			case strings.Contains(note, "has no name; it is now"):
				foundValues--
			}
		}
		foundLines += names
		if foundLines != lines {
			t.Errorf("%q: %d lines, %d found; %q", text.String(), lines, foundLines, table.Report.Notes)
		}
		foundValues += names * len(table.Columns)
		for i := range table.Columns {
			for _, v := range table.Values[i] {
				if v != nil {
					foundValues++
				}
			}
		}
		for _, c := range table.Report.Cells {
			foundValues += c.Count
		}
		if certain && len(table.Report.Notes) < maxNotes && foundValues != values {
			t.Errorf("%q: %d values, %d found; %q", text.String(), values, foundValues, said(table))
		}
	})
}
