package main

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/server/notify"
	"service/store"
	"service/store/suggest"
	"service/store/tracing"
)

// config is the configuration of the program, from environment variables. An empty variable counts
// as unset. A secret may also be in a file, whose name is in <variable>_FILE.
//
// docs/operations.md shows this struct as a table; go test ./cmd/service -update
// writes it.
type config struct {
	ListenAddr      string `env:"SERVICE_LISTEN_ADDR" envDefault:"127.0.0.1:8080"`
	OpsAddr         string `env:"SERVICE_OPS_ADDR" envDefault:"127.0.0.1:9090"`
	BaseURL         string `env:"SERVICE_BASE_URL" envDefault:"http://localhost:8080"`
	DashboardDomain string `env:"SERVICE_DASHBOARD_DOMAIN" unset:"host and port of the base URL"`
	DataDir         string `env:"SERVICE_DATA_DIR" unset:"./.service"`
	DatabaseURL     string `env:"DATABASE_URL" secret:"true" unset:"embedded PostgreSQL"`

	OIDCIssuer       string   `env:"SERVICE_OIDC_ISSUER" unset:"development provider, on loopback only"`
	OIDCClientID     string   `env:"SERVICE_OIDC_CLIENT_ID"`
	OIDCClientSecret string   `env:"SERVICE_OIDC_CLIENT_SECRET" secret:"true"`
	OIDCGroups       string   `env:"SERVICE_OIDC_GROUPS_CLAIM" unset:"none"`
	OIDCAttributes   claimMap `env:"SERVICE_OIDC_ATTRIBUTE_CLAIMS" unset:"none"`
	SCIMToken        string   `env:"SERVICE_SCIM_TOKEN" secret:"true" unset:"no SCIM"`
	SCIMClaim        string   `env:"SERVICE_SCIM_CLAIM" envDefault:"sub"`
	IDJAG            bool     `env:"SERVICE_ID_JAG" envDefault:"false"`
	DevIDPAddr       string   `env:"SERVICE_DEV_IDP_ADDR" envDefault:"127.0.0.1:8081"`
	SecretKey        string   `env:"SERVICE_SECRET_KEY" secret:"true" unset:"made in the data directory, on loopback only"`

	SMTPURL  string `env:"SERVICE_SMTP_URL" secret:"true" unset:"e-mails are kept in the data directory, on loopback only"`
	MailFrom string `env:"SERVICE_MAIL_FROM"`

	DefaultPlan    string        `env:"SERVICE_DEFAULT_PLAN" unset:"paid on loopback, else free"`
	Creators       creators      `env:"SERVICE_WORKSPACE_CREATION" envDefault:"anyone"`
	TrustedProxies networks      `env:"SERVICE_TRUSTED_PROXIES" unset:"none"`
	Documents      bool          `env:"SERVICE_CLIENT_ID_METADATA" envDefault:"false"`
	Schemes        schemes       `env:"SERVICE_REDIRECT_SCHEMES" unset:"none"`
	RefreshGrace   time.Duration `env:"SERVICE_REFRESH_GRACE" envDefault:"10s"`
	RefreshBudget  int           `env:"SERVICE_REFRESH_BUDGET" envDefault:"60"`
	MinSchedule    time.Duration `env:"SERVICE_MIN_SCHEDULE" envDefault:"5m"`
	AuditRetention days          `env:"SERVICE_AUDIT_RETENTION" envDefault:"400d"`
	BinDays        int           `env:"SERVICE_BIN_DAYS" envDefault:"30"`
	StorageFree    amount        `env:"SERVICE_STORAGE_FREE" envDefault:"5GiB"`
	StoragePaid    amount        `env:"SERVICE_STORAGE_PAID" envDefault:"100GiB"`
	LinkedMax      amount        `env:"SERVICE_LINKED_MAX" envDefault:"512MiB"`

	AllowPrivateWarehouses bool       `env:"SERVICE_ALLOW_PRIVATE_WAREHOUSES" envDefault:"false"`
	AllowPrivateChannels   bool       `env:"SERVICE_ALLOW_PRIVATE_CHANNELS" envDefault:"false"`
	AllowPrivateIssuers    bool       `env:"SERVICE_ALLOW_PRIVATE_ISSUERS" envDefault:"false"`
	RequireSandbox         bool       `env:"SERVICE_REQUIRE_SANDBOX" envDefault:"false"`
	Demo                   bool       `env:"SERVICE_DEMO" envDefault:"false"`
	LogLevel               slog.Level `env:"SERVICE_LOG_LEVEL" envDefault:"info"`
	LogFormat              string     `env:"SERVICE_LOG_FORMAT" unset:"text on loopback, else json"`

	Collector            string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" unset:"requests are not traced"`
	CollectorHeaders     string `env:"OTEL_EXPORTER_OTLP_HEADERS" secret:"true"`
	CollectorTimeout     int    `env:"OTEL_EXPORTER_OTLP_TIMEOUT" envDefault:"10000"`
	CollectorCertificate string `env:"OTEL_EXPORTER_OTLP_CERTIFICATE" unset:"the authorities of the system"`
	CollectorProtocol    string `env:"OTEL_EXPORTER_OTLP_PROTOCOL" envDefault:"http/protobuf"`

	base *url.URL      // BaseURL, parsed
	from *mail.Address // MailFrom, parsed

	collector tracing.Collector // receives the spans
}

