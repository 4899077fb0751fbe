package web

import (
	"service/store"
	"service/store/dashboard/locale"
	"service/store/message"
)

// groupsCard is the part of the members' screen about groups of the identity provider.
type groupsCard struct {
	On   bool // the operator configured the source of groups
	Form form // group, role
	Maps []store.GroupMap
}

func (a *App) groupsCard(v *visit, f form) (card groupsCard, err error) {
	card = groupsCard{On: a.Groups, Form: f}
	if card.On && v.in.Role() == store.RoleOwner {
		card.Maps, err = a.Store.Members.GroupMaps(v.r.Context(), v.in.Workspace())
	}
	return card, err
}

const (
	saidMapped   locale.Key = "The people of group %s are members now, and at each sign-in."
	saidUnmapped locale.Key = "Group %s no longer makes anyone a member."
)

func (a *App) mapGroup(v *visit) error {
	f := typedIn(v, "group", "role")
	err := a.Store.Members.MapGroup(v.r.Context(), v.session.Account.ID, v.in.Workspace(), f.Typed("group"), f.Typed("role"))
	if refusal, ok := message.As(err); ok && v.in.Role() == store.RoleOwner {
		f.refuse("group", refusal.Error())
		return a.showMembers(v, membersPage{Groups: groupsCard{Form: f}}, "")
	}
	return a.changed(v, err, membersURL(v), v.Text(saidMapped, f.Typed("group")))
}

func (a *App) unmapGroup(v *visit) error {
	group := v.r.PostForm.Get("group")
	err := a.Store.Members.UnmapGroup(v.r.Context(), v.session.Account.ID, v.in.Workspace(), group)
	return a.changed(v, err, membersURL(v), v.Text(saidUnmapped, group))
}
