package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// An Op is the operation of a [Call].
type Op string

// The operations. Load must be the first call of a worker, and is called once. A worker that gets
// Ingest gets no other call.
const (
	Load       Op = "load"
	Ping       Op = "ping"
	Introspect Op = "introspect"
	Describe   Op = "describe"
	Query      Op = "query"
	Plan       Op = "plan" // the parts of linked files that a query reads
	Ingest     Op = "ingest"
	Probe      Op = "probe" // which layers of the seal are missing
)

// The layers of the seal that a worker applies itself.
const (
	NoNewPrivs = "no_new_privs"
	Landlock   = "landlock"
	Seccomp    = "seccomp"
)

// Layers are all these layers.
var Layers = []string{NoNewPrivs, Landlock, Seccomp}

// MaxSQL is the longest statement, in bytes.
const MaxSQL = 100_000

// MaxParquet is the largest Parquet file made of a data file, in bytes; that of all sheets of a workbook together.
const MaxParquet = 32 << 20

// A Call is one request to a worker.
type Call struct {
	Op       Op                       `json:"op"`
	Tables   []Table                  `json:"tables,omitempty"`    // load
	MemoryMB int                      `json:"memory_mb,omitempty"` // load, ingest: memory of the query engine
	Threads  int                      `json:"threads,omitempty"`   // load, ingest
	Zone     string                   `json:"zone,omitempty"`      // load: the time zone; UTC by default
	Find     *warehouse.Introspection `json:"find,omitempty"`      // introspect
	SQL      string                   `json:"sql,omitempty"`       // describe, plan, query
	Args     []Arg                    `json:"args,omitempty"`      // describe, plan, query
	Rows     int                      `json:"rows,omitempty"`      // plan, query
	Bytes    int                      `json:"bytes,omitempty"`     // query
	Whole    bool                     `json:"whole,omitempty"`     // plan, query: of linked files, no row group is left out
	Sealed   bool                     `json:"sealed,omitempty"`    // refuse to work unless all layers of the seal are applied
	Path     string                   `json:"path,omitempty"`      // ingest: the file
	Output   string                   `json:"output,omitempty"`    // ingest: the file for the Parquet, that of all sheets in their order
	Spare    string                   `json:"spare,omitempty"`     // ingest: a file for the Parquet of one sheet
	Filename string                   `json:"filename,omitempty"`  // ingest: the name under which it was uploaded
	Dates    warehouse.Dates          `json:"dates,omitempty"`     // ingest
}

// A Table is a [warehouse.DataTable] whose bytes are in a file.
type Table struct {
	Name    string        `json:"name"`
	Format  string        `json:"format"`
	Path    string        `json:"path,omitempty"`
	Parts   []string      `json:"parts,omitempty"` // in place of Path, of the format linked: Parquet files of which only parts may be present
	Columns []cube.Column `json:"columns,omitempty"`
	Header  bool          `json:"header,omitempty"` // csv: the first row holds the names
}

// A Result ends an answer.
type Result struct {
	Error     *Error            `json:"error,omitempty"`
	Rows      int               `json:"rows,omitempty"`
	Truncated bool              `json:"truncated,omitempty"`
	Tables    []warehouse.Table `json:"tables,omitempty"`  // introspect
	Report    warehouse.Report  `json:"report,omitzero"`   // ingest
	Sheets    []Sheet           `json:"sheets,omitempty"`  // ingest: of a workbook, all in its order
	Missing   []string          `json:"missing,omitempty"` // probe: of Layers
	Ranges    []Range           `json:"ranges,omitempty"`  // plan
	Pruned    bool              `json:"pruned,omitempty"`  // plan: row groups were left out
}

