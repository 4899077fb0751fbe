package auth

import (
	"net/url"
	"strings"
	"testing"
)

func TestCheckRedirectURI(t *testing.T) {
	t.Parallel()
	good := []string{
		"https://claude.ai/api/mcp/auth_callback",
		"https://vscode.dev/redirect?x=1", "https://xn--bcher-kva.example/a%20b?c=%2F",
		"https://example.com?c=%2F",
		"http://localhost/callback",
		"http://localhost:3118/callback",
		"http://127.0.0.1:33418",
		"http://[::1]:8080/cb",
		"cursor://anysphere.cursor-mcp/oauth/callback",
		"com.example.app:/oauth",
		"vscode://vscode.github-authentication/did-authenticate", "vscode-insiders://vscode.github-authentication/did-authenticate",
	}
	for _, uri := range good {
		if err := (&Server{}).checkRedirectURI(uri); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	bad := []string{
		"", "callback", "/callback", "//evil.example/cb", "https://", "https:///cb", "https:cb", "myapp:",
		"http://example.com/cb", "http://localhost.evil.example/cb", "http://10.0.0.1/cb", "http://0.0.0.0/cb", "http://app.localhost/cb",
		"https://example.com/cb#fragment", "https://example.com/cb#", "https://user@example.com/cb",
		"https://user:pw@example.com/cb", "http://127.0.0.1@evil.example/",
		"https://*.example.com/cb", `https://example.com\@evil.example/`,
		"https://example.com/a b", "https://example.com/\x00", "https://example.com/\n",
		"https://example.com/é", "https://exämple.com/",
		"https://%D0%B0pple.com/cb", "https://appl%C3%A9.example", "https://%D0%B0pple.com?x", "http://[::1%25eth0]/cb",
		"javascript:alert(1)", "JavaScript:alert(1)", "javascript://example.com/%0aalert(1)", " javascript:alert(1)", "java\tscript:alert(1)",
		"data:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:https://example.com/1", "about:blank", "view-source:https://example.com",
		"ms-msdt:/id", "search-ms:query=x", "shell:startup", "cmd:/c", "ms-word:ofe|u|x", "x:y",
		"ws://localhost/", "mailto:a@example.com", "urn:ietf:wg:oauth:2.0:oob", "intent://x#Intent;end",
		"https://example.com/" + strings.Repeat("a", maxRedirectURI),
	}
	for _, uri := range bad {
		if (&Server{}).checkRedirectURI(uri) == nil {
			t.Errorf("%q passes", uri)
		}
	}
}

func TestAllowedRedirect(t *testing.T) {
	t.Parallel()
	registered := []string{
		"https://example.com/callback", "http://localhost:3118/callback", "http://127.0.0.1/cb?a=1", "http://[::1]:1/v6",
		"cursor://anysphere.cursor-mcp/oauth/callback", "https://localhost:8443/tls",
	}
	good := []string{
		"https://example.com/callback",
		"http://localhost:3118/callback", "http://localhost:61234/callback", "http://localhost/callback",
		"http://127.0.0.1:9/cb?a=1", "http://[::1]:65535/v6", "http://[::1]/v6", "https://localhost:1/tls",
		"cursor://anysphere.cursor-mcp/oauth/callback",
	}
	for _, uri := range good {
		if !allowedRedirect(registered, uri) {
			t.Errorf("%s is refused", uri)
		}
	}
	bad := []string{
		"", "https://example.com/callback?", "https://example.com/callback/", "https://example.com/Callback", "https://EXAMPLE.com/callback",
		"https://example.com:443/callback", "https://example.com:8443/callback", "http://example.com/callback", "https://example.com/callback#x",
		"https://example.com/callback/../evil", "https://example.com.evil.example/callback", "https://user@example.com/callback",
		"http://127.0.0.1:3118/callback", "http://LOCALHOST:3118/callback", "https://localhost:3118/callback", "http://localhost:3118/callback?",
		"http://localhost:3118/callback#x", "http://localhost:/callback", "http://localhost:99999999/callback", "http://localhost:80a/callback",
		"http://localhost:80@evil.example/callback", "http://localhost@evil.example:80/callback", "http://localhost:3118.evil.example/callback",
		"http://user@localhost:3118/callback", "http://localhost:1:2/callback", "http://127.0.0.1:9/cb?a=2", "http://127.0.0.1:9/cb",
		"http://[::1]:65535/v6/", "http://::1/v6", "http://[127.0.0.1]/cb?a=1", "cursor://anysphere.cursor-mcp:1/oauth/callback",
	}
	for _, uri := range bad {
		if allowedRedirect(registered, uri) {
			t.Errorf("%s passes", uri)
		}
	}
}

// Every URI that the loopback rule allows leads to this machine, and differs from the registered one
// only in the port.
func FuzzAllowedRedirect(f *testing.F) {
	for _, uri := range []string{
		"http://localhost:1/callback", "http://localhost:1@evil.example/callback", "http://localhost\\@evil/callback", "http://[::1]:1/callback",
		"http://localhost:1/callback/../..//evil.example", "HTTP://localhost/callback", "http://localhost%2eevil/callback",
	} {
		f.Add(uri)
	}
	const registered = "http://localhost:3118/callback"
	f.Fuzz(func(t *testing.T, uri string) {
		if !allowedRedirect([]string{registered}, uri) {
			return
		}
		u, err := url.Parse(uri)
		if err != nil {
			t.Fatalf("%q is allowed and does not parse: %v", uri, err)
		}
		u.Host = "localhost:3118"
		if got := u.String(); got != registered || strings.ContainsAny(uri, "@\\ ") {
			t.Fatalf("%q is allowed and is %q", uri, got)
		}
	})
}

func TestWithParams(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"https://e.example/cb":            "https://e.example/cb?code=x",
		"https://e.example/cb?":           "https://e.example/cb?code=x",
		"https://e.example/cb?a=%20b&c":   "https://e.example/cb?a=%20b&c&code=x",
		"https://e.example/cb?a=1&":       "https://e.example/cb?a=1&code=x",
		"cursor://anysphere.cursor/cb":    "cursor://anysphere.cursor/cb?code=x",
		"com.example.app:/cb?kept=%C3%A9": "com.example.app:/cb?kept=%C3%A9&code=x",
	} {
		if got := withParams(uri, url.Values{"code": {"x"}}); got != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}

func TestClientName(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"Claude Code":                 "Claude Code",
		"":                            "Unnamed client",
		" \t\n":                       "Unnamed client",
		"a\nb\u2028c":                 "a b c",
		"\u202egnp.exe":               "gnp.exe",
		"\u2066x\u2069\u200b\x00\x1b": "x",
		"<b>bold</b>":                 "<b>bold</b>", // the page escapes
		"Приложение 漢字 😀":             "Приложение 漢字 😀",
		strings.Repeat("x", 250):      strings.Repeat("x", 99) + "…",
		"\xff":                        "Unnamed client",
	} {
		if got := ClientName(raw); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}

func TestSeal(t *testing.T) {
	t.Parallel()
	sealed, err := seal("token", sealedAnswer{Access: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(sealed), "secret") {
		t.Error("the sealed answer can be read")
	}
	var got sealedAnswer
	if err := open("token", sealed, &got); err != nil || got.Access != "secret" {
		t.Errorf("opened %v, %v", got, err)
	}
	if open("other", sealed, &got) == nil {
		t.Error("another token opens it")
	}
	sealed[len(sealed)-1] ^= 1
	if open("token", sealed, &got) == nil {
		t.Error("a changed answer opens")
	}
}
