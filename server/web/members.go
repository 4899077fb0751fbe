package web

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
)

// membersPage lists the people of a workspace, with the form that adds one.
type membersPage struct {
	People       []personRow
	Pages        pages
	Owner        bool // the visitor is an owner and may change the list
	Form         form // email, role
	Groups       groupsCard
	Linked, Link string // e-mail and link of an invitation whose link was just created
}

type personRow struct {
	store.Person
	Invited   bool
	Self      bool
	LastOwner bool // the only owner who has signed in

	Workspace string   // slug
	Owned     []string // attributes with their values
}

func (a *App) members(v *visit) error { return a.showMembers(v, membersPage{}, "") }

// showMembers shows the list. page may have a refused form; problem is the problem of another change.
func (a *App) showMembers(v *visit, page membersPage, problem string) error {
	people, err := a.Store.Members.People(v.r.Context(), *v.in)
	if err != nil {
		return err
	}
	page.Owner = v.in.Role() == store.RoleOwner
	owners := 0
	for _, p := range people {
		if p.Role == store.RoleOwner && p.Account != uuid.Nil {
			owners++
		}
	}
	people, page.Pages = cut(v, a.readerOf(v), membersURL(v), people, personKey)
	for _, p := range people {
		page.People = append(page.People, personRow{
			Person: p, Invited: p.Account == uuid.Nil, Self: p.Account == v.in.Account(),
			LastOwner: owners == 1 && p.Role == store.RoleOwner && p.Account != uuid.Nil,
			Workspace: v.in.Workspace(), Owned: attributesOf(p),
		})
	}
	if page.Groups, err = a.groupsCard(v, page.Groups.Form); err != nil {
		return err
	}
	refused := page.Form
	if page.Groups.Form.Refused() {
		refused = page.Groups.Form
	}
	return a.renderForm(v, refused, screen{name: "members", title: v.Text(tabMembers), tab: tabMembers, err: problem, data: page})
}

// personKey returns a key that is unique in a workspace.
func personKey(p store.Person) string {
	if p.Account == uuid.Nil {
		return p.Email
	}
	return p.Account.String()
}

func (a *App) addMember(v *visit) error {
	f := typedIn(v, "email", "role")
	email, role := f.Typed("email"), f.Typed("role")
	waits, err := a.Store.Members.AddMember(v.r.Context(), v.in.Account(), v.in.Workspace(), email, role)
	if refusal, ok := message.As(err); ok {
		f.refuse("email", refusal.Error())
		return a.showMembers(v, membersPage{Form: f}, "")
	}
	if err != nil {
		return err
	}
	said := doneRole(v, email, role)
	if waits {
		said = v.Text(byRole(role,
			"%s becomes an owner at the first sign-in. You can also make an invitation link for them below.",
			"%s becomes an editor at the first sign-in. You can also make an invitation link for them below.",
			"%s becomes a viewer at the first sign-in. You can also make an invitation link for them below."), email)
	}
	mailed, err := a.mailInvitation(v, email, role, waits)
	if err != nil {
		return err
	}
	return a.redirect(v, membersURL(v), strings.TrimSpace(said+" "+mailed))
}

// mailInvitation sends the person with email a mail with the link to the workspace to which they were added, and returns a sentence about
// the outcome. If waits is true, they have not signed in with that address, so the link is an invitation's, which needs no verified
// address.
func (a *App) mailInvitation(v *visit, email, role string, waits bool) (said string, err error) {
	ctx := v.r.Context()
	if a.Invite == nil || !a.Mail || v.r.PostForm.Has("again") { // only the role of somebody who waits was changed
		return "", nil
	}
	if ok, _ := a.Store.Rates.Allow(ctx, store.RateInvite, v.in.Account().String()); !ok {
		return v.Text("The mail with the link was not sent: %s", v.Text("Too many were sent in the last minute.")), nil
	}
	email = strings.ToLower(strings.TrimSpace(email))
	link := a.AppURL + "/w/" + v.in.Workspace() + "/"
	if waits {
		if link, err = a.newInvitationLink(v, email); err != nil {
			return "", err
		}
	}
	reason, err := a.Invite(ctx, v.Locale, store.Invitation{
		Workspace: v.in.Workspace(), Name: v.in.WorkspaceName(), Role: role, Email: email,
		By: cmp.Or(v.session.Account.Email, v.session.Account.Name, v.in.WorkspaceName()),
	}, link, waits)
	switch {
	case err != nil:
		return "", err
	case reason != "":
		return v.Text("The mail with the link was not sent: %s", reason), nil
	}
	return v.Text("A mail with the link was sent to %s.", email), nil
}

