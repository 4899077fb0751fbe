package notify_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"net/http/httptest"
	netmail "net/mail"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/server/jobs"
	"service/server/notify"
	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/storetest"
	"service/store/view"
)

// A post is a workspace whose dashboards are sent into a folder of mails.
type post struct {
	*store.Store
	pool   *pgxpool.Pool
	views  *view.Renderer
	notify *notify.Notifier
	owner  store.Member
	mails  string
	now    atomic.Int64
	ended  chan string // outcomes of attempts
}

func newPost(t testing.TB) *post {
	t.Helper()
	p := &post{mails: t.TempDir(), ended: make(chan string, 4000)}
	p.at(t, "2026-11-23T06:00:00Z")
	now := func() time.Time { return time.UnixMicro(p.now.Load()) }
	p.Store, p.pool = storetest.New(t, func(o *store.Options) { o.Now = now; o.DefaultPlan = "paid" })
	address := func(workspace, slug string) string { return "https://" + workspace + ".d.example/" + slug }
	p.views = view.New(view.Config{Store: p.Store, Now: now, URL: address})
	p.notify = notify.New(notify.Config{
		Store: p.Store, Views: p.views, Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
		Mail:         notify.NewMailbox(p.mails, &netmail.Address{Name: "Dashboards", Address: "service@d.example"}),
		AllowPrivate: true, URL: address, AppURL: "https://app.d.example", Now: now,
		Ended: func(_, outcome string) { p.ended <- outcome },
	})
	t.Cleanup(p.notify.Close)
	p.owner = p.member(t, "ada@example.com")
	return p
}

func (p *post) at(t testing.TB, text string) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	p.now.Store(at.UnixMicro())
}

