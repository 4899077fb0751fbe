package markdown

import (
	"regexp"
	"strings"
	"testing"
)

// TestHeadings: the headings of any text begin below the page's own and skip no level.
func TestHeadings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# a\n## b\n# c":                              "h2 h3 h2",
		"## a\n### b\n## c":                           "h2 h3 h2",
		"# a\n#### b\n###### c\n### d":                "h2 h3 h4 h3",
		"### a\n# b\n### c":                           "h2 h2 h3",
		"# a\n## b\n### c\n#### d\n##### e\n###### f": "h2 h3 h4 h5 h6 h6",
	} {
		var got []string
		for _, m := range regexp.MustCompile(`<(h\d)>`).FindAllSubmatch(mustMarkdown(t, text), -1) {
			got = append(got, string(m[1]))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %s, want %s", text, s, want)
		}
	}
}
