package web

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
)

// setFlash keeps text for the next page that this browser gets.
func (a *App) setFlash(w http.ResponseWriter, text string) {
	if text != "" {
		http.SetCookie(w, a.cookie("flash", base64.RawURLEncoding.EncodeToString([]byte(text)), 60))
	}
}

// takeFlash returns the kept text and forgets it.
func (a *App) takeFlash(v *visit) string {
	c, err := v.r.Cookie(a.cookieName("flash"))
	if err != nil {
		return ""
	}
	http.SetCookie(v.w, a.cookie("flash", "", -1))
	text, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return ""
	}
	return string(text)
}

// cookie is a cookie of the app's own host that scripts cannot read; maxAge is
// in seconds.
func (a *App) cookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: a.cookieName(name), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: a.secure, SameSite: http.SameSiteLaxMode,
	}
}

// cookieName adds the prefix that keeps a sibling host from setting the cookie.
// Browsers accept it over https only.
func (a *App) cookieName(name string) string {
	if a.secure {
		return "__Host-" + name
	}
	return name
}

// themes are the colour themes; auto follows the system.
var themes = []string{"auto", "light", "dark"}

const themeCookie = "theme"

// theme is the person's choice, or that of this browser when nobody is signed in.
func (v *visit) theme() string {
	if v.signedIn {
		return v.session.Account.Theme
	}
	for _, name := range []string{"__Host-" + themeCookie, themeCookie} {
		if c, err := v.r.Cookie(name); err == nil && slices.Contains(themes, c.Value) {
			return c.Value
		}
	}
	return themes[0]
}

func (a *App) setTheme(v *visit) error {
	if err := v.r.ParseForm(); err != nil {
		return err
	}
	if theme := v.r.PostForm.Get("theme"); slices.Contains(themes, theme) {
		if v.signedIn {
			account := v.session.Account
			if err := a.Store.SetPreferences(v.r.Context(), account.ID, account.Timezone, theme); err != nil {
				return err
			}
		}
		http.SetCookie(v.w, a.cookie(themeCookie, theme, 400*24*3600))
	}
	back := v.r.PostForm.Get("return_to")
	if !localPath(back) {
		back = "/"
	}
	return a.redirect(v, back, "")
}

// localPath reports whether p is a path of this host and nothing that a
// browser reads as another host.
func localPath(p string) bool {
	return strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "//") && !strings.ContainsAny(p, "\\\r\n\t")
}
