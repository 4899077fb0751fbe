package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/channel"
	"service/store/dashboard/locale"
	"service/store/message"
)

// channelsPage lists the channels of a workspace.
type channelsPage struct {
	Channels []channelRow
	Kinds    []kindName // the kinds that can be added
	Owner    bool       // the visitor is an owner and may change the list
	Mail     bool       // this installation can send mail
}

type channelRow struct {
	store.Channel
	Of   channel.Kind
	Tone string
	Word locale.Key // text for Tone
	Mute *time.Time // end of the mute; nil if it is not muted now
}

// channelPage is one channel, or the form of a new one.
type channelPage struct {
	channelRow
	New    bool
	Owner  bool
	Mail   bool
	Base   string
	Form   form            // the fields in channelFields, so without the URL
	People []channelPerson // for a mail channel
	Key    string          // key of a webhook that was just created
	Uses   []store.ChannelUse
	More   int // number of dashboards that use it and are not listed
}

// channelUses is the number of listed dashboards that use a channel.
const channelUses = 20

// A channelPerson is a member who can be a recipient of a mail channel.
type channelPerson struct {
	store.Person
	In bool
}

// channelFields are the form's fields that are shown again. They do not include the URL, which is secret.
var channelFields = []string{"kind", "slug", "name"}

func (a *App) channelRowOf(c store.Channel) channelRow {
	kind, _ := channel.KindOf(c.Kind)
	row := channelRow{Channel: c, Of: kind, Tone: "warn", Word: "Not tested yet"}
	switch {
	case c.Error != "":
		row.Tone, row.Word = "bad", "Fails"
	case c.TestedAt != nil:
		row.Tone, row.Word = "good", "Works"
	}
	if c.Muted(a.Now()) {
		row.Mute = c.MutedUntil
	}
	return row
}

func channelsURL(v *visit) string { return "/w/" + v.in.Workspace() + "/channels" }

func (a *App) channels(v *visit) error {
	all, err := a.Store.Messages.Channels(v.r.Context(), *v.in)
	if err != nil {
		return err
	}
	page := channelsPage{Owner: v.in.Role() == store.RoleOwner, Mail: a.Mail}
	for _, c := range all {
		page.Channels = append(page.Channels, a.channelRowOf(c))
	}
	for _, kind := range channel.Kinds {
		page.Kinds = append(page.Kinds, kindName{kind.ID, kind.Name})
	}
	return a.render(v, http.StatusOK, screen{name: "channels", title: v.Text(tabChannels), tab: tabChannels, data: page})
}

func (a *App) newChannel(v *visit) error {
	kind := v.r.URL.Query().Get("kind")
	if _, ok := channel.KindOf(kind); !ok || v.in.Role() != store.RoleOwner {
		return store.ErrNotFound
	}
	return a.showNewChannel(v, filled("kind", kind), []uuid.UUID{v.in.Account()}, "")
}

func (a *App) showNewChannel(v *visit, f form, members []uuid.UUID, problem string) error {
	kind := f.Typed("kind")
	page := channelPage{New: true, Owner: true, Mail: a.Mail, Base: channelsURL(v), Form: f}
	page.Kind = kind
	page.Of, _ = channel.KindOf(kind)
	var err error
	if page.People, err = a.channelPeople(v, kind, members); err != nil {
		return err
	}
	return a.renderForm(v, f, screen{
		name: "channel", title: v.Text("New channel: %s", v.Text(page.Of.Name)), tab: tabChannels, narrow: true, err: problem, data: page,
	})
}

// channelPeople returns the members of the workspace and marks the recipients of a mail channel.
func (a *App) channelPeople(v *visit, kind string, in []uuid.UUID) ([]channelPerson, error) {
	if kind != channel.Mail {
		return nil, nil
	}
	people, err := a.Store.Members.People(v.r.Context(), *v.in)
	if err != nil {
		return nil, err
	}
	var out []channelPerson
	for _, p := range people {
		if p.Account != uuid.Nil {
			out = append(out, channelPerson{p, slices.Contains(in, p.Account)})
		}
	}
	return out, nil
}

