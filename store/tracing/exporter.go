package tracing

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A Collector is the destination of spans: OTLP over HTTP, in protobuf.
type Collector struct {
	URL         string         // complete, with /v1/traces
	Headers     http.Header    // of each request; may have secrets
	Timeout     time.Duration  // of a batch, with all its attempts
	Authorities *x509.CertPool // trusted authorities of the collector's certificate; nil for those of the system
}

// CollectorURL returns the address for traces of a base address such as OTEL_EXPORTER_OTLP_ENDPOINT.
func CollectorURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("not an address such as http://localhost:4318")
	}
	return u.JoinPath("v1/traces").String(), nil
}

// ParseHeaders reads headers in the form of OTEL_EXPORTER_OTLP_HEADERS: name=value, separated by commas, percent-encoded. The error does
// not repeat them.
func ParseHeaders(text string) (http.Header, error) {
	headers := http.Header{}
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || err != nil || name == "" || strings.ContainsAny(name+value, "\r\n") {
			return nil, fmt.Errorf("entry %d is not name=value", i+1)
		}
		headers.Add(name, value)
	}
	return headers, nil
}

// ParseCertificates reads certificates in PEM.
func ParseCertificates(pem []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("there is no certificate in PEM")
	}
	return pool, nil
}

// Exporter returns an exporter to a collector. It connects when there are spans, and logs failures.
func (c Collector) Exporter(log *slog.Logger) sdk.SpanExporter {
	return otlptrace.NewUnstarted(newUploader(c, log))
}

func newUploader(c Collector, log *slog.Logger) *uploader {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: c.Authorities, MinVersion: tls.VersionTLS12}
	return &uploader{c, log, time.Second, &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // keeps the headers from other hosts
	}}
}

// An uploader sends batches. The library's own uploader would add gRPC to the program, which is 12 MB.
type uploader struct {
	Collector
	log    *slog.Logger
	pause  time.Duration // after the first failed attempt; doubled after each further one
	client *http.Client
}

func (*uploader) Start(context.Context) error { return nil }

func (u *uploader) Stop(context.Context) error {
	u.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends spans, and retries while the collector is unreachable and time remains. It always returns nil, because the SDK would
// print an error outside our log.
func (u *uploader) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// Field 1 of ExportTraceServiceRequest is that of TracesData: the two are the same in bytes.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err == nil {
		err = u.upload(ctx, body)
	}
	if err != nil {
		u.log.Warn("spans could not be sent to the collector, and are lost", "bytes", len(body), "err", err)
	}
	return nil
}

// upload sends a batch, with pauses between the attempts that grow, or are as long as the collector requests.
func (u *uploader) upload(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, u.Timeout)
	defer cancel()
	var why error // error of the last attempt, unless only its time was over
	for pause := u.pause; ; pause *= 2 {
		asked, err := u.post(ctx, body)
		if err == nil || asked < 0 {
			return err
		}
		if why == nil || ctx.Err() == nil {
			why = err
		}
		select {
		case <-ctx.Done():
			return why
		case <-time.After(max(pause, asked)):
		}
	}
}

// post makes one attempt. If it fails, wait is the pause that the collector requests, 0 if it requests none, and -1 if another attempt is
// pointless.
func (u *uploader) post(ctx context.Context, body []byte) (wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.URL, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	for name, values := range u.Headers {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	res, err := u.client.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the address
	}
	if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted {
		return -1, err
	}
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	switch res.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return 0, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return time.Duration(max(0, seconds)) * time.Second, fmt.Errorf("the collector answers %d", res.StatusCode)
	}
	return -1, fmt.Errorf("the collector answers %d", res.StatusCode)
}
