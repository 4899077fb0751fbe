package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

//go:embed page.css
var styleSource string

// CSS is the style of every page, inlined in it and allowed by its hash.
var CSS = squeeze(styleSource)

// Script is the page's script, and ScriptName its name by content: it is served
// at /assets/<ScriptName>, for ever.
//
//go:embed page.js
var Script []byte

// ScriptName: see [Script].
var ScriptName = "page-" + hash(Script) + ".js"

// CSP is the Content-Security-Policy of every page that this package draws.
var CSP = "default-src 'none'; style-src '" + sourceHash(CSS) + "'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

func sourceHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// squeeze removes comments and line breaks from the style.
func squeeze(css string) string {
	var b strings.Builder
	for line := range strings.Lines(css) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "/*") {
			b.WriteString(line)
		}
	}
	return b.String()
}
