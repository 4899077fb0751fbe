package panel

import (
	"net/url"
	"strings"

	"service/store/dashboard"
)

// placeholders returns the names between {{ and }} in a link.
func placeholders(link string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(link, "{{")
		if !ok {
			return out
		}
		name, after, ok := strings.Cut(rest, "}}")
		if !ok {
			return out
		}
		out = append(out, strings.TrimSpace(name))
		link = after
	}
}

// maxAddress is the maximum length of the address of a link in bytes, which can repeat a value. Servers do not accept longer ones.
const maxAddress = 8_000

// link fills in a link's placeholders and returns it if it is safe: https, to the host in the spec, or a slug. A link that is one
// placeholder may be any such address. It returns "" for other addresses, and for addresses that are too long.
func link(template string, values map[string]string) string {
	if to := address(template, values); len(to) <= maxAddress {
		return to
	}
	return ""
}

// address is [link] without the limit of the length.
func address(template string, values map[string]string) string {
	if template == "" {
		return ""
	}
	if to, ok := toDashboard(template, values); ok {
		return to
	}
	whole := strings.HasPrefix(template, "{{") && strings.Count(template, "{{") == 1 && strings.HasSuffix(template, "}}")
	var b strings.Builder
	for rest := template; ; {
		before, after, ok := strings.Cut(rest, "{{")
		b.WriteString(before)
		name, tail, closed := strings.Cut(after, "}}")
		if !ok || !closed {
			break
		}
		v, known := values[strings.TrimSpace(name)]
		if !known {
			return ""
		}
		if !whole {
			v = strings.ReplaceAll(url.QueryEscape(v), "+", "%20")
		}
		b.WriteString(v)
		if rest = tail; b.Len() > maxAddress {
			return ""
		}
	}
	out := b.String()
	if dashboard.CheckSlug(out) == nil {
		return "/" + out
	}
	u, err := url.Parse(out)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	if !whole {
		fixed, _, _ := strings.Cut(template, "{{")
		if rest, ok := strings.CutPrefix(fixed, "https://"); !ok || fixed != template && !strings.ContainsAny(rest, "/?#") {
			return "" // the host is not that of the spec
		}
	}
	return u.String()
}