// A Sheet is a [warehouse.Sheet] whose Parquet is in a file, and whose columns and first rows are in frames. The first one that was read is
// also the result's Rows and Report.
type Sheet struct {
	Name   string               `json:"name"`
	State  warehouse.SheetState `json:"state"`
	Reason string               `json:"reason,omitempty"`
	Rows   int                  `json:"rows,omitempty"`
	Size   int64                `json:"size,omitempty"` // of its Parquet, in bytes
	Report warehouse.Report     `json:"report,omitzero"`
}

// MaxSheets is the largest number of sheets in an answer.
const MaxSheets = 201

// A Range is a part of the file with a number among those of a worker's linked tables, in order: its bytes from From up to To, which is
// excluded.
type Range struct {
	File int   `json:"file"`
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// MaxRanges is the number of parts of all files that a plan may name.
const MaxRanges = 50_000

// DecodeResult reads the payload of an [End] frame and cleans its texts.
func DecodeResult(payload []byte) (Result, error) {
	var r Result
	if err := json.Unmarshal(payload, &r); err != nil || len(r.Tables) > warehouse.MaxTables ||
		!cleanReport(&r.Report) || r.Rows < 0 || len(r.Sheets) > MaxSheets ||
		len(r.Ranges) > MaxRanges || slices.ContainsFunc(r.Ranges, func(p Range) bool { return p.File < 0 || p.From < 0 || p.To < p.From }) ||
		slices.ContainsFunc(r.Missing, func(layer string) bool { return !slices.Contains(Layers, layer) }) {
		return Result{}, ErrGarbage
	}
	for i := range r.Tables {
		t := &r.Tables[i]
		t.Name, t.Kind, t.Comment = Clean(t.Name, maxName), Clean(t.Kind, maxName), Clean(t.Comment, maxMessage)
		for j := range t.Columns {
			c := &t.Columns[j]
			c.Name, c.Comment = Clean(c.Name, maxName), Clean(c.Comment, maxMessage)
		}
	}
	for i := range r.Sheets {
		s := &r.Sheets[i]
		if !cleanReport(&s.Report) || s.Rows < 0 || s.Size < 0 || (s.State == warehouse.SheetRead) != (s.Size > 0) ||
			!slices.Contains(sheetStates, s.State) {
			return Result{}, ErrGarbage
		}
		s.Name, s.Reason = Clean(s.Name, maxName), Clean(s.Reason, maxMessage)
	}
	return r, nil
}

var sheetStates = []warehouse.SheetState{
	warehouse.SheetRead, warehouse.SheetHidden, warehouse.SheetEmpty, warehouse.SheetChart, warehouse.SheetUnread,
}

// cleanReport cleans the texts of a report. It returns false for one that no worker sends.
func cleanReport(r *warehouse.Report) bool {
	if len(r.Notes) > maxNotes || len(r.Cells) > MaxColumns || len(r.Dates) > MaxColumns || len(r.Units) > MaxColumns {
		return false
	}
	for i, note := range r.Notes {
		r.Notes[i] = Clean(note, maxMessage)
	}
	for i := range r.Cells {
		r.Cells[i].Column = Clean(r.Cells[i].Column, maxName)
	}
	for i := range r.Dates {
		d := &r.Dates[i]
		if d.Order != warehouse.DayFirst && d.Order != warehouse.MonthFirst {
			return false
		}
		d.Column = Clean(d.Column, maxName)
	}
	for i := range r.Units {
		r.Units[i].Column, r.Units[i].Unit = Clean(r.Units[i].Column, maxName), Clean(r.Units[i].Unit, 8)
	}
	return true
}

// An Error is a [warehouse.Error] on the wire.
type Error struct {
	Class       warehouse.Class `json:"class"`
	Message     string          `json:"message"`
	Line        int             `json:"line,omitempty"`
	Column      int             `json:"column,omitempty"`
	Suggestions []string        `json:"suggestions,omitempty"`
}

const (
	maxMessage     = 1000 // bytes of an error message
	maxName        = 300  // bytes of a name
	maxSuggestions = 10
	maxNotes       = 2 * MaxColumns
)

// FromError turns err into its form on the wire. Errors other than [warehouse.Error] lose their
// text, which may quote data.
func FromError(err error) *Error {
	e, ok := errors.AsType[*warehouse.Error](err)
	if !ok {
		return &Error{Class: warehouse.Failed, Message: "the query failed"}
	}
	return &Error{e.Class, e.Message, e.Line, e.Column, e.Suggestions}
}

// Err returns the error that a query worker reports, cleaned as by [Error.OfSource]. A query worker connects to no source, so an error
// about a source is not accepted.
func (e *Error) Err() error {
	err := e.OfSource()
	if of, ok := errors.AsType[*warehouse.Error](err); ok && (of.Class.OfSource() || of.Class == warehouse.Permission) {
		of.Class = warehouse.Failed
	}
	return err
}

// OfSource returns the error that a process connected to a source reports, cleaned: with a known class and short printable texts.
func (e *Error) OfSource() error {
	if e == nil {
		return nil
	}
	out := &warehouse.Error{
		Class:   e.Class,
		Message: Clean(e.Message, maxMessage),
		Line:    max(e.Line, 0),
		Column:  max(e.Column, 0),
	}
	switch e.Class {
	case warehouse.Connect, warehouse.Auth, warehouse.Permission, warehouse.Syntax, warehouse.Unknown, warehouse.Type,
		warehouse.Refused, warehouse.Timeout, warehouse.TooLarge, warehouse.Busy, warehouse.Failed:
	default:
		out.Class = warehouse.Failed
	}
	for _, s := range e.Suggestions[:min(len(e.Suggestions), maxSuggestions)] {
		out.Suggestions = append(out.Suggestions, Clean(s, maxName))
	}
	return out
}

// Clean returns s as valid UTF-8 without control characters, at most limit
// bytes long.
func Clean(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	if len(s) <= limit {
		return s
	}
	s = s[:limit]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s
}

// An Arg is the value of a placeholder: nil, string, bool, int64, float64 or time.Time. On the wire
// it has its type, because JSON has only one type of number.
type Arg struct{ Value any }

// NewArg wraps v; other integer types become int64.
func NewArg(v any) (Arg, error) {
	switch v := v.(type) {
	case nil, string, bool, int64, float64, time.Time:
		return Arg{v}, nil
	case int:
		return Arg{int64(v)}, nil
	case int32:
		return Arg{int64(v)}, nil
	}
	return Arg{}, fmt.Errorf("wire: an argument cannot be a %T", v)
}

// MarshalJSON writes {"<type>": "<text>"}, or null.
func (a Arg) MarshalJSON() ([]byte, error) {
	var kind, text string
	switch v := a.Value.(type) {
	case nil:
		return []byte("null"), nil
	case string:
		kind, text = "s", v
	case bool:
		kind, text = "b", strconv.FormatBool(v)
	case int64:
		kind, text = "i", strconv.FormatInt(v, 10)
	case float64:
		kind, text = "f", strconv.FormatUint(math.Float64bits(v), 16)
	case time.Time:
		kind, text = "t", v.Format(time.RFC3339Nano)
	default:
		return nil, fmt.Errorf("wire: an argument cannot be a %T", v)
	}
	return json.Marshal(map[string]string{kind: text})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (a *Arg) UnmarshalJSON(data []byte) error {
	var m map[string]string
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	a.Value = nil
	var err error
	for kind, text := range m {
		switch kind {
		case "s":
			a.Value = text
		case "b":
			a.Value, err = strconv.ParseBool(text)
		case "i":
			a.Value, err = strconv.ParseInt(text, 10, 64)
		case "f":
			var bits uint64
			bits, err = strconv.ParseUint(text, 16, 64)
			a.Value = math.Float64frombits(bits)
		case "t":
			a.Value, err = time.Parse(time.RFC3339Nano, text)
		default:
			err = ErrGarbage
		}
	}
	return err
}
