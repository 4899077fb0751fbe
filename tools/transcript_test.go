package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"service/store/warehouse/duckdb"
)

var update = flag.Bool("update", false, "rewrite golden files and docs/tools.md")

// TestTranscripts runs every testdata/<tool>.<case>.txtar, each in its own world: a
// prose description, the calls, and the wanted answers. In calls, a line is
//
//	{"slug": "sales"}               a call of the tool that the file is named after
//	list_connections {}             a call of another tool
//	as ada:legacy                   whose grant the next calls are made under
//	pass 2h                         time passes
//	refresh                         queued refreshes are performed
//	upload data.csv                 a part of the file is uploaded by ada in acme
//	warehouse ada@acme orders host  an active warehouse connection is added
//	member eve@acme viewer          somebody gets a role in a workspace
//	sql UPDATE …                    a statement is run in the database
//
// An added warehouse called orders is <orders> from then on, uploads are read through
// <uploads>, and data.csv is <data.csv>. Other ids are numbered in the order of their
// first appearance: <id-1> in an answer, and in a call after it, is the same id. -update
// rewrites the answers.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for _, file := range transcripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			play(t, e, file)
		})
	}
}

func transcripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	return files
}

func part(ar *txtar.Archive, name string) []byte {
	for _, f := range ar.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func play(t *testing.T, e *duckdb.Engine, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, e)
	tool, _, _ := strings.Cut(filepath.Base(file), ".")
	var got bytes.Buffer
	ids := numbering{}
	for line := range strings.Lines(string(part(ar, "calls"))) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(ids.insert(line), " ")
		switch word {
		case "as":
			w.as(rest)
		case "pass":
			d, err := time.ParseDuration(rest)
			w.must(err)
			w.pass(d)
		case "refresh":
			w.refresh()
		case "upload":
			added, err := w.Uploads.AddUpload(t.Context(), w.members["ada@acme"], rest, part(ar, rest))
			w.must(err)
			ids.name(added.Connection.ID.String(), "<uploads>")
			ids.name(added.Upload.ID.String(), "<"+rest+">")
		case "warehouse":
			var who, label, host string
			_, err := fmt.Sscan(rest, &who, &label, &host)
			w.must(err)
			ids.name(w.warehouse(who, label, host).String(), "<"+label+">")
		case "member":
			who, role, _ := strings.Cut(rest, " ")
			w.member(who, role)
		case "sql":
			_, err := w.pool.Exec(t.Context(), rest)
			w.must(err)
			w.lookAgain()
		default:
			name, args := tool, ids.insert(line)
			if word[0] >= 'a' && word[0] <= 'z' {
				name, args = word, rest
			}
			fmt.Fprintf(&got, "> %s\n%s\n", line, ids.replace(show(t, w.call(name, args))))
		}
	}
	want := part(ar, "want")
	if *update {
		if want == nil {
			ar.Files = append(ar.Files, txtar.File{Name: "want"})
		}
		for i := range ar.Files {
			if ar.Files[i].Name == "want" {
				ar.Files[i].Data = got.Bytes()
			}
		}
		w.must(os.WriteFile(file, txtar.Format(ar), 0o644))
		return
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("answers differ (-want +got); if intended, run the test with -update:\n%s", diff)
	}
}

// show writes an answer: ! before a refusal, the text as it is, and the structured
// content, which is one word if it equals the JSON in the text.
func show(t *testing.T, r result) string {
	t.Helper()
	if r.Internal != "" {
		return "!! " + r.Internal + "\n"
	}
	out := r.Text + "\n"
	if r.IsError {
		return "! " + out
	}
	if r.Structured != nil {
		data, ok := jsonOf(r.Text)
		switch {
		case !ok:
			out += "structured: " + string(r.Structured) + "\n"
		case same(t, data, r.Structured):
			out += "structured: the same\n"
		default:
			out += "structured, NOT the same: " + string(r.Structured) + "\n"
		}
	}
	return out
}

// jsonOf returns the text between BEGIN_JSON and END_JSON.
func jsonOf(text string) (json.RawMessage, bool) {
	_, rest, ok := strings.Cut(text, "\nBEGIN_JSON\n")
	data, end, closed := strings.Cut(rest, "\nEND_JSON")
	return json.RawMessage(data), ok && closed && end == ""
}

func same(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Errorf("%s: %v", a, err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Errorf("%s: %v", b, err)
	}
	return cmp.Equal(x, y)
}

// numbering names ids: numbers, in the order of their first appearance, unless an id has
// a name already.
type numbering struct {
	names  map[string]string // by id
	number int
}

var anID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`) // version 7: made by the service

func (n *numbering) name(id, name string) {
	if n.names == nil {
		n.names = map[string]string{}
	}
	n.names[id] = name
}

func (n *numbering) of(id string) string {
	if n.names[id] == "" {
		n.number++
		n.name(id, fmt.Sprintf("<id-%d>", n.number))
	}
	return n.names[id]
}

var (
	aCursor = regexp.MustCompile(`"next_cursor":"[A-Za-z0-9_-]{40,}"`)
	drawn   = regexp.MustCompile(`The body has \d+ bytes|"utf-8","bytes":\d+,"cut":true`) // the length of a page is not tested here
	digits  = regexp.MustCompile(`\d+ bytes|"bytes":\d+`)
)

func (n *numbering) replace(s string) string {
	s = anID.ReplaceAllStringFunc(s, n.of)
	s = drawn.ReplaceAllStringFunc(s, func(m string) string {
		return digits.ReplaceAllStringFunc(m, func(d string) string { return strings.Trim(d, "0123456789") })
	})
	return aCursor.ReplaceAllString(s, `"next_cursor":"<cursor>"`)
}

func (n *numbering) insert(line string) string {
	for id, name := range n.names {
		line = strings.ReplaceAll(line, name, id)
	}
	return line
}
