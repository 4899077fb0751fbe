package notify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset"
	"github.com/emersion/go-smtp"
	"github.com/google/uuid"
	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"service/store"
	"service/store/channel"
	"service/store/dashboard/locale"
)

// parts are the parts of a mail by their type, and its headers.
func parts(t *testing.T, raw []byte) (message.Header, map[string]string) {
	t.Helper()
	e, err := message.Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	if err := e.Walk(func(_ []int, p *message.Entity, err error) error {
		if err != nil {
			return err
		}
		kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
		if !strings.HasPrefix(kind, "multipart/") {
			body, err := io.ReadAll(p.Body)
			out[kind] = strings.ReplaceAll(string(body), "\r\n", "\n")
			return err
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return e.Header, out
}

// TestAlertArrivesByMail: an alert is sent from the queue to a mail server over TLS, as text and HTML and with an unsubscribe link, and no
// address is logged.
func TestAlertArrivesByMail(t *testing.T) {
	t.Parallel()
	office := openPostOffice(t, false)
	b := setup(t, office.mailer(t), false)
	b.start(t)
	id := b.alert(t, b.team(t).ID, uuid.Nil, low)
	if o := b.outcome(t); o != "sent" {
		t.Fatal(o)
	}
	got := office.letters()
	if len(got) != 1 || !got[0].secure || got[0].user != "service" || got[0].to != "ada@example.com" || got[0].from != from.Address {
		t.Fatalf("%+v", got)
	}
	h, p := parts(t, got[0].data)
	subject, _ := h.Text("Subject")
	if subject != "Alert: Low revenue · Sales" || h.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" ||
		!strings.HasPrefix(h.Get("List-Unsubscribe"), "<https://app.service.example/channels/leave?token=") ||
		!strings.HasSuffix(h.Get("Message-Id"), "@service.example>") || h.Get("Auto-Submitted") != "auto-generated" || h.Has("User-Agent") {
		t.Errorf("subject %s, headers %v", subject, h.Map())
	}
	for _, want := range []string{
		"Low revenue", low.Sentence, "DE: $12", "and 3 more", "https://acme.service.example/sales?country=DE#p2", "Unsubscribe: https://",
	} {
		if !strings.Contains(p["text/plain"], want) {
			t.Errorf("the text lacks %q:\n%s", want, p["text/plain"])
		}
	}
	for _, want := range []string{"Low revenue", low.Sentence, "Acme &amp; Co", `href="https://acme.service.example/sales?country=DE#p2"`} {
		if !strings.Contains(p["text/html"], want) {
			t.Errorf("the HTML lacks %q", want)
		}
	}
	if strings.Contains(p["text/html"], `src="http`) {
		t.Error("the HTML loads something")
	}
	if state, _, _ := b.is(t, id); state != store.MessageSent {
		t.Error(state)
	}
	if strings.Contains(b.log.String(), "ada@") {
		t.Errorf("an address is logged: %s", b.log)
	}
}

// The mail of an alert to a member, without a channel, has a way to end it in one click.
func TestAlertToAMemberEnds(t *testing.T) {
	t.Parallel()
	office := openPostOffice(t, false)
	b := setup(t, office.mailer(t), false)
	b.start(t)
	b.alert(t, uuid.Nil, b.owner.Account(), low)
	if o := b.outcome(t); o != "sent" {
		t.Fatal(o)
	}
	h, p := parts(t, office.letters()[0].data)
	if h.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" ||
		!strings.HasPrefix(h.Get("List-Unsubscribe"), "<https://app.service.example/unsubscribe?token=") ||
		!strings.Contains(p["text/plain"], "Unsubscribe: https://") {
		t.Errorf("headers %v\n%s", h.Map(), p["text/plain"])
	}
}

// The answer of a mail server decides whether a mail is tried again.
func TestMailServersAnswers(t *testing.T) {
	t.Parallel()
	office := openPostOffice(t, false)
	b := setup(t, office.mailer(t), false)
	for _, c := range []struct {
		err   error
		final bool
		want  string
	}{
		{&smtp.SMTPError{Code: 451, Message: "ada@example.com: later"}, false, "cannot take the mail at the moment (451)"},
		{&smtp.SMTPError{Code: 550, Message: "ada@example.com: nobody"}, true, "refuses the recipient's address (550)"},
		{nil, false, ""},
	} {
		office.say = func(string) error { return c.err }
		err := b.now(t, b.alert(t, uuid.Nil, b.owner.Account(), low))
		if c.err == nil {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if r := refused(t, err, c.final, c.want); strings.Contains(r.reason, "ada@") {
			t.Errorf("the sentence has an address: %s", r.reason)
		}
	}
}

// A server without TLS, with a certificate of an unknown authority, or that refuses our credentials gets no mail.
func TestMailNeedsTLS(t *testing.T) {
	t.Parallel()
	plain, secure := openPostOffice(t, true), openPostOffice(t, false)
	for name, c := range map[string]struct {
		url    string
		office *postOffice
		roots  *postOffice
		want   string
	}{
		"no TLS":                {"smtp://service:open%20sesame@" + plain.addr, plain, secure, "does not offer TLS"},
		"another's card":        {"smtp://service:open%20sesame@" + secure.addr, secure, plain, "certificate of the mail server"},
		"the wrong password":    {"smtp://service:guess@" + secure.addr, secure, secure, "refuses the sign-in"},
		"nobody is there":       {"smtp://service:x@localhost:1", secure, secure, "cannot be reached"},
		"a name without a host": {"smtp://service:x@nothing.invalid", secure, secure, "cannot be resolved"},
	} {
		m, err := newSMTP(c.url, from, c.roots.roots)
		if err != nil {
			t.Fatal(err)
		}
		refused(t, m.Send(t.Context(), Mail{ID: "x", To: *from, Subject: "x", Text: "x", HTML: "x", At: time.Now()}), false, c.want)
		if len(c.office.letters()) > 0 {
			t.Errorf("%s: it was sent all the same", name)
		}
	}
	for _, wrong := range []string{
		"", "mail.example.com", "http://mail.example.com", "smtp://u@mail.example.com", "smtp://m.example.com/x", "smtp://h:0",
	} {
		if _, err := NewSMTP(wrong, from); err == nil {
			t.Errorf("%q is taken for a mail server", wrong)
		}
	}
}

// Without a mail server a mail channel reports that, and nothing waits.
func TestNoMail(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, false)
	refused(t, b.now(t, b.alert(t, uuid.Nil, b.owner.Account(), low)), true, "SERVICE_SMTP_URL")
}

// A receiver of webhooks checks the signature with the library of the standard, and sees one id however
// often it is tried.
func TestWebhookIsSignedAndTriedAgain(t *testing.T) {
	t.Parallel()
	var key string
	var calls atomic.Int32
	var ids []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		wh, err := webhooks.NewWebhook(key)
		if err == nil {
			err = wh.Verify(body, r.Header)
		}
		if err != nil {
			t.Error(err)
		}
		if err := wh.Verify(append(body, ' '), r.Header); err == nil {
			t.Error("another body is signed too")
		}
		var got struct {
			Type string
			Data struct {
				Alert, Severity, Sentence string
				Dashboard                 struct{ URL string }
			}
		}
		if err := json.Unmarshal(body, &got); err != nil || got.Type != "alert.fired" || got.Data.Sentence != low.Sentence ||
			got.Data.Dashboard.URL != "https://acme.service.example/sales?country=DE#p2" {
			t.Errorf("%s %v", body, err)
		}
		ids = append(ids, r.Header.Get("webhook-id"))
		if calls.Add(1) == 1 {
			w.Header().Set("Retry-After", "7000")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer receiver.Close()
	b := setup(t, nil, true)
	var c store.Channel
	c, key = b.add(t, channel.Webhook, receiver.URL)
	id := b.alert(t, c.ID, uuid.Nil, low)
	b.start(t)
	if o := b.outcome(t); o != "waits" {
		t.Fatal(o)
	}
	if state, reason, attempts := b.is(t, id); state != store.MessageQueued || !strings.Contains(reason, "(429)") || attempts != 1 {
		t.Errorf("%s %s %d", state, reason, attempts)
	}
	for deadline := time.Now().Add(20 * time.Second); ; { // it is put aside after the outcome is known
		tag, err := b.pool.Exec(t.Context(), `
			UPDATE message SET due_at = now()
			 WHERE state = 'queued' AND process IS NULL AND due_at BETWEEN now() + interval '6900 s' AND now() + interval '7100 s'`)
		if err != nil || time.Now().After(deadline) {
			t.Fatal("the message does not wait as long as the receiver asked", err)
		}
		if tag.RowsAffected() == 1 {
			break
		}
	}
	if o := b.outcome(t); o != "sent" {
		t.Fatal(o)
	}
	if len(ids) != 2 || ids[0] != ids[1] || ids[0] != "msg_"+id.String() {
		t.Error(ids)
	}
}

// The answer of a receiver decides whether a message is tried again. No redirect is followed.
func TestReceiversAnswers(t *testing.T) {
	t.Parallel()
	var code atomic.Int32
	var body atomic.Value
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer elsewhere.Close()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(int(code.Load()))
		fmt.Fprint(w, body.Load())
	}))
	defer receiver.Close()
	b := setup(t, nil, true)
	c, _ := b.add(t, channel.Slack, receiver.URL)
	for _, test := range []struct {
		code  int
		body  string
		final bool
		want  string
	}{
		{200, "ok", false, ""},
		{202, "", false, ""},
		{301, "", true, "redirect (301)"},
		{307, "", true, "redirect (307)"},
		{410, "", true, "no longer exists"},
		{404, "no_service", true, "Slack does not know this webhook"},
		{400, "secret words", true, "refused the message (400)"},
		{429, "", false, "at the moment (429)"},
		{500, "", false, "at the moment (500)"},
		{503, "", false, "at the moment (503)"},
	} {
		code.Store(int32(test.code))
		body.Store(test.body)
		err := b.now(t, b.alert(t, c.ID, uuid.Nil, low))
		if test.want == "" {
			if err != nil {
				t.Errorf("%d: %v", test.code, err)
			}
			continue
		}
		if r := refused(t, err, test.final, test.want); strings.Contains(r.reason, "secret") {
			t.Error("the answer is repeated")
		}
	}
}

// Each kind with a URL is sent through the same client: in JSON, without redirects, and not to a private address unless that is allowed.
func TestEachKindIsPosted(t *testing.T) {
	t.Parallel()
	for _, kind := range channel.Kinds {
		if kind.ByMail {
			continue
		}
		t.Run(kind.ID, func(t *testing.T) {
			t.Parallel()
			var posts atomic.Int32
			receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				posts.Add(1)
				body, err := io.ReadAll(r.Body)
				if err != nil || r.Method != http.MethodPost || r.URL.Path != "/hook" || r.Header.Get("Content-Type") != "application/json" ||
					r.Header.Get("User-Agent") != "service" || !json.Valid(body) {
					t.Errorf("%s %s %v %s %v", r.Method, r.URL, r.Header, body, err)
				}
			}))
			defer receiver.Close()
			send := func(private bool) error {
				b := setup(t, nil, private)
				c, _ := b.add(t, kind.ID, receiver.URL+"/hook")
				return b.now(t, b.alert(t, c.ID, uuid.Nil, low))
			}
			refused(t, send(false), true, "private or local address")
			if n := posts.Load(); n != 0 {
				t.Errorf("%d posts to a private address", n)
			}
			if err := send(true); err != nil || posts.Load() != 1 {
				t.Errorf("%d posts, %v", posts.Load(), err)
			}
		})
	}
}

