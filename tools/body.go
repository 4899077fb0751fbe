package tools

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/markdown"
	"service/store/dashboard/page"
	"service/store/message"
	"service/store/pattern"
	"service/store/rawjson"
)

// bodyTypes are the content types of bodies, by the extension of the file's name. All
// files but index.html are stored unchanged and offered as a download.
var bodyTypes = map[string]string{
	".csv":     "text/csv; charset=utf-8",
	".tsv":     "text/tab-separated-values; charset=utf-8",
	".json":    "application/json",
	".ndjson":  "application/x-ndjson",
	".parquet": "application/vnd.apache.parquet",
	".xlsx":    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".txt":     "text/plain; charset=utf-8",
	".md":      dashboard.TypeMarkdown,
}

// A body is the body of a publish, with its properties.
type body struct {
	content     []byte
	contentType string
	heading     string // the title or the first heading; may be empty
	chart       string // the type of the first panel that is a figure; may be empty
	panels      int
	drawn       []page.Summary  // of a JSON report, its panels
	report      *dashboard.Spec // a JSON report
	warnings    []dashboard.Warning
	colors      func(dashboard.Colors) dashboard.Colors // of a report's values; may be nil
}

// readBody checks a body that is published as filename. It refuses HTML, XML, SVG and
// scripts under any name, and names that a browser would run, because raw HTML cannot be
// published (specification, "Prompts").
func readBody(filename, text, address string) (body, error) {
	if filename == dashboard.DefaultFile {
		return readPage([]byte(text), address)
	}
	ending := filepath.Ext(filename)
	contentType, known := bodyTypes[ending]
	switch {
	case isMarkup(ending):
		return body{}, message.Refuse(`file "%s" is refused: publishing raw HTML, XML, SVG or script is unavailable. `+
			`Publish a Markdown or JSON report as <slug>, or a spec.`, filename)
	case !known:
		return body{}, message.Refuse(`file "%s" cannot be published: `+
			`the name must end in .csv, .tsv, .json, .ndjson, .parquet, .xlsx, .txt or .md. `+
			`A report that is drawn as a page is published as <slug>.`, filename)
	}
	b := body{content: []byte(text), contentType: contentType}
	if ending == ".parquet" || ending == ".xlsx" {
		var err error
		if b.content, err = readBinary(filename, ending, text); err != nil {
			return body{}, err
		}
		return b, nil
	}
	if looksLikeMarkup(b.content) {
		return body{}, refuseMarkup()
	}
	switch {
	case ending == ".json" && !json.Valid(b.content):
		return body{}, message.Refuse(`body is not JSON, although the name "%s" ends in .json`, filename)
	case ending == ".ndjson" && !validLines(b.content):
		return body{}, message.Refuse(`body is not one JSON value on each line, although the name "%s" ends in .ndjson`, filename)
	case ending == ".md":
		b.heading = firstHeading(text)
	}
	return b, checkSize(b.content)
}

// readPage reads the body of a page: a JSON report or Markdown.
func readPage(content []byte, address string) (body, error) {
	if err := checkSize(content); err != nil {
		return body{}, err
	}
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(content, []byte("\ufeff")))
	switch {
	case len(trimmed) == 0:
		return body{}, message.Refuse("body must not be empty: it is a Markdown or JSON report")
	case trimmed[0] == '{':
		report, cubes, err := dashboard.ParseReport(trimmed)
		if err != nil {
			return body{}, err
		}
		if err := checkTexts(report); err != nil {
			return body{}, err
		}
		b := body{content: trimmed, contentType: dashboard.TypeReport, report: report, heading: report.Title, panels: len(report.Panels)}
		b.colors = func(kept dashboard.Colors) dashboard.Colors { return kept.With(report, cubes) }
		b.chart = firstFigure(report)
		for id, rows := range cubes {
			if rows.Rows() == 0 {
				b.warnings = append(b.warnings, dashboard.Warnf(dashboard.WarnNoRows, "", `dataset "%s" has no rows.`, id))
			}
		}
		panels, warnings := page.Examine(page.View{Spec: report, Cubes: cubes, Now: time.Now()})
		b.drawn, b.warnings = panels, append(b.warnings, withProblems(warnings, panels)...)
		b.warnings = append(b.warnings, textWarnings(report, address)...)
		return b, nil
	case looksLikeMarkup(trimmed):
		return body{}, refuseMarkup()
	}
	if err := checkMarkdown(content); err != nil {
		return body{}, err
	}
	return body{
		content: content, contentType: dashboard.TypeMarkdown, heading: firstHeading(string(content)),
		warnings: plainLinks("", markdown.PlainLinks(content, address)),
	}, nil
}

func refuseMarkup() error {
	return message.Refuse("body is HTML, XML, SVG or script, and publishing that is unavailable. " +
		"Publish a Markdown or JSON report, or a spec: the server draws the page.")
}

func checkSize(content []byte) error {
	if len(content) > message.MaxBytes {
		return message.PayloadTooLarge(len(content))
	}
	return nil
}

