package page

import (
	"context"
	"strings"
	"testing"
)

// TestLongLinksInDocuments: a document repeats the address of a link for each line, so long addresses are left out, and a link of many
// lines does not make a document large. The text is kept.
func TestLongLinksInDocuments(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("many words of one link ", 300)
	for name, tc := range map[string]struct {
		address string
		most    int
		has     bool
	}{
		"short":      {"https://example.com/" + strings.Repeat("s", 100), 6 << 20, true},
		"just":       {"https://example.com/" + strings.Repeat("j", 1980), 10 << 20, true},
		"too long":   {"https://example.com/" + strings.Repeat("t", 1981), 6 << 20, false},
		"very long":  {"https://example.com/" + strings.Repeat("v", 60_000), 6 << 20, false},
		"of queries": {"https://example.com/?" + strings.Repeat("q=%20&", 9000), 6 << 20, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := MarkdownPDF(context.Background(), Header{Name: "Doc", Slug: "doc"}, []byte("["+words+"]("+tc.address+")"))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(b.Bytes); n > tc.most || n < 10_000 {
				t.Errorf("%d bytes", n)
			}
			if has := strings.Contains(string(b.Bytes), "/URI (https://example.com/"); has != tc.has {
				t.Errorf("it has the address: %v", has)
			}
		})
	}
}