// TestPrivateAddressesAreRefused: channels do not reach private addresses, nor public ones without TLS, in any form of the URL.
func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was reached") }))
	defer inside.Close()
	port := inside.URL[strings.LastIndex(inside.URL, ":"):]
	b := setup(t, nil, false)
	for i, url := range []string{
		inside.URL, "http://localhost" + port, "http://[::1]" + port, "http://[::ffff:127.0.0.1]" + port, "https://127.0.0.1" + port,
		"http://169.254.169.254/latest/meta-data", "http://10.0.0.1", "http://0.0.0.0" + port,
	} {
		c, _, err := b.Messages.AddChannel(t.Context(), b.owner,
			store.ChannelEdit{Slug: fmt.Sprint("c", i), Kind: channel.Teams, Name: "n", URL: url})
		if err != nil {
			t.Fatal(err)
		}
		refused(t, b.now(t, b.alert(t, c.ID, uuid.Nil, low)), true, "private or local address")
	}
}

// A message that a process took and did not end is sent by another one, once.
func TestKilledBetween(t *testing.T) {
	t.Parallel()
	office := openPostOffice(t, false)
	b := setup(t, office.mailer(t), false)
	id := b.alert(t, uuid.Nil, b.owner.Account(), low)
	killed, err := store.New(b.pool, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	args, _, err := killed.Messages.NextMessage(t.Context())
	if err != nil || args.Message != id {
		t.Fatal(args, err)
	}
	if _, err := killed.Messages.ClaimMessage(t.Context(), args); err != nil {
		t.Fatal(err)
	} // and then it was killed
	if n, err := b.Jobs.TakeOver(t.Context(), true, nil); err != nil || n.Messages != 1 {
		t.Fatal(n, err)
	}
	b.start(t)
	if o := b.outcome(t); o != "sent" {
		t.Fatal(o)
	}
	if n := len(office.letters()); n != 1 {
		t.Errorf("%d mails", n)
	}
	if state, _, attempts := b.is(t, id); state != store.MessageSent || attempts != 2 {
		t.Errorf("%s after %d attempts", state, attempts)
	}
}

// After a day a message is given up, with a reason; until then it waits longer and longer.
func TestGivenUpAfterADay(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, false)
	away := &refusal{reason: "Away."}
	begun := b.Jobs.DatabaseNow()
	m := store.OutMessage{QueuedAt: begun}
	var at time.Duration
	for m.Attempts = 1; ; m.Attempts++ {
		m.QueuedAt = begun.Add(-at)
		state, reason, wait := b.judge(m, away)
		if state == store.MessageFailed {
			if !strings.HasSuffix(reason, "It was tried for a day.") {
				t.Error(reason)
			}
			break
		}
		at += wait
	}
	if at < 20*time.Hour || at > 24*time.Hour || m.Attempts < 10 || m.Attempts > 25 {
		t.Errorf("given up after %v and %d attempts", at, m.Attempts)
	}
}