// attributesOf lists the attributes of a person with their values, by name.
func attributesOf(p store.Person) (out []string) {
	all := maps.Clone(p.Provided)
	if all == nil {
		all = map[string][]string{}
	}
	maps.Copy(all, p.Attributes)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, name+" = "+strings.Join(all[name], " | "))
	}
	return out
}

// setAttribute gives a member the values of an attribute, or removes it.
func (a *App) setAttribute(v *visit) error {
	p, err := a.memberOf(v)
	if err != nil {
		return err
	}
	var values []string
	for line := range strings.Lines(v.r.PostForm.Get("values")) {
		if line = strings.TrimSpace(line); line != "" {
			values = append(values, line)
		}
	}
	err = a.Store.Members.SetAttribute(v.r.Context(), *v.in, p.Account, strings.TrimSpace(v.r.PostForm.Get("attribute")), values)
	return a.changed(v, err, membersURL(v), v.Text("The attributes of %s are saved.", p.Called))
}

// memberOf returns the member whose account id is in the form, or [store.ErrNotFound].
func (a *App) memberOf(v *visit) (personRow, error) {
	account, err := uuid.Parse(v.r.PostForm.Get("member"))
	if err != nil || account == uuid.Nil {
		return personRow{}, store.ErrNotFound
	}
	people, err := a.Store.Members.People(v.r.Context(), *v.in)
	if err != nil {
		return personRow{}, err
	}
	for _, p := range people {
		if p.Account == account {
			return personRow{Person: p, Self: account == v.in.Account()}, nil
		}
	}
	return personRow{}, store.ErrNotFound
}

func (a *App) setRole(v *visit) error {
	p, err := a.memberOf(v)
	if err != nil {
		return err
	}
	role := v.r.PostForm.Get("role")
	return a.changed(v, a.Store.Members.SetRole(v.r.Context(), *v.in, p.Account, role), membersURL(v), doneRole(v, p.Called, role))
}

// removeMember ends a membership. Owners may end every membership, other members only their own.
func (a *App) removeMember(v *visit) error {
	p, err := a.memberOf(v)
	if err != nil {
		return err
	}
	to := membersURL(v)
	said := v.Text("%s was removed. Their AI clients and their sessions no longer have access to %s.", p.Called, v.in.WorkspaceName())
	if p.Self {
		to, said = "/", v.Text("You have left %s.", v.in.WorkspaceName())
	}
	return a.changed(v, a.Store.Members.EndMembership(v.r.Context(), *v.in, p.Account), to, said)
}

func (a *App) withdrawInvitation(v *visit) error {
	email := v.r.PostForm.Get("email")
	err := a.Store.Members.WithdrawInvitation(v.r.Context(), *v.in, email)
	return a.changed(v, err, membersURL(v), v.Text("The invitation of %s is withdrawn. Its link no longer works.", email))
}

// changed answers after a change of the list of members that returned err.
func (a *App) changed(v *visit, err error, to, said string) error {
	if refusal, ok := message.As(err); ok {
		return a.showMembers(v, membersPage{}, refusal.Error())
	}
	if err != nil {
		return err
	}
	return a.redirect(v, to, said)
}

func membersURL(v *visit) string { return "/w/" + v.in.Workspace() + "/members" }

// doneRole returns the message that somebody now has a role.
func doneRole(v *visit, who, role string) string {
	said := byRole(role, "%s is now an owner of %s.", "%s is now an editor of %s.", "%s is now a viewer of %s.")
	return v.Text(said, who, v.in.WorkspaceName())
}
