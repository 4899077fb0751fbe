package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/channel"
	"service/store/dashboard"
	"service/store/message"
	"service/store/view"
)

const (
	// lateAfter is how long after the due time the data must have been refreshed for the message to mention that the delivery is late.
	lateAfter = 30 * time.Minute

	// maxAttached is how many bytes of files a mail has. Servers refuse mails of about 25 MB, and files grow
	// by a third on their way.
	maxAttached = 8 << 20
)

// A delivery is a [store.Delivery] in the form of webhooks.
type delivery struct {
	Workspace string         `json:"workspace"`
	Dashboard dashboardData  `json:"dashboard"`
	Due       time.Time      `json:"due"`
	AsOf      time.Time      `json:"as_of"`
	Numbers   []numberData   `json:"numbers,omitempty"`
	Panels    []deliveryPart `json:"panels,omitempty"`
}

type numberData struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Change string `json:"change,omitempty"`
}

type deliveryPart struct {
	Title string   `json:"title"`
	Lines []string `json:"lines"`
}

// noRows is for a version that has been published since the message was queued, and has not been refreshed.
const noRows = "The dashboard was published again and has no rows yet."

// composeDelivery composes the delivery of a dashboard to a recipient who may open it now: the store checked that when the message was
// claimed. A drawing for several recipients is made once.
func (n *Notifier) composeDelivery(ctx context.Context, m store.OutMessage) (*channel.Content, error) {
	var d store.Delivery
	if err := json.Unmarshal(m.Body, &d); err != nil {
		return nil, fmt.Errorf("delivery: %w", err)
	}
	board, err := n.cfg.Store.Dashboards.Dashboard(ctx, m.Member, m.Dashboard.Slug)
	if errors.Is(err, store.ErrNotFound) { // it was just renamed, and another dashboard has the former name now
		return nil, &refusal{reason: "The dashboard is no longer there."}
	}
	if err != nil {
		return nil, err
	}
	if !board.Refreshable() {
		return nil, message.Refuse("A document was published in place of the dashboard.")
	}
	mail := !m.Posted()
	if !mail { // the readers of the channel are unknown, so it gets the rows that the spec names for it
		m.Member = m.Member.ForChannel(m.Channel.Slug)
	}
	cut := m.Member.Cut(board)
	if !mail && slices.ContainsFunc(cut.Rules, func(r store.CutRule) bool { return len(r.Values) == 0 }) {
		return nil, message.Refuse(`The dashboard decides by "access" who sees which rows, and names no rows for the channel "%s".`,
			m.Channel.Slug)
	}
	key := strings.Join([]string{
		m.Workspace.String(), board.VersionID.String(), board.RowsTag, d.Query, d.Attach, fmt.Sprint(mail, m.Member.Edits()), cut.Key(),
		board.Slug, board.Name, n.cfg.Now().Truncate(15 * time.Minute).String(),
	}, "\x00")
	c, asOf, err := n.drawn.get(ctx, key, func() (*channel.Content, time.Time, error) { return n.drawDelivery(ctx, m, board, d, mail) })
	if err != nil {
		return nil, err
	}
	own := *c
	l := own.Lang()
	if asOf.Sub(d.Due) >= lateAfter {
		own.Late = channel.JoinLines(l.Text("This comes late: it waited for a refresh that succeeded."), own.Late)
	}
	data := own.Data.(delivery)
	data.Due = d.Due.UTC()
	own.Data = data
	if m.Channel != nil {
		n.because(m, "", &own) // of a channel
		return &own, nil
	}
	own.Why = l.Text("You get this because you asked to be sent this dashboard.")
	own.Unsubscribe = n.cfg.AppURL + "/unsubscribe?token=" + n.cfg.Store.Messages.UnsubscribeToken(m.Workspace, d.Subscription, uuid.Nil)
	return &own, nil
}

