package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"service/store"
	"service/store/channel"
)

// A Mail is a message to one person.
type Mail struct {
	ID          string // the same at each attempt
	To          netmail.Address
	Subject     string
	Text, HTML  string
	Picture     *channel.Picture // that HTML shows
	Attached    []channel.Attachment
	Unsubscribe string
	At          time.Time
}

// pictureID is the name of the picture in the HTML of a mail.
const pictureID = "page@dashboard"

// mail sends a message to its recipient.
func (n *Notifier) mail(ctx context.Context, m store.OutMessage, c *channel.Content) error {
	if n.cfg.Mail == nil {
		return &refusal{reason: "This installation is not set up to send mail. Its operator can set SERVICE_SMTP_URL.", final: true}
	}
	html, err := mailHTML(c)
	if err != nil {
		return err
	}
	subject := c.Subject
	if subject == "" {
		subject = c.Title
	}
	return n.cfg.Mail.Send(ctx, Mail{
		ID: m.ID.String(), To: netmail.Address{Name: m.Recipient.Name, Address: m.Recipient.Email},
		Subject: channel.CutText(subject, subjectLetters),
		Text:    mailText(c), HTML: html, Picture: c.Picture, Attached: c.Attached, Unsubscribe: c.Unsubscribe, At: n.cfg.Now(),
	})
}

// subjectLetters is the maximal length of a subject, in characters.
const subjectLetters = 200

