package main

import (
	"log/slog"
	"os"
	"time"

	"service/server"
	"service/store/tracing"
)

// traced reports whether requests are traced.
func (c *config) traced() bool { return c.Collector != "" }

// checkTraces checks the settings of the collector. The variables are OpenTelemetry's; those that the SDK reads itself are not here.
func (c *config) checkTraces(wrong *mistakes) {
	if !c.traced() {
		return
	}
	c.collector = tracing.Collector{Timeout: time.Duration(c.CollectorTimeout) * time.Millisecond}
	var err error
	if c.collector.URL, err = tracing.CollectorURL(c.Collector); err != nil {
		wrong.add("OTEL_EXPORTER_OTLP_ENDPOINT: %v", err)
	}
	if c.collector.Headers, err = tracing.ParseHeaders(c.CollectorHeaders); err != nil {
		wrong.add("OTEL_EXPORTER_OTLP_HEADERS: %v", err)
	}
	if c.CollectorTimeout < 1 {
		wrong.add("OTEL_EXPORTER_OTLP_TIMEOUT: must be at least 1")
	}
	if c.CollectorCertificate != "" {
		pem, err := os.ReadFile(c.CollectorCertificate)
		if err == nil {
			c.collector.Authorities, err = tracing.ParseCertificates(pem)
		}
		if err != nil {
			wrong.add("OTEL_EXPORTER_OTLP_CERTIFICATE: %v", err)
		}
	}
	if c.CollectorProtocol != "http/protobuf" {
		wrong.add(`OTEL_EXPORTER_OTLP_PROTOCOL: "%s" is not supported; use http/protobuf`, c.CollectorProtocol)
	}
}

// newTracer returns a tracer of requests, or nil if there is no collector.
func (c *config) newTracer(log *slog.Logger) *tracing.Tracer {
	if !c.traced() {
		return nil
	}
	return tracing.New(c.collector.Exporter(log), server.Release)
}
