package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"service/server/web"
)

func (r *boundRig) mcp(body string) int {
	r.t.Helper()
	return r.send(http.MethodPost, r.base+"/mcp", r.token, "application/json", body)
}

// send sends a request without cookies, and returns the size of the answer. An empty token is not sent. Redirects are not followed.
func (r *boundRig) send(method, to, token, kind, body string) int {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, to, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Content-Type", kind)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return int(n)
}

func rpc(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

// calls returns a request for a method.
func calls(method, params string) func(*boundRig) int {
	return func(r *boundRig) int { return r.mcp(rpc(method, params)) }
}

// toolBound returns a call of a tool. In its arguments, %[1]s is a version of "report".
func toolBound(name string, args func() string) func(*boundRig) int {
	return func(r *boundRig) int {
		given := args()
		if len(given) < 1000 && strings.Contains(given, "%[1]s") {
			given = fmt.Sprintf(given, r.versions["report"][0])
		}
		return r.mcp(rpc("tools/call", `{"name":"`+name+`","arguments":`+given+`}`))
	}
}

func brief(args string) func() string { return func() string { return args } }

// filled64 is a request of a client to an endpoint of OAuth, with the largest body.
func filled64(path, fields string) func(*boundRig) int {
	return func(r *boundRig) int {
		return r.send(http.MethodPost, r.base+path, "", "application/x-www-form-urlencoded", fields+strings.Repeat("&a=%41", (64<<10-200)/6))
	}
}

// hosted returns a request for a page, picture or file of the workspace's host.
func hosted(path string) func(*boundRig) int {
	return func(r *boundRig) int { return len(r.ada.get(r.workspace("acme") + "/" + path).text) }
}

// screen returns a request for a screen of the web app. Its address may name two
// versions of "report".
func screen(path string) func(*boundRig) int {
	return func(r *boundRig) int {
		v := r.versions["report"]
		return len(r.ada.get(r.app + "/w/acme" + strings.NewReplacer("{old}", v[0], "{new}", v[len(v)-1]).Replace(path)).text)
	}
}

// uploaded returns a request that sends a file to the web app.
func uploaded(name string, content func() string) func(*boundRig) int {
	return func(r *boundRig) int {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, err := form.CreateFormFile("file", name)
		if err == nil {
			_, err = io.WriteString(part, content())
		}
		if err == nil {
			err = form.Close()
		}
		if err != nil {
			r.t.Fatal(err)
		}
		return r.posted("/w/acme/uploads", form.FormDataContentType(), &body)
	}
}

// posted sends a body to an address of the web app, as a browser does.
func (r *boundRig) posted(path, kind string, body io.Reader) int {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.app+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Origin", r.app)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return len(r.ada.do(req).text)
}

// form sends a form to an address of the web app.
func (r *boundRig) form(path, fields string) int {
	r.t.Helper()
	return r.posted(path, "application/x-www-form-urlencoded", strings.NewReader(fields))
}

// appRoutes returns an address of each route of the web app for a method. Its parts name the dashboard "report", and otherwise
// things that do not exist.
func appRoutes(method string) []string {
	var all []string
	part := regexp.MustCompile(`\{\w+\}`)
	for _, route := range web.New(web.Config{}).Routes() {
		if of, pattern, _ := strings.Cut(route, " "); of == method {
			path := strings.NewReplacer("{workspace}", "acme", "{dashboard}", "report").Replace(pattern)
			all = append(all, part.ReplaceAllString(path, uuid.NewString()))
		}
	}
	return all
}

// The token of the identity provider, and the number of people that it has provisioned.
const (
	boundSCIM  = "0123456789abcdef0123456789abcdef"
	scimPeople = 20_000
)

// scimBound returns a request of the identity provider. Its address may name a group.
func scimBound(method, path string, body func() string) func(*boundRig) int {
	return func(r *boundRig) int {
		to := r.scim + strings.Replace(path, "{group}", r.group, 1)
		req, err := http.NewRequestWithContext(r.t.Context(), method, to, strings.NewReader(body()))
		if err != nil {
			r.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+boundSCIM)
		req.Header.Set("Content-Type", "application/scim+json")
		return len(r.ada.do(req).text)
	}
}

// member returns a provisioned person as a member of a group.
func member(i int) string { return fmt.Sprintf(`{"value":"00000000-0000-4000-8000-%012d"}`, i) }

func members(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = member(i)
	}
	return strings.Join(all, ",")
}

// listed returns nearly 4 MiB of a list's items, the limit of a request to SCIM.
func listed(item func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < 4<<20-1000; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(i))
	}
	return b.String()
}