// typedChannel reads the form.
func typedChannel(v *visit) (form, store.ChannelEdit, error) {
	f := typedIn(v, channelFields...)
	e := store.ChannelEdit{
		Slug: f.Typed("slug"), Kind: f.Typed("kind"), Name: f.Typed("name"),
		URL: strings.TrimSpace(v.r.PostForm.Get("url")), NewKey: v.r.PostForm.Get("key") == "new",
	}
	for _, text := range v.r.PostForm["members"] {
		id, err := uuid.Parse(text)
		if err != nil {
			return f, e, store.ErrNotFound
		}
		e.Members = append(e.Members, id)
	}
	return f, e, nil
}

// refuseChannel marks the field that the store's refusal names first. It returns the text of a refusal that
// is not about a field.
func refuseChannel(f *form, refusal *message.Refusal) (problem string) {
	text := refusal.Error()
	named, _, _ := strings.Cut(text, " ")
	if named == "channel" { // channel slug "x" is already taken
		named = "slug"
	}
	if !slices.Contains([]string{"slug", "name", "url", "members"}, named) {
		return text
	}
	f.refuse(named, text)
	return ""
}

func (a *App) addChannel(v *visit) error {
	f, e, err := typedChannel(v)
	if err != nil {
		return err
	}
	if _, ok := channel.KindOf(e.Kind); !ok {
		return store.ErrNotFound
	}
	c, key, err := a.Store.Messages.AddChannel(v.r.Context(), *v.in, e)
	if refusal, ok := message.As(err); ok {
		problem := refuseChannel(&f, refusal)
		return a.showNewChannel(v, f, e.Members, problem)
	}
	if err != nil {
		return err
	}
	if key != "" {
		return a.showChannel(v, c, nil, nil, key, "")
	}
	return a.redirect(v, channelsURL(v)+"/"+c.Slug, v.Text("The channel is added. Test it."))
}

// channelIn returns the channel in the address.
func (a *App) channelIn(v *visit) (store.Channel, error) {
	return a.Store.Messages.Channel(v.r.Context(), *v.in, v.param("channel"))
}

func (a *App) channel(v *visit) error {
	c, err := a.channelIn(v)
	if err != nil {
		return err
	}
	return a.showChannel(v, c, nil, nil, "", "")
}

// showChannel shows a channel and its form, with the stored or, after a refusal, the typed values. key is
// the new key of a webhook, or "".
func (a *App) showChannel(v *visit, c store.Channel, typed *form, members []uuid.UUID, key, problem string) error {
	page := channelPage{
		channelRow: a.channelRowOf(c), Owner: v.in.Role() == store.RoleOwner, Mail: a.Mail, Base: channelsURL(v) + "/" + c.Slug, Key: key,
		Form: filled("kind", c.Kind, "slug", c.Slug, "name", c.Name),
	}
	if typed == nil {
		members = c.Members
	} else {
		page.Form = *typed
	}
	if page.Owner {
		var err error
		if page.People, err = a.channelPeople(v, c.Kind, members); err != nil {
			return err
		}
		var all int
		if page.Uses, all, err = a.Store.Messages.ChannelUses(v.r.Context(), *v.in, c.Slug, channelUses); err != nil {
			return err
		}
		page.More = all - len(page.Uses)
	}
	return a.renderForm(v, page.Form, screen{name: "channel", title: c.Name, tab: tabChannels, narrow: true, err: problem, data: page})
}

func (a *App) updateChannel(v *visit) error {
	before, err := a.channelIn(v)
	if err != nil {
		return err
	}
	f, e, err := typedChannel(v)
	if err != nil {
		return err
	}
	c, key, err := a.Store.Messages.UpdateChannel(v.r.Context(), *v.in, before.Slug, e)
	if refusal, ok := message.As(err); ok {
		f.typed["kind"], f.typed["slug"] = before.Kind, before.Slug
		problem := refuseChannel(&f, refusal)
		return a.showChannel(v, before, &f, e.Members, "", problem)
	}
	if err != nil {
		return err
	}
	if key != "" {
		return a.showChannel(v, c, nil, nil, key, "")
	}
	return a.redirect(v, channelsURL(v)+"/"+c.Slug, v.Text("The channel is saved."))
}