// Hostile texts are inert in mail. The other kinds are in package channel.
func TestTextsAreInert(t *testing.T) {
	t.Parallel()
	const evil = `<!channel> <https://evil.example|click> [click](https://evil.example) <img src=x onerror=alert(1)> <b>&`
	c := &channel.Content{Title: evil, Said: evil, From: evil, Why: evil, Link: "https://acme.service.example/sales?a=b&c=|>", More: 7}
	for range 20 {
		c.Values = append(c.Values, channel.Value{Name: evil, Text: evil})
	}
	for range 100 {
		c.Numbers = append(c.Numbers, channel.Number{Name: evil, Value: evil, Change: evil})
		c.Sections = append(c.Sections, channel.Section{Title: evil, Lines: []string{strings.Repeat(evil, 50), evil}})
	}
	html, err := mailHTML(c)
	if err != nil || strings.Contains(html, "<img") || strings.Contains(html, "<b>") || strings.Contains(html, `href="https://evil`) {
		t.Errorf("the HTML has markup of others: %v", err)
	}
}

// A mail is laid out for its language: names are at the edge where lines begin and figures at the other one, with room only between them;
// and lines stay separate.
func TestMailIsLaidOutForItsLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, dir, start, end string }{{"en", "ltr", "left", "right"}, {"ar", "rtl", "right", "left"}} {
		content := &channel.Content{
			Locale: locale.For(c.lang), Title: "T", Said: "first & last\nsecond", Late: "late\nlater",
			Values:  []channel.Value{{Name: "name", Text: "text"}},
			Numbers: []channel.Number{{Name: "n", Value: "1", Change: "up (from 0)"}}, Link: "https://acme.service.example/sales",
		}
		html, err := mailHTML(content)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`<html lang="` + c.lang + `" dir="` + c.dir + `">`, "first &amp; last<br>second</p>", "late<br>later</p>",
			`<th scope="row" align="` + c.start + `" class="ink rule"` + "\n  " + `style="padding:6px 0;padding-` + c.end + `:8px;`,
			`<td align="` + c.end + `" class="ink rule"` + "\n  " + `style="padding:6px 0;padding-` + c.start + `:8px;`,
		} {
			if !strings.Contains(html, want) {
				t.Errorf("%s: the HTML lacks %s", c.lang, want)
			}
		}
		if text := mailText(content); !strings.Contains(text, "\nn: 1 · up (from 0)\n") {
			t.Errorf("the text is\n%s", text)
		}
	}
}

