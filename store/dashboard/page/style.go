package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"slices"
	"strings"
)

//go:embed page.css
var styleSource string

// styles are the styles of pages, inlined in them and allowed by their hashes. The
// first is that of every page.
var styles = parseStyles(styleSource)

// A style is a part of page.css.
type style struct {
	of  []string // what needs it: see [needs]; nil for every page
	css string
}

func styleHashes() string {
	var b strings.Builder
	for _, s := range styles {
		b.WriteString(" '" + sourceHash(s.css) + "'")
	}
	return b.String()
}

func sourceHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// parseStyles cuts page.css into its parts, and leaves out comments and line breaks.
// A line such as "/*+ pie map */" begins a part that pies and maps need.
func parseStyles(css string) []style {
	out := make([]style, 1)
	for line := range strings.Lines(css) {
		line = strings.TrimSpace(line)
		part, begins := strings.CutPrefix(line, "/*+")
		switch {
		case begins:
			out = append(out, style{of: strings.Fields(strings.TrimSuffix(part, "*/"))})
		case !strings.HasPrefix(line, "/*"):
			out[len(out)-1].css += line
		}
	}
	return out
}

// stylesFor are the styles of a page that has certain needs.
func stylesFor(needs []string) []style {
	out := styles[:1:1]
	for _, s := range styles[1:] {
		if slices.ContainsFunc(s.of, func(name string) bool { return slices.Contains(needs, name) }) {
			out = append(out, s)
		}
	}
	return out
}