// testChannel sends a test message and shows the result.
func (a *App) testChannel(v *visit) error {
	c, err := a.channelIn(v)
	if err != nil {
		return err
	}
	if ok, _ := a.Store.Rates.Allow(v.r.Context(), store.RateChannelTest, v.in.WorkspaceID().String()); !ok {
		return a.redirect(v, channelsURL(v)+"/"+c.Slug, v.Text("Channels of this workspace were tested very often. Wait a minute."))
	}
	reason, err := a.TestChannel(v.r.Context(), *v.in, c.Slug)
	if err != nil {
		return err
	}
	said := v.Text("The test has arrived.")
	switch {
	case reason != "":
		said = v.Text("The test did not arrive. The reason is below.")
	case c.Kind == channel.Mail:
		said = v.Text("The test was sent only to you. The mail server has accepted it.")
	}
	return a.redirect(v, channelsURL(v)+"/"+c.Slug, said)
}

// channelMutes are the lengths of time for which a channel can be muted.
var channelMutes = map[string]time.Duration{"1h": time.Hour, "1d": 24 * time.Hour, "1w": 7 * 24 * time.Hour, "off": 0}

func (a *App) muteChannel(v *visit) error {
	c, err := a.channelIn(v)
	if err != nil {
		return err
	}
	period, ok := channelMutes[v.r.PostForm.Get("for")]
	if !ok {
		return store.ErrNotFound
	}
	var until time.Time
	said := v.Text("Alerts are sent to the channel again.")
	if period > 0 {
		until = a.Now().Add(period)
		said = v.Text("The channel is muted: alerts are not sent to it.")
	}
	if err := a.Store.Messages.MuteChannel(v.r.Context(), *v.in, c.Slug, until); err != nil {
		return err
	}
	return a.redirect(v, channelsURL(v)+"/"+c.Slug, said)
}

func (a *App) deleteChannel(v *visit) error {
	c, err := a.channelIn(v)
	if err != nil {
		return err
	}
	if err := a.Store.Messages.DeleteChannel(v.r.Context(), *v.in, c.Slug); err != nil {
		return err
	}
	return a.redirect(v, channelsURL(v), v.Text("The channel %s is deleted.", c.Name))
}

// leavePage asks the recipient of a mail whether to leave the channel.
type leavePage struct {
	store.Leaving
	Token string
	Done  bool
}

// leaveChannel asks for confirmation on a GET, because mail scanners follow links. The page's button sends
// a POST to the same address, and so do mail programs (RFC 8058).
func (a *App) leaveChannel(v *visit) error {
	return a.leaving(v, func(context.Context, store.Leaving) error { return nil }, false)
}

func (a *App) leaveChannelNow(v *visit) error { return a.leaving(v, a.Store.Messages.Leave, true) }

func (a *App) leaving(v *visit, act func(context.Context, store.Leaving) error, done bool) error {
	token := v.r.FormValue("token")
	l, err := a.Store.Messages.Leaving(v.r.Context(), token)
	if err == nil {
		err = act(v.r.Context(), l)
	}
	if errors.Is(err, store.ErrNotFound) {
		return a.render(v, http.StatusNotFound, screen{
			name: "problem", title: v.Text("This link no longer works"), narrow: true,
			data: problem{Text: v.Text("You are no longer in the channel, or the link is incomplete. You receive no more e-mails from it.")},
		})
	}
	if err != nil {
		return err
	}
	return a.render(v, http.StatusOK, screen{
		name: "leave", title: v.Text("Unsubscribe"), narrow: true, bare: true, data: leavePage{l, token, done},
	})
}
