package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/channel"
	"service/store/limit"
	"service/store/message"
	"service/store/tracing"
	"service/store/view"
	"service/store/warehouse"
)

// Workers is how many messages a process sends at once.
const Workers = 12

// Config is the configuration of a [Notifier].
type Config struct {
	Store        *store.Store
	Views        *view.Renderer // draws deliveries
	Log          *slog.Logger
	Mail         Mailer                                   // nil: no mail is sent
	AllowPrivate bool                                     // channels may lead to private addresses too
	URL          func(workspace, dashboard string) string // canonical address of a dashboard
	AppURL       string                                   // origin of the web app
	Now          func() time.Time                         // time.Now by default
	Ended        func(kind, outcome string)               // called after each attempt, with one of Outcomes; may be nil
	Traces       *tracing.Tracer                          // nil: sending is not traced
}

// Outcomes are the outcomes of an attempt to send a message.
var Outcomes = []string{"sent", "waits", "failed"}

// A Mailer sends mails.
type Mailer interface {
	// Send sends a mail. A receiver's answer that it failed is a [*refusal].
	Send(ctx context.Context, m Mail) error
	Close()
}

// A Notifier sends messages.
type Notifier struct {
	cfg   Config
	https *http.Client
	http  *http.Client // to private addresses alone
	drawn drawnContents

	limiter limit.Keyed[limitKey]
	delays  limit.Delays[delayKey]
}

// New returns a notifier.
func New(cfg Config) *Notifier {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Ended == nil {
		cfg.Ended = func(string, string) {}
	}
	dialer := warehouse.Dialer{AllowPrivate: cfg.AllowPrivate}
	inClear := dialer.DialTarget(warehouse.Target{TLS: warehouse.TLSOff})
	return &Notifier{
		cfg: cfg, https: httpClient(dialer.DialContext), http: httpClient(inClear),
		delays: limit.Delays[delayKey]{Min: minDelay, Step: delayStep},
	}
}

// MailReady reports whether this installation can send mail.
func (n *Notifier) MailReady() bool { return n.cfg.Mail != nil }

// Close ends idle connections. Nothing may be sent after.
func (n *Notifier) Close() {
	if n.cfg.Mail != nil {
		n.cfg.Mail.Close()
	}
	n.https.CloseIdleConnections()
	n.http.CloseIdleConnections()
}

// Claim claims the message that is due first, for [service/server/jobs.Queue].
func (n *Notifier) Claim(ctx context.Context) (uuid.UUID, func(context.Context), error) {
	args, queuedBy, err := n.cfg.Store.Messages.NextMessage(ctx)
	if err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = nil
		}
		return uuid.Nil, nil, err
	}
	return args.Message, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, store.SendTimeout)
		defer cancel()
		if err := n.send(ctx, args, queuedBy); err != nil {
			n.cfg.Log.ErrorContext(ctx, "an attempt to send a message failed: another one is made", "message", args.Message, "err", err)
		}
	}, nil
}

// send makes one attempt. It returns only internal errors, after which the message is taken over.
func (n *Notifier) send(ctx context.Context, args store.SendArgs, queuedBy string) error {
	cfg := n.cfg
	m, err := cfg.Store.Messages.ClaimMessage(ctx, args)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrMessageOver):
		return nil
	case err != nil:
		return err
	}
	ctx, span := cfg.Traces.Job(ctx, "send", queuedBy, m.Workspace)
	outcome := "interrupted"
	defer func() { span.End(outcome, outcome != outcomeOf(store.MessageSent)) }()
	release, full, ok := n.limiter.TryAcquire(slotsOf(m)...)
	if !ok {
		key := delayKey{full, m.Posted()}
		others, err := cfg.Store.Messages.PutBackMessage(ctx, m, full.of == ofChannel, n.delays.Delay(key, 1), delayStep)
		if err == nil {
			n.delays.Delay(key, others)
		}
		return err
	}
	defer release()
	sent := n.attempt(ctx, m)
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	if sent != nil && errors.Is(ctx.Err(), context.Canceled) { // the process is stopping: another one takes the message over at once
		return nil
	}
	state, reason, wait := n.judge(m, sent)
	outcome = outcomeOf(state)
	defer cfg.Ended(m.Kind, outcome)
	cfg.Log.InfoContext(ctx, "message", "message", m.ID, "workspace_id", m.Workspace, "kind", m.Kind, "to", recipientOf(m),
		"outcome", outcome, "attempt", m.Attempts, "reason", reason)
	return cfg.Store.Messages.EndMessage(after, m, state, reason, wait)
}