// message returns a mail in the form in which it is sent.
func (m Mail) message(from *netmail.Address) (*mail.Msg, error) {
	out := mail.NewMsg(mail.WithNoDefaultUserAgent())
	out.FromMailAddress(from)
	out.ToMailAddress(&m.To)
	out.Subject(m.Subject)
	out.SetDateWithValue(m.At)
	_, host, _ := strings.Cut(from.Address, "@")
	out.SetMessageIDWithValue(m.ID + "@" + host)
	out.SetGenHeader("Auto-Submitted", "auto-generated") // prevents automatic replies
	if m.Unsubscribe != "" {
		if err := out.SetListUnsubscribeOneClick(m.Unsubscribe); err != nil { // http, on loopback
			out.SetListUnsubscribe(m.Unsubscribe)
		}
	}
	out.SetBodyString(mail.TypeTextPlain, m.Text)
	out.AddAlternativeString(mail.TypeTextHTML, m.HTML)
	if m.Picture != nil {
		if err := out.EmbedReader("dashboard.png", bytes.NewReader(m.Picture.PNG),
			mail.WithFileContentID("<"+pictureID+">"), mail.WithFileContentType("image/png")); err != nil {
			return nil, err
		}
	}
	for _, a := range m.Attached {
		if err := out.AttachReader(a.Name, bytes.NewReader(a.Data), mail.WithFileContentType(mail.ContentType(a.Type))); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// SMTP sends mails through a server. It keeps a few connections open between mails.
type SMTP struct {
	from   *netmail.Address
	client *mail.Client
	idle   chan *smtp.Client
}

// maxIdle is how many connections are kept for the next mails.
const maxIdle = 4

// NewSMTP returns a mailer for the server of a URL: smtp://user:password@host:587, where TLS begins with STARTTLS, or
// smtps://user:password@host:465. TLS is required except on loopback. Its errors do not repeat the URL.
func NewSMTP(server string, from *netmail.Address) (*SMTP, error) { return newSMTP(server, from, nil) }

// newSMTP is [NewSMTP] with certificates to trust, for tests.
func newSMTP(server string, from *netmail.Address, roots *tls.Config) (*SMTP, error) {
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		return nil, errors.New("not a URL such as smtp://user:password@mail.example.com:587")
	}
	local := loopback(u.Hostname())
	config := &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12, InsecureSkipVerify: local && roots == nil}
	if roots != nil {
		config.RootCAs = roots.RootCAs
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	options := []mail.Option{mail.WithTLSConfig(config), mail.WithTimeout(20 * time.Second), mail.WithHELO(domain), mail.WithoutNoop()}
	port := 587
	switch {
	case u.Scheme == "smtps":
		port = 465
		options = append(options, mail.WithSSL())
	case local && roots == nil:
		options = append(options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if text := u.Port(); text != "" {
		if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return nil, errors.New("the port must be from 1 to 65535")
		}
	}
	options = append(options, mail.WithPort(port))
	if password, ok := u.User.Password(); ok {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(u.User.Username()), mail.WithPassword(password))
	} else if u.User != nil {
		return nil, errors.New("a user needs a password: smtp://user:password@…")
	}
	client, err := mail.NewClient(u.Hostname(), options...)
	if err != nil {
		return nil, errors.New("not a URL of a mail server")
	}
	return &SMTP{from: from, client: client, idle: make(chan *smtp.Client, maxIdle)}, nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Send sends m. It does not return the errors of the library, because they repeat addresses.
func (s *SMTP) Send(ctx context.Context, m Mail) error {
	msg, err := m.message(s.from)
	if err != nil {
		return &refusal{reason: "The mail could not be composed.", final: true}
	}
	for {
		var conn *smtp.Client
		reused := true
		select {
		case conn = <-s.idle:
		default:
			reused = false
			if conn, err = s.client.DialToSMTPClientWithContext(ctx); err != nil {
				return dialRefusal(ctx, err)
			}
		}
		err := s.client.SendWithSMTPClient(conn, msg)
		if err == nil || msg.IsDelivered() {
			s.keep(conn, err == nil)
			return nil
		}
		var answer *mail.SendError
		spoke := errors.As(err, &answer) && answer.ErrorCode() != 0
		s.keep(conn, spoke)
		if !spoke && reused { // the server had closed the idle connection: nothing was sent
			continue
		}
		return sendRefusal(answer)
	}
}

// keep keeps a connection for the next mail, or closes it.
func (s *SMTP) keep(conn *smtp.Client, usable bool) {
	if usable {
		select {
		case s.idle <- conn:
			return
		default:
		}
	}
	_ = s.client.CloseWithSMTPClient(conn) // the outcome of the message is known already
}

// Close closes idle connections.
func (s *SMTP) Close() {
	for {
		select {
		case conn := <-s.idle:
			s.keep(conn, false)
		default:
			return
		}
	}
}

// dialRefusal returns why a mail server was not reached.
func dialRefusal(ctx context.Context, err error) error {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	text := err.Error()
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return context.Canceled
	case errors.As(err, &dns):
		return &refusal{reason: "The name of the mail server cannot be resolved."}
	case errors.As(err, &cert):
		return &refusal{reason: "The certificate of the mail server cannot be verified."}
	case strings.Contains(text, "STARTTLS"):
		return &refusal{reason: "The mail server does not offer TLS (STARTTLS), which is required."}
	case strings.Contains(text, "AUTH"):
		return &refusal{reason: "The mail server refuses the sign-in of this installation."}
	}
	return &refusal{reason: "The mail server of this installation cannot be reached."}
}

// sendRefusal returns why a mail server did not accept a mail. answer is nil if the connection broke.
func sendRefusal(answer *mail.SendError) error {
	if answer == nil || answer.ErrorCode() == 0 {
		return &refusal{reason: "The connection to the mail server broke."}
	}
	code := answer.ErrorCode()
	if answer.IsTemp() {
		return &refusal{reason: fmt.Sprintf("The mail server cannot take the mail at the moment (%d).", code)}
	}
	if answer.Reason == mail.ErrSMTPRcptTo {
		return &refusal{reason: fmt.Sprintf("The mail server refuses the recipient's address (%d).", code), final: true}
	}
	return &refusal{reason: fmt.Sprintf("The mail server refuses the mail (%d).", code), final: true}
}

// A Mailbox writes mails into a folder instead of sending them, for development.
type Mailbox struct {
	from *netmail.Address
	dir  string
}

// keptMails is how many mails a mailbox keeps.
const keptMails = 200

// NewMailbox returns a mailer that keeps the last mails in dir.
func NewMailbox(dir string, from *netmail.Address) *Mailbox { return &Mailbox{from, dir} }

// Send writes a mail to a file, which appears when it is whole.
func (b *Mailbox) Send(_ context.Context, m Mail) error {
	msg, err := m.message(b.from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	draft, err := os.CreateTemp(b.dir, "draft-*")
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	if _, err = msg.WriteTo(draft); err != nil {
		return errors.Join(err, draft.Close())
	}
	if err := draft.Close(); err != nil {
		return err
	}
	name := m.At.UTC().Format("20060102T150405.000000Z") + "-" + m.ID + ".eml"
	if err := os.Rename(draft.Name(), filepath.Join(b.dir, name)); err != nil {
		return err
	}
	all, err := filepath.Glob(filepath.Join(b.dir, "*.eml"))
	if err != nil {
		return err
	}
	slices.Sort(all)
	for len(all) > keptMails {
		if gone := os.Remove(all[0]); !errors.Is(gone, fs.ErrNotExist) { // another has done it
			err = errors.Join(err, gone)
		}
		all = all[1:]
	}
	return err
}

// Close does nothing.
func (*Mailbox) Close() {}
