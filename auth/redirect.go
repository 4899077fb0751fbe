package auth

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"service/store/pattern"
)

const (
	maxRedirectURIs = 20
	maxRedirectURI  = 2048 // bytes
)

// refusedSchemes are schemes that browsers or the system handle themselves: a redirect
// there would run a script, read files or open another program than the client.
var refusedSchemes = []string{
	"about", "blob", "chrome", "chrome-extension", "content", "data", "file", "filesystem", "ftp", "ftps", "gopher",
	"intent", "jar", "javascript", "livescript", "mailto", "mhtml", "mocha", "news", "resource", "sms", "smsto", "ssh",
	"tel", "urn", "vbscript", "view-source", "ws", "wss",
}

// desktopSchemes are schemes of clients on people's computers that are not a domain in reverse, as RFC
// 8252 (section 7.1) recommends. Other schemes without a dot are refused, because operating systems
// have such schemes too, such as ms-msdt and search-ms, which start programs. The list is taken from
// the clients' own manifests (urlProtocol of a product.json, protocols of an electron-builder file)
// and registrations; an operator adds to it ([Config.RedirectSchemes]).
var desktopSchemes = []string{
	"antigravity", "cherrystudio", "claude", "code-oss", "cursor", "goose", "jetbrains", "kiro", "lmstudio", "positron", "qoder", "raycast",
	"trae", "trae-cn", "void", "vscode", "vscode-insiders", "vscodium", "warp", "windsurf", "workbuddy", "zed",
}

// schemeForm is the form of a scheme (RFC 3986, section 3.1), in lower case.
var schemeForm = pattern.New(`^[a-z][a-z0-9+.-]{0,63}$`)

// CheckRedirectScheme checks a scheme that an operator wants to allow in redirect URIs. It refuses
// http and https, which have rules of their own, and schemes that browsers handle.
func CheckRedirectScheme(scheme string) error {
	switch {
	case !schemeForm.MatchString(scheme):
		return fmt.Errorf(`"%s" is not a scheme: lower-case letters, digits, +, - and ., without ://`, scheme)
	case scheme == "http" || scheme == "https":
		return fmt.Errorf(`"%s" is not a scheme of a client: https is always allowed, http on the person's own machine`, scheme)
	case slices.Contains(refusedSchemes, scheme):
		return fmt.Errorf(`the scheme "%s" is not for clients: a browser or the system handles it`, scheme)
	}
	return nil
}

// checkRedirectURI checks a redirect URI that a client wants to register. It may be
// https anywhere, http on the person's own machine, or a private-use scheme (RFC 8252,
// section 7): a domain in reverse, one of [desktopSchemes] or one that the operator added.
func (s *Server) checkRedirectURI(raw string) error {
	if raw == "" || len(raw) > maxRedirectURI {
		return fmt.Errorf("a redirect URI must have 1 to %d bytes", maxRedirectURI)
	}
	if strings.ContainsFunc(raw, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`\"<>^`+"`{|}", c) }) {
		return fmt.Errorf("a redirect URI holds a character that must be escaped")
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return fmt.Errorf("a redirect URI does not parse")
	case u.Scheme == "":
		return fmt.Errorf("a redirect URI must be absolute")
	case strings.Contains(raw, "#"):
		return fmt.Errorf("a redirect URI must not have a fragment")
	case u.User != nil:
		return fmt.Errorf("a redirect URI must not carry user information")
	case slices.Contains(refusedSchemes, u.Scheme):
		return fmt.Errorf(`a redirect URI must not have the scheme "%s"`, u.Scheme)
	case u.Scheme == "https" || u.Scheme == "http":
		if u.Hostname() == "" || strings.Contains(u.Host, "*") {
			return fmt.Errorf("a redirect URI must name a host")
		}
		// Browsers and we decode it, so that the consent screen would show letters which only look like those of another site.
		if host := strings.FieldsFunc(raw[len(u.Scheme)+3:], func(c rune) bool { return c == '/' || c == '?' })[0]; strings.Contains(host, "%") {
			return fmt.Errorf("the host of a redirect URI must be written without %%, as in xn--bcher-kva.example")
		}
		if u.Scheme == "http" && !isLoopback(u.Hostname()) {
			return fmt.Errorf("an http redirect URI must be on localhost, 127.0.0.1 or [::1]")
		}
	case !strings.Contains(u.Scheme, ".") && !slices.Contains(desktopSchemes, u.Scheme) && !slices.Contains(s.cfg.RedirectSchemes, u.Scheme):
		return fmt.Errorf(`the scheme "%s" of a redirect URI is not known: use https, http on localhost, a domain in reverse, `+
			"as in com.example.app:/callback, or have the operator add it to SERVICE_REDIRECT_SCHEMES", u.Scheme)
	case u.Host == "" && u.Path == "" && u.Opaque == "":
		return fmt.Errorf("a redirect URI must name more than a scheme")
	}
	return nil
}

// isLoopback reports whether host, without a port, is the person's own machine.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// allowedRedirect reports whether raw is one of the registered redirect URIs. It compares
// strings, but ignores the port of a loopback host, because native clients use a new
// port each time (RFC 8252, section 7.3).
func allowedRedirect(registered []string, raw string) bool {
	if slices.Contains(registered, raw) {
		return true
	}
	want, ok := withoutLoopbackPort(raw)
	return ok && slices.ContainsFunc(registered, func(r string) bool {
		have, ok := withoutLoopbackPort(r)
		return ok && have == want
	})
}

// withoutLoopbackPort removes the port from a URI on a loopback host. It works on the text, so that no
// other differences are lost. It reports false for other hosts.
func withoutLoopbackPort(raw string) (string, bool) {
	scheme, rest, _ := strings.Cut(raw, "://")
	if scheme != "http" && scheme != "https" {
		return "", false
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, port := rest[:end], ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host, port = host[:i], host[i+1:]
		if port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "" {
			return "", false
		}
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if !isLoopback(bare) || bare != host && !strings.Contains(bare, ":") {
		return "", false
	}
	return scheme + "://" + host + rest[end:], true
}

// withParams adds the parameters of an answer to a redirect URI and keeps its own query.
func withParams(uri string, params url.Values) string {
	sep := "?"
	if strings.Contains(uri, "?") {
		sep = "&"
		if strings.HasSuffix(uri, "?") || strings.HasSuffix(uri, "&") {
			sep = ""
		}
	}
	return uri + sep + params.Encode()
}
