package notify

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/server/jobs"
	"service/store"
	"service/store/channel"
	"service/store/dashboard"
	"service/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var from = &netmail.Address{Name: "Dashboards", Address: "dashboards@service.example"}

// A letter is a mail that the test server has taken.
type letter struct {
	from, to string
	secure   bool // it was received over TLS
	user     string
	data     []byte
}

// A postOffice is a mail server with STARTTLS and a user.
type postOffice struct {
	addr  string
	roots *tls.Config
	mu    sync.Mutex
	took  []letter
	say   func(to string) error // the answer to a recipient
}

func (o *postOffice) letters() []letter {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.took
}

// openPostOffice starts a mail server. plain: without TLS.
func openPostOffice(t testing.TB, plain bool) *postOffice {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	card := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, card, card, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	o := &postOffice{roots: &tls.Config{RootCAs: pool}}
	srv := smtp.NewServer(o)
	srv.Domain = "localhost"
	srv.AllowInsecureAuth = plain
	srv.ErrorLog = log{}
	if !plain {
		srv.TLSConfig = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	o.addr = "localhost:" + port
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(l) }()
	t.Cleanup(func() { srv.Close(); <-done })
	return o
}

type log struct{}

func (log) Printf(string, ...any) {}
func (log) Println(...any)        {}

func (o *postOffice) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &session{office: o, conn: c}, nil
}

type session struct {
	office *postOffice
	conn   *smtp.Conn
	letter letter
	user   string
}

func (*session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "service" || password != "open sesame" {
			return smtp.ErrAuthFailed
		}
		s.user = user
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	_, secure := s.conn.TLSConnectionState()
	s.letter = letter{from: from, secure: secure, user: s.user}
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.letter.to = to
	if s.office.say != nil {
		return s.office.say(to)
	}
	return nil
}

func (s *session) Data(r io.Reader) (err error) {
	if s.letter.data, err = io.ReadAll(r); err != nil {
		return err
	}
	s.office.mu.Lock()
	defer s.office.mu.Unlock()
	s.office.took = append(s.office.took, s.letter)
	return nil
}

func (*session) Reset()        {}
func (*session) Logout() error { return nil }

