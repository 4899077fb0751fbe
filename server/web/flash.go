package web

import (
	"encoding/base64"
	"net/http"
	"slices"
	"time"

	"service/auth"
)

// The cookies of the app, except that of the session.
const (
	flashCookie     = "flash"     // message for the next page
	themeCookie     = "theme"     // for visitors who are not signed in
	workspaceCookie = "workspace" // slug of the last opened workspace
)

// remembered is the lifetime of such a choice: the longest that browsers allow.
const remembered = 400 * 24 * time.Hour

// setFlash stores text for the next page of this browser.
func (a *App) setFlash(w http.ResponseWriter, text string) {
	if text != "" {
		a.Auth.SetCookie(w, flashCookie, base64.RawURLEncoding.EncodeToString([]byte(text)), time.Minute)
	}
}

// takeFlash returns the stored text and deletes it.
func (a *App) takeFlash(v *visit) string {
	value, ok := a.Auth.Cookie(v.r, flashCookie)
	if !ok {
		return ""
	}
	a.Auth.SetCookie(v.w, flashCookie, "", 0)
	text, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// themes are the colour themes; auto follows the system.
var themes = []string{"auto", "light", "dark"}

// theme returns the person's choice, or that of this browser if nobody is signed in.
func (a *App) theme(v *visit) string {
	if v.signedIn {
		return v.session.Account.Theme
	}
	if theme, ok := a.Auth.Cookie(v.r, themeCookie); ok && slices.Contains(themes, theme) {
		return theme
	}
	return themes[0]
}

func (a *App) setTheme(v *visit) error {
	if theme := v.r.PostForm.Get("theme"); slices.Contains(themes, theme) {
		if v.signedIn {
			if err := a.Store.Accounts.SetTheme(v.r.Context(), v.session.Account.ID, theme); err != nil {
				return err
			}
		}
		a.Auth.SetCookie(v.w, themeCookie, theme, remembered)
	}
	return a.redirect(v, auth.LocalPath(v.r.PostForm.Get("return_to")), "")
}