// The test of a channel reports its outcome, and the channel stores it.
func TestTestOfAChannel(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) }))
	defer receiver.Close()
	office := openPostOffice(t, false)
	b := setup(t, office.mailer(t), true)
	b.add(t, channel.Slack, receiver.URL)
	b.team(t)
	reason, err := b.Test(t.Context(), b.owner, "c-slack")
	c, _ := b.Messages.Channel(t.Context(), b.owner, "c-slack")
	if err != nil || !strings.Contains(reason, "410") || c.Error != reason || c.TestedAt == nil {
		t.Errorf("%s %v %+v", reason, err, c)
	}
	reason, err = b.Test(t.Context(), b.owner, "team")
	c, _ = b.Messages.Channel(t.Context(), b.owner, "team")
	if err != nil || reason != "" || c.Error != "" || c.TestedAt == nil || len(office.letters()) != 1 {
		t.Errorf("%s %v %+v", reason, err, c)
	}
}

// A mailbox keeps whole mails in files, and the last ones only.
func TestMailbox(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mail")
	box := NewMailbox(dir, from)
	for i := range keptMails + 3 {
		if err := box.Send(t.Context(), Mail{
			ID: fmt.Sprint(i), To: *from, Subject: "Über", Text: "text", HTML: "<p>", At: time.Unix(int64(i), 0),
			Picture:  &channel.Picture{PNG: []byte("png"), Alt: "x"},
			Attached: []channel.Attachment{{Name: "a.csv", Type: "text/csv", Data: []byte("n\n1\n")}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != keptMails || !strings.HasSuffix(entries[keptMails-1].Name(), fmt.Sprintf("-%d.eml", keptMails+2)) {
		t.Fatal(len(entries), err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, entries[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	_, p := parts(t, raw)
	if p["text/plain"] != "text" || p["text/html"] != "<p>" || p["image/png"] != "png" || p["text/csv"] != "n\n1\n" {
		t.Errorf("%q", p)
	}
}

// BenchmarkMail sends alerts through the queue to a mail server with TLS.
func BenchmarkMail(b *testing.B) {
	office := openPostOffice(b, false)
	bench := setup(b, office.mailer(b), false)
	all := make([]store.Message, 1000)
	for b.Loop() {
		for i := range all {
			all[i] = store.Message{
				Workspace: bench.owner.WorkspaceID(), Kind: store.MessageAlert, Dashboard: bench.dashboard, Account: bench.owner.Account(), Body: low,
			}
		}
		tx, err := bench.pool.Begin(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := bench.Messages.QueueMessages(b.Context(), tx, all); err != nil {
			b.Fatal(err)
		}
		if err := tx.Commit(b.Context()); err != nil {
			b.Fatal(err)
		}
		if len(office.letters()) == 0 {
			bench.start(b)
		}
		for range all {
			bench.outcome(b)
		}
	}
	b.ReportMetric(float64(len(office.letters()))/b.Elapsed().Seconds(), "mails/s")
}