// about describes each variable, for its line in the table in docs/operations.md.
var about = map[string]string{
	"SERVICE_LISTEN_ADDR": "address of the public listener",
	"SERVICE_OPS_ADDR": "address of the listener for operators (/livez, /readyz, /metrics, /debug/pprof); keep it " +
		"off public networks; off disables it",
	"SERVICE_BASE_URL": "address that AI clients connect to, without /mcp; it must use https unless it is an address " +
		"of this machine",
	"SERVICE_DASHBOARD_DOMAIN":   "domain of the pages: the web app is at app.<domain>, each workspace at <workspace>.<domain>",
	"SERVICE_DATA_DIR":           "embedded database, secret key and scratch files",
	"DATABASE_URL":               "PostgreSQL 14 or newer",
	"SERVICE_OIDC_ISSUER":        "OpenID Connect provider that people sign in with",
	"SERVICE_OIDC_CLIENT_ID":     "id of this service at the provider",
	"SERVICE_OIDC_CLIENT_SECRET": "secret of this service at the provider; empty for a public client",
	"SERVICE_OIDC_GROUPS_CLAIM": "name of the claim that contains a person's groups, such as groups; needed to map groups to " +
		"workspaces (service admin group)",
	"SERVICE_OIDC_ATTRIBUTE_CLAIMS": "claims from which members get attributes for row rules, separated by commas: region, or " +
		"team=department for attribute team from claim department",
	"SERVICE_SCIM_TOKEN": "token with which the identity provider adds and removes people and groups at /scim/v2 of the web " +
		"app; at least 32 characters. While you replace it, list the new and the old token, separated by a comma",
	"SERVICE_SCIM_CLAIM": "sign-in claim that is compared with SCIM's externalId; oid for Microsoft Entra",
	"SERVICE_ID_JAG": "give a client access without a consent screen if it presents an assertion of the identity " +
		"provider (ID-JAG)",
	"SERVICE_CLIENT_ID_METADATA": "accept clients whose id is the https URL of a metadata document; the service downloads that document",
	"SERVICE_DEV_IDP_ADDR":       "address of the development identity provider",
	"SERVICE_SECRET_KEY": "key that encrypts stored secrets; at least 32 characters, the same on all replicas. With several " +
		"keys, separated by commas, the first one encrypts new secrets, and each of them can decrypt stored ones",
	"SERVICE_SMTP_URL": "mail server for alerts and deliveries: smtp://user:password@host:587 (STARTTLS) or " +
		"smtps://user:password@host:465",
	"SERVICE_MAIL_FROM":    "sender of e-mails, such as Dashboards <dashboards@example.com>; required with SERVICE_SMTP_URL",
	"SERVICE_DEFAULT_PLAN": "plan of a new workspace: free or paid",
	"SERVICE_WORKSPACE_CREATION": "people who may create workspaces in the web app: anyone (with a verified e-mail address), " +
		"operators (only by service admin workspace create), or e-mail domains separated by commas, such as example.com",
	"SERVICE_TRUSTED_PROXIES": "IP addresses or networks of proxies whose X-Forwarded-For header is trusted, separated by commas",
	"SERVICE_REDIRECT_SCHEMES": "additional URI schemes that are allowed in redirect URIs of clients, separated by commas, " +
		"such as myclient; reverse-domain schemes such as com.example.app are always allowed",
	"SERVICE_REFRESH_GRACE": "how long after its use an old OAuth refresh token still returns the same new tokens; " +
		"0s disables this",
	"SERVICE_REFRESH_BUDGET":           "refreshes that a workspace may trigger per minute",
	"SERVICE_MIN_SCHEDULE":             "shortest time between two runs of a schedule, in whole minutes, at least 1m",
	"SERVICE_AUDIT_RETENTION":          "how long events stay in the audit log: days such as 400d, or hours such as 48h",
	"SERVICE_BIN_DAYS":                 "number of days for which deleted dashboards are kept; 0 deletes them at once",
	"SERVICE_STORAGE_FREE":             "storage quota of a workspace on the free plan, uncompressed, such as 500MiB; off for no limit",
	"SERVICE_STORAGE_PAID":             "the same on the paid plan",
	"SERVICE_LINKED_MAX":               "maximum number of bytes of linked files that a call or a refresh fetches; off disables linked files",
	"SERVICE_ALLOW_PRIVATE_WAREHOUSES": "let connections reach private, loopback and link-local addresses",
	"SERVICE_ALLOW_PRIVATE_CHANNELS":   "let channels reach private, loopback and link-local addresses",
	"SERVICE_ALLOW_PRIVATE_ISSUERS": "allow private, loopback and link-local addresses for the issuers of CI tokens " +
		"(service admin trust), such as a GitLab in your own network",
	"SERVICE_REQUIRE_SANDBOX": "refuse to start if the kernel cannot seal the processes that read uploaded files and " +
		"run SQL over them",
	"SERVICE_DEMO":       "at the first start, create a demo workspace with dashboards",
	"SERVICE_LOG_LEVEL":  "debug, info, warn or error",
	"SERVICE_LOG_FORMAT": "text or json",

	"OTEL_EXPORTER_OTLP_ENDPOINT":    "collector of traces, such as http://localhost:4318: see Traces",
	"OTEL_EXPORTER_OTLP_HEADERS":     "headers of requests to the collector, such as authorization=Bearer%20token, separated by commas",
	"OTEL_EXPORTER_OTLP_TIMEOUT":     "time limit for sending one batch of spans, including retries, in milliseconds",
	"OTEL_EXPORTER_OTLP_CERTIFICATE": "PEM file with the certificate authorities that are trusted for the collector's certificate",
	"OTEL_EXPORTER_OTLP_PROTOCOL":    "the only supported protocol",
}

