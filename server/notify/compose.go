package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"service/store"
	"service/store/channel"
	"service/store/dashboard/locale"
	"service/store/message"
)

// A notice is a [store.Notice] in the form of webhooks.
type notice struct {
	Workspace string              `json:"workspace"`
	Dashboard dashboardData       `json:"dashboard"`
	Alert     string              `json:"alert"`
	Title     string              `json:"title"`
	Severity  string              `json:"severity"`
	Event     string              `json:"event"`
	Run       string              `json:"run"`
	At        time.Time           `json:"at"`
	Sentence  string              `json:"sentence"`
	Values    []store.NoticeValue `json:"values,omitempty"`
	More      int                 `json:"more,omitempty"`
}

// dashboardData is a dashboard in the form of webhooks.
type dashboardData struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
	URL  string `json:"url"` // with the filters that the message is about
}

// composeAlert composes the message of an alert.
func (n *Notifier) composeAlert(ctx context.Context, m store.OutMessage) (*channel.Content, error) {
	var a store.Notice
	if err := json.Unmarshal(m.Body, &a); err != nil {
		return nil, fmt.Errorf("notice: %w", err)
	}
	if err := n.mayHear(ctx, m); err != nil {
		return nil, err
	}
	l := locale.For(a.Locale)
	link := n.link(m, a.Query, a.Panel)
	c := &channel.Content{
		Locale: l, Title: a.Title, Tone: toneOf(a), Said: a.Sentence, More: a.More, From: origin(m), Link: link,
		Type: "alert." + a.Event,
		Data: notice{
			Workspace: m.Member.Workspace(), Dashboard: dashboardData{m.Dashboard.Slug, m.Dashboard.Name, link},
			Alert: a.Alert, Title: a.Title, Severity: a.Severity, Event: a.Event, Run: a.Run.String(), At: a.At.UTC(),
			Sentence: a.Sentence, Values: a.Values, More: a.More,
		},
	}
	if c.Title == "" {
		c.Title = a.Alert
	}
	switch a.Event {
	case store.NoticeRecovered:
		c.Subject = l.Text("Over: %s", c.Title)
	case store.NoticeAgain:
		c.Subject = l.Text("Still: %s", c.Title)
	default:
		c.Subject = l.Text("Alert: %s", c.Title)
	}
	c.Subject += " · " + m.Dashboard.Name
	for _, v := range a.Values {
		c.Values = append(c.Values, channel.Value(v))
	}
	n.because(m, a.Alert, c)
	return c, nil
}

// mayHear refuses a recipient who may read only some of the dashboard's rows: the alert was judged over all of them.
func (n *Notifier) mayHear(ctx context.Context, m store.OutMessage) error {
	board, err := n.cfg.Store.Dashboards.Dashboard(ctx, m.Member, m.Dashboard.Slug)
	if errors.Is(err, store.ErrNotFound) {
		return &refusal{reason: "The dashboard is no longer there."}
	}
	if err != nil {
		return err
	}
	if m.Posted() {
		m.Member = m.Member.ForChannel(m.Channel.Slug)
	}
	if !m.Member.Cut(board).All {
		return message.Refuse(`The alert was judged over rows that its recipient does not get: the dashboard decides by "access" who sees which.`)
	}
	return nil
}

// toneOf returns the tone of a notice.
func toneOf(a store.Notice) channel.Tone {
	switch {
	case a.Event == store.NoticeRecovered:
		return channel.Good
	case a.Severity == "critical":
		return channel.Critical
	case a.Severity == "info":
		return channel.Neutral
	}
	return channel.Warning
}

// because writes why a recipient of mail gets an alert, and how to end these mails.
func (n *Notifier) because(m store.OutMessage, alert string, c *channel.Content) {
	l := c.Lang()
	if m.Channel == nil {
		c.Why = l.Text("You get this because you published the dashboard.")
		c.Unsubscribe = n.cfg.AppURL + "/unsubscribe?token=" + n.cfg.Store.Messages.AlertToken(m.Workspace, m.Dashboard.ID, alert, m.Recipient.ID)
		return
	}
	c.Why = l.Text("You get this because you are in the channel %s of %s.", m.Channel.Name, m.Member.WorkspaceName())
	if m.Channel.Kind == channel.Mail {
		c.Unsubscribe = n.cfg.AppURL + "/channels/leave?token=" + n.cfg.Store.Messages.LeaveToken(m)
	}
}

// composeTest composes the message that the test button of a channel sends.
func (n *Notifier) composeTest(m store.OutMessage) *channel.Content {
	l := locale.For("en")
	c := &channel.Content{
		Locale: l, Title: l.Text("Test of the channel %s", m.Channel.Name), Tone: channel.Good,
		Said:     l.Text("It works: messages of the workspace %s arrive here.", m.Member.WorkspaceName()),
		From:     m.Member.WorkspaceName(),
		Link:     n.cfg.AppURL + "/w/" + m.Member.Workspace() + "/channels/" + m.Channel.Slug,
		LinkText: l.Text("Open the channel"),
		Why:      l.Text("An owner of the workspace has pressed the button that tests the channel."),
		Type:     "test",
		Data:     map[string]string{"workspace": m.Member.Workspace(), "channel": m.Channel.Slug},
	}
	c.Subject = c.Title
	return c
}
