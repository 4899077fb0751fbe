package main

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// A collector receives spans as OpenTelemetry's does.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	batches []*tracepb.TracesData
	header  http.Header // of the last batch
}

func startCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		batch := &tracepb.TracesData{}
		if err == nil {
			err = proto.Unmarshal(body, batch)
		}
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.batches, c.header = append(c.batches, batch), r.Header
	}))
	t.Cleanup(c.Close)
	return c
}

// spans returns all spans that have arrived.
func (c *collector) spans() (all spans) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, batch := range c.batches {
		for _, of := range batch.ResourceSpans {
			for _, scope := range of.ScopeSpans {
				all = append(all, scope.Spans...)
			}
		}
	}
	slices.SortFunc(all, func(a, b *tracepb.Span) int { return cmp.Compare(a.StartTimeUnixNano, b.StartTimeUnixNano) })
	return all
}

type spans []*tracepb.Span

// below returns the children of a span, and the spans with a link to it.
func (all spans) below(of *tracepb.Span) (children, linked spans) {
	for _, s := range all {
		if string(s.ParentSpanId) == string(of.SpanId) {
			children = append(children, s)
		}
		if slices.ContainsFunc(s.Links, func(l *tracepb.Span_Link) bool { return string(l.SpanId) == string(of.SpanId) }) {
			linked = append(linked, s)
		}
	}
	return children, linked
}

// tree draws the spans below a span. Consecutive database statements are one line.
func (all spans) tree(b *strings.Builder, of *tracepb.Span, indent string) {
	took := time.Duration(of.EndTimeUnixNano - of.StartTimeUnixNano).Round(10 * time.Microsecond)
	var said []string
	for _, a := range of.Attributes {
		if text := a.Value.GetStringValue(); a.Key != "db.query.text" && a.Key != "db.system.name" && len(text) != 36 {
			said = append(said, fmt.Sprintf("%s=%v", a.Key, cmp.Or(text, fmt.Sprint(a.Value.GetIntValue()))))
		}
	}
	fmt.Fprintf(b, "%s%s (%v) %s\n", indent, of.Name, took, strings.Join(said, " "))
	children, linked := all.below(of)
	for i := 0; i < len(children); i++ {
		n := 0
		var words []string
		for i+n < len(children) && children[i+n].Name == strings.ToUpper(children[i+n].Name) {
			words = append(words, children[i+n].Name)
			n++
		}
		if n > 1 {
			fmt.Fprintf(b, "%s  %d statements: %s\n", indent, n, strings.Join(words, " "))
			i += n - 1
			continue
		}
		all.tree(b, children[i], indent+"  ")
	}
	for _, s := range linked {
		fmt.Fprintf(b, "%s  => linked, a trace of its own:\n", indent)
		all.tree(b, s, indent+"     ")
	}
}

// find returns the first span with a name below a span, including itself, also following links.
func (all spans) find(of *tracepb.Span, name string) *tracepb.Span {
	if of.Name == name {
		return of
	}
	children, linked := all.below(of)
	for _, s := range append(children, linked...) {
		if found := all.find(s, name); found != nil {
			return found
		}
	}
	return nil
}

