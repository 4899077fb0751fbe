package notify

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/channel"
)

// A receiver that does not answer holds up its own messages and no others; each of them is tried again.
func TestSlowReceiverHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	let := make(chan struct{})
	answer := sync.OnceFunc(func() { close(let) })
	var waiting, most atomic.Int32
	arrived := make(chan struct{}, 3*Workers)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		now := waiting.Add(1)
		defer waiting.Add(-1)
		arrived <- struct{}{}
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		<-let
	}))
	defer slow.Close()
	defer answer() // or closing waits for it
	quick := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer quick.Close()
	b := setup(t, nil, true)
	away, _ := b.add(t, channel.Slack, slow.URL)
	there, _ := b.add(t, channel.Teams, quick.URL)
	var stuck []uuid.UUID
	for range 3 * Workers {
		stuck = append(stuck, b.alert(t, away.ID, uuid.Nil, low))
	}
	last := b.alert(t, there.ID, uuid.Nil, low)
	b.start(t)
	if o := b.outcome(t); o != "sent" {
		t.Fatal(o)
	}
	if state, _, _ := b.is(t, last); state != store.MessageSent {
		t.Errorf("behind those that wait it is %s", state)
	}
	for range perChannel { // the message to the other receiver can be sent before all of these have arrived
		<-arrived
	}
	answer()
	for range stuck {
		if o := b.outcome(t); o != "sent" {
			t.Fatal(o)
		}
	}
	if n := most.Load(); n != perChannel {
		t.Errorf("%d messages were on their way at once, want %d", n, perChannel)
	}
	for _, id := range stuck {
		if state, _, attempts := b.is(t, id); state != store.MessageSent || attempts != 1 {
			t.Errorf("%s after %d attempts", state, attempts)
		}
	}
}

// Slow receivers of one workspace, or of one account's workspaces, leave places to others, and to its own mails. Thousands of their
// messages do not keep the queue from these.
func TestSlowReceiversOfOneAccountHoldUpNobodyElse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		workspaces int
		want       int // messages on their way to them at once
	}{
		"in one workspace":   {1, 3},
		"in four workspaces": {4, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const channels, messages = 12, 2400
			let, arrived := make(chan struct{}), make(chan struct{}, messages)
			slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				arrived <- struct{}{}
				<-let
			}))
			defer slow.Close()
			defer close(let) // or closing waits for it
			quick := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			defer quick.Close()
			b := setup(t, openPostOffice(t, false).mailer(t), true)
			b.http.Timeout = 10 * time.Minute // that of a test, so that none of these attempts ends
			for w := range tt.workspaces {
				in := b
				if w > 0 {
					in = b.in(t, "ada@example.com", fmt.Sprint("more-", w))
				}
				for i := range channels / tt.workspaces {
					c, _ := in.addAs(t, fmt.Sprint("slow-", i), channel.Slack, slow.URL)
					in.alerts(t, c.ID, uuid.Nil, low, messages/channels)
				}
			}
			own := b.alert(t, uuid.Nil, b.owner.Account(), low)
			other := b.in(t, "bo@example.com", "other")
			there, _ := other.add(t, channel.Teams, quick.URL)
			others := other.alert(t, there.ID, uuid.Nil, low)
			b.start(t)
			for range 2 {
				if o := b.outcome(t); o != "sent" {
					t.Fatal(o)
				}
			}
			for whose, id := range map[string]uuid.UUID{"the mail": own, "another's message": others} {
				if state, reason, _ := b.is(t, id); state != store.MessageSent {
					t.Errorf("%s is %s %s", whose, state, reason)
				}
			}
			for range tt.want {
				<-arrived
			}
			if n := len(arrived); n > 0 {
				t.Errorf("%d messages more than %d were on their way at once", n, tt.want)
			}
			if n := b.claimed.Load(); n > messages/10 {
				t.Errorf("%d of %d messages were tried in vain before", n, messages)
			}
		})
	}
}

// heldMail is a mail server that takes nothing until it is let.
type heldMail struct{ let chan struct{} }