// bounds are the largest requests of each kind, in the order in which they are measured: requests that change data are last.
var bounds = []bound{
	{"`initialize`", "32 MB of names", true, func(r *boundRig) int {
		return r.mcp(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":` + many(31<<20) + `}}`)
	}},
	{"`ping`", "a message with 32 MB of keys", false, func(r *boundRig) int {
		return r.mcp(`{"jsonrpc":"2.0","id":1,"method":"ping","n":0,` + many(31 << 20)[1:])
	}},
	{"an unknown method", "a name of 32 MB", false, func(r *boundRig) int { return r.mcp(rpc(strings.Repeat("x", 31<<20), "{}")) }},
	{"`tools/list`", "all tools", false, calls("tools/list", "{}")},
	{"`prompts/list`", "all prompts", false, calls("prompts/list", "{}")},
	{
		"`prompts/get`", "the longest words", true,
		calls("prompts/get", `{"name":"refreshable_dashboard","arguments":{"connection":"`+strings.Repeat("x", 65_000)+`"}}`),
	},
	{"`prompts/get`", "32 MB of names", false, func(r *boundRig) int {
		return r.mcp(rpc("prompts/get", `{"name":"refreshable_dashboard","arguments":`+many(31<<20)+`}`))
	}},
	{"`resources/list`", "seventeen dashboards", false, calls("resources/list", "{}")},
	{"`resources/templates/list`", "all templates", false, calls("resources/templates/list", "{}")},
	{"`resources/read`", "5 MiB of U+0001", true, calls("resources/read", `{"uri":"service://acme/controls"}`)},
	{"`resources/read`", "200 KB of &", false, calls("resources/read", `{"uri":"service://acme/escapes"}`)},
	{"`resources/read`", "19,000 links", false, calls("resources/read", `{"uri":"service://acme/links"}`)},
	{"`resources/read`", "a report of 5 MiB", false, calls("resources/read", `{"uri":"service://acme/report"}`)},
	{"tools that read", "their defaults", false, func(r *boundRig) (most int) {
		for _, call := range []string{
			`"check_readiness","arguments":{}`, `"list_dashboards","arguments":{}`, `"list_connections","arguments":{}`,
			`"list_dashboard_versions","arguments":{"slug":"report"}`, `"get_refresh_status","arguments":{"slug":"report"}`,
			`"get_source_config","arguments":{"slug":"report"}`, `"get_dashboard_spec","arguments":{"slug":"report"}`,
			`"introspect_schema","arguments":{}`, `"explore_data","arguments":{}`,
		} {
			most = max(most, r.mcp(rpc("tools/call", `{"name":`+call+`}`)))
		}
		return most
	}},
	{
		"`get_dashboard`", "200 KB of &, with its body", false,
		toolBound("get_dashboard", brief(`{"path":"escapes","include":["meta","summary","body"],"max_bytes":30000}`)),
	},
	{
		"`get_dashboard`", "a report of 5 MiB, with its body", false,
		toolBound("get_dashboard", brief(`{"path":"report","include":["meta","summary","body"],"max_bytes":30000}`)),
	},
	{"`verify_dashboard`", "a report of 5 MiB", false, toolBound("verify_dashboard", brief(`{"slug":"report"}`))},
	{"`derive_dashboard_spec`", "a report of 5 MiB", false, toolBound("derive_dashboard_spec", brief(`{"slug":"report"}`))},
	{"`validate_cube_sql`", "SQL of 1 MB", false, toolBound("validate_cube_sql", func() string {
		return `{"sql":"SELECT 1` + strings.Repeat("+1", 500_000) + `"}`
	})},
	{"a tool", "1 MB of names", false, toolBound("list_dashboards", func() string { return many(1_000_000) })},
	{"`publish_dashboard`, dry run", "a spec of 60,000 unknown keys", true, toolBound("publish_dashboard", func() string {
		var panels []string
		for range 60 {
			panels = append(panels, many(8_000))
		}
		return `{"path":"new","dry_run":true,"spec":{"title":"x","datasets":[{"id":"d","sql":"SELECT 1 AS n"}],"panels":[` +
			strings.Join(panels, ",") + `]}}`
	})},
	{"`publish_dashboard`, dry run", "32 MB of names", false, toolBound("publish_dashboard", func() string {
		return `{"path":"new","dry_run":true,` + many(31 << 20)[1:]
	})},
	{"`publish_dashboard`, dry run", "32 MB of tags", false, toolBound("publish_dashboard", func() string {
		return `{"path":"new","dry_run":true,"body":"x","tags":[` + strings.Repeat(`"",`, 10<<20) + `""]}`
	})},
	{"`publish_dashboard`, dry run", "a patch of 5 MiB", false, toolBound("publish_dashboard", func() string {
		return `{"path":"new","dry_run":true,"patch":[{"op":"add","path":"/x","value":[` + strings.Repeat("0,", 5<<19-200) + `0]}]}`
	})},
	{"`introspect_schema`", "32 MB of a pattern", false, toolBound("introspect_schema", func() string {
		return `{"pattern":"` + strings.Repeat("%", 31<<20) + `"}`
	})},
	{"`explore_data`", "SQL of 31 MB", false, toolBound("explore_data", func() string {
		return `{"sql":"SELECT 1` + strings.Repeat("+1", 31<<19) + `"}`
	})},
	{"`POST /register`", "64 KB of addresses", true, func(r *boundRig) int {
		const address = `"http://localhost:1/",`
		return r.send(http.MethodPost, r.base+"/register", "", "application/json",
			`{"redirect_uris":[`+strings.Repeat(address, (64<<10-100)/len(address))+`"http://localhost:1/"]}`)
	}},
	{"`POST /register`", "64 KB of names", false, func(r *boundRig) int {
		return r.send(http.MethodPost, r.base+"/register", "", "application/json", many(63<<10))
	}},
	{"`GET /authorize`", "an address of 60 KB", true, func(r *boundRig) int {
		return r.send(http.MethodGet, r.base+"/authorize?client_id=x&scope="+strings.Repeat("a+", 30_000), "", "", "")
	}},
	{"`POST /token`", "64 KB of fields", true, filled64("/token", "grant_type=authorization_code&code=x&client_id=x")},
	{"`POST /token`", "an assertion of 64 KB", false, func(r *boundRig) int {
		return r.send(http.MethodPost, r.base+"/token", "", "application/x-www-form-urlencoded",
			"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=e30."+strings.Repeat("W1td", 16_000)+".e30")
	}},
	{"values of a filter", "a text of 60 KB", false, hosted("report?list=channel&f.channel.find=" + strings.Repeat("n", 60_000))},
	{"values of a filter", "a list of 200,000", false, hosted("names?list=name&f.name.find=e")},
	{"a page of Markdown", "200 KB of &", false, hosted("escapes")},
	{"a page of Markdown", "19,000 links", false, hosted("links")},
	{"a page of Markdown", "200 KB of paragraphs", false, hosted("lines")},
	{"a page of Markdown", "a table of 10,000 cells", false, hosted("cells")},
	{"a page of panels", "a report of 5 MiB", false, hosted("report")},
	{
		"a page of panels", "the same, filtered by an address of 60 KB", false,
		hosted("report?f.channel=" + strings.Repeat("channel+1&f.channel=", 3_000)),
	},
	{"a page of panels", "an earlier version of it", false, func(r *boundRig) int {
		return len(r.ada.get(r.workspace("acme") + "/report?version=" + r.versions["report"][0]).text)
	}},
	{"export of a panel as CSV", "a report of 5 MiB", false, hosted("report?format=csv&panel=2")},
	{"export of a panel as CSV", "45 MB", false, hosted("files?format=csv&panel=0")},
	{"export of a panel as CSV", "160,000 rows of 2 MB", false, hosted("repeats?format=csv&panel=0")},
	{"export of a panel as XLSX", "a report of 5 MiB", false, hosted("report?format=xlsx&panel=2")},
	{"export of a panel as XLSX", "500,000 numbers", false, hosted("numbers?format=xlsx&panel=0")},
	{"export of a panel as XLSX", "16 MB of &", false, hosted("texts?format=xlsx&panel=0")},
	{"export of a panel as XLSX", "160,000 rows of 2 MB", false, hosted("repeats?format=xlsx&panel=0")},
	{"a page of panels", "sixty tables of 1,000 long texts", false, hosted("wide")},
	{"a page of panels", "sixty tables of 200 rows", false, hosted("tables")},
	{"a page of panels", "sixty charts of 2,000 points", false, hosted("charts")},
	{"a page of panels", "sixty bars with facets over 200,000 values", false, hosted("groups")},
	{"picture of a page (PNG)", "a report of 5 MiB", false, hosted("report.png")},
	{"picture of a page (PNG)", "sixty tables of 200 rows", false, hosted("tables.png")},
	{"picture of a page (PNG)", "sixty charts of 2,000 points", false, hosted("charts.png")},
	{"picture of a page (PNG)", "sixty bars with facets over 200,000 values", false, hosted("groups.png")},
	{"picture of a panel (PNG)", "a report of 5 MiB", false, hosted("report/2.png")},
	{"document (PDF)", "a report of 5 MiB", false, hosted("report.pdf")},
	{"document (PDF)", "sixty tables of 200 rows", false, hosted("tables.pdf")},
	{"document (PDF)", "sixty charts of 2,000 points", false, hosted("charts.pdf")},
	{"document (PDF)", "200 KB of paragraphs", false, hosted("lines.pdf")},
	{"document (PDF)", "200 KB of ideographs", false, hosted("ideographs.pdf")},
	{"picture of a page (PNG)", "200 KB of paragraphs", false, hosted("lines.png")},
	{"a data file", "5 MiB", false, hosted("file/data.csv")},
	{"the page of a data file", "5 MiB", false, hosted("file")},
	{"screens of the web app", "a workspace of seventeen dashboards", false, func(r *boundRig) (most int) {
		for _, path := range appRoutes(http.MethodGet) {
			if !strings.HasPrefix(path, "/sign-in") {
				most = max(most, len(r.ada.get(r.app+path).text))
			}
		}
		return most
	}},
	{"thumbnail", "a report of 5 MiB", false, screen("/d/report/thumbnail.png")},
	{"comparison of versions", "two reports of 5 MiB", false, screen("/d/report/versions/{old}/compare?to={new}")},
	{"audit log", "50,000 events", false, screen("/audit")},
	{"audit log as CSV", "50,000 events", false, screen("/audit.csv")},
	{"upload of a file", "CSV of 30 MB", false, uploaded("large.csv", func() string {
		return "day,n\n" + strings.Repeat("2026-01-02,1\n", 30<<20/13)
	})},
	{"upload of a file", "JSON of 30 MB of names", false, uploaded("names.json", func() string { return "[" + many(30<<20) + "]" })},
	{"forms of the web app", "64 KB of fields", false, func(r *boundRig) (most int) {
		fields := strings.Repeat("&a=%41", (64<<10-200)/6)
		for _, path := range appRoutes(http.MethodPost) {
			if path != "/sign-out" {
				most = max(most, r.form(strings.Replace(path, "/d/report/delete", "/d/cells/delete", 1), fields[1:]))
			}
		}
		return most
	}},
	{"`publish_dashboard`", "5 MiB of U+0001, 31 MB of JSON", false, toolBound("publish_dashboard", func() string {
		return `{"path":"more/text.md",` + contents["controls"]() + `}`
	})},
	{"`publish_dashboard`", "a report of 5 MiB", false, toolBound("publish_dashboard", func() string {
		return `{"path":"again",` + contents["report"]() + `}`
	})},
	{"tools that change", "a report of 5 MiB", false, func(r *boundRig) (most int) {
		for _, call := range []string{
			`"restore_dashboard_version","arguments":{"slug":"report","version_id":"` + r.versions["report"][0] + `"}`,
			`"update_dashboard_version","arguments":{"slug":"report","version_id":"` + r.versions["report"][0] + `","name":"first"}`,
			`"update_dashboard","arguments":{"slug":"report","name":"Report"}`,
			`"set_refresh_schedule","arguments":{"slug":"report","schedule":"1h"}`,
			`"trigger_refresh","arguments":{"slug":"report"}`, `"delete_dashboard","arguments":{"slug":"report"}`,
		} {
			most = max(most, r.mcp(rpc("tools/call", `{"name":`+call+`}`)))
		}
		return most
	}},
}

// scimBounds are the largest requests of an identity provider.
var scimBounds = []bound{
	{"SCIM: a new user", "4 MB of addresses", false, scimBound(http.MethodPost, "/Users", func() string {
		return `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"eve@example.com","emails":[` +
			listed(func(i int) string { return fmt.Sprintf(`{"value":"eve%d@example.com"}`, i) }) + `]}`
	})},
	{"SCIM: a new user", "4 MB of names", false, scimBound(http.MethodPost, "/Users", func() string { return many(4<<20 - 100) })},
	{"SCIM: a new group", "20,000 members", false, scimBound(http.MethodPost, "/Groups", func() string {
		return `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":"all","members":[` + members(scimPeople) + `]}`
	})},
	{"SCIM: a new group", "4 MB of unknown members", false, scimBound(http.MethodPost, "/Groups", func() string {
		return `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":"staff","members":[` + members(80_000) + `]}`
	})},
	{"SCIM: a change of a group", "4 MB of operations", false, scimBound(http.MethodPatch, "/Groups/{group}", func() string {
		return `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[` + listed(func(i int) string {
			return `{"op":"add","path":"members","value":[` + member(i) + `]}`
		}) + `]}`
	})},
	{"SCIM: a list of users", "a filter of 4,000 bytes", false, scimBound(http.MethodGet,
		"/Users?filter="+url.QueryEscape(strings.TrimSuffix(strings.Repeat(`userName eq "a" or `, 200), " or ")), brief(""))},
}
