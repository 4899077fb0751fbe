package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/caarlos0/env/v11"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite generated documentation")

const someKey = "0123456789abcdef0123456789abcdef"

func mustLoad(t *testing.T, environ ...string) *config {
	t.Helper()
	c, warnings, err := loadConfig(environ)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range warnings {
		t.Errorf("warning: %s", w)
	}
	return c
}

func TestConfigNeedsNothingOnLoopback(t *testing.T) {
	t.Parallel()
	c := mustLoad(t)
	if err := c.checkServing(); err != nil {
		t.Error(err)
	}
	got := map[string]any{
		"listen": c.ListenAddr, "ops": c.OpsAddr, "base": c.BaseURL, "domain": c.DashboardDomain,
		"app": c.appURL(), "page": c.dashboardURL("acme", "sales"),
		"plan": c.DefaultPlan, "log": c.LogFormat, "grace": c.RefreshGrace, "budget": c.RefreshBudget, "bin": c.bin(),
		"schedule": c.MinSchedule,
	}
	want := map[string]any{
		"listen": "127.0.0.1:8080", "ops": "127.0.0.1:9090", "base": "http://localhost:8080",
		"domain": "localhost:8080", "app": "http://app.localhost:8080",
		"page": "http://acme.localhost:8080/sales", "plan": "paid", "log": "text", "grace": 10 * time.Second, "budget": 60,
		"bin": 720 * time.Hour, "schedule": 5 * time.Minute,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestConfigInPublic(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, "SERVICE_BASE_URL=https://mcp.example.com/", "SERVICE_DASHBOARD_DOMAIN=Example.com",
		"SERVICE_SECRET_KEY="+someKey, "SERVICE_OIDC_ISSUER=https://id.example.com", "SERVICE_OIDC_CLIENT_ID=service",
		"SERVICE_TRUSTED_PROXIES=10.0.0.0/8, 192.0.2.7,fd00::/8", "SERVICE_REFRESH_GRACE=0s",
		"SERVICE_REDIRECT_SCHEMES=myclient, our.tool")
	if err := c.checkServing(); err != nil {
		t.Error(err)
	}
	got := c.appURL() + " " + c.dashboardURL("acme", "sales") + " " + c.BaseURL
	if want := "https://app.example.com https://acme.example.com/sales https://mcp.example.com"; got != want {
		t.Errorf("URLs are %s, want %s", got, want)
	}
	if c.DefaultPlan != "free" || c.LogFormat != "json" || c.RefreshGrace != 0 {
		t.Errorf("plan %s, log %s, grace %s", c.DefaultPlan, c.LogFormat, c.RefreshGrace)
	}
	if diff := cmp.Diff(schemes{"myclient", "our.tool"}, c.Schemes); diff != "" {
		t.Errorf("schemes (-want +got):\n%s", diff)
	}
	want := networks{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix("fd00::/8")}
	if diff := cmp.Diff(want, c.TrustedProxies, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
		t.Errorf("proxies (-want +got):\n%s", diff)
	}
}

func TestConfigDerivesHosts(t *testing.T) {
	t.Parallel()
	for environ, want := range map[string]string{
		"SERVICE_LISTEN_ADDR=127.0.0.1:9000":        "http://localhost:9000 http://app.localhost:9000",
		"SERVICE_BASE_URL=http://127.0.0.1:9000":    "http://127.0.0.1:9000 http://app.localhost:9000",
		"SERVICE_BASE_URL=http://[::1]:9000":        "http://[::1]:9000 http://app.localhost:9000",
		"SERVICE_BASE_URL=https://dash.example.com": "https://dash.example.com https://app.dash.example.com",
		"SERVICE_BASE_URL=https://192.0.2.1:8443" +
			" SERVICE_DASHBOARD_DOMAIN=dash.example.co": "https://192.0.2.1:8443 https://app.dash.example.co",
	} {
		c := mustLoad(t, strings.Fields(environ)...)
		if got := c.BaseURL + " " + c.appURL(); got != want {
			t.Errorf("%s: %s, want %s", environ, got, want)
		}
	}
}

// goWords are words of Go's own messages.
var goWords = regexp.MustCompile(`strconv|parsing|time: |slog|invalid syntax|unmarshal|dial |connect: |open |bind: `)

func TestConfigReportsAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := loadConfig([]string{
		"SERVICE_LISTEN_ADDR=8080",
		"SERVICE_OPS_ADDR=ops",
		"SERVICE_DEV_IDP_ADDR=0.0.0.0:8081",
		"SERVICE_BASE_URL=http://example.com",
		"SERVICE_DASHBOARD_DOMAIN=a/b",
		"DATABASE_URL=postgres://u:s3cret@host:bad/db",
		"SERVICE_OIDC_ISSUER=id.example.com",
		"SERVICE_OIDC_CLIENT_SECRET_FILE=" + empty,
		"SERVICE_OIDC_GROUPS_CLAIM=two words",
		"SERVICE_OIDC_ATTRIBUTE_CLAIMS=Region",
		"SERVICE_WORKSPACE_CREATION=nobody",
		"SERVICE_SCIM_TOKEN=s3cret,s3cret",
		"SERVICE_SCIM_CLAIM=two words",
		"SERVICE_ID_JAG=perhaps",
		"SERVICE_CLIENT_ID_METADATA=perhaps",
		"SERVICE_SECRET_KEY=short",
		"SERVICE_SMTP_URL=smtp://u:s3cret@host:bad",
		"SERVICE_MAIL_FROM=nobody",
		"SERVICE_DEFAULT_PLAN=gold",
		"SERVICE_TRUSTED_PROXIES=10.0.0.0/8,proxy",
		"SERVICE_REDIRECT_SCHEMES=myclient,javascript",
		"SERVICE_REFRESH_GRACE=10",
		"SERVICE_REFRESH_BUDGET=none",
		"SERVICE_AUDIT_RETENTION=1h",
		"SERVICE_BIN_DAYS=-1",
		"SERVICE_MIN_SCHEDULE=90s",
		"SERVICE_STORAGE_FREE=lots",
		"SERVICE_STORAGE_PAID=5",
		"SERVICE_LINKED_MAX=5",
		"SERVICE_ALLOW_PRIVATE_WAREHOUSES=perhaps",
		"SERVICE_ALLOW_PRIVATE_CHANNELS=perhaps",
		"SERVICE_ALLOW_PRIVATE_ISSUERS=perhaps",
		"SERVICE_REQUIRE_SANDBOX=perhaps",
		"SERVICE_DEMO=yes",
		"SERVICE_LOG_LEVEL=loud",
		"SERVICE_LOG_FORMAT=xml",
		"OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4318",
		"OTEL_EXPORTER_OTLP_HEADERS=s3cret",
		"OTEL_EXPORTER_OTLP_TIMEOUT=10s",
		"OTEL_EXPORTER_OTLP_CERTIFICATE=" + empty,
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
	})
	wrong, ok := errors.AsType[mistakes](err)
	if _, usage := errors.AsType[usageError](err); !ok || !usage {
		t.Fatalf("got %v", err)
	}
	for _, v := range (&config{}).variables() {
		named := strings.Contains(err.Error(), v.Name+":") || strings.Contains(err.Error(), v.Name+"_FILE:")
		if want := v.Name != "SERVICE_DATA_DIR"; named != want { // any path is valid
			t.Errorf("%s is among the mistakes: %t, want %t", v.Name, named, want)
		}
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Error("the mistakes show the password")
	}
	for _, m := range wrong {
		if strings.Contains(m, "\n") || goWords.MatchString(m) {
			t.Errorf("unreadable: %s", m)
		}
	}
}