// member is a member of the workspace; the first is its owner.
func (p *post) member(t testing.TB, email string) store.Member {
	t.Helper()
	a, err := p.Accounts.EnsureAccount(t.Context(), store.Identity{Issuer: "https://id.example", Subject: email, Email: email, Verified: true})
	if err != nil {
		t.Fatal(err)
	}
	if p.owner == (store.Member{}) {
		m, err := p.Workspaces.CreateWorkspace(t.Context(), a.ID, "acme", "Acme")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if _, err := p.Members.AddMember(t.Context(), uuid.Nil, "acme", email, store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	m, err := p.Members.Member(t.Context(), a.ID, "acme")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// spec is that of the dashboard that is sent.
func spec(title, locale, filters string) string {
	return fmt.Sprintf(`{"version": 1, "title": "%s", "timezone": "Europe/Berlin", "locale": "%s", "currency": "EUR",
		"datasets": [{"id": "orders", "sql": "SELECT day, country, amount FROM orders",
			"columns": {"amount": {"label": "Revenue", "format": "currency", "agg": "sum", "good": "up"}}}],
		"filters": [%s],
		"panels": [{"type": "kpi", "title": "Revenue", "value": "amount"},
			{"type": "line", "title": "Per day", "x": "day", "y": "amount"},
			{"type": "bar", "title": "By country", "x": "country", "y": "amount"},
			{"type": "table", "title": "Orders", "columns": ["day", "country", "amount"]}]}`, title, locale, filters)
}

// publish publishes a dashboard and refreshes it.
func (p *post) publish(t testing.TB, slug, text string) {
	t.Helper()
	s, err := dashboard.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	published, err := p.Dashboards.Publish(t.Context(), p.owner, store.Publication{
		Slug: slug, Filename: dashboard.DefaultFile, Name: &s.Title, DefaultChart: "line", Spec: s, ContentType: "application/json",
		Content: []byte(text), Definitions: map[string][]byte{"orders": s.Datasets[0].Definition(s)}, Panels: len(s.Panels),
	})
	if err != nil {
		t.Fatal(err)
	}
	p.finish(t, published.Run.ID, s, 20)
}

// refresh refreshes a dashboard, with rows of some days; without days, the refresh fails.
func (p *post) refresh(t testing.TB, slug, text string, days int) {
	t.Helper()
	s, err := dashboard.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	trigger, err := p.Refreshes.TriggerRefresh(t.Context(), p.owner, slug)
	if err != nil {
		t.Fatal(err)
	}
	p.finish(t, trigger.Run.ID, s, days)
}

func (p *post) finish(t testing.TB, run uuid.UUID, s *dashboard.Spec, days int) {
	t.Helper()
	j, err := p.Refreshes.StartRun(t.Context(), store.RefreshArgs{Workspace: p.owner.WorkspaceID(), Run: run}, 10)
	if err != nil {
		t.Fatal(err)
	}
	b := cube.NewBuilder([]cube.Column{
		{Name: "day", Type: cube.Date}, {Name: "country", Type: cube.Text}, {Name: "amount", Type: cube.Integer},
	})
	for i := range days {
		for k, country := range []string{"France", "Germany", "<Italy>"} {
			if err := b.Add([]any{time.Date(2026, 11, 1+i%22, 0, 0, 0, 0, time.UTC), country, int64(1000 + 100*k + i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	d := store.DatasetResult{
		RunDataset: store.RunDataset{ID: "orders", State: store.RunSucceeded, Rows: 3 * days},
		Definition: s.Datasets[0].Definition(s), Cube: b.Cube(),
	}
	o := store.Outcome{Datasets: []store.DatasetResult{d}}
	if days == 0 {
		o.Error, o.Datasets[0].Cube, o.Datasets[0].State, o.Datasets[0].Error = "no", nil, store.RunFailed, "The source did not answer."
	}
	if _, err := p.Refreshes.FinishRun(t.Context(), j, o); err != nil {
		t.Fatal(err)
	}
}

// send performs queued messages, as workers do, until n attempts have ended.
func (p *post) send(t testing.TB, n int) (outcomes []string) {
	t.Helper()
	return p.sendBy(t, notify.Workers, n)
}

// sendBy is send by so many workers.
func (p *post) sendBy(t testing.TB, workers, n int) (outcomes []string) {
	t.Helper()
	crew := jobs.NewCrew(slog.New(slog.DiscardHandler), jobs.Queue{Name: store.SendQueue, Workers: workers, Claim: p.notify.Claim})
	crew.Start(t.Context())
	for range n {
		select {
		case outcome := <-p.ended:
			outcomes = append(outcomes, outcome)
		case <-time.After(2 * time.Minute):
			t.Fatalf("%d of %d messages in two minutes", len(outcomes), n)
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 20*time.Second)
	defer cancel()
	if err := crew.Stop(ctx, time.Second); err != nil {
		t.Fatal(err)
	}
	return outcomes
}

// deliver queues the deliveries that are due.
func (p *post) deliver(t testing.TB, want int) {
	t.Helper()
	n, err := p.Messages.Deliver(t.Context())
	if err != nil || n != want {
		t.Fatalf("%d messages, want %d: %v", n, want, err)
	}
}

// A letter is a mail as a program reads it.
type letter struct {
	netmail.Header
	text, html string
	files      map[string][]byte // by their names, and the picture by its id
}

// letters are the mails by recipient.
func (p *post) letters(t testing.TB) map[string]letter {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(p.mails, "*.eml"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]letter{}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := netmail.ReadMessage(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		l := letter{Header: m.Header, files: map[string][]byte{}}
		l.read(t, m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), "", m.Body)
		to, err := m.Header.AddressList("To")
		if err != nil || len(to) != 1 {
			t.Fatal(to, err)
		}
		out[to[0].Address] = l
	}
	return out
}

func (l *letter) read(t testing.TB, contentType, encoding, name string, body io.Reader) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(kind, "multipart/") {
		parts := multipart.NewReader(body, params["boundary"])
		for {
			part, err := parts.NextRawPart()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			name := strings.Trim(part.Header.Get("Content-Id"), "<>")
			if name == "" {
				name = part.FileName()
			}
			l.read(t, part.Header.Get("Content-Type"), part.Header.Get("Content-Transfer-Encoding"), name, part)
		}
	}
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body) // which skips line breaks
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case name != "":
		l.files[name] = text
	case kind == "text/html":
		l.html = string(text)
	default:
		l.text = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
}

var weekly = dashboard.Rhythm{Every: dashboard.EveryWeek, Day: 1, Minute: 8 * 60}

// A member gets the numbers as text, a picture, the files they asked for and a link with their filters, in
// the dashboard's language; and one click ends it.
func TestDelivery(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	text := spec("Sales", "de-DE", `{"column": "country", "label": "Land"}, {"column": "day"}`)
	p.publish(t, "sales", text)
	bo := p.member(t, "bo@example.com")
	if err := p.Messages.Subscribe(t.Context(), bo, "sales", store.Wish{
		Rhythm: weekly, Query: url.Values{"f.country": {"France", "<Italy>"}}, Attach: "xlsx",
	}); err != nil {
		t.Fatal(err)
	}
	if err := p.Messages.Subscribe(t.Context(), p.owner, "sales", store.Wish{Rhythm: weekly, Attach: "csv"}); err != nil {
		t.Fatal(err)
	}
	p.at(t, "2026-11-23T07:00:02Z")
	p.deliver(t, 2)
	if got := p.send(t, 2); !slices.Equal(got, []string{"sent", "sent"}) {
		t.Fatal(got)
	}
	all := p.letters(t)
	mail := all["bo@example.com"]
	for _, want := range []string{
		"Sales", "Datenstand: 23. Nov. 2026, 07:00 CET", "Land: <Italy>, France", "Revenue: 44.380\u00a0€", "By country", "<Italy>",
		"https://acme.d.example/sales?f.country=France&f.country=%3CItaly%3E", "https://app.d.example/unsubscribe?token=", "Abbestellen",
	} {
		if !strings.Contains(mail.text, want) {
			t.Errorf("the text lacks %q:\n%s", want, mail.text)
		}
	}
	if strings.Contains(mail.html, "<Italy>") || !strings.Contains(mail.html, "&lt;Italy&gt;") ||
		!strings.Contains(mail.html, `src="cid:page@dashboard"`) {
		t.Errorf("the HTML is not as it should be:\n%s", mail.html)
	}
	if !bytes.HasPrefix(mail.files["page@dashboard"], []byte("\x89PNG\r\n")) || !bytes.HasPrefix(mail.files["sales.xlsx"], []byte("PK")) ||
		len(mail.files) != 2 {
		t.Errorf("files %v", len(mail.files))
	}
	if mail.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" ||
		mail.Get("Message-Id") == all["ada@example.com"].Get("Message-Id") {
		t.Errorf("%v", mail.Header)
	}
	if csv := all["ada@example.com"].files["sales-3.csv"]; !bytes.HasPrefix(csv, []byte("Day,Country,Revenue\n")) ||
		bytes.Count(csv, []byte("\n")) != 61 {
		t.Errorf("%s", csv)
	}
	if strings.Contains(all["ada@example.com"].text, "Late") || mail.text == all["ada@example.com"].text {
		t.Error("two people with other filters get the same")
	}
	link, _, _ := strings.Cut(strings.TrimPrefix(mail.Get("List-Unsubscribe"), "<"), ">")
	at, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Messages.Unsubscribe(t.Context(), at.Query().Get("token")); err != nil {
		t.Fatal(err)
	}
	d, err := p.Dashboards.Dashboard(t.Context(), bo, "sales")
	if err != nil {
		t.Fatal(err)
	}
	if left, err := p.Messages.Subscriptions(t.Context(), bo, d); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	if left, err := p.Messages.Subscriptions(t.Context(), p.owner, d); err != nil || len(left) != 1 {
		t.Error(left, err)
	}
}

// A delivery that waited states that it is late, and names the filters that the dashboard no longer has.
func TestDeliveryLate(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	text := spec("Sales", "en-US", `{"column": "country"}`)
	p.publish(t, "sales", text)
	if err := p.Messages.Subscribe(t.Context(), p.owner, "sales",
		store.Wish{Rhythm: weekly, Query: url.Values{"f.country": {"France"}}}); err != nil {
		t.Fatal(err)
	}
	p.at(t, "2026-11-23T06:30:00Z")
	p.refresh(t, "sales", text, 0)
	p.at(t, "2026-11-23T07:00:02Z")
	p.deliver(t, 0)
	p.at(t, "2026-11-23T12:00:00Z")
	other := spec("Sales", "en-US", `{"column": "day"}`)
	p.publish(t, "sales", other)
	p.deliver(t, 1)
	p.send(t, 1)
	mail := p.letters(t)["ada@example.com"]
	for _, want := range []string{
		"This comes late: it waited for a refresh that succeeded.", "These filters no longer exist and were ignored: Country.",
	} {
		if !strings.Contains(mail.text, want) || !strings.Contains(mail.html, want) {
			t.Errorf("the mail lacks %q:\n%s", want, mail.text)
		}
	}
	if strings.Contains(mail.text, "Country: France") {
		t.Errorf("it says a filter that there is not:\n%s", mail.text)
	}
}

// Changes between queueing and sending: a former member gets nothing, a new version is waited for, and a renamed dashboard is sent under
// its new name.
func TestDeliveryMeanwhile(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	text := spec("Sales", "en-US", `{"column": "country"}`)
	p.publish(t, "sales", text)
	bo := p.member(t, "bo@example.com")
	for _, m := range []store.Member{p.owner, bo} {
		if err := p.Messages.Subscribe(t.Context(), m, "sales", store.Wish{Rhythm: weekly}); err != nil {
			t.Fatal(err)
		}
	}
	p.at(t, "2026-11-23T07:00:02Z")
	p.deliver(t, 2)
	if err := p.Members.EndMembership(t.Context(), p.owner, bo.Account()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Dashboards.UpdateDashboard(t.Context(), p.owner, "sales", store.Update{NewSlug: new("takings")}); err != nil {
		t.Fatal(err)
	}
	again := spec("Takings", "en-US", "")
	again = strings.Replace(again, "FROM orders", "FROM orders o", 1) // other rows
	s, err := dashboard.Parse([]byte(again))
	if err != nil {
		t.Fatal(err)
	}
	published, err := p.Dashboards.Publish(t.Context(), p.owner, store.Publication{
		Slug: "takings", Filename: dashboard.DefaultFile, Name: &s.Title, Spec: s, ContentType: "application/json",
		Content:     []byte(again),
		Definitions: map[string][]byte{"orders": s.Datasets[0].Definition(s)}, Panels: len(s.Panels), DefaultChart: "x", DefaultName: "x",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.send(t, 1); !slices.Equal(got, []string{"waits"}) {
		t.Fatal(got)
	}
	if got := p.letters(t); len(got) > 0 {
		t.Fatalf("%d mails of a version without rows", len(got))
	}
	p.finish(t, published.Run.ID, s, 5)
	if _, err := p.pool.Exec(t.Context(), `
		UPDATE message SET due_at = queued_at WHERE state = 'queued'`); err != nil {
		t.Fatal(err)
	}
	if got := p.send(t, 1); !slices.Equal(got, []string{"sent"}) {
		t.Fatal(got)
	}
	all := p.letters(t)
	if len(all) != 1 || !strings.Contains(all["ada@example.com"].text, "https://acme.d.example/takings") {
		t.Errorf("%v", all)
	}
}

// A page without room for all of its rows is sent with those that it has.
func TestDeliveryOfAPart(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.views.Memory = 1 // the rows of the last refresh are read all the same
	text := spec("Sales", "en-US", "")
	text = strings.Replace(text, `"datasets": [`, `"datasets": [{"id": "former", "sql": "SELECT day, country, amount FROM former"}, `, 1)
	text = strings.ReplaceAll(text, `{"type": `, `{"data": "orders", "type": `)
	text = strings.Replace(text, `"panels": [`, `"panels": [{"type": "table", "title": "Former orders", "data": "former"}, `, 1)
	s, err := dashboard.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(s.Datasets) // the bench refreshes the first
	published, err := p.Dashboards.Publish(t.Context(), p.owner, store.Publication{
		Slug: "sales", Filename: dashboard.DefaultFile, Name: &s.Title, DefaultChart: "line", Spec: s,
		ContentType: "application/json", Content: []byte(text), Panels: len(s.Panels),
		Definitions: map[string][]byte{"orders": s.Datasets[0].Definition(s), "former": s.Datasets[1].Definition(s)},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.finish(t, published.Run.ID, s, 2000)
	if _, err := p.pool.Exec(t.Context(), `
		INSERT INTO dataset (workspace_id, version_id, dataset, definition, sha256, columns, row_count, truncated, refreshed_at)
		SELECT workspace_id, version_id, 'former', definition, sha256, columns, row_count, truncated, refreshed_at - interval '1 day'
		  FROM dataset`); err != nil {
		t.Fatal(err)
	}
	if err := p.Messages.Subscribe(t.Context(), p.owner, "sales", store.Wish{Rhythm: weekly}); err != nil {
		t.Fatal(err)
	}
	p.at(t, "2026-11-23T07:00:02Z")
	p.deliver(t, 1)
	if got := p.send(t, 1); !slices.Equal(got, []string{"sent"}) {
		t.Fatal(got)
	}
	mail := p.letters(t)["ada@example.com"].text
	for _, want := range []string{"Revenue", "Former orders", "Not drawn: there is too much data on this page."} {
		if !strings.Contains(mail, want) {
			t.Errorf("the mail lacks %s:\n%s", want, mail)
		}
	}
}

// A mail whose file is too large to be made is sent without it, and states that.
func TestDeliveryWithoutItsFile(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	text := spec("Sales", "en-US", "")
	p.publish(t, "sales", text)
	p.refresh(t, "sales", text, 60_000) // three rows each, of three columns
	if err := p.Messages.Subscribe(t.Context(), p.owner, "sales", store.Wish{Rhythm: weekly, Attach: "xlsx"}); err != nil {
		t.Fatal(err)
	}
	p.at(t, "2026-11-23T07:00:02Z")
	p.deliver(t, 1)
	if got := p.send(t, 1); !slices.Equal(got, []string{"sent"}) {
		t.Fatal(got)
	}
	mail := p.letters(t)["ada@example.com"]
	if len(mail.files) != 1 || !strings.Contains(mail.text, "1 file is too large to be attached: the page has it.") {
		t.Errorf("%d files, the picture among them:\n%s", len(mail.files), mail.text)
	}
}

// A channel gets the same in its own form, without files; a webhook gets it for machines.
func TestDeliveryToChannels(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	text := spec("Sales", "en-US", `{"column": "country"}`)
	p.publish(t, "sales", text)
	got := make(chan []byte, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- body
	}))
	t.Cleanup(hook.Close)
	c, _, err := p.Messages.AddChannel(t.Context(), p.owner, store.ChannelEdit{Slug: "hook", Name: "Hook", Kind: "webhook", URL: hook.URL})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Messages.Subscribe(t.Context(), p.owner, "sales", store.Wish{Rhythm: weekly, Channel: c.ID, Attach: "csv"}); err != nil {
		t.Fatal(err)
	}
	p.at(t, "2026-11-23T07:00:02Z")
	p.deliver(t, 1)
	if outcome := p.send(t, 1); !slices.Equal(outcome, []string{"sent"}) {
		t.Fatal(outcome)
	}
	var event struct {
		Type string
		Data struct {
			Workspace string
			Dashboard struct{ Slug, Name, URL string }
			Due       time.Time
			Numbers   []struct{ Name, Value string }
			Panels    []struct {
				Title string
				Lines []string
			}
		}
	}
	if err := json.Unmarshal(<-got, &event); err != nil {
		t.Fatal(err)
	}
	if d := event.Data; event.Type != "delivery" || d.Workspace != "acme" || d.Dashboard.URL != "https://acme.d.example/sales" ||
		!d.Due.Equal(time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC)) || len(d.Numbers) != 1 || len(d.Panels) != 3 || len(d.Panels[2].Lines) != 6 {
		t.Errorf("%+v", event)
	}
}

// BenchmarkThousand sends 1,000 mails that are due in one minute: 25 dashboards, 40 members each, half of them with filters.
func BenchmarkThousand(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		p := newPost(b)
		members := make([]store.Member, 40)
		for i := range members {
			members[i] = p.member(b, fmt.Sprintf("m%d@example.com", i))
		}
		for i := range 25 {
			slug := fmt.Sprintf("sales-%d", i)
			p.publish(b, slug, spec(slug, "en-US", `{"column": "country"}`))
			for k, m := range members {
				w := store.Wish{Rhythm: weekly}
				if k%2 == 0 {
					w.Query = url.Values{"f.country": {"France"}}
				}
				if err := p.Messages.Subscribe(b.Context(), m, slug, w); err != nil {
					b.Fatal(err)
				}
			}
		}
		p.at(b, "2026-11-23T07:00:02Z")
		b.StartTimer()
		p.deliver(b, 1000)
		p.send(b, 1000)
	}
}

// A delivery with a PDF has the page of its recipient: each with the rows that the recipient may see, with the filters of the subscription,
// and only in mails.
func TestDeliveryOfADocument(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	bo, cy := p.member(t, "bo@example.com"), p.member(t, "cy@example.com")
	for m, country := range map[store.Member]string{bo: "France", cy: "Germany"} {
		if err := p.Members.SetAttribute(t.Context(), p.owner, m.Account(), "country", []string{country}); err != nil {
			t.Fatal(err)
		}
	}
	text := strings.TrimSuffix(spec("Sales", "en-US", `{"column": "country"}`), "}") +
		`, "access": [{"column": "country", "is": "member.country"}]}`
	p.publish(t, "sales", text)
	for _, m := range []store.Member{bo, cy, p.owner} {
		if err := p.Messages.Subscribe(t.Context(), m, "sales", store.Wish{Rhythm: weekly, Attach: "pdf"}); err != nil {
			t.Fatal(err)
		}
	}
	p.at(t, "2026-11-23T07:00:02Z")
	p.deliver(t, 3)
	// One after the other: two documents are drawn at once, and on a busy machine the third message would wait for its turn.
	if got := p.sendBy(t, 1, 3); !slices.Equal(got, []string{"sent", "sent", "sent"}) {
		t.Fatal(got)
	}
	for to, may := range map[string][]string{
		"bo@example.com": {"France"}, "cy@example.com": {"Germany"}, "ada@example.com": {"France", "Germany", "Italy"},
	} {
		letter := p.letters(t)[to]
		pdf := letter.files["sales.pdf"]
		if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(letter.files) > 2 {
			t.Errorf("%s: %d files, a PDF of %d bytes", to, len(letter.files), len(pdf))
			continue
		}
		words := wordsOfPDF(t, pdf)
		for _, country := range []string{"France", "Germany", "Italy"} {
			if strings.Contains(words, country) != slices.Contains(may, country) {
				t.Errorf("%s: the PDF has %s: %t\n%s", to, country, strings.Contains(words, country), words)
			}
		}
	}
}

// wordsOfPDF returns the text of a document.
func wordsOfPDF(t *testing.T, pdf []byte) string {
	t.Helper()
	if _, err := exec.LookPath("pdftotext"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no pdftotext: install poppler-utils")
		}
		t.Skip("there is no pdftotext: install poppler-utils")
	}
	cmd := exec.CommandContext(t.Context(), "pdftotext", "-layout", "-", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