// recipientOf returns the recipient as a log names it: the kind of channel.
func recipientOf(m store.OutMessage) string {
	if m.Channel == nil {
		return channel.Mail
	}
	return m.Channel.Kind
}

func outcomeOf(state string) string {
	switch state {
	case store.MessageSent:
		return "sent"
	case store.MessageQueued:
		return "waits"
	}
	return "failed"
}

// Test sends a test message to the channel of m's workspace called slug, now. reason is why it did not arrive; it is empty if it did. The
// test of a mail channel goes to m.
func (n *Notifier) Test(ctx context.Context, m store.Member, slug string) (reason string, err error) {
	out, err := n.cfg.Store.Messages.StartTest(ctx, m, slug)
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, store.SendTimeout)
	defer cancel()
	sent := n.attempt(limited, out)
	state, reason := store.MessageSent, ""
	if sent != nil {
		state, reason = store.MessageFailed, n.sentence(out, sent)
	}
	n.cfg.Ended(out.Kind, outcomeOf(state))
	after, end := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer end()
	return reason, n.cfg.Store.Messages.EndMessage(after, out, state, reason, 0)
}

// attempt composes and sends a message.
func (n *Notifier) attempt(ctx context.Context, m store.OutMessage) (err error) {
	defer func() {
		if p := recover(); p != nil {
			n.cfg.Log.ErrorContext(ctx, "sending panicked", "message", m.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errPanic
		}
	}()
	c, err := n.compose(ctx, m)
	if err != nil {
		return err
	}
	ctx, span := n.cfg.Traces.Send(ctx, m.Kind, recipientOf(m))
	defer func() { span.EndSend(err == nil) }()
	c = c.Tamed()
	if m.Posted() {
		return n.post(ctx, m, c)
	}
	return n.mail(ctx, m, c)
}

var errPanic = errors.New("sending panicked")

// compose composes a message.
func (n *Notifier) compose(ctx context.Context, m store.OutMessage) (*channel.Content, error) {
	switch m.Kind {
	case store.MessageAlert:
		return n.composeAlert(ctx, m)
	case store.MessageDelivery:
		return n.composeDelivery(ctx, m)
	}
	return n.composeTest(m), nil
}

// A refusal is the reason why a message was not accepted, in a sentence that is safe to show.
type refusal struct {
	reason string
	final  bool          // trying again is useless
	after  time.Duration // the wait that the receiver asks for; 0: the usual one
}

func (r *refusal) Error() string { return r.reason }

// waits are the pauses between attempts; the last one repeats. Together they span a day.
var waits = []time.Duration{
	10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute,
	time.Hour, 2 * time.Hour,
}

// longestWait is the longest pause that a receiver may ask for.
const longestWait = 2 * time.Hour

// judge decides on a message after an attempt.
func (n *Notifier) judge(m store.OutMessage, err error) (state, reason string, wait time.Duration) {
	if err == nil {
		return store.MessageSent, "", 0
	}
	reason = n.sentence(m, err)
	r, ok := errors.AsType[*refusal](err)
	_, said := message.As(err)
	if ok && r.final || said {
		return store.MessageFailed, reason, 0
	}
	wait = waits[min(m.Attempts, len(waits))-1]
	wait += rand.N(wait / 5) // so that messages that failed together are not tried together
	if ok && r.after > 0 {
		wait = min(max(wait, r.after), longestWait)
	}
	if m.Expired(n.cfg.Store.Jobs.DatabaseNow().Add(wait)) {
		return store.MessageFailed, reason + " It was tried for a day.", 0
	}
	return store.MessageQueued, reason, wait
}

// sentence returns the text of an error that may be shown. An internal error is logged.
func (n *Notifier) sentence(m store.OutMessage, err error) string {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.reason
	}
	if no, ok := message.As(err); ok {
		return no.Error()
	}
	n.cfg.Log.Error("a message could not be sent", "message", m.ID, "kind", m.Kind, "err", err)
	return fmt.Sprintf("The message could not be sent: an internal error (message %s).", m.ID)
}

// link returns the address of m's dashboard, with the filters of query and at a panel.
func (n *Notifier) link(m store.OutMessage, query string, panel int) string {
	link := n.cfg.URL(m.Member.Workspace(), m.Dashboard.Slug)
	if query = strings.TrimPrefix(query, "?"); query != "" {
		link += "?" + query
	}
	if panel > 0 {
		link += fmt.Sprintf("#p%d", panel)
	}
	return link
}

// origin names the dashboard and the workspace of a message.
func origin(m store.OutMessage) string {
	return cmp.Or(m.Dashboard.Name, m.Dashboard.Slug) + " · " + m.Member.WorkspaceName()
}
