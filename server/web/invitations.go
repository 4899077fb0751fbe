package web

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"html/template"
	"net/http"
	"slices"

	"service/store"
)

// invitationPage asks the visitor with an invitation's link whether to join.
type invitationPage struct {
	store.Invitation
	Token  string
	SignIn string // address that leads back after a sign-in; empty if the visitor is signed in
	Member bool   // the visitor is already a member of the workspace
}

// Names returns the name and the slug of the workspace.
func (p invitationPage) Names() template.HTML {
	return element("strong", p.Name) + template.HTML(` <span class="muted">(`+template.HTMLEscapeString(p.Workspace)+`)</span>`)
}

// linkInvitation makes a link for a waiting membership and shows it. It cannot be
// shown again because only the hash of its token is stored.
func (a *App) linkInvitation(v *visit) error {
	email := v.r.PostForm.Get("email")
	link, err := a.newInvitationLink(v, email)
	if err != nil {
		return err
	}
	return a.showMembers(v, membersPage{Linked: email, Link: link}, "")
}

// newInvitationLink returns a new link for the waiting membership of email. It replaces an earlier one.
func (a *App) newInvitationLink(v *visit, email string) (string, error) {
	token := rand.Text()
	hash := sha256.Sum256([]byte(token))
	return a.AppURL + "/invitations?token=" + token, a.Store.Members.LinkInvitation(v.r.Context(), *v.in, email, hash[:])
}

// invitationHash returns the hash of the token in a request: in the query of a link,
// which is never logged, or in the form.
func invitationHash(v *visit) []byte {
	hash := sha256.Sum256([]byte(v.r.FormValue("token")))
	return hash[:]
}

func (a *App) invitation(v *visit) error {
	in, err := a.Store.Members.Invitation(v.r.Context(), invitationHash(v))
	if errors.Is(err, store.ErrNotFound) {
		return a.invitationEnded(v)
	}
	if err != nil {
		return err
	}
	if !v.signedIn {
		return a.render(v, http.StatusOK, screen{
			name: "invitation", title: v.Text("Join %s", in.Name), narrow: true,
			data: invitationPage{Invitation: in, SignIn: signInURL(v.r.RequestURI)},
		})
	}
	if slices.ContainsFunc(v.memberships, func(m store.Member) bool { return m.Workspace() == in.Workspace }) {
		return a.invitedAlready(v, http.StatusOK, in)
	}
	return a.render(v, http.StatusOK, screen{
		name: "invitation", title: v.Text("Join %s", in.Name), narrow: true, data: invitationPage{Invitation: in, Token: v.r.FormValue("token")},
	})
}

func (a *App) acceptInvitation(v *visit) error {
	in, err := a.Store.Members.AcceptInvitation(v.r.Context(), v.session.Account.ID, invitationHash(v))
	if errors.Is(err, store.ErrNotFound) {
		return a.invitationEnded(v)
	}
	if errors.Is(err, store.ErrMember) {
		return a.invitedAlready(v, http.StatusConflict, in)
	}
	if err != nil {
		return err
	}
	return a.redirect(v, "/w/"+in.Workspace+"/", v.Text("You have joined %s.", in.Name))
}

// invitedAlready shows a member that the link is for somebody else and still works.
func (a *App) invitedAlready(v *visit, status int, in store.Invitation) error {
	return a.render(v, status, screen{
		name: "invitation", title: v.Text("You are a member already"), narrow: true, data: invitationPage{Invitation: in, Member: true},
	})
}

// invitationEnded answers a link that no longer works. One reason is that the person has
// become a member already by signing in with the invited address.
func (a *App) invitationEnded(v *visit) error {
	return a.render(v, http.StatusNotFound, screen{
		name: "problem", title: v.Text("This invitation is no longer valid"), narrow: true,
		data: problem{Text: v.Text("It was already used, was replaced by a newer one, or is older than 7 days. " +
			"You may already be a member: look on the home page. If you are not, ask for a new link.")},
	})
}
