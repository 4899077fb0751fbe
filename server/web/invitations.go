package web

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"

	"service/store"
)

// invitationPage is what somebody with the link of an invitation is asked.
type invitationPage struct {
	store.Invitation
	Token string
}

// linkInvitation gives a waiting membership a link, and shows it: once, because
// only its hash is kept.
func (a *App) linkInvitation(v *visit) error {
	if err := v.r.ParseForm(); err != nil {
		return err
	}
	email, token := v.r.PostForm.Get("email"), rand.Text()
	hash := sha256.Sum256([]byte(token))
	if err := a.Store.LinkInvitation(v.r.Context(), *v.in, email, hash[:]); err != nil {
		return err
	}
	return a.showMembers(v, http.StatusOK, membersPage{Role: store.RoleMember, Linked: email, Link: a.origin(v) + "/invitations/" + token})
}

// origin is the origin of the app, which is asked for under no other host.
func (a *App) origin(v *visit) string {
	if a.Secure {
		return "https://" + v.r.Host
	}
	return "http://" + v.r.Host
}

// invitationHash is the hash of the token in the address.
func invitationHash(v *visit) []byte {
	hash := sha256.Sum256([]byte(v.param("token")))
	return hash[:]
}

func (a *App) invitation(v *visit) error {
	in, err := a.Store.Invitation(v.r.Context(), invitationHash(v))
	if err != nil {
		return err
	}
	return a.render(v, http.StatusOK, screen{
		name: "invitation", title: "Join " + in.Name, narrow: true, data: invitationPage{in, v.param("token")},
	})
}

func (a *App) acceptInvitation(v *visit) error {
	in, err := a.Store.AcceptInvitation(v.r.Context(), v.session.Account.ID, invitationHash(v))
	if err != nil {
		return err
	}
	return a.redirect(v, "/w/"+in.Workspace+"/", "You are in: this is "+in.Name+".")
}
