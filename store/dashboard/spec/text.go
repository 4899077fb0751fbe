package spec

import (
	"net/url"
	"regexp"
	"strings"

	"service/store/dashboard"
)

// hole matches a placeholder in a text or a link.
var hole = regexp.MustCompile(`\{\{\s*([^{}\n]*?)\s*\}\}`)

// Expand replaces each {{dataset.column}} in the Markdown of a text panel by
// what value returns for it. A placeholder without a dot has no column.
func Expand(markdown string, value func(dataset, column string) string) string {
	return hole.ReplaceAllStringFunc(markdown, func(s string) string {
		dataset, column, _ := strings.Cut(hole.FindStringSubmatch(s)[1], ".")
		return value(dataset, column)
	})
}

// ExpandLink replaces each {{column}} in the link of a table column by what
// value returns for it, escaped so that it stays one piece of path or query.
func ExpandLink(link string, value func(column string) string) string {
	return hole.ReplaceAllStringFunc(link, func(s string) string {
		return strings.ReplaceAll(url.QueryEscape(value(hole.FindStringSubmatch(s)[1])), "+", "%20")
	})
}

// checkLink returns what is wrong with the link of a table column, or "". A
// link goes to https:// or to another dashboard; only its path and query can
// depend on the row.
func checkLink(link string) string {
	const want = `write an address that begins with https://, or the slug of a dashboard such as "orders?country={{country}}"`
	if strings.ContainsAny(hole.ReplaceAllString(link, ""), " \t\r\n\\\"<>{}") {
		return "has a character that links cannot have; " + want
	}
	rest, web := strings.CutPrefix(link, "https://")
	head := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:"))]
	tail := rest[len(head):]
	if strings.HasPrefix(tail, "{{") {
		return "may depend on the row only in its path or query; " + want
	}
	if tail != "" && !strings.ContainsAny(tail[:1], "/?#") {
		return quote(link) + " is not a link; " + want
	}
	if !web {
		if dashboard.CheckSlug(head) != nil {
			return quote(link) + " is not a link; " + want
		}
		return ""
	}
	if u, err := url.Parse("https://" + head); err != nil || u.Hostname() == "" {
		return quote(link) + " is not a link; " + want
	}
	return ""
}
