package notify

import (
	"context"

	"github.com/google/uuid"

	"service/store"
	"service/store/channel"
	"service/store/dashboard/locale"
)

// Invite sends a mail to a person who was added to a workspace, now, in the language of l. in contains the workspace, the role, the address
// and the name of the inviting member. link leads to the workspace or, if once is true, is an invitation's link. reason is why the mail was
// not accepted; it is empty if it was. The mail is not queued, because the token of a link is not stored in clear anywhere.
func (n *Notifier) Invite(ctx context.Context, l *locale.Locale, in store.Invitation, link string, once bool) (reason string, err error) {
	ctx, cancel := context.WithTimeout(ctx, store.SendTimeout)
	defer cancel()
	c := &channel.Content{
		Locale: l, Title: l.Text("You are added to %s", in.Name),
		Said: l.Text("%s has added you to the workspace %s.", in.By, in.Name) + " " + l.Text(roleWords(in.Role)),
		From: in.Name, Link: link, LinkText: l.Text("Open %s", in.Name),
		Why: l.Text("You get this because %s typed your address.", in.By),
	}
	if once {
		c.LinkText = l.Text("Join %s", in.Name)
		c.Said += "\n" + l.Text("The link works once, for 7 days.")
	}
	c.Subject = c.Title
	m := store.OutMessage{ID: uuid.New(), Kind: "invitation", Recipient: store.Account{Email: in.Email}}
	sent := n.mail(ctx, m, c.Tamed())
	if err := context.Cause(ctx); sent != nil && err == context.Canceled {
		return "", err
	}
	outcome := store.MessageSent
	if sent != nil {
		outcome, reason = store.MessageFailed, n.sentence(m, sent)
	}
	n.cfg.Log.InfoContext(ctx, "invitation", "message", m.ID, "outcome", outcomeOf(outcome), "reason", reason)
	return reason, nil
}

// roleWords describes the rights of a role.
func roleWords(role string) locale.Key {
	switch role {
	case store.RoleOwner:
		return "Owners manage members and everything in the workspace."
	case store.RoleViewer:
		return "Viewers open every dashboard of the workspace and change nothing."
	}
	return "Editors open every dashboard of the workspace and publish to it."
}