// A value that cannot be read has one mistake, whatever the variable: it is not also compared with limits.
func TestConfigReportsAVariableOnce(t *testing.T) {
	t.Parallel()
	mistaken := 0
	for _, v := range (&config{}).variables() {
		if env.ParseWithOptions(&config{}, env.Options{Environment: map[string]string{v.Name: "no such value"}}) == nil {
			continue // any text can be read
		}
		mistaken++
		_, _, err := loadConfig([]string{v.Name + "=no such value"})
		if err == nil || strings.Count(err.Error(), "\n  "+v.Name+":") != 1 {
			t.Errorf("%s: %v", v.Name, err)
		}
	}
	if mistaken < 10 {
		t.Errorf("only %d variables have a mistake", mistaken)
	}
}

func TestAmount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]amount{"off": 0, "500MiB": 500 << 20, "5GiB": 5 << 30, "2048MiB": 2 << 30} {
		var a amount
		if err := a.UnmarshalText([]byte(text)); err != nil || a != want {
			t.Errorf("%s is %d, %v", text, a, err)
		}
		back, err := a.MarshalText()
		var again amount
		if err != nil || again.UnmarshalText(back) != nil || again != want {
			t.Errorf("%s is written %s, %v", text, back, err)
		}
	}
	for _, text := range []string{"", "5", "GiB", "-1GiB", "0MiB", "1.5GiB", "5GB", "5 GiB", "99999999GiB"} {
		var a amount
		if err := a.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %d", text, a)
		}
	}
}