// mistakes are all mistakes in a configuration, each with its variable.
type mistakes []string

func (m mistakes) Error() string {
	return "the configuration has mistakes:\n  " + strings.Join(m, "\n  ")
}

func (m *mistakes) add(format string, args ...any) { *m = append(*m, fmt.Sprintf(format, args...)) }

// addOther adds those mistakes whose variables have no mistake yet: a value that could not be read is checked as zero.
func (m *mistakes) addOther(more mistakes) {
	known := slices.Clone(*m)
	for _, mistake := range more {
		name, _, _ := strings.Cut(mistake, ":")
		if !slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, name+":") }) {
			*m = append(*m, mistake)
		}
	}
}

// A variable is one field of config.
type variable struct {
	Name, Default, About string
	Secret               bool
	value                reflect.Value
}

func (c *config) variables() []variable {
	var list []variable
	v := reflect.ValueOf(c).Elem()
	for field, value := range v.Fields() {
		if name := field.Tag.Get("env"); name != "" {
			list = append(list, variable{
				Name:    name,
				Default: cmp.Or(field.Tag.Get("envDefault"), field.Tag.Get("unset")),
				About:   about[name],
				Secret:  field.Tag.Get("secret") != "",
				value:   value,
			})
		}
	}
	return list
}

// String returns the value in the form of the variable; a secret is not shown.
func (v variable) String() string {
	if v.Secret && !v.value.IsZero() {
		return "[redacted]"
	}
	if text, ok := v.value.Interface().(encoding.TextMarshaler); ok {
		b, err := text.MarshalText()
		if err == nil {
			return string(b)
		}
	}
	return fmt.Sprint(v.value.Interface())
}

