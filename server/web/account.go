package web

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"service/store"
	"service/store/dashboard/locale"
	"service/store/message"
)

// accountPage is the page of the signed-in person's account.
type accountPage struct {
	Name, Email string
	Form        form // timezone
	Zones       []string
	Sessions    []sessionRow
}

type sessionRow struct {
	store.SessionInfo
	ID      string
	Browser string
	This    bool // the session of this request
}

func (a *App) account(v *visit) error {
	return a.showAccount(v, filled("timezone", zoneOf(v).String()))
}

func (a *App) showAccount(v *visit, f form) error {
	page := accountPage{Name: v.session.Account.Name, Email: v.session.Account.Email, Form: f, Zones: zones}
	sessions, err := a.Store.Sessions.ListSessions(v.r.Context(), v.session.Account.ID)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		page.Sessions = append(page.Sessions, sessionRow{
			SessionInfo: s, ID: hex.EncodeToString(s.Hash), Browser: browser(v.Locale, s.UserAgent), This: bytes.Equal(s.Hash, v.session.Hash),
		})
	}
	return a.renderForm(v, f, screen{name: "account", title: v.Text("Account"), narrow: true, data: page})
}

func (a *App) setTimezone(v *visit) error {
	f := typedIn(v, "timezone")
	zone := f.Typed("timezone")
	set, quiet := a.Store.Accounts.SetTimezone, v.r.PostForm.Has("quiet")
	if quiet { // a script reports the browser's zone, which does not replace a chosen one
		set = a.Store.Accounts.OfferTimezone
	}
	err := set(v.r.Context(), v.session.Account.ID, zone)
	if refusal, ok := message.As(err); ok {
		f.refuse("timezone", refusal.Error())
		return a.showAccount(v, f)
	}
	if err != nil {
		return err
	}
	if quiet {
		v.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return a.redirect(v, "/account", v.Text("Your time zone is %s.", zone))
}

func (a *App) setShortcuts(v *visit) error {
	on, said := v.r.PostForm.Get("shortcuts") == "on", v.Text("Keyboard shortcuts are off.")
	if on {
		said = v.Text("The / key now jumps to the search.")
	}
	if err := a.Store.Accounts.SetShortcuts(v.r.Context(), v.session.Account.ID, on); err != nil {
		return err
	}
	return a.redirect(v, "/account", said)
}

// endSession signs the person out in one browser.
func (a *App) endSession(v *visit) error {
	hash, err := hex.DecodeString(v.r.PostForm.Get("session"))
	if err != nil {
		return store.ErrNotFound
	}
	ctx := v.r.Context()
	own, err := a.Store.Sessions.ListSessions(ctx, v.session.Account.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(own, func(s store.SessionInfo) bool { return bytes.Equal(s.Hash, hash) }) {
		if err := a.Store.Sessions.EndSession(ctx, hash); err != nil {
			return err
		}
	}
	return a.redirect(v, "/account", v.Text("That browser is signed out."))
}

func (a *App) endSessions(v *visit) error {
	if err := a.Store.Sessions.EndSessions(v.r.Context(), v.session.Account.ID); err != nil {
		return err
	}
	return a.redirect(v, "/", v.Text("You are signed out everywhere."))
}

// accountDeletePage lists the data that will be deleted with an account.
type accountDeletePage struct {
	store.AccountEnd
	Word string // word to type for confirmation
	Form form   // confirm, and the slugs of the workspaces that the page has listed
}

// OwnedLinks returns links to the workspaces whose last owner is the account.
func (p accountDeletePage) OwnedLinks() template.HTML {
	links := make([]string, len(p.Owned))
	for i, w := range p.Owned {
		links[i] = string(link("/w/"+w.Slug+"/members", w.Name))
	}
	return template.HTML(strings.Join(links, ", "))
}

func (a *App) confirmDeleteAccount(v *visit) error { return a.showDeleteAccount(v, form{}, "") }

func (a *App) showDeleteAccount(v *visit, f form, problem string) error {
	end, err := a.Store.Accounts.AccountEnd(v.r.Context(), v.session.Account.ID)
	if err != nil {
		return err
	}
	page := accountDeletePage{AccountEnd: end, Word: confirmWord(v), Form: f}
	return a.renderForm(v, f, screen{name: "account_delete", title: v.Text("Delete your account"), narrow: true, err: problem, data: page})
}

// confirmWord returns the word to type to delete the account of v: its e-mail address, or "delete".
func confirmWord(v *visit) string { return cmp.Or(v.session.Account.Email, "delete") }

// deleteAccount deletes the account, and the workspaces that the page listed, once the
// confirmation is typed. If another workspace has lost all its other members in the
// meantime, the page is shown again with that workspace listed.
func (a *App) deleteAccount(v *visit) error {
	f := typedIn(v, "confirm")
	if !strings.EqualFold(f.Typed("confirm"), confirmWord(v)) {
		f.refuse("confirm", v.Text(`Type "%s" to delete your account.`, confirmWord(v)))
		return a.showDeleteAccount(v, f, "")
	}
	err := a.Store.Accounts.DeleteAccount(v.r.Context(), v.session.Account.ID, v.session.Account.ID, v.r.PostForm["workspace"]...)
	if refusal, ok := message.As(err); ok {
		return a.showDeleteAccount(v, f, refusal.Error())
	}
	if err != nil {
		return err
	}
	return a.redirect(v, "/", v.Text("Your account is deleted, and you are signed out everywhere."))
}

// browser returns a name for a browser and its system from the user agent. It is rough,
// but people can distinguish their own browsers by it.
func browser(l *locale.Locale, agent string) string {
	find := func(fallback string, marks ...string) string {
		for _, mark := range marks {
			mark, name, _ := strings.Cut(mark, "=")
			if strings.Contains(agent, mark) {
				return name
			}
		}
		return fallback
	}
	name := find(l.Text("A browser"), "Edg/=Edge", "OPR/=Opera", "Firefox/=Firefox", "Chrome/=Chrome", "Safari/=Safari", "curl/=curl")
	system := find("", "Android=Android", "iPhone=iPhone", "iPad=iPad", "Windows=Windows", "Mac OS X=macOS", "CrOS=ChromeOS", "Linux=Linux")
	if system != "" {
		return l.Text("%s on %s", name, system)
	}
	return name
}