func (h heldMail) Send(context.Context, Mail) error { <-h.let; return nil }
func (heldMail) Close()                             {}

// Mails that find no slot wait for each other, and not behind the thousands of posts of their workspace that wait for slow receivers.
func TestMailsDoNotWaitBehindPosts(t *testing.T) {
	t.Parallel()
	const posts, mails = 2000, 10
	let := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-let
	}))
	defer slow.Close()
	defer close(let) // or closing waits for it
	office := heldMail{make(chan struct{})}
	open := sync.OnceFunc(func() { close(office.let) })
	defer open()
	b := setup(t, office, true)
	b.http.Timeout = 10 * time.Minute // that of a test, so that none of these attempts ends
	for i := range 2 {
		c, _ := b.addAs(t, fmt.Sprint("slow-", i), channel.Slack, slow.URL)
		b.alerts(t, c.ID, uuid.Nil, low, posts/2)
	}
	b.start(t)
	wait := func(what, sql string, args ...any) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			var ok bool
			if err := b.pool.QueryRow(t.Context(), sql, args...).Scan(&ok); err != nil {
				t.Fatal(err)
			}
			if ok {
				return
			}
			if time.Now().After(deadline) {
				t.Fatal("not within a minute:", what)
			}
		}
	}
	wait("the posts wait, but those few whose time has come", `
		SELECT count(*) FILTER (WHERE due_at > now()) > $1 FROM message`, posts-posts/20)
	own := b.alerts(t, uuid.Nil, b.owner.Account(), low, mails)
	wait("one mail is on its way, the others wait", `
		SELECT count(process) = 1 AND count(*) FILTER (WHERE process IS NULL AND due_at > now()) = $2 - 1 FROM message WHERE id = ANY ($1)`,
		own, mails)
	var behind int
	if err := b.pool.QueryRow(t.Context(), `
		SELECT count(*) FROM message
		 WHERE NOT id = ANY ($1) AND due_at > (SELECT max(due_at) FROM message WHERE id = ANY ($1) AND process IS NULL)`,
		own).Scan(&behind); err != nil {
		t.Fatal(err)
	}
	if behind < posts/2 {
		t.Errorf("only %d of %d posts come again after the last of the mails", behind, posts)
	}
	open()
	for sent := 0; sent < mails; {
		if b.outcome(t) == "sent" { // the posts are out of time after a while, and wait again
			sent++
		}
	}
}

// A receiver that answers too late, then with a failure and then well has the message at the third attempt, under one id.
func TestTriedAgainUntilItArrives(t *testing.T) {
	t.Parallel()
	var ids []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ids = append(ids, r.Header.Get("webhook-id"))
		switch _, _ = io.Copy(io.Discard, r.Body); len(ids) {
		case 1:
			<-r.Context().Done() // the sender has hung up
		case 2:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer receiver.Close()
	b := setup(t, nil, true)
	b.http.Timeout = 2 * time.Second
	c, _ := b.add(t, channel.Webhook, receiver.URL)
	id := b.alert(t, c.ID, uuid.Nil, low)
	b.start(t)
	for _, want := range []string{"did not answer in time", "(500)", ""} {
		o := b.outcome(t)
		state, reason, _ := b.is(t, id)
		if want == "" {
			if o != "sent" || state != store.MessageSent {
				t.Errorf("%s %s %s", o, state, reason)
			}
			break
		}
		if o != "waits" || state != store.MessageQueued || !strings.Contains(reason, want) {
			t.Fatalf("%s %s %s, want %s", o, state, reason, want)
		}
		b.hurry(t)
	}
	if len(ids) != 3 || ids[0] != ids[1] || ids[1] != ids[2] {
		t.Error(ids)
	}
}

// hurry has the one message that waits sent now.
func (b *bench) hurry(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; { // it is put aside after the outcome is known
		tag, err := b.pool.Exec(t.Context(), `
			UPDATE message SET due_at = now() WHERE state = 'queued' AND process IS NULL AND due_at > now()`)
		if err != nil || time.Now().After(deadline) {
			t.Fatal("no message waits", err)
		}
		if tag.RowsAffected() == 1 {
			return
		}
	}
}