// loadConfig reads the configuration from environ. It returns the warnings for variables
// that look like the program's own and are not, and all mistakes at once, as a usageError.
func loadConfig(environ []string) (*config, []string, error) {
	vars := env.ToMap(environ)
	c := &config{}
	var wrong mistakes
	c.readFiles(vars, &wrong)
	if err := env.ParseWithOptions(c, env.Options{Environment: vars}); err != nil {
		c.explain(err, vars, &wrong)
	}
	var more mistakes
	c.check(vars, &more)
	wrong.addOther(more)
	warnings := c.unknown(vars)
	if len(wrong) > 0 {
		return nil, warnings, usageError{wrong}
	}
	return c, warnings, nil
}

// readFiles replaces each secret by the contents of <secret>_FILE.
func (c *config) readFiles(vars map[string]string, wrong *mistakes) {
	for _, v := range c.variables() {
		path := vars[v.Name+"_FILE"]
		if !v.Secret || path == "" {
			continue
		}
		if vars[v.Name] != "" {
			wrong.add("%s and %s_FILE are both set: set one", v.Name, v.Name)
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			wrong.add("%s_FILE: %v", v.Name, plain(err))
			continue
		}
		vars[v.Name] = strings.TrimRight(string(text), "\r\n")
		if vars[v.Name] == "" {
			wrong.add("%s_FILE: %s is empty", v.Name, path)
		}
	}
}

// explain names the variables that could not be parsed, and what they should be. The library names the
// fields, and Go's functions.
func (c *config) explain(err error, vars map[string]string, wrong *mistakes) {
	all, ok := errors.AsType[env.AggregateError](err)
	if !ok {
		wrong.add("%v", err)
		return
	}
	for _, err := range all.Errors {
		parse, ok := errors.AsType[env.ParseError](err)
		if !ok {
			wrong.add("%v", err)
			continue
		}
		field, _ := reflect.TypeFor[config]().FieldByName(parse.Name)
		name := field.Tag.Get("env")
		wrong.add("%s: %s", name, cmp.Or(notOf(field.Type, vars[name]), fmt.Sprint(parse.Err)))
	}
}

