package main

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"service/tools"
)

var updateAccess = flag.Bool("access", false, "write the list of attempts into docs/security.md")

// A reader is somebody who tries to get at rows that are not theirs.
type reader struct {
	*browser
	name, region, token string
}

// secretOf maps a region to the texts that only its readers may get: its name, its numbers and sums over them, in every form of a page.
var secretOf = map[string][]string{
	"EMEA": {"EMEA", "1117", "1,117", "2229", "2,229", "3346", "3,346", "3.3K"},
	"APAC": {"APAC", "40403", "40,403", "40.4K", "50509", "50,509", "50.5K", "90912", "90,912", "90.9K"},
	"AMER": {"AMER", "700001", "700,001", "700K"},
	// of all, and of two
	"": {"794259", "794,259", "794.3K", "703347", "703,347", "790913", "790,913", "94258", "94,258", "94.3K"},
}

// clean fails the test if an answer to a reader has a secret of another region. asked is the request.
func (r *reader) clean(t *testing.T, way, got, asked string) {
	t.Helper()
	for region, secrets := range secretOf {
		if region != "" && region == r.region {
			continue
		}
		for _, s := range secrets {
			if strings.Contains(asked, s) || !strings.Contains(got, s) { // a regular expression takes a hundred times as long
				continue
			}
			if at := regexp.MustCompile(`(^|[^0-9A-Za-z.,])` + regexp.QuoteMeta(s) + `($|[^0-9A-Za-z])`).FindStringIndex(got); at != nil {
				t.Errorf("%s, %s (%s): gets %q of %q: …%s…", way, r.name, r.region, s, region, got[max(0, at[0]-60):min(len(got), at[1]+60)])
				return
			}
		}
	}
}

// unpacked returns the texts of a workbook.
func unpacked(t *testing.T, body string) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader([]byte(body)), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(b)
	}
	return out.String()
}

