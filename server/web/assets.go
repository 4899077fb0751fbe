package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed app.css app.js icon.svg
var files embed.FS

// An asset is a file that pages link to. Its address contains a hash of its content,
// so browsers may cache it forever.
type asset struct {
	body        []byte
	contentType string
}

// newAssets returns the assets by their public name, such as app.1f0c9a7e5b21.css.
func newAssets() map[string]asset {
	assets := map[string]asset{}
	for name, contentType := range map[string]string{
		"app.css":  "text/css; charset=utf-8",
		"app.js":   "text/javascript; charset=utf-8",
		"icon.svg": "image/svg+xml",
	} {
		body, err := files.ReadFile(name)
		if err != nil {
			panic(err) // embedded: cannot be missing
		}
		assets[publicName(name, body)] = asset{body, contentType}
	}
	return assets
}

// publicName puts the start of the content's hash before the extension.
func publicName(name string, body []byte) string {
	ext := path.Ext(name)
	hash := sha256.Sum256(body)
	return fmt.Sprintf("%s.%x%s", strings.TrimSuffix(name, ext), hash[:8], ext)
}

// assetURL returns the address of the asset with a file's name.
func (a *App) assetURL(name string) (string, error) {
	body, err := files.ReadFile(name)
	if err != nil {
		return "", err
	}
	return "/assets/" + publicName(name, body), nil
}

func (a *App) asset(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	f, ok := a.assets[name]
	if !ok {
		a.anyone(a.notFound)(w, r)
		return
	}
	w.Header().Set("Content-Type", f.contentType)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(f.body))
}

func (a *App) favicon(w http.ResponseWriter, r *http.Request) {
	icon, err := files.ReadFile("icon.svg")
	if err != nil {
		a.failed(newVisit(w, r), err)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(icon))
}

func robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, "User-agent: *\nDisallow: /\n") //nolint:errcheck // fails only when the client has disconnected
}