// check reports mistakes, and fills in defaults that depend on other variables.
func (c *config) check(vars map[string]string, wrong *mistakes) {
	addresses := map[string]string{"SERVICE_LISTEN_ADDR": c.ListenAddr, "SERVICE_DEV_IDP_ADDR": c.DevIDPAddr}
	if c.OpsAddr != "off" {
		addresses["SERVICE_OPS_ADDR"] = c.OpsAddr
	}
	for _, name := range slices.Sorted(maps.Keys(addresses)) {
		if _, port, err := net.SplitHostPort(addresses[name]); err != nil || port == "" {
			wrong.add(`%s: "%s" is not an address such as 127.0.0.1:8080`, name, addresses[name])
		}
	}
	if vars["SERVICE_BASE_URL"] == "" { // by default, it is the listener's address
		if _, port, err := net.SplitHostPort(c.ListenAddr); err == nil {
			c.BaseURL = "http://localhost:" + port
		}
	}
	c.checkHosts(wrong)
	if _, err := pgxpool.ParseConfig(c.DatabaseURL); err != nil { // the error repeats the password
		wrong.add("DATABASE_URL: not a PostgreSQL connection string")
	}
	if c.SecretKey != "" {
		if _, err := keyText(c.SecretKey); err != nil {
			wrong.add("SERVICE_SECRET_KEY: %v", err)
		}
	}
	if c.OIDCIssuer != "" && c.OIDCClientID == "" {
		wrong.add("SERVICE_OIDC_CLIENT_ID: required with SERVICE_OIDC_ISSUER")
	}
	if u, err := url.Parse(c.OIDCIssuer); c.OIDCIssuer != "" &&
		(err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname()))) {
		wrong.add(`SERVICE_OIDC_ISSUER: "%s" is not an https URL`, c.OIDCIssuer)
	}
	if c.Demo && c.OIDCIssuer != "" {
		wrong.add("SERVICE_DEMO: its people sign in at the development identity provider, and SERVICE_OIDC_ISSUER names another")
	}
	if host, _, err := net.SplitHostPort(c.DevIDPAddr); err == nil && !loopback(host) {
		wrong.add(`SERVICE_DEV_IDP_ADDR: "%s" is not on loopback: anybody can sign in at the development identity provider`, c.DevIDPAddr)
	}
	c.checkPeople(wrong)
	c.checkMail(wrong)
	c.checkTraces(wrong)
	c.DefaultPlan = c.either("SERVICE_DEFAULT_PLAN", c.DefaultPlan, "paid", "free", wrong)
	c.LogFormat = c.either("SERVICE_LOG_FORMAT", c.LogFormat, "text", "json", wrong)
	if c.RefreshGrace < 0 {
		wrong.add("SERVICE_REFRESH_GRACE: must not be negative")
	}
	if time.Duration(c.AuditRetention) < 24*time.Hour {
		wrong.add("SERVICE_AUDIT_RETENTION: must be at least 1d")
	}
	if c.BinDays < 0 || c.BinDays > maxBinDays {
		wrong.add("SERVICE_BIN_DAYS: must be from 0 to %d", maxBinDays)
	}
	if c.MinSchedule < store.LeastSchedule || c.MinSchedule%time.Minute != 0 {
		wrong.add("SERVICE_MIN_SCHEDULE: must be whole minutes, at least 1m")
	}
	if c.RefreshBudget < 1 {
		wrong.add("SERVICE_REFRESH_BUDGET: must be at least 1")
	}
}

// maxBinDays is the longest time that deleted dashboards are kept.
const maxBinDays = 3650

// bin is [store.Options].Bin.
func (c *config) bin() time.Duration {
	if c.BinDays == 0 {
		return -1
	}
	return time.Duration(c.BinDays) * 24 * time.Hour
}

// checkMail checks the settings of mail. Its texts do not repeat the URL, which contains the password.
func (c *config) checkMail(wrong *mistakes) {
	c.from = &mail.Address{Name: "Dashboards", Address: "dashboards@localhost"}
	from, err := mail.ParseAddress(c.MailFrom)
	switch {
	case err == nil:
		c.from = from
	case c.MailFrom != "":
		wrong.add(`SERVICE_MAIL_FROM: "%s" is not an address such as Dashboards <dashboards@example.com>`, c.MailFrom)
	case c.SMTPURL != "":
		wrong.add("SERVICE_MAIL_FROM: required with SERVICE_SMTP_URL")
	}
	if c.SMTPURL == "" {
		return
	}
	if _, err := notify.NewSMTP(c.SMTPURL, c.from); err != nil {
		wrong.add("SERVICE_SMTP_URL: %v", err)
	}
}

