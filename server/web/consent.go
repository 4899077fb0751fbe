package web

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"service/auth"
	"service/store"
	"service/store/dashboard/locale"
	"service/store/message"
)

// consentPage asks the person to decide on one authorization request of one client.
type consentPage struct {
	auth.Pending
	Request   string    // the handle
	Account   uuid.UUID // the account that sees the page
	Client    string    // as the client registered itself, safe to display
	Scopes    []string
	SignInURL string
	CreateURL string // creates a workspace and returns to this page
	SwitchURL string // signs in with another account and returns to this page
	Choice    string // slug of the chosen workspace
	Chosen    bool   // a choice was made; if Choice is empty, it is "No workspace"
	Problem   string // problem with the choice of workspace
}

// consent shows an authorization request. The answer is never remembered: anybody can
// register a client, so the person decides on every request of every client.
func (a *App) consent(v *visit) error {
	handle := v.r.URL.Query().Get("request")
	pending, err := a.Auth.PendingRequest(v.r.Context(), handle)
	if err != nil {
		return a.consentFailed(v, err)
	}
	return a.showConsent(v, http.StatusOK, pending, consentPage{Request: handle})
}

// decide stores the person's answer.
func (a *App) decide(v *visit) error {
	ctx, handle := v.r.Context(), v.r.Form.Get("request")
	pending, err := a.Auth.AnswerableRequest(ctx, handle)
	if err != nil {
		return a.consentFailed(v, err)
	}
	page := consentPage{Request: handle, Choice: v.r.PostForm.Get("workspace"), Chosen: v.r.PostForm.Has("workspace")}

	var to string
	switch v.r.PostForm.Get("decision") {
	case "deny":
		to, err = a.Auth.Deny(ctx, handle)
	case "allow":
		if !v.signedIn {
			http.Redirect(v.w, v.r, consentURL(handle), http.StatusSeeOther) // that page has the link
			return nil
		}
		// Another account may have signed in since the page was shown. This protects people
		// from mistakes, not from forged forms, which the cross-origin check refuses.
		if shown := v.r.PostForm.Get("account"); shown != "" && shown != v.session.Account.ID.String() {
			page.Problem, page.Chosen = v.Text("You have signed in with another account since this page was shown. Choose again."), false
			return a.showConsent(v, http.StatusConflict, pending, page)
		}
		if !page.Chosen {
			page.Problem = v.Text("Choose a workspace, or choose to go on without one.")
			return a.showConsent(v, http.StatusUnprocessableEntity, pending, page)
		}
		to, err = a.Auth.Approve(ctx, handle, v.session.Account.ID, page.Choice)
	default:
		return a.showConsent(v, http.StatusBadRequest, pending, page)
	}
	if errors.Is(err, store.ErrNotMember) {
		page.Problem, page.Chosen = v.Text("You are not a member of that workspace. Choose another."), false
		return a.showConsent(v, http.StatusBadRequest, pending, page)
	}
	if err != nil {
		return a.consentFailed(v, err)
	}
	return a.handOver(v, pending, to)
}

// handOver sends the browser back to the client. A private-use scheme opens an app and
// leaves the browser on this page, so the page explains that the tab can be closed.
func (a *App) handOver(v *visit, pending auth.Pending, to string) error {
	v.w.Header().Set("Content-Security-Policy", csp(formAction(pending)))
	if !pending.PrivateUse || v.r.Header.Get("Sec-Fetch-Dest") != "document" {
		v.w.Header().Set("Location", to)
		v.w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	v.w.Header().Set("Refresh", "0;url="+to)
	// The scheme was checked when the client registered.
	return a.render(v, http.StatusOK, screen{
		name: "consent_done", title: v.Text("You can close this tab"), narrow: true, data: template.URL(to),
	})
}

// consentFailed explains why an authorization request could not be shown or decided:
// it has expired, or it is still open because the database failed.
func (a *App) consentFailed(v *visit, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return a.render(v, http.StatusBadRequest, screen{
			name: "problem", title: v.Text("This request has expired"), narrow: true,
			data: problem{Text: v.Text("Start again in your client. If you have just answered the request, wait a moment first: " +
				"your client may already be connected.")},
		})
	}
	if refusal, ok := message.As(err); ok {
		return a.render(v, http.StatusBadRequest, screen{
			name: "problem", title: v.Text(titleNo), narrow: true, data: problem{Text: refusal.Error()},
		})
	}
	id := requestID(v.r)
	if !errors.Is(err, store.ErrOverloaded) {
		a.Log.ErrorContext(v.r.Context(), "consent failed", "request_id", id, "err", err)
	}
	return a.render(v, http.StatusServiceUnavailable, screen{
		name: "problem", title: v.Text("Your answer was not saved"), narrow: true,
		data: problem{Text: v.Text("The request is still open. Go back and try again."), RequestID: id},
	})
}

func (a *App) showConsent(v *visit, status int, pending auth.Pending, page consentPage) error {
	page.Client = clientOf(v.Locale, pending.ClientName)
	page.Account = v.session.Account.ID
	page.Pending = pending
	page.Scopes = strings.Fields(pending.Scope)
	page.SignInURL = signInURL(consentURL(page.Request))
	page.CreateURL = "/workspaces/new?" + url.Values{"return_to": {consentURL(page.Request)}}.Encode()
	page.SwitchURL = page.SignInURL + "&prompt=select_account"
	if !page.Chosen && page.Problem == "" && len(v.memberships) == 1 {
		page.Choice, page.Chosen = v.memberships[0].Workspace(), true
	}
	v.w.Header().Set("Content-Security-Policy", csp(formAction(pending)))
	s := screen{name: "consent", title: v.Text("Allow %s?", page.Client), narrow: true, bare: true, data: page}
	if page.Problem != "" {
		s.err = v.Text("Your answer was not sent yet. See the message below.")
	}
	return a.render(v, status, s)
}

// formAction is the form-action directive of the consent page: this host, and the
// client that the answer redirects to. With 'self' only, Chromium silently blocks
// that redirect.
func formAction(p auth.Pending) string {
	if p.FormAction == "" || strings.ContainsAny(p.FormAction, " ;,'\"\r\n\t") {
		return "'self'"
	}
	return "'self' " + p.FormAction
}

func consentURL(handle string) string {
	return "/consent?" + url.Values{"request": {handle}}.Encode()
}

// clientOf returns the name of a client on screens. Clients that registered with an
// older release may have names that would be refused today.
func clientOf(l *locale.Locale, name string) string {
	if name = auth.ClientName(name); name == auth.Unnamed {
		return l.Text("A client without a name")
	}
	return name
}
