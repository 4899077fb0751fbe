package markdown

import (
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"service/store/dashboard/canvas"
	"service/store/pattern"
)

// linkShape matches the targets that a link of Markdown may have: https:// addresses, dashboards of the workspace by their slugs, with or
// without a slash before and with or without filters after them, and places of the page itself.
var linkShape = pattern.New(`^(https://[^\s]+|/?[a-z0-9-]{1,64}(\?[^\s#]*)?(#[\w-]+)?|#[\w-]+)$`)

// originOf returns the scheme and the host of an address, or "".
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || !canvas.Absolute(address) {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// target returns the target of a link, and whether it is allowed: the address of a dashboard of the workspace becomes its path.
func (m *meter) target(destination string) (string, bool) {
	if path, ok := strings.CutPrefix(destination, m.origin+"/"); ok && m.origin != "" {
		destination = "/" + path
	}
	if destination != m.last.to { // many links may have one long target
		m.last.to, m.last.ok = destination, linkShape.MatchString(destination)
	}
	return destination, m.last.ok
}

// link sets the target of a link of the text, or adds it to those that are shown as plain text.
func (m *meter) link(n *ast.Link) {
	to, ok := m.target(string(n.Destination))
	if ok {
		n.Destination = []byte(to)
		return
	}
	m.isPlain(to)
}

// bareLink is [meter.link] for an address without a text of its own.
func (m *meter) bareLink(n *ast.AutoLink) {
	if n.AutoLinkType == ast.AutoLinkEmail {
		return
	}
	from := string(n.URL(m.src))
	to, ok := m.target(from)
	switch {
	case !ok:
		m.isPlain(to)
	case to != from:
		link := ast.NewLink()
		link.Destination = []byte(to)
		link.AppendChild(link, ast.NewString(n.Label(m.src)))
		n.Parent().ReplaceChild(n.Parent(), n, link)
	}
}

// maxPlain is how many targets of links that are shown as text are reported.
const maxPlain = 5

func (m *meter) isPlain(target string) {
	if len(m.plain) < maxPlain && !slices.Contains(m.plain, target) {
		m.plain = append(m.plain, target)
	}
}

// PlainLinks returns the targets of links of a document that its page, at an
// address, shows as plain text: at most five.
func PlainLinks(document []byte, address string) []string {
	if len(document) > MaxPage {
		return nil
	}
	return Render(Clean(document), address, MaxPageCells).plain
}

// PanelPlainLinks is [PlainLinks] for the text of one panel.
func PanelPlainLinks(text, address string) []string {
	if len(text) > MaxPanel {
		return nil
	}
	src, _ := cutFields(text)
	return Render(src, address, MaxPanelCells).plain
}