// mailer is a client of o as the configuration would make it.
func (o *postOffice) mailer(t testing.TB) *SMTP {
	t.Helper()
	m, err := newSMTP("smtp://service:open%20sesame@"+o.addr, from, o.roots)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// A bench is a store with a dashboard, and a notifier that works on its queue.
type bench struct {
	*store.Store
	*Notifier
	pool      *pgxpool.Pool
	owner     store.Member
	dashboard uuid.UUID
	log       *strings.Builder
	ended     chan string
	claimed   *atomic.Int32 // messages
}

func setup(t testing.TB, mailer Mailer, private bool, opts ...func(*store.Options)) *bench {
	t.Helper()
	b := &bench{log: &strings.Builder{}, ended: make(chan string, 2000), claimed: new(atomic.Int32)}
	b.Store, b.pool = storetest.New(t, opts...)
	b.owner = b.workspace(t, "ada@example.com", "acme")
	b.dashboard = b.publish(t, b.owner)
	b.Notifier = New(Config{
		Store: b.Store, Log: slog.New(slog.NewTextHandler(&locked{w: b.log}, nil)), Mail: mailer, AllowPrivate: private,
		URL:    func(workspace, slug string) string { return "https://" + workspace + ".service.example/" + slug },
		AppURL: "https://app.service.example",
		Ended:  func(_, outcome string) { b.ended <- outcome },
	})
	t.Cleanup(b.Notifier.Close)
	return b
}

// publish publishes a dashboard in a workspace.
func (b *bench) publish(t testing.TB, m store.Member) uuid.UUID {
	t.Helper()
	p, err := b.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: "sales", Filename: "index.html", DefaultName: "Sales", DefaultChart: "kpi", Spec: &dashboard.Spec{},
		ContentType: "application/json", Content: []byte(`{}`), Definitions: map[string][]byte{"d": []byte("same")}, Panels: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.Dashboard.ID
}

// in is the bench in another workspace of an account.
func (b *bench) in(t testing.TB, email, slug string) *bench {
	t.Helper()
	other := *b
	other.owner = b.workspace(t, email, slug)
	other.dashboard = b.publish(t, other.owner)
	return &other
}

type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (b *bench) workspace(t testing.TB, email, slug string) store.Member {
	t.Helper()
	a, err := b.Accounts.EnsureAccount(t.Context(), store.Identity{
		Issuer: "https://id.example", Subject: email, Email: email, Verified: true, Name: "Ada <A>",
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.Workspaces.CreateWorkspace(t.Context(), a.ID, slug, "Acme & Co")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// start works on the queue until the test ends.
func (b *bench) start(t testing.TB) {
	t.Helper()
	crew := jobs.NewCrew(slog.New(slog.DiscardHandler), jobs.Queue{Name: store.SendQueue, Workers: Workers, Claim: b.claim})
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var listening sync.WaitGroup
	listening.Go(func() {
		if err := b.Jobs.Listen(ctx, crew.Wake); ctx.Err() == nil {
			t.Error(err)
		}
	})
	crew.Start(ctx)
	t.Cleanup(func() {
		stop()
		listening.Wait()
		if err := crew.Stop(ctx, 10*time.Second); err != nil {
			t.Error(err)
		}
	})
}

// claim is Claim, counted.
func (b *bench) claim(ctx context.Context) (uuid.UUID, func(context.Context), error) {
	id, send, err := b.Claim(ctx)
	if send != nil {
		b.claimed.Add(1)
	}
	return id, send, err
}

// outcome is how the next attempt ends.
func (b *bench) outcome(t testing.TB) string {
	t.Helper()
	select {
	case o := <-b.ended:
		return o
	case <-time.After(30 * time.Second):
		t.Fatal("no attempt ended within 30 s")
		return ""
	}
}

var low = store.Notice{
	Alert: "low", Title: "Low revenue", Severity: "critical", Event: store.NoticeFired, At: time.Unix(1_800_000_000, 0).UTC(),
	Sentence: "Revenue was $812 on 21 Nov, below $1,000.", Values: []store.NoticeValue{{Name: "DE", Text: "$12"}}, More: 3,
	Query: "country=DE", Panel: 2,
}

// alert queues an alert to a channel, or to a member.
func (b *bench) alert(t testing.TB, c, account uuid.UUID, n store.Notice) uuid.UUID {
	t.Helper()
	return b.alerts(t, c, account, n, 1)[0]
}

// alerts queues several at once.
func (b *bench) alerts(t testing.TB, c, account uuid.UUID, n store.Notice, many int) (ids []uuid.UUID) {
	t.Helper()
	var all []store.Message
	for range many {
		ids = append(ids, uuid.New())
		all = append(all, store.Message{
			Workspace: b.owner.WorkspaceID(), ID: ids[len(all)], Kind: store.MessageAlert, Dashboard: b.dashboard,
			Channel: c, Account: account, Body: n,
		})
	}
	if err := pgx.BeginFunc(t.Context(), b.pool, func(tx pgx.Tx) error { return b.Messages.QueueMessages(t.Context(), tx, all) }); err != nil {
		t.Fatal(err)
	}
	return ids
}

// add adds a channel that is a URL, and returns its key.
func (b *bench) add(t testing.TB, kind, url string) (store.Channel, string) {
	t.Helper()
	return b.addAs(t, "c-"+kind, kind, url)
}

func (b *bench) addAs(t testing.TB, slug, kind, url string) (store.Channel, string) {
	t.Helper()
	c, key, err := b.Messages.AddChannel(t.Context(), b.owner, store.ChannelEdit{Slug: slug, Kind: kind, Name: "Ops", URL: url})
	if err != nil {
		t.Fatal(err)
	}
	return c, key
}

// team adds a mail channel with the owner.
func (b *bench) team(t testing.TB) store.Channel {
	t.Helper()
	c, _, err := b.Messages.AddChannel(t.Context(), b.owner, store.ChannelEdit{
		Slug: "team", Kind: channel.Mail, Name: "Team", Members: []uuid.UUID{b.owner.Account()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// is returns the stored state of a message.
func (b *bench) is(t testing.TB, id uuid.UUID) (state, reason string, attempts int) {
	t.Helper()
	if err := b.pool.QueryRow(t.Context(), `SELECT state, error, attempts FROM message WHERE id = $1`, id).
		Scan(&state, &reason, &attempts); err != nil {
		t.Fatal(err)
	}
	return state, reason, attempts
}

// now performs one attempt at a message, as a worker does.
func (b *bench) now(t testing.TB, id uuid.UUID) error {
	t.Helper()
	m, err := b.Messages.ClaimMessage(t.Context(), store.SendArgs{Workspace: b.owner.WorkspaceID(), Message: id})
	if err != nil {
		return err
	}
	return b.attempt(t.Context(), m)
}

// refused is the refusal that an attempt must end with.
func refused(t testing.TB, err error, final bool, want string) *refusal {
	t.Helper()
	r, ok := errors.AsType[*refusal](err)
	if !ok || r.final != final || !strings.Contains(r.reason, want) {
		t.Errorf("got %v, want (final %t) %s", err, final, want)
		return &refusal{}
	}
	return r
}
