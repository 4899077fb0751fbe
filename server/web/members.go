package web

import (
	"net/http"
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
	Owner        bool // the visitor is one, and may change the list
	Email, Role  string
	EmailProblem string
	Linked, Link string // an invitation that has just got its link, by its e-mail
}

type personRow struct {
	store.Person
	Invited   bool
	Self      bool
	LastOwner bool
}

func (a *App) members(v *visit) error {
	return a.showMembers(v, http.StatusOK, membersPage{Role: store.RoleMember})
}

func (a *App) showMembers(v *visit, status int, page membersPage) error {
	people, err := a.Store.People(v.r.Context(), *v.in)
	if err != nil {
		return err
	}
	page.Owner = v.in.Role() == store.RoleOwner
	last, ok := lastOwner(people)
	people, page.Pages = cut(v, membersURL(v), people, personKey)
	for _, p := range people {
		page.People = append(page.People, personRow{
			Person: p, Invited: invited(p), Self: p.Account == v.in.Account(),
			LastOwner: ok && p.Email == last.Email,
		})
	}
	s := screen{name: "members", title: "Members", tab: tabMembers, data: page}
	if status != http.StatusOK {
		s.err = "Nothing was changed. See the field below."
	}
	return a.render(v, status, s)
}

// personKey tells the people of a workspace apart.
func personKey(p store.Person) string {
	if invited(p) {
		return p.Email
	}
	return p.Account.String()
}

// lastOwner is the one owner that people hold, if it is one.
func lastOwner(people []store.Person) (last store.Person, ok bool) {
	owners := slices.DeleteFunc(slices.Clone(people), func(p store.Person) bool { return p.Role != store.RoleOwner })
	if len(owners) != 1 {
		return store.Person{}, false
	}
	return owners[0], true
}

// invited reports whether p has not signed in yet.
func invited(p store.Person) bool { return p.Account == uuid.Nil }

func (a *App) addMember(v *visit) error {
	page := membersPage{Email: strings.TrimSpace(v.r.PostForm.Get("email")), Role: v.r.PostForm.Get("role")}
	waits, err := a.Store.AddMember(v.r.Context(), v.in.Account(), v.in.Workspace(), page.Email, page.Role)
	if refusal, ok := message.As(err); ok {
		page.EmailProblem = refusal.Error()
		return a.showMembers(v, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	said := page.Email + " is now " + article(page.Role) + " of " + v.in.WorkspaceName() + "."
	if waits {
		said = page.Email + " becomes " + article(page.Role) + " with the first sign-in. Or copy an invitation link for them below."
	}
	return a.redirect(v, membersURL(v), said)
}

func article(role string) string {
	if role == store.RoleOwner {
		return "an owner"
	}
	return "a member"
}

// removeMember ends a membership: an owner anybody's, everybody their own.
func (a *App) removeMember(v *visit) error {
	email := strings.ToLower(strings.TrimSpace(v.r.PostForm.Get("email")))
	self := email == v.session.Account.Email
	err := a.Store.RemoveMember(v.r.Context(), v.in.Account(), v.in.Workspace(), email)
	if refusal, ok := message.As(err); ok {
		return a.showMembers(v, http.StatusUnprocessableEntity, membersPage{Role: store.RoleMember, EmailProblem: refusal.Error()})
	}
	if err != nil {
		return err
	}
	if self {
		return a.redirect(v, "/", "You have left "+v.in.WorkspaceName()+".")
	}
	return a.redirect(v, membersURL(v), email+" was removed. Their grants to AI clients and their sessions on its dashboards have ended in "+v.in.WorkspaceName()+".")
}

func membersURL(v *visit) string { return "/w/" + v.in.Workspace() + "/members" }