// readBinary decodes a binary file, which is given in base64.
func readBinary(filename, ending, text string) ([]byte, error) {
	if base64.StdEncoding.DecodedLen(len(text)) > message.MaxBytes+3 {
		return nil, message.PayloadTooLarge(base64.StdEncoding.DecodedLen(len(text)))
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, message.Refuse(`body of "%s" must be the file in base64 (RFC 4648, with padding)`, filename)
	}
	parquet := bytes.HasPrefix(content, []byte("PAR1")) && bytes.HasSuffix(content, []byte("PAR1")) && len(content) > 8
	xlsx := bytes.HasPrefix(content, []byte("PK\x03\x04"))
	if ending == ".parquet" && !parquet || ending == ".xlsx" && !xlsx {
		return nil, message.Refuse(`body is not a file of type %s, although the name is "%s"`, ending[1:], filename)
	}
	return content, checkSize(content)
}

// isMarkup reports whether a file name's ending is that of HTML, XML, SVG or a script.
func isMarkup(ending string) bool {
	switch ending {
	case ".html", ".htm", ".xhtml", ".shtml", ".mhtml", ".mht", ".xht", ".hta", ".xml", ".xsl", ".xslt", ".rss", ".atom", ".rdf",
		".svg", ".svgz", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".vbs", ".wasm", ".css", ".php", ".asp", ".aspx", ".jsp", ".sh", ".py",
		".rb", ".pl", ".ps1", ".bat":
		return true
	}
	return false
}

// markup matches the beginning of HTML, XML and SVG: a tag, a declaration or a comment,
// but not an autolink of Markdown, <https://…>.
var markup = pattern.New(`(?i)^<(!doctype|!--|!\[cdata|!element|!entity|\?(xml|php|=)|` +
	`%|/?[a-z][a-z0-9-]*(:[a-z][a-z0-9-]*)?([\s/>]|$))`)

// looksLikeMarkup reports whether content begins like markup or a script, after spaces and
// byte order marks. Markup later in a text is harmless, because it is never sent as HTML.
func looksLikeMarkup(content []byte) bool {
	content = bytes.TrimLeftFunc(content[:min(len(content), 4096)], func(r rune) bool {
		return unicode.IsSpace(r) || r == '\ufeff' || r == utf8.RuneError || unicode.IsControl(r)
	})
	return bytes.HasPrefix(content, []byte("#!")) || markup.Regexp().Match(content)
}

func validLines(content []byte) bool {
	for line := range bytes.Lines(content) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !json.Valid(line) {
			return false
		}
	}
	return true
}

// firstHeading returns the text of the first heading of a Markdown document.
func firstHeading(text string) string {
	fenced, last := false, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n ")
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		marks := len(line) - len(strings.TrimLeft(line, "#"))
		if marks >= 1 && marks <= 6 && strings.HasPrefix(line[marks:], " ") {
			if h := strings.Trim(line[marks:], "# "); h != "" {
				return h
			}
		}
		underlined := strings.Trim(line, "=") == "" || strings.Trim(line, "-") == ""
		if line != "" && underlined && last != "" && !strings.ContainsAny(last[:1], "#>-*+`|") {
			return strings.TrimSpace(last)
		}
		last = line
	}
	return ""
}

// bodyArg is a body as text. A JSON report may also be given as an object.
type bodyArg struct{ *string }

func (b *bodyArg) set(name string, raw json.RawMessage) error {
	switch raw[0] {
	case '"':
		b.string = new(rawjson.String(raw))
		return nil
	case '{':
		s := string(raw)
		b.string = &s
		return nil
	}
	return message.Refuse("%s must be a string (got %s)", name, typeof(raw))
}

func (bodyArg) jsonType() (string, string) { return "string", "" }

// specArg is the JSON of a spec, which may be given as an object or as a string.
type specArg json.RawMessage

// set checks that the JSON is not too large. For a string, the decoded bytes count.
func (s *specArg) set(name string, raw json.RawMessage) error {
	switch raw[0] {
	case '{':
		*s = specArg(raw)
	case '"':
		*s = specArg(rawjson.String(raw))
	default:
		return message.Refuse("%s must be a JSON object, or a string that holds one (got %s)", name, kindOf(raw))
	}
	if len(*s) > message.MaxBytes {
		return message.SpecTooLarge(len(*s))
	}
	return nil
}

func (specArg) jsonType() (string, string) { return "object", "" }

func (specArg) describe() (doc, example string) {
	return "Spec, version 1: a JSON object, or a string that holds one, at most 5 MiB. Default: none.",
		`{"datasets": [{"id": "d", "sql": "SELECT day, sum(count) AS n FROM metrics GROUP BY 1"}], ` +
			`"panels": [{"type": "line", "x": "day", "y": "n"}]}`
}

// keywords returns the outline of specs, which the schema has in addition to the
// description.
func (specArg) keywords() json.RawMessage { return dashboard.Outline() }