// TestTraces publishes, refreshes, reads and mails a vault full of secret words, and checks everything that was sent to the collector.
func TestTraces(t *testing.T) {
	t.Parallel()
	to := startCollector(t)
	v := newVault(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+to.URL, "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20let-me-in")
	upload := map[string]any{"connection": v.there.connection, "upload": v.there.upload}
	publish := func(path, sql string, alerts ...any) {
		t.Helper()
		spec := map[string]any{
			"title": "Title " + canary, "datasets": []any{map[string]any{"id": "d", "sql": sql}},
			"panels": []any{map[string]any{"type": "kpi", "value": "amount"}},
		}
		if alerts != nil {
			spec["alerts"] = alerts
		}
		got := v.owner.call("publish_dashboard",
			map[string]any{"path": path, "spec": spec, "connection": upload["connection"], "upload": upload["upload"]})
		if got.failed {
			t.Fatal(got.text)
		}
	}
	publish("told", "SELECT sum(amount) AS amount FROM upload", map[string]any{
		"id": "much", "title": "Much " + canary, "value": "amount", "if": ">", "than": 1,
	})
	v.owner.refreshed("told")
	publish("broken", "SELECT region::INTEGER AS amount FROM upload -- "+canary) // the engine's error quotes a region
	for state := ""; state != "sent" || v.owner.call("get_refresh_status", map[string]any{"slug": "broken"}).data["state"] != "failed"; {
		if t.Context().Err() != nil {
			t.Fatal("nothing was sent, or the broken dashboard did not fail")
		}
		if err := v.db.QueryRow(t.Context(), `SELECT coalesce(max(state), '') FROM message`).Scan(&state); err != nil {
			t.Fatal(err)
		}
	}
	v.vic.get(v.workspace("vault") + "/secrets?f.region=" + canary)
	v.vic.get(v.workspace("vault") + "/" + canary + "/" + canary)
	v.vic.get(v.app + "/w/vault/d/secrets?" + canary)
	v.call(t, v.own, canary+"_tool", `{}`)
	req, err := http.NewRequestWithContext(t.Context(), canary, v.base+"/"+canary+"?code="+canary, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"X-Request-Id": canary, "User-Agent": canary, "Authorization": "Bearer " + canary,
		"Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "Tracestate": "x=" + canary,
	} {
		req.Header.Set(name, value)
	}
	send(t, http.DefaultClient, req)
	v.stop() // sends the last spans

	all := to.spans()
	if to.header.Get("Authorization") != "Bearer let-me-in" {
		t.Errorf("the collector was sent %q", to.header)
	}
	to.mu.Lock()
	for _, batch := range to.batches {
		text := protojson.Format(batch)
		for what, secret := range map[string]string{
			"what members wrote": canary, "a mail address": "@example", "a slug": "secrets", "a token": "svc_",
			"a host": "localhost", "the collector's header": "let-me-in", "an address": "127.0.0.1", "a value's type": "INTEGER AS",
		} {
			if strings.Contains(text, secret) {
				t.Errorf("a span has %s: %s", what, linesWith(text, secret))
			}
		}
	}
	to.mu.Unlock()

	var published, stranger *tracepb.Span
	for _, s := range all {
		switch {
		case len(s.ParentSpanId) > 0:
		case s.Name == "POST /mcp" && all.find(s, "send mail") != nil:
			published = s
		case len(s.Links) > 0 && fmt.Sprintf("%x", s.Links[0].TraceId) == "0af7651916cd43dd8448eb211c80319c":
			stranger = s
		}
	}
	if stranger == nil || string(stranger.TraceId) == string(stranger.Links[0].TraceId) || stranger.Name != "other unmatched" {
		t.Errorf("a stranger's trace was not linked to, or was believed: %v", stranger)
	}
	if published == nil {
		t.Fatal("no trace leads from a call to a mail")
	}
	var drawn strings.Builder
	all.tree(&drawn, published, "")
	t.Logf("%d spans in %d batches\n%s", len(all), len(to.batches), &drawn)
	for _, name := range []string{
		"tools/call publish_dashboard", "worker describe", "queue refresh",
		"job refresh", "worker query", "COPY", "queue send", "job send", "send mail",
	} {
		if all.find(published, name) == nil {
			t.Errorf("%s is not below the publish", name)
		}
	}
	job := all.find(published, "job refresh")
	if got := said(job, "service.outcome"); got != "succeeded" || string(job.TraceId) == string(published.TraceId) {
		t.Errorf("the refresh ended %q, in the trace of its publish: %v", got, string(job.TraceId) == string(published.TraceId))
	}
	if query := all.find(published, "worker query"); said(query, "service.rows") != "1" || said(query, "service.workspace_id") == "" {
		t.Errorf("the query has %v", query.Attributes)
	}
	broken := slices.IndexFunc(all, func(s *tracepb.Span) bool { return s.Name == "worker query" && s.Status.GetMessage() != "" })
	if broken < 0 || all[broken].Status.Message != "type" {
		t.Error("the broken query is not seen, or has more than its class")
	}
	for _, s := range all {
		if _, err := url.Parse("http://h/" + s.Name); err != nil || len(s.Name) > 60 || s.EndTimeUnixNano == 0 || len(s.Events) > 0 {
			t.Errorf("a span is called %q, with events %v", s.Name, s.Events)
		}
	}
	if log := v.log.String(); !strings.Contains(log, fmt.Sprintf("trace_id=%x", published.TraceId)) {
		t.Error("the log does not name the trace of the publish")
	}
}

// said returns an attribute of a span.
func said(s *tracepb.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return cmp.Or(a.Value.GetStringValue(), fmt.Sprint(a.Value.GetIntValue()))
		}
	}
	return ""
}
