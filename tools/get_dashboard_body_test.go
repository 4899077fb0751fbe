package tools_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// A readPart is the part of an answer of get_dashboard that has the panels and the body.
type readPart struct {
	Panels []struct {
		Index   int
		Summary string
	}
	PanelsLeft int `json:"panels_left"`
	Body       struct {
		Encoding string
		Bytes    int
		Cut      bool
		From     int `json:"from_byte"`
		Next     int `json:"next_from_byte"`
		Content  string
	}
}

// readDashboard calls get_dashboard, which must succeed.
func (w *world) readDashboard(args string) (out readPart, text string) {
	w.t.Helper()
	r := w.call("get_dashboard", args)
	data, ok := jsonOf(r.Text)
	if r.IsError || r.Internal != "" || !ok {
		w.t.Fatalf("get_dashboard %.200s: %.300s %s", args, r.Text, r.Internal)
	}
	w.must(json.Unmarshal(data, &out))
	return out, r.Text
}

// readBody reads a whole body, part by part, as the answers say.
func (w *world) readBody(path string, most int) string {
	w.t.Helper()
	var whole strings.Builder
	for from, calls := 0, 0; ; calls++ {
		if calls > 400 {
			w.t.Fatalf("%s has no end", path)
		}
		out, text := w.readDashboard(object("path", path, "include", []string{"body"}, "max_bytes", most, "from_byte", from))
		content := out.Body.Content
		if out.Body.Encoding == "base64" {
			raw, err := base64.StdEncoding.DecodeString(content)
			w.must(err)
			content = string(raw)
		}
		if out.Body.From != from {
			w.t.Fatalf("%s: a part begins at %d, want %d", path, out.Body.From, from)
		}
		whole.WriteString(content)
		if out.Body.Next == 0 {
			if whole.Len() != out.Body.Bytes {
				w.t.Errorf("%s: the parts have %d bytes together, want %d", path, whole.Len(), out.Body.Bytes)
			}
			return whole.String()
		}
		if next := fmt.Sprintf("from_byte %d reads on", out.Body.Next); !strings.Contains(text, next) {
			w.t.Errorf("%s: the sentence does not have %q: %.500s", path, next, text)
		}
		from = out.Body.Next
	}
}

// report returns a static report of panels.
func report(panels []any) map[string]any {
	rows := []any{map[string]any{"day": "2026-01-02", "n": 1}}
	return map[string]any{"datasets": []any{map[string]any{"id": "d", "rows": rows}}, "panels": panels}
}

// A body that does not fit can be read to its end, and that of a page begins with its panels.
func TestBodyIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	publish := func(args string) {
		t.Helper()
		if r := w.call("publish_dashboard", args); r.IsError || r.Internal != "" {
			t.Fatalf("%.300s %s", r.Text, r.Internal)
		}
	}
	var panels []any
	for i := range 30 {
		panels = append(panels, map[string]any{
			"type": "text", "title": fmt.Sprintf("Überschrift %d", i), "markdown": strings.Repeat("Wörter ", 300),
		})
	}
	publish(object("path", "page", "body", report(panels)))
	first, _ := w.readDashboard(`{"path":"page","include":["body"]}`)
	if !strings.Contains(first.Body.Content, "Überschrift 0") {
		t.Errorf("the first part of a page has none of its panels: %.300s", first.Body.Content)
	}
	page := w.readBody("page", 20_000)
	for i := range panels {
		if !strings.Contains(page, fmt.Sprintf("Überschrift %d<", i)) {
			t.Errorf("the page does not have panel %d", i)
		}
	}
	if strings.Contains(page, "@media") || !strings.HasPrefix(page, "<!doctype html>") || !strings.HasSuffix(page, "</html>") ||
		!utf8.ValidString(page) {
		t.Errorf("the page is not whole, or has its styles: %.300s", page)
	}

	// data files come back byte for byte, whatever the size of the parts
	text := "a,b\n" + strings.Repeat("語,\"\u0001\"\n", 20)
	publish(object("path", "text/a.csv", "body", text))
	for _, most := range []int{1, 2, 7, 30, 30_000} {
		if got := w.readBody("text/a.csv", most); got != text {
			t.Errorf("in parts of %d bytes: %q", most, got)
		}
	}
	binary := "PAR1\xff" + strings.Repeat("\x00\x01\x02\x03\x04", 20) + "PAR1"
	publish(object("path", "binary/a.parquet", "body", base64.StdEncoding.EncodeToString([]byte(binary))))
	for _, most := range []int{1, 5, 30, 30_000} {
		if got := w.readBody("binary/a.parquet", most); got != binary {
			t.Errorf("in parts of %d bytes: %q", most, got)
		}
	}
	between, _ := w.readDashboard(`{"path":"text/a.csv","include":["body"],"from_byte":5}`) // within a character
	if !strings.HasPrefix(between.Body.Content, "語") || between.Body.From != 4 {
		t.Errorf("from within a character: %d %q", between.Body.From, between.Body.Content)
	}
	r := w.call("get_dashboard", `{"path":"text/a.csv","include":["body"],"from_byte":9999}`)
	if want := fmt.Sprintf("from_byte is 9999, and the body has %d bytes", len(text)); !r.IsError || r.Text != want {
		t.Errorf("after the end: %q, want %q", r.Text, want)
	}
	for _, include := range []string{"", `,"include":["meta","summary"]`, `,"include":[]`} {
		r := w.call("get_dashboard", `{"path":"text/a.csv","from_byte":5`+include+`}`)
		if !r.IsError || !strings.Contains(r.Text, `add "body" to include`) {
			t.Errorf("from_byte without the body%s: %s", include, r.Text)
		}
	}
}

// Panels share the space of an answer: each is in it, and none takes the space of the body.
func TestPanelsShareAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	for path, word := range map[string]string{"words": "word ", "escapes": `\\"x" `, "letters": "語語語語 "} {
		var panels []any
		text := strings.Repeat(word, 3_200/len(word))
		for range 60 {
			panels = append(panels, map[string]any{"type": "text", "title": strings.Repeat(word, 30), "markdown": text})
		}
		panels[30] = map[string]any{"type": "text", "title": "Short", "markdown": "All of it."}
		r := w.call("publish_dashboard", object("path", path, "body", report(panels)))
		if r.IsError || r.Internal != "" {
			t.Fatalf("%.300s %s", r.Text, r.Internal)
		}
		for _, include := range [][]string{{"meta", "summary"}, {"meta", "summary", "body"}} {
			out, _ := w.readDashboard(object("path", path, "include", include, "max_bytes", 30_000))
			if len(out.Panels) != 60 || out.PanelsLeft != 0 {
				t.Errorf("%s %v: %d panels, and %d are left out", path, include, len(out.Panels), out.PanelsLeft)
				continue
			}
			for _, p := range out.Panels {
				if p.Index != 30 && len(p.Summary) < 40 || p.Index == 30 && p.Summary != "All of it." {
					t.Errorf("%s %v: panel %d: %q", path, include, p.Index, p.Summary)
				}
			}
			if len(include) == 3 && len(out.Body.Content) < 6_000 {
				t.Errorf("%s: %d bytes are left for the body", path, len(out.Body.Content))
			}
		}
	}
}
