package web

import (
	"html"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard/locale"
)

// A speaker requests pages in a language.
type speaker struct {
	http.RoundTripper
	language string
}

func (s speaker) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept-Language", s.language)
	return s.RoundTripper.RoundTrip(r)
}

// speaks returns p with a browser in a language.
func (p *person) speaks(language string) *person {
	c := *p.Client
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	c.Transport = speaker{c.Transport, language}
	return &person{&c, p.t, p.s}
}

// All fixed texts of screens are in the catalogues: in the pseudo-locale, which puts
// them in brackets, only data is outside brackets.
func TestScreensSayWhatTheCatalogueHas(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	english, m := s.owner(t, "ada@x.org", "engine")
	s.publish(t, m, "sales", "Sales", "weekly")
	was := s.publish(t, m, "other", "Sales").Dashboard.VersionID.String()
	s.publish(t, m, "other", "Sales")
	s.exec(t, `UPDATE refresh_run SET state = 'succeeded', started_at = queued_at, finished_at = queued_at + interval '1.4 s'`)
	p := english.speaks("en-XA")
	connection := p.post("/w/engine/connections", url.Values{
		"kind": {"postgres"}, "label": {"Orders"}, "host": {"far.x.org"}, "port": {"5432"}, "user": {"reader"}, "tls": {"verify"},
		"password": {"open-sesame"},
	}).want(http.StatusOK)
	p.post("/w/engine/members", url.Values{"email": {"bob@x.org"}, "role": {"editor"}})
	invited := p.post("/w/engine/members/link", url.Values{"email": {"bob@x.org"}}).want(http.StatusOK)
	c := s.register(t, "Abacus", "http://localhost:33418/callback")
	_, handle := s.browser(t).authorize(c)
	uploaded := p.send("/w/engine/uploads", "a.csv", "day,n\n2026-01-01,10\n,x\n").want(http.StatusOK)
	for slug, of := range map[string]string{
		"missing": "SELECT day, count(n) AS n FROM upload GROUP BY 1", "retyped": "SELECT n AS day, 1 AS n FROM upload",
		"empty": "SELECT 1 AS day, 1 AS n FROM upload WHERE n::text = '10'",
	} {
		s.publishFile(t, m, slug, "Sales", path.Base(uploaded.url.Path), of, `{"type": "table", "columns": ["day", "n"]}`)
		s.exec(t, `INSERT INTO dataset SELECT v.workspace_id, v.id, 'data', '', v.sha256, '[]', 1, false, now() FROM version v
			WHERE v.upload_id IS NOT NULL ON CONFLICT DO NOTHING`)
	}
	waiting := p.send(uploaded.url.Path, "b.csv", "dy,n\n2026-01-01,2026-01-05\n").want(http.StatusOK)

	other := p.send("/w/engine/uploads", "a.csv", "n\n1\n").want(http.StatusOK).url.Path
	p.send(other, "b.csv", "n\n2\n").want(http.StatusOK)
	seen := []reply{
		connection, invited, uploaded, waiting,
		p.post("/w/engine/d/sales/schedule", url.Values{"schedule": {"daily 07:00"}, "timezone": {"UTC"}}),
	}
	p.post("/w/engine/d/sales/send", url.Values{"rhythm": {"daily"}, "at": {"08:00"}, "attach": {"csv"}, "changed": {"1"}}).want(http.StatusOK)
	s.propose(t, m, "sales", "0")
	s.exec(t, `INSERT INTO alert
		       (workspace_id, dashboard_id, id, place, title, severity, channels, definition, checked_at, unknown, muted_until)
		SELECT d.workspace_id, d.id, v.* FROM dashboard d, (VALUES
		       ('a', 0, '1', 'critical', '{}'::text[], ''::bytea, now(), '', NULL::timestamptz),
		       ('b', 1, '2', 'info', '{0}', '', NULL, '', '9999-01-01Z'),
		       ('c', 2, '3', 'warning', '{1}', '', now(), 'history', now() + interval '1 hour')) AS v WHERE d.slug = 'sales'`)
	s.exec(t, `INSERT INTO alert_state (workspace_id, dashboard_id, alert, key, times, firing, since, told_at, text)
		SELECT workspace_id, id, 'a', '=' || i, 3, true, now(), now(), i FROM dashboard, generate_series(1, 7) i WHERE slug = 'sales'`)
	s.exec(t, `INSERT INTO alert_event (workspace_id, id, dashboard_id, alert, title, severity, event, sentence, at, told, muted)
		SELECT workspace_id, gen_random_uuid(), id, 'a', '1', 'critical', e, '1', now(), 0, e = 'again'
		  FROM dashboard, unnest('{fired,again,recovered}'::text[]) e WHERE slug = 'sales'`)
	for _, address := range []string{
		"/w/engine/d/sales/send", "/w/engine/alerts", "/w/engine/d/other/versions/" + was + "/compare",
		"/w/engine/", "/w/engine/?q=nothing", "/w/engine/?tag=nothing", "/w/engine/?q=nothing&tag=weekly", "/w/engine/connect", "/connect",
		"/w/engine/clients", "/w/engine/members", "/w/engine/d/sales", "/w/engine/d/sales/delete", "/w/engine/d/sales/copy",
		"/account", "/account/delete",
		"/w/engine/connections", connection.url.Path, "/w/engine/connections/new?kind=postgres", "/w/engine/uploads", uploaded.url.Path,
		other, waiting.url.Path, fileOfUpload.FindString(p.get(other).body),
		"/w/engine/audit", "/w/engine/audit?kind=version&from=x", "/w/engine/settings", "/workspaces/new",
		"/consent?request=" + url.QueryEscape(handle),
		"/nothing", "/consent?request=x", "/invitations?token=x", invitationLink.FindStringSubmatch(invited.body)[1],
	} {
		seen = append(seen, p.get(address))
	}
	seen = append(seen,
		p.post("/w/engine/members", url.Values{"email": {"bob@x.org"}, "role": {"owner"}}),
		p.post("/w/engine/settings/delete", url.Values{"slug": {"x"}}),
		p.post("/account/delete", url.Values{"confirm": {"x"}}),
		p.post("/account/timezone", url.Values{"timezone": {"UTC"}}),
		p.post("/account/shortcuts", url.Values{"shortcuts": {"on"}}),
		p.post("/w/engine/d/sales/refresh", nil),
		p.post("/w/engine/d/sales/details", url.Values{"title": {"Sales"}, "tags": {"weekly"}}),
		p.post(connection.url.Path+"/disable", nil),
		p.get("/w/engine/audit"), p.get("/w/engine/d/sales"),
		p.post("/workspaces", url.Values{"name": {""}, "slug": {"engine"}}),
		p.post("/consent", url.Values{"request": {handle}, "decision": {"allow"}}),
	)
	stranger := s.signIn(t, "eve@x.org").speaks("en-XA")
	nobody := s.browser(t).speaks("en-XA")
	r := nobody.request(http.MethodGet, "/w/engine/", nil)
	r.Header.Set("Sec-Fetch-Dest", "document")
	seen = append(seen, nobody.do(r), nobody.get(invitationLink.FindStringSubmatch(invited.body)[1]))
	seen = append(seen, stranger.get("/"), stranger.get("/consent?request="+url.QueryEscape(handle)), nobody.get("/"),
		nobody.get("/consent?request="+url.QueryEscape(handle)), nobody.get("/sign-in/callback?state=x"), nobody.post("/w/engine/members", nil))
	formats := []string{"CSV", "XLSX", "PDF"} // and the days of the week, which are in the locale
	for day := range 7 {
		formats = append(formats, ": "+locale.For("en-XA").Weekday(time.Weekday(day), false))
	}
	for _, r := range seen {
		if !strings.Contains(r.body, `lang="en-XA"`) {
			t.Errorf("%s is in another language", r.url)
		}
		for _, text := range unbracketed(r.body) {
			if slices.Contains(formats, text) {
				continue
			}
			t.Errorf("%s has %q, which is in no catalogue", path.Join(r.url.Path, r.url.RawQuery), text)
		}
	}
}