// checkHosts checks the base URL and the domain of the other hosts, and fills in their defaults.
func (c *config) checkHosts(wrong *mistakes) {
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || c.BaseURL != base.Scheme+"://"+base.Host {
		wrong.add(`SERVICE_BASE_URL: "%s" is not an origin such as https://mcp.example.com`, c.BaseURL)
		return
	}
	c.base = base
	local := loopback(base.Hostname())
	if base.Scheme != "https" && !(base.Scheme == "http" && local) {
		wrong.add(`SERVICE_BASE_URL: "%s" must be https: http is for loopback hosts alone`, c.BaseURL)
	}
	if c.DashboardDomain == "" {
		c.DashboardDomain = base.Host
		if _, err := netip.ParseAddr(base.Hostname()); err == nil { // an IP address has no subdomains
			c.DashboardDomain = strings.TrimSuffix(net.JoinHostPort("localhost", base.Port()), ":")
			if !local {
				wrong.add("SERVICE_DASHBOARD_DOMAIN: required when SERVICE_BASE_URL names an address: workspaces are its subdomains")
			}
		}
	}
	c.DashboardDomain = strings.ToLower(c.DashboardDomain)
	if u, err := url.Parse("https://" + c.DashboardDomain); err != nil || u.Host != c.DashboardDomain ||
		strings.Trim(u.Hostname(), ".") != u.Hostname() || u.Hostname() == "" {
		wrong.add(`SERVICE_DASHBOARD_DOMAIN: "%s" is not a domain such as dashboards.example.com`, c.DashboardDomain)
	}
}

// either checks a variable with two values. The default is the first one on loopback and the
// second one elsewhere.
func (c *config) either(name, value, local, public string, wrong *mistakes) string {
	switch value {
	case local, public:
	case "":
		if c.local() {
			return local
		}
		return public
	default:
		wrong.add(`%s: "%s" must be %s or %s`, name, value, local, public)
	}
	return value
}

// checkServing reports missing variables of a public server: those that have a default only on loopback.
func (c *config) checkServing() error {
	if c.local() {
		return nil
	}
	var wrong mistakes
	if c.SecretKey == "" {
		wrong.add("SERVICE_SECRET_KEY: required when SERVICE_BASE_URL is not on loopback; " +
			"openssl rand -base64 32 makes one. Keep it: what it sealed cannot be read without it")
	}
	if c.OIDCIssuer == "" {
		wrong.add("SERVICE_OIDC_ISSUER: required when SERVICE_BASE_URL is not on loopback: " +
			"anybody can sign in at the development identity provider")
	}
	if len(wrong) > 0 {
		return usageError{wrong}
	}
	return nil
}

// local reports whether the service is for this machine only.
func (c *config) local() bool { return c.base != nil && loopback(c.base.Hostname()) }

// scheme returns the URL scheme of all the service's hosts.
func (c *config) scheme() string { return c.base.Scheme }

// appURL returns the origin of the web app.
func (c *config) appURL() string { return c.scheme() + "://app." + c.DashboardDomain }

// dashboardURL returns the canonical URL of a dashboard, or of the workspace's host when slug is empty.
func (c *config) dashboardURL(workspace, slug string) string {
	return c.scheme() + "://" + workspace + "." + c.DashboardDomain + "/" + slug
}

// inAppURL returns the address of a dashboard's page in the app, or of the list of dashboards when slug is empty.
func (c *config) inAppURL(workspace, slug string) string {
	list := c.appURL() + "/w/" + workspace + "/"
	if slug == "" {
		return list
	}
	return list + "d/" + slug
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback()
}

// unknown warns of SERVICE_ variables that do not exist, which are probably misspelt.
func (c *config) unknown(vars map[string]string) []string {
	const prefix = "SERVICE_"
	known := map[string]bool{}
	full := map[string]string{} // by the name without the prefix, which alone makes all names similar
	for _, v := range c.variables() {
		names := []string{v.Name}
		if v.Secret {
			names = append(names, v.Name+"_FILE")
		}
		for _, name := range names {
			known[name] = true
			full[strings.TrimPrefix(name, prefix)] = name
		}
	}
	var warnings []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		short, ours := strings.CutPrefix(name, prefix)
		if !ours || known[name] {
			continue
		}
		warning := name + " is not a variable of this program"
		near := suggest.Names(short, slices.Sorted(maps.Keys(full)), 1)
		if plain := strings.TrimSuffix(short, "_FILE"); full[short] == "" && full[plain] != "" { // of a secret alone, there is a file
			near = []string{plain}
		}
		for _, near := range near {
			warning += "; did you mean " + full[near] + "?"
		}
		warnings = append(warnings, warning)
	}
	return warnings
}