// drawDelivery draws a dashboard for all recipients with the same filters.
func (n *Notifier) drawDelivery(
	ctx context.Context, m store.OutMessage, board store.Dashboard, d store.Delivery, mail bool,
) (*channel.Content, time.Time, error) {
	query, err := url.ParseQuery(d.Query)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("filters of a subscription: %w", err)
	}
	v, err := n.cfg.Views.View(ctx, m.Member, board, uuid.Nil, query)
	if err != nil {
		return nil, time.Time{}, err
	}
	for _, set := range v.Spec.Datasets {
		if v.Cubes[set.ID] == nil && !v.LeftOut[set.ID] { // a dataset that is left out has rows, and its panels show that
			return nil, time.Time{}, &refusal{reason: noRows}
		}
	}
	page := v.Digest()
	l, link := page.Locale, n.link(m, d.Query, 0)
	c := &channel.Content{
		Locale: l, Subject: page.Name, Title: page.Name, From: m.Member.WorkspaceName(), Link: link, Type: "delivery",
		Said: strings.Join(append([]string{page.AsOf}, channel.TameLines(page.Filters)...), " · "),
	}
	c.Said = channel.JoinLines(append([]string{c.Said}, channel.TameLines(page.Notes)...)...)
	if page.Failing { // since it was queued
		c.Late = l.Text("The last refresh failed.") + " " + l.Text("This is the data of the last successful refresh.")
	}
	if len(page.Ignored) > 0 {
		gone := strings.Join(channel.TameLines(page.Ignored), ", ")
		c.Late = channel.JoinLines(c.Late, l.Text("These filters no longer exist and were ignored: %s.", gone))
	}
	data := delivery{
		Workspace: m.Member.Workspace(), Dashboard: dashboardData{board.Slug, board.Name, link}, AsOf: v.Header.AsOf.UTC(),
	}
	var names []string
	for _, number := range page.Numbers {
		tone := map[string]channel.Tone{"good": channel.Good, "bad": channel.Warning}[number.Tone]
		c.Numbers = append(c.Numbers, channel.Number{Name: number.Title, Value: number.Value, Change: number.Change, Tone: tone})
		data.Numbers = append(data.Numbers, numberData{number.Title, number.Value, number.Change})
		names = append(names, number.Title+" "+number.Value)
	}
	for _, panel := range page.Panels {
		c.Sections = append(c.Sections, channel.Section{Title: panel.Title, Lines: panel.Lines})
		data.Panels = append(data.Panels, deliveryPart{panel.Title, panel.Lines})
	}
	c.Data = data
	if !mail {
		return c, v.Header.AsOf, nil
	}
	n.illustrate(ctx, m, board, query, c, names)
	if d.Attach == dashboard.AttachPDF {
		return c, v.Header.AsOf, n.attachPage(ctx, m, board, query, c)
	}
	return c, v.Header.AsOf, n.attach(ctx, v, board.Slug, d.Attach, c)
}

// illustrate adds a picture of the page. It is optional in a mail, so a mail does not wait for one.
func (n *Notifier) illustrate(
	ctx context.Context, m store.OutMessage, board store.Dashboard, query url.Values, c *channel.Content, names []string,
) {
	p, err := n.cfg.Views.Picture(ctx, m.Member, board, query, view.Picture{Format: "png", Width: view.MailWidth})
	if err != nil {
		n.cfg.Log.WarnContext(ctx, "a mail goes without its picture", "message", m.ID, "err", err)
		return
	}
	c.Picture = &channel.Picture{PNG: p.Body, Alt: strings.Join(append([]string{c.Title}, names...), ", "), Width: view.MailWidth}
}

// attach adds the panels as files, as far as they fit into a mail.
func (n *Notifier) attach(ctx context.Context, v view.View, slug, format string, c *channel.Content) error {
	if format == "" {
		return nil
	}
	files, left, err := v.Files(ctx, format, slug, maxAttached)
	if err != nil {
		return err
	}
	for _, f := range files {
		c.Attached = append(c.Attached, channel.Attachment{Name: f.Name, Type: f.ContentType, Data: f.Body})
	}
	tooLarge(c, left)
	return nil
}

// attachPage adds the page as a PDF, as the recipient may see it. A page that is too large for a mail, or that cannot be drawn in time, is
// noted instead. While many pictures are drawn, the message waits.
func (n *Notifier) attachPage(
	ctx context.Context, m store.OutMessage, board store.Dashboard, query url.Values, c *channel.Content,
) error {
	p, err := n.cfg.Views.Picture(ctx, m.Member, board, query, view.Picture{Format: dashboard.AttachPDF})
	switch {
	case errors.Is(err, view.ErrBusy):
		return &refusal{reason: "Too many pictures are drawn at present."}
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		n.cfg.Log.WarnContext(ctx, "a mail goes without its PDF", "message", m.ID, "err", err)
		tooLarge(c, 1)
	case len(p.Body) > maxAttached:
		tooLarge(c, 1)
	default:
		c.Attached = append(c.Attached, channel.Attachment{Name: board.Slug + ".pdf", Type: p.ContentType, Data: p.Body})
	}
	return nil
}

// tooLarge notes that files were left out of a mail.
func tooLarge(c *channel.Content, files int) {
	if files > 0 {
		c.Late = channel.JoinLines(c.Late, c.Lang().Count(files, "%d file is too large to be attached: the page has it.",
			"%d files are too large to be attached: the page has them."))
	}
}