func TestConfigRefusesWhatIsUnsafeInPublic(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, "SERVICE_BASE_URL=https://mcp.example.com")
	err := c.checkServing()
	if err == nil || !strings.Contains(err.Error(), "SERVICE_SECRET_KEY") || !strings.Contains(err.Error(), "SERVICE_OIDC_ISSUER") {
		t.Errorf("got %v", err)
	}
}

func TestConfigReadsSecretsFromFiles(t *testing.T) {
	t.Parallel()
	for _, v := range (&config{}).variables() {
		if !v.Secret {
			continue
		}
		value := someKey
		switch v.Name {
		case "DATABASE_URL":
			value = "postgres://u:" + someKey + "@db/service"
		case "SERVICE_SMTP_URL":
			value = "smtp://u:" + url.QueryEscape(someKey) + "@mail.example.com"
		}
		file := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(file, []byte(value+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c := mustLoad(t, v.Name+"_FILE="+file, "SERVICE_MAIL_FROM=d@example.com",
			"SERVICE_OIDC_ISSUER=https://id.example.com", "SERVICE_OIDC_CLIENT_ID=service")
		for _, got := range c.variables() {
			if got.Name == v.Name && (got.value.String() != value || got.String() != "[redacted]") {
				t.Errorf("%s from a file: %q, shown as %s", v.Name, got.value, got)
			}
		}
		for _, environ := range [][]string{
			{v.Name + "=" + value, v.Name + "_FILE=" + file}, // both
			{v.Name + "_FILE=" + file + ".missing"},
		} {
			if _, _, err := loadConfig(environ); err == nil || !strings.Contains(err.Error(), v.Name+"_FILE") {
				t.Errorf("%v: %v", environ, err)
			}
		}
	}
}

func TestConfigWarnsOfUnknownVariables(t *testing.T) {
	t.Parallel()
	_, got, err := loadConfig([]string{
		"SERVICE_LISTEN_ADDRESS=x", "SERVICE_BASEURL=x", "SERVICE_COLOUR_OF_THE_SKY=blue",
		"HOME=/", "SERVICE_DEMO=true", "SERVICE_DEMO_FILE=x", "SERVICE_TPYO=x", "SERVICE_DATABASE_URL=x", "SERVICE_DATABASE_URL_FILE=x",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"SERVICE_BASEURL is not a variable of this program; did you mean SERVICE_BASE_URL?",
		"SERVICE_COLOUR_OF_THE_SKY is not a variable of this program",
		"SERVICE_DATABASE_URL is not a variable of this program; did you mean DATABASE_URL?",
		"SERVICE_DATABASE_URL_FILE is not a variable of this program; did you mean DATABASE_URL_FILE?",
		"SERVICE_DEMO_FILE is not a variable of this program; did you mean SERVICE_DEMO?",
		"SERVICE_LISTEN_ADDRESS is not a variable of this program; did you mean SERVICE_LISTEN_ADDR?",
		"SERVICE_TPYO is not a variable of this program",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// Operators read the list of variables in docs/operations.md, which this test generates.
func TestOperationsListsEveryVariable(t *testing.T) {
	t.Parallel()
	const file, begin, end = "../../docs/operations.md", "<!-- variables: begin -->\n", "<!-- variables: end -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := bytes.Cut(text, []byte(begin))
	_, tail, ok2 := bytes.Cut(rest, []byte(end))
	if !ok1 || !ok2 {
		t.Fatalf("%s has lost its marks", file)
	}
	var table strings.Builder
	table.WriteString("| Variable | Default | Meaning |\n|---|---|---|\n")
	for _, v := range (&config{}).variables() {
		shown := ""
		switch {
		case v.Default == "":
		case strings.Contains(v.Default, " ") || v.Default == "none":
			shown = v.Default
		default:
			shown = "`" + v.Default + "`"
		}
		name := "`" + v.Name + "`"
		if v.Secret {
			name += " 🔒"
		}
		if v.About == "" {
			t.Errorf("nothing is said about %s", v.Name)
		}
		fmt.Fprintf(&table, "| %s | %s | %s |\n", name, shown, v.About)
	}
	want := string(head) + begin + table.String() + end + string(tail)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("%s is not current: go test ./cmd/service -run Operations -update (-want +got):\n%s", file, diff)
	}
}