var (
	unread = regexp.MustCompile(
		`(?s)<(?:script|style|svg|pre|code|time|bdi|datalist)\b.*?</(?:script|style|svg|pre|code|time|bdi|datalist)>|<!doctype html>`)
	spoken    = regexp.MustCompile(`\b(?:aria-label|title|placeholder|data-failed|data-copy|data-copied|data-sending)="([^"]*)"`)
	markings  = regexp.MustCompile(`(?s)<[^>]*>`)
	bracketed = regexp.MustCompile(`(?s)\[!! ((?:[^\[]|\[[^!])*?) !!\]`)
	aWord     = regexp.MustCompile(`\p{L}{2,}`)
)

// unbracketed returns the texts of a page that are neither in brackets nor data.
func unbracketed(page string) []string {
	var texts, out []string
	for _, tag := range markings.FindAllString(page, -1) {
		for _, attribute := range spoken.FindAllStringSubmatch(tag, -1) {
			if !strings.HasPrefix(tag, "<time") {
				texts = append(texts, attribute[1])
			}
		}
	}
	page = unread.ReplaceAllString(page, "")
	inside := func(text string) string {
		for bracketed.MatchString(text) {
			text = bracketed.ReplaceAllString(text, "")
		}
		return text
	}
	// A text may contain elements, so tags become line breaks before the search for brackets.
	texts = append(texts, strings.Split(inside(markings.ReplaceAllString(page, "\n")), "\n")...)
	for _, text := range texts {
		text = strings.TrimSpace(html.UnescapeString(inside(text)))
		if aWord.MatchString(text) && !slices.ContainsFunc(data, func(d *regexp.Regexp) bool { return d.MatchString(text) }) {
			out = append(out, text)
		}
	}
	return out
}

// data matches the texts of the test's screens that are not fixed texts: names, typed
// values, terms of protocols, and sentences of the specification.
var data = []*regexp.Regexp{
	// These texts are shown as they are stored:
	regexp.MustCompile(`^(Uploaded files|Switched off by its owner\.|The warehouse refused the password of user reader\.)$`),
	regexp.MustCompile(`^[· (),.]*(?:(?:` + strings.Join([]string{
		"Ada|ada|Engine|engine|Sales|sales|missing|retyped|empty|weekly|Orders|Abacus|other|line", "day|dy|date|n|text|integer|NULL",
		`[ab]\.csv`, "nothing", `[a-z]+@x\.org`,
		`localhost:\d+|postgres|self|mcp\.json`, "UTC|[A-Z][a-z]+/[A-Z][A-Za-z_]+",
		"Claude Code|Cursor|VS Code|Codex|Gemini CLI|opencode|MCP Inspector",
	}, "|") + `)[· (),.]*)+$`),
}
