package panel

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"service/store/dashboard/canvas/html"
)

// mayLeadTo reports whether a link may have a target, as a browser reads it: a target with a scheme must be https, and any other must lead
// to the host of the page. Browsers drop tabs and line ends, and invisible characters at both ends, and read a backslash as a slash.
func mayLeadTo(target string) bool {
	target = strings.TrimFunc(target, func(r rune) bool { return r <= ' ' })
	target = strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(target)
	if scheme := targetScheme.FindString(target); scheme != "" {
		return strings.EqualFold(scheme, "https:")
	}
	return !strings.HasPrefix(target, "//")
}

var targetScheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// safe fails the test if a document contains something that pages must not.
func safe(t *testing.T, doc []byte) {
	t.Helper()
	root, err := nethtml.Parse(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{}
	for tag := range strings.FieldsSeq(`html head meta title link style script body a header nav svg rect span div time button main
		h1 h2 h3 h4 h5 h6 p section figure line text path pattern circle g ul li i ol b em strong del code pre blockquote br hr
		table thead tbody tfoot tr th td details summary footer form label select option input fieldset legend article
		linearGradient stop mask`) {
		allowed[tag] = true
	}
	var walk func(*nethtml.Node)
	walk = func(n *nethtml.Node) {
		if n.Type == nethtml.ElementNode {
			if !allowed[n.Data] {
				t.Errorf("element <%s>", n.Data)
			}
			for _, a := range n.Attr {
				value := strings.ToLower(strings.TrimSpace(a.Val))
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc", a.Key == "formaction":
					t.Errorf("attribute %s of <%s>", a.Key, n.Data)
				case a.Key == "src" && (n.Data != "script" || a.Val != "/assets/"+scriptName):
					t.Errorf("src %q of <%s>", a.Val, n.Data)
				case a.Key == "href" && n.Data == "link" && strings.HasPrefix(value, "data:image/svg+xml,"):
				case a.Key == "href" && !mayLeadTo(a.Val):
					t.Errorf("href %q", a.Val)
				case a.Key == "href" && strings.Contains(value, "evil.example") && !strings.Contains(value, "%"):
					if n.Parent == nil || n.Data != "a" {
						t.Errorf("href %q of <%s>", a.Val, n.Data)
					}
				}
			}
			if n.Data == "script" && (n.FirstChild != nil || len(n.Attr) != 1) {
				t.Error("a script that is not ours")
			}
			if n.Data == "style" && !slices.ContainsFunc(html.Styles, func(s html.Style) bool { return s.CSS == n.FirstChild.Data }) {
				t.Error("a style that is not ours")
			}
		}
		if n.Type == nethtml.CommentNode {
			t.Errorf("comment %q", n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
}
