package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"slices"
	"strings"
)

//go:embed page.css
var StyleSource string

// Styles are the styles of pages, inlined in them and allowed by their hashes. The first is part of every page.
var Styles = parseStyles(StyleSource)

// A Style is a part of page.css.
type Style struct {
	of  []string // the needs that require it: see [page.needs]; nil for every page
	CSS string
}

// StyleHashes returns the hashes of all [Styles] for a Content-Security-Policy, each with a space before it.
func StyleHashes() string {
	var b strings.Builder
	for _, s := range Styles {
		b.WriteString(" '" + SourceHash(s.CSS) + "'")
	}
	return b.String()
}

// SourceHash returns the hash of a script or style by which a Content-Security-Policy allows it (CSP level 3, section 2.3.1).
func SourceHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// parseStyles cuts page.css into its parts, and leaves out comments and line breaks.
// A line such as "/*+ pie map */" begins a part that pies and maps need.
func parseStyles(css string) []Style {
	out := make([]Style, 1)
	var b strings.Builder // adding each line to a string would copy the part for each of its lines
	for line := range strings.Lines(css) {
		line = strings.TrimSpace(line)
		part, begins := strings.CutPrefix(line, "/*+")
		switch {
		case begins:
			out[len(out)-1].CSS = b.String()
			b.Reset()
			out = append(out, Style{of: strings.Fields(strings.TrimSuffix(part, "*/"))})
		case !strings.HasPrefix(line, "/*"):
			b.WriteString(line)
		}
	}
	out[len(out)-1].CSS = b.String()
	return out
}

// StylesFor returns the styles of a page with the given needs.
func StylesFor(needs []string) []Style {
	out := Styles[:1:1]
	for _, s := range Styles[1:] {
		if slices.ContainsFunc(s.of, func(name string) bool { return slices.Contains(needs, name) }) {
			out = append(out, s)
		}
	}
	return out
}
