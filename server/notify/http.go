package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"time"

	"service/store"
	"service/store/channel"
	"service/store/warehouse"
)

// postTime is how long a receiver may take.
const postTime = 15 * time.Second

// maxAnswer is how much of a receiver's answer is read.
const maxAnswer = 4 << 10

// httpClient returns a client that follows no redirects, uses no proxy, and connects as dial does.
func httpClient(dial func(context.Context, string, string) (net.Conn, error)) *http.Client {
	return &http.Client{
		Timeout: postTime,
		Transport: &http.Transport{
			DialContext: dial, TLSHandshakeTimeout: warehouse.DialTime, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
			TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, MaxIdleConns: 100, MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// post sends a message to the URL of a channel.
func (n *Notifier) post(ctx context.Context, m store.OutMessage, c *channel.Content) error {
	kind, ok := channel.KindOf(m.Channel.Kind)
	if !ok || kind.Write == nil { // of a later release
		return fmt.Errorf("nothing writes for the kind %s", m.Channel.Kind)
	}
	post, err := kind.Write(c, m.Target(), channel.Attempt{Message: m.ID, At: n.cfg.Now()})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, post.URL, bytes.NewReader(post.Body))
	if err != nil {
		return &refusal{reason: "The URL of the channel is not valid. Type it again.", final: true}
	}
	maps.Copy(r.Header, post.Header)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "service")
	client := n.https
	if r.URL.Scheme == "http" {
		client = n.http
	}
	resp, err := client.Do(r)
	if err != nil {
		return unreached(ctx, err)
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer)) // what arrived is enough
	return answered(kind, resp, string(answer), n.cfg.Now())
}

// unreached returns the refusal for a request that got no answer. err contains the URL, so it is not shown.
func unreached(ctx context.Context, err error) error {
	var cert *tls.CertificateVerificationError
	var dns *net.DNSError
	var op net.Error
	switch {
	case warehouse.IsPrivate(err):
		return &refusal{
			reason: "The URL leads to a private or local address, which this installation does not reach. " +
				"The operator can allow it with SERVICE_ALLOW_PRIVATE_CHANNELS.",
			final: true,
		}
	case warehouse.IsInClear(err):
		return &refusal{reason: "A URL at a public address must begin with https://.", final: true}
	case errors.Is(ctx.Err(), context.Canceled):
		return context.Canceled
	case errors.As(err, &cert):
		return &refusal{reason: "The certificate of the receiver cannot be verified."}
	case errors.As(err, &dns):
		return &refusal{reason: "The name of the receiver's host cannot be resolved."}
	case errors.As(err, &op) && op.Timeout():
		return &refusal{reason: "The receiver did not answer in time."}
	}
	return &refusal{reason: "The receiver cannot be reached."}
}

// answered returns the refusal for an answer, or nil if the answer is a success.
func answered(kind channel.Kind, resp *http.Response, body string, now time.Time) error {
	code := resp.StatusCode
	switch {
	case code >= 200 && code < 300:
		return nil
	case code >= 300 && code < 400:
		return &refusal{
			reason: fmt.Sprintf("The receiver answers with a redirect (%d), which is not followed. Type the URL that it leads to.", code),
			final:  true,
		}
	case code == http.StatusGone:
		return &refusal{reason: "The receiver reports that this URL no longer exists (410). Create a new one there.", final: true}
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code == http.StatusTooEarly, code >= 500:
		return &refusal{reason: fmt.Sprintf("The receiver cannot take messages at the moment (%d).", code), after: retryAfter(resp.Header, now)}
	}
	if kind.Refused != nil {
		if reason := kind.Refused(code, body); reason != "" {
			return &refusal{reason: reason, final: true}
		}
	}
	return &refusal{reason: fmt.Sprintf("The receiver refused the message (%d).", code), final: true}
}

// retryAfter returns how long a receiver asks to wait, or 0.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if s, err := strconv.Atoi(text); err == nil && s > 0 && s < 1_000_000 {
		return time.Duration(s) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