// TestRowRules has readers of two regions, one without an attribute, and an editor, who owns neither the workspace nor the connection, try
// each way to a number of rows that are not theirs. With -access it writes the list of attempts into docs/security.md.
func TestRowRules(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	ann := s.browser(t)
	ann.signIn(s.app+"/", "ann@example.com")
	ann.submit("/workspaces", url.Values{"name": {"Vault"}, "slug": {"vault"}})
	s.admin(t, "workspace", "plan", "vault", "paid")
	owner := s.connect(t, ann, "vault")
	file := filepath.Join(t.TempDir(), "sales.csv")
	if err := os.WriteFile(file, []byte("day,region,amount\n2026-01-01,EMEA,1117\n2026-01-02,EMEA,2229\n2026-01-01,APAC,40403\n"+
		"2026-01-02,APAC,50509\n2026-01-02,AMER,700001\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.admin(t, "upload", "add", "vault", "ann@example.com", file)
	connection := owner.call("list_connections", nil).data["connections"].([]any)[0].(map[string]any)
	source := connection["id"].(string)
	upload := connection["uploads"].([]any)[0].(map[string]any)["id"].(string)
	spec := map[string]any{
		"title": "Sales",
		"datasets": []any{map[string]any{
			"id": "d", "sql": "SELECT day, region, amount FROM upload", "columns": map[string]any{"amount": map[string]any{"agg": "sum"}},
		}},
		"filters": []any{map[string]any{"column": "region"}, map[string]any{"column": "day"}},
		"panels": []any{
			map[string]any{"type": "kpi", "value": "amount"},
			map[string]any{"type": "table", "columns": []string{"day", "region", "amount"}, "total": true},
			map[string]any{"type": "bar", "x": "region", "y": "amount"},
			map[string]any{"type": "line", "x": "day", "y": "amount", "series": "region"},
			map[string]any{"type": "pie", "label": "region", "value": "amount"},
			map[string]any{"type": "heatmap", "x": "day", "y": "region", "value": "amount"},
		},
		"alerts": []any{map[string]any{"id": "high", "title": "High", "data": "d", "value": "amount", "if": ">", "than": 1}},
	}
	publish := func() {
		t.Helper()
		got := owner.call("publish_dashboard", map[string]any{"path": "sales", "connection": source, "upload": upload, "spec": spec})
		if got.failed {
			t.Fatal(got.text)
		}
		owner.refreshed("sales")
	}
	publish() // a version without rules
	spec["access"] = []any{map[string]any{"column": "region", "is": "member.region"}}
	publish()
	versions := owner.call("list_dashboard_versions", map[string]any{"slug": "sales"}).data["versions"].([]any)
	open := versions[1].(map[string]any)["version_id"].(string)

	join := func(name, role, region string) *reader {
		t.Helper()
		r := &reader{browser: s.browser(t), name: name, region: region}
		r.signIn(s.app+"/", name+"@example.com")
		s.admin(t, "member", "add", "vault", name+"@example.com", "--role", role)
		if region != "" {
			s.admin(t, "member", "attribute", "vault", name+"@example.com", "region", region)
		}
		r.token = s.grant(t, name+"@example.com", "workspace", "vault")
		return r
	}
	emma, abby := join("emma", "viewer", "EMEA"), join("abby", "viewer", "APAC")
	nora, eddy := join("nora", "viewer", ""), join("eddy", "editor", "EMEA")
	emil := join("emil", "viewer", "EMEA") // the same values as emma: the same bytes, from the cache
	readers := []*reader{emma, abby, nora, eddy, emil, emma}
	page := s.workspace("vault") + "/sales"

	// The owner of the workspace gets all, so that the attempts prove something.
	if all := ann.get(page).text; !strings.Contains(all, "794,259") && !strings.Contains(all, "794.3K") || !strings.Contains(all, "APAC") {
		t.Fatal("the owner's page lacks the rows")
	}
	var done []string // the ways
	try := func(way string, own bool, get func(r *reader) (got, asked string)) {
		t.Helper()
		done = append(done, way)
		for _, r := range readers {
			got, asked := get(r)
			r.clean(t, way, got, asked)
			has := false
			for _, s := range secretOf[r.region] {
				has = has || s != r.region && strings.Contains(got, s)
			}
			if own && r.region != "" && !has {
				t.Errorf("%s, %s: does not get their own rows: %.400s", way, r.name, got)
			}
		}
	}
	fetch := func(address string) func(r *reader) (string, string) {
		return func(r *reader) (string, string) { p := r.get(address); return p.text, address }
	}
	try("the page", true, fetch(page))
	for _, region := range []string{"EMEA", "APAC", "AMER"} {
		try("the page with a filter of the region "+region, false, fetch(page+"?f.region="+region))
	}
	try("the page with a filter of days", true, fetch(page+"?f.day=2026-01-01..2026-01-02"))
	try("the list of a filter's values", false, fetch(page+"?list=region"))
	try("a search in the list of a filter's values", false, fetch(page+"?list=region&f.region.find=a"))
	for i := range 6 {
		try("the CSV of each panel", true, fetch(fmt.Sprintf("%s?panel=%d&format=csv", page, i)))
		try("the XLSX of each panel", true, func(r *reader) (string, string) {
			p := r.get(fmt.Sprintf("%s?panel=%d&format=xlsx", page, i))
			if p.status == http.StatusNotFound && r.region == "" {
				return "", "" // there is nothing to be in it
			}
			if p.status != http.StatusOK {
				t.Errorf("the XLSX of panel %d: %d", i, p.status)
				return "", ""
			}
			return unpacked(t, p.text), ""
		})
	}
	for _, preview := range []string{"?version=" + open, "?format=csv&panel=1&version=" + open} {
		try("a version that was published before the rules: "+strings.ReplaceAll(preview, open, "…"), false, func(r *reader) (string, string) {
			p := r.get(page + preview)
			if p.status != http.StatusNotFound {
				t.Errorf("%s opens a version that was published before the rules: %d", r.name, p.status)
			}
			return p.text, ""
		})
	}
	// Pictures: readers of equal values get the same bytes, others different ones.
	for _, picture := range [][2]string{
		{"the PNG of the page", page + ".png"},
		{"the PNG of a panel", page + "/3.png"},
		{"the PDF", page + ".pdf"},
		{"the thumbnail", s.app + "/w/vault/d/sales/thumbnail.png"},
	} {
		way, address := picture[0], picture[1]
		done = append(done, way)
		shots := map[string]string{}
		for _, r := range readers {
			p := r.get(address)
			if p.status != http.StatusOK {
				t.Fatalf("%s, %s: %d", way, r.name, p.status)
			}
			shots[r.name] = p.text
		}
		all := ann.get(address).text
		if way != "the PDF" && (shots["emma"] != shots["emil"] || shots["emma"] != shots["eddy"]) {
			t.Errorf("%s: readers of the same values get different ones", way)
		}
		for _, pair := range [][2]string{
			{shots["emma"], shots["abby"]}, {shots["emma"], shots["nora"]}, {shots["emma"], all}, {shots["abby"], all},
		} {
			if pair[0] == pair[1] {
				t.Errorf("%s: readers of different values get the same", way)
			}
		}
	}

	// Tools and resources.
	for _, d := range tools.Definitions() {
		for _, args := range []string{
			`{"slug":"sales","path":"sales","include":["meta","summary","body"],"max_bytes":30000}`,
			`{"slug":"sales","path":"sales","connection":"` + source + `","upload":"` + upload + `","sql":"SELECT * FROM upload","table":"upload"}`,
			`{"slug":"sales","version_id":"` + open + `","compare":["` + open + `","current"]}`,
			`{"connection":"self","sql":"SELECT * FROM refreshes","table":"refreshes"}`,
		} {
			if d.Name == "delete_dashboard" || d.Name == "restore_dashboard_version" {
				continue // below
			}
			own := d.Name == "get_dashboard" && strings.Contains(args, "body")
			try("`"+d.Name+"`", own, func(r *reader) (string, string) {
				got, _ := s.call(t, r.token, d.Name, args).text(t)
				return got, args
			})
		}
	}
	try("`get_refresh_status`: the number of rows", false, func(r *reader) (string, string) {
		got, _ := s.call(t, r.token, "get_refresh_status", `{"slug":"sales"}`).text(t)
		want := map[string]int{"EMEA": 2, "APAC": 2}[r.region]
		if !strings.Contains(got, fmt.Sprintf(`"rows":%d,`, want)) || strings.Contains(got, `"rows":5`) || strings.Contains(got, `"alerts"`) {
			t.Errorf("the status for %s: %s", r.name, got)
		}
		return got, ""
	})
	try("`resources/list`", false, func(r *reader) (string, string) {
		return s.rpc(t, r.token, "resources/list", map[string]any{}).body, ""
	})
	try("`resources/read`", true, func(r *reader) (string, string) {
		return s.rpc(t, r.token, "resources/read", map[string]any{"uri": "service://vault/sales"}).body, ""
	})

	// The screens of the app: an editor opens those that viewers do not.
	for _, screen := range []string{
		"/", "/alerts", "/members", "/settings", "/d/sales", "/d/sales/send", "/d/sales/copy", "/d/sales/versions/" + open + "/compare",
		"/audit", "/audit.csv", "/bin", "/connections", "/uploads", "/channels", "/connect", "/clients",
	} {
		try("the screens of the app", false, func(r *reader) (string, string) {
			p := r.get(s.app + "/w/vault" + screen)
			if p.status != http.StatusOK && p.status != http.StatusForbidden {
				t.Errorf("%s, %s: %d", screen, r.name, p.status)
			}
			if screen == "/members" || screen == "/audit" || screen == "/audit.csv" { // the attributes of people are on them
				return strings.NewReplacer("EMEA", "", "APAC", "").Replace(p.text), ""
			}
			return p.text, ""
		})
	}

	// An editor who gets some of the rows tries to loosen the rules.
	loosen := func(way, tool, args, want string) {
		t.Helper()
		done = append(done, way)
		got, refused := s.call(t, eddy.token, tool, args).text(t)
		if !refused || !strings.Contains(got, want) {
			t.Errorf("%s: %s", way, got)
		}
		eddy.clean(t, way, got, args)
	}
	const no = "only an owner of the workspace, or whoever first published the dashboard, may do that"
	loosen("a body in place of the dashboard", "publish_dashboard", `{"path":"sales","body":"# Mine"}`, no)
	loosen("another spec, without the rules", "publish_dashboard",
		`{"path":"sales","connection":"self","spec":{"datasets":[{"id":"d","sql":"SELECT 1 AS n"}],"panels":[{"type":"table"}]}}`, no)
	loosen("a patch that removes the rules", "publish_dashboard", `{"path":"sales","patch":[{"op":"remove","path":"/access"}]}`,
		"was not found among your connections")
	loosen("a patch in a dry run", "publish_dashboard", `{"path":"sales","dry_run":true,"patch":[{"op":"remove","path":"/access"}]}`,
		"was not found among your connections")
	loosen("a version that was published before the rules, restored", "restore_dashboard_version",
		`{"slug":"sales","version_id":"`+open+`"}`, no)
	loosen("a copy of the spec", "publish_dashboard", `{"path":"mine","copy_of":"sales","patch":[{"op":"remove","path":"/access"}]}`,
		"was not found among your connections")
	loosen("deleting the dashboard, to publish it again without the rules", "delete_dashboard", `{"slug":"sales"}`, "delete rejected:")
	done = append(done, "the form that duplicates a dashboard")
	copied := url.Values{"workspace": {"vault"}, "title": {"Mine"}, "slug": {"mine"}}
	if p := eddy.send(s.app+"/w/vault/d/sales/copy", copied); p.status != http.StatusUnprocessableEntity {
		t.Errorf("eddy duplicates the dashboard: %d", p.status)
	}
	done = append(done, "an attribute that somebody gives themselves")
	var id string
	if err := s.db.QueryRow(t.Context(), `SELECT id FROM account WHERE email = 'eddy@example.com'`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	given := url.Values{"member": {id}, "attribute": {"region"}, "values": {"APAC"}}
	if p := eddy.send(s.app+"/w/vault/members/attribute", given); p.status != http.StatusUnprocessableEntity {
		t.Errorf("eddy gives himself an attribute: %d", p.status)
	}
	try("the page, after all these attempts", true, fetch(page))

	s.lookAs(t, ann, page, readers)
	for _, who := range []string{"ann", "abby", "emma"} {
		var id string
		if err := s.db.QueryRow(t.Context(), `SELECT id FROM account WHERE email = $1`, who+"@example.com").Scan(&id); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"?", "?panel=1&format=csv&", "?list=region&", ".png?", "?version=" + open + "&"} {
			try("the page as another member sees it: ?as=…", false, func(r *reader) (string, string) {
				p := r.get(page + part + "as=" + id)
				if p.status != http.StatusForbidden || strings.Contains(p.text, who) {
					t.Errorf("%s looks at %s as %s: %d", r.name, part, who, p.status)
				}
				if d := r.get(s.app + "/w/vault/d/sales"); strings.Contains(d.text, "?as=") {
					t.Errorf("the app offers it to %s", r.name)
				}
				return p.text, ""
			})
		}
	}

	// The reason of a failed refresh contains a value. Only readers of all rows get it.
	spec["datasets"] = []any{map[string]any{"id": "d", "sql": "SELECT region, CAST(region AS INTEGER) AS amount FROM upload"}}
	delete(spec, "filters")
	delete(spec, "alerts")
	spec["panels"] = []any{map[string]any{"type": "table"}}
	broken := map[string]any{"path": "broken", "connection": source, "upload": upload, "spec": spec}
	if got := owner.call("publish_dashboard", broken); got.failed {
		t.Fatal(got.text)
	}
	eventually(t, func() error {
		got := owner.call("get_refresh_status", map[string]any{"slug": "broken"})
		if got.data["state"] != "failed" || !strings.Contains(got.text, "INT32") {
			return fmt.Errorf("the owner reads: %s", got.text)
		}
		return nil
	})
	reason := func(get func(r *reader) string) {
		t.Helper()
		try("the reason of a failed refresh", false, func(r *reader) (string, string) {
			got := get(r)
			if strings.Contains(got, "INT32") {
				t.Errorf("%s reads why the refresh failed: %s", r.name, got)
			}
			return got, ""
		})
	}
	for _, address := range []string{s.workspace("vault") + "/broken", s.app + "/w/vault/d/broken", s.app + "/w/vault/"} {
		reason(func(r *reader) string { return r.get(address).text })
	}
	for _, tool := range []string{"get_refresh_status", "get_dashboard", "verify_dashboard", "list_dashboards"} {
		reason(func(r *reader) string {
			got, _ := s.call(t, r.token, tool, `{"slug":"broken","path":"broken"}`).text(t)
			return got
		})
	}

	// Attributes count at the moment of a request.
	s.admin(t, "member", "attribute", "vault", "nora@example.com", "region", "EMEA", "APAC")
	if p := nora.get(page).text; !strings.Contains(p, "APAC") || !strings.Contains(p, "EMEA") || strings.Contains(p, "AMER") {
		t.Error("nora does not get the rows of the regions that she has now")
	}
	s.admin(t, "member", "attribute", "vault", "nora@example.com", "region")
	try("the page, after an attribute was taken away", false, fetch(page))

	done = append(slices.Compact(done), "e-mails, which are drawn for each recipient; channels and alerts")
	accessList(t, done)
}

// accessList compares the list of attempts in docs/security.md with the ways that were tried, or writes it.
func accessList(t *testing.T, ways []string) {
	t.Helper()
	const file, begin, end = "../../docs/security.md", "<!-- access -->\n", "<!-- end of access -->"
	docs, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	seen := map[string]bool{}
	for _, way := range ways {
		if seen[way] {
			continue
		}
		seen[way] = true
		if strings.HasPrefix(way, "e-mails") {
			way += " (`TestDeliveriesObeyRowRules`)"
		}
		fmt.Fprintf(&list, "- %s\n", way)
	}
	head, rest, ok := bytes.Cut(docs, []byte(begin))
	_, tail, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		t.Fatal("docs/security.md has no place for the list of attempts")
	}
	want := slices.Concat(head, []byte(begin), []byte(list.String()), []byte(end), tail)
	if *updateAccess {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(docs, want) {
		t.Error("the list of attempts in docs/security.md is out of date: run this test with -access")
	}
}
