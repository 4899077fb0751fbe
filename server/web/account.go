package web

import (
	"bytes"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"service/store"
	"service/store/message"
)

// accountPage is the person's own page.
type accountPage struct {
	Name, Email     string
	Timezone        string
	TimezoneProblem string
	Zones           []string
	Sessions        []sessionRow
}

type sessionRow struct {
	store.SessionInfo
	ID      string
	Browser string
	This    bool // the session of this very request
}

func (a *App) account(v *visit) error {
	return a.showAccount(v, http.StatusOK, accountPage{Timezone: v.session.Account.Timezone})
}

func (a *App) showAccount(v *visit, status int, page accountPage) error {
	page.Name, page.Email, page.Zones = v.session.Account.Name, v.session.Account.Email, zones
	sessions, err := a.Store.ListSessions(v.r.Context(), v.session.Account.ID)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		page.Sessions = append(page.Sessions, sessionRow{
			SessionInfo: s, ID: hex.EncodeToString(s.Hash), Browser: browser(s.UserAgent), This: bytes.Equal(s.Hash, v.session.Hash),
		})
	}
	s := screen{name: "account", title: "Account", narrow: true, data: page}
	if status != http.StatusOK {
		s.err = "Nothing was changed. See the field below."
	}
	return a.render(v, status, s)
}

func (a *App) setTimezone(v *visit) error {
	zone := strings.TrimSpace(v.r.PostForm.Get("timezone"))
	err := a.Store.SetPreferences(v.r.Context(), v.session.Account.ID, zone, v.session.Account.Theme)
	if refusal, ok := message.As(err); ok {
		return a.showAccount(v, http.StatusUnprocessableEntity, accountPage{Timezone: zone, TimezoneProblem: refusal.Error()})
	}
	if err != nil {
		return err
	}
	return a.redirect(v, "/account", "Your time zone is "+zone+".")
}

// endSession signs one browser of the person out.
func (a *App) endSession(v *visit) error {
	hash, err := hex.DecodeString(v.r.PostForm.Get("session"))
	if err != nil {
		return store.ErrNotFound
	}
	ctx := v.r.Context()
	own, err := a.Store.ListSessions(ctx, v.session.Account.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(own, func(s store.SessionInfo) bool { return bytes.Equal(s.Hash, hash) }) {
		if err := a.Store.EndSession(ctx, hash); err != nil {
			return err
		}
	}
	return a.redirect(v, "/account", "That browser is signed out.")
}

func (a *App) endSessions(v *visit) error {
	if err := a.Store.EndSessions(v.r.Context(), v.session.Account.ID); err != nil {
		return err
	}
	return a.redirect(v, "/", "You are signed out everywhere.")
}

// browser names a browser and its system by its user agent, roughly: enough to
// tell one's own apart.
func browser(agent string) string {
	find := func(fallback string, marks ...string) string {
		for _, mark := range marks {
			mark, name, _ := strings.Cut(mark, "=")
			if strings.Contains(agent, mark) {
				return name
			}
		}
		return fallback
	}
	name := find("A browser", "Edg/=Edge", "OPR/=Opera", "Firefox/=Firefox", "Chrome/=Chrome", "Safari/=Safari", "curl/=curl")
	if system := find("", "Android=Android", "iPhone=iPhone", "iPad=iPad", "Windows=Windows", "Mac OS X=macOS", "CrOS=ChromeOS", "Linux=Linux"); system != "" {
		return name + " on " + system
	}
	return name
}
