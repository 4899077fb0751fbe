package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/channel"
)

// TestChannelsAreChangedByOwners: owners change channels, members see the part that a spec may name, and the secret is shown to nobody.
func TestChannelsAreChangedByOwners(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	m := b.member(t, "bo@example.com")
	_, key, err := b.Messages.AddChannel(ctx, b.owner, store.ChannelEdit{
		Slug: "hook", Kind: channel.Webhook, Name: "Hook", URL: "https://h.example.com/x?token=1",
	})
	if err != nil || !strings.HasPrefix(key, "whsec_") {
		t.Fatal(key, err)
	}
	const no = "Only an owner of the workspace can change its channels."
	_, _, err = b.Messages.AddChannel(ctx, m, store.ChannelEdit{Slug: "mine", Kind: channel.Slack, Name: "Mine", URL: "https://h.example.com"})
	refusal(t, err, no)
	_, _, err = b.Messages.UpdateChannel(ctx, m, "hook", store.ChannelEdit{Name: "Mine", URL: "https://evil.example.com"})
	refusal(t, err, no)
	refusal(t, b.Messages.DeleteChannel(ctx, m, "hook"), no)
	_, err = b.Messages.StartTest(ctx, m, "hook")
	refusal(t, err, no)
	for _, who := range []struct {
		m    store.Member
		host string
	}{{b.owner, "h.example.com"}, {m, ""}} {
		all, err := b.Messages.Channels(ctx, who.m)
		if err != nil || len(all) != 1 || all[0].Slug != "hook" || all[0].Name != "Hook" || all[0].Kind != channel.Webhook ||
			all[0].Host != who.host {
			t.Errorf("%+v, %v", all, err)
		}
	}
	var secret []byte
	if err := b.pool.QueryRow(ctx, `SELECT secret FROM channel`).Scan(&secret); err != nil || strings.Contains(string(secret), "example") {
		t.Errorf("the secret is not sealed: %v", err)
	}
	var log string
	if err := b.pool.QueryRow(ctx, `SELECT string_agg(detail::text, ' ') FROM audit`).Scan(&log); err != nil ||
		strings.Contains(log, "token") || strings.Contains(log, key) {
		t.Errorf("the audit log has the secret: %s %v", log, err)
	}
}

// An update keeps the secret if none was typed, and returns a new key once.
func TestChannelUpdate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	_, first, err := b.Messages.AddChannel(ctx, b.owner, store.ChannelEdit{
		Slug: "hook", Kind: channel.Webhook, Name: "Hook", URL: "https://h.example.com/x",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		edit     store.ChannelEdit
		url      string
		sameKey  bool
		untested bool
	}{
		{store.ChannelEdit{Name: "Other"}, "https://h.example.com/x", true, false},
		{store.ChannelEdit{Name: "Other", URL: "https://i.example.com/y"}, "https://i.example.com/y", true, true},
		{store.ChannelEdit{Name: "Other", NewKey: true}, "https://i.example.com/y", false, true},
	} {
		out, err := b.Messages.StartTest(ctx, b.owner, "hook")
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Messages.EndMessage(ctx, out, store.MessageSent, "", 0); err != nil {
			t.Fatal(err)
		}
		c, key, err := b.Messages.UpdateChannel(ctx, b.owner, "hook", step.edit)
		if err != nil {
			t.Fatal(err)
		}
		if out, err = b.Messages.StartTest(ctx, b.owner, "hook"); err != nil {
			t.Fatal(err)
		}
		if out.Target().URL != step.url || (out.Target().Key == first) != step.sameKey || (key == "") != step.sameKey ||
			(c.TestedAt == nil) != step.untested {
			t.Errorf("%+v: leads to %s, tested %v", step.edit, out.Target().URL, c.TestedAt)
		}
	}
}

func TestChannelRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	stranger := b.account(t, "eve@example.com")
	me := []uuid.UUID{b.owner.Account()}
	const at = "https://h.example.com"
	slack := func(slug, name, url string) store.ChannelEdit {
		return store.ChannelEdit{Slug: slug, Kind: channel.Slack, Name: name, URL: url}
	}
	mail := func(url string, members ...uuid.UUID) store.ChannelEdit {
		return store.ChannelEdit{Slug: "a", Kind: channel.Mail, Name: "n", URL: url, Members: members}
	}
	for want, e := range map[string]store.ChannelEdit{
		`slug "A" must match [a-z0-9-]`:                                     slack("A", "n", at),
		`kind "sms" must be mail, slack, teams, discord or webhook`:         {Slug: "a", Kind: "sms", Name: "n"},
		"name must be a non-empty string":                                   slack("a", " ", at),
		"url must not be empty":                                             {Slug: "a", Kind: channel.Teams, Name: "n"},
		"url must begin with https://":                                      slack("a", "n", "ftp://h.example.com"),
		"url must be a complete URL, such as https://hooks.example.com/…":   slack("a", "n", "https:///x"),
		"url must not have a user or a password in front of the host":       slack("a", "n", "https://a:b@h.example.com"),
		"url must not have a part after #, which is not sent":               slack("a", "n", at+"/#x"),
		"url exceeds 2000-byte limit (got 2021)":                            slack("a", "n", at+strings.Repeat("x", 2000)),
		"a mail channel has members, and no URL":                            mail(at, me...),
		"members must not be empty: choose at least one who gets the mails": mail(""),
		"only a mail channel has members":                                   {Slug: "a", Kind: channel.Slack, Name: "n", URL: at, Members: me},
		"members must be members of the workspace":                          mail("", stranger),
		`channel slug "taken" is already taken`:                             slack("taken", "n", at),
	} {
		if strings.Contains(want, "taken") {
			b.slack(t, "taken")
		}
		_, _, err := b.Messages.AddChannel(ctx, b.owner, e)
		refusal(t, err, want)
	}
	for i := b.count(t, `SELECT count(*) FROM channel`); i < 50; i++ {
		b.slack(t, fmt.Sprint("c", i))
	}
	_, _, err := b.Messages.AddChannel(ctx, b.owner, slack("more", "n", at))
	refusal(t, err, "The workspace has 50 channels, and can have 50. Delete one first.")
	if _, err := b.Messages.Channel(ctx, b.owner, "more"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}

// A new key of the installation encrypts channels again, and a channel whose key is lost reports that.
func TestChannelSecretsAreSealedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	b.slack(t, "ops")
	n, err := b.RotateKey(ctx)
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if out, err := b.Messages.StartTest(ctx, b.owner, "ops"); err != nil || out.Target().URL == "" {
		t.Error(err)
	}
	if _, err := b.pool.Exec(ctx, `UPDATE channel SET secret = '\x01'`); err != nil {
		t.Fatal(err)
	}
	const lost = "The URL of this channel can no longer be read. Type it again."
	if c, err := b.Messages.Channel(ctx, b.owner, "ops"); err != nil || c.Error != lost {
		t.Error(c.Error, err)
	}
	_, err = b.Messages.StartTest(ctx, b.owner, "ops")
	refusal(t, err, lost)
	_, _, err = b.Messages.UpdateChannel(ctx, b.owner, "ops", store.ChannelEdit{Name: "Ops"})
	refusal(t, err, "url must be typed again: the stored one can no longer be read")
	if _, _, err = b.Messages.UpdateChannel(ctx, b.owner, "ops", store.ChannelEdit{Name: "Ops", URL: "https://h.example.com"}); err != nil {
		t.Error(err)
	}
}
