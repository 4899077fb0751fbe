package web

import (
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"service/server/browsertest"
	"service/store"
)

// all makes axe-core check every screen; without it, it checks those in [judged].
var all = flag.Bool("all", false, "judge the accessibility of every screen")

// judged are the screens that together show every template with as much content as
// possible, a refused form and a problem page. The other screens are the same templates
// in other states.
var judged = []string{
	"account", "account-delete", "alerts", "audit", "channel", "channel-new", "channels",
	"clients", "compare", "connect", "connection", "connection-new", "connections", "consent",
	"consent-done",
	"dashboard", "dashboard-copy", "dashboard-delete", "first-workspace", "invitation", "invitation-link", "list", "members", "not-found",
	"refused",
	"send", "settings", "signed-out", "stranger", "unsubscribe", "upload", "upload-file", "uploads", "workspace-new",
}

// inspect lists problems of the open page: it scrolls sideways, a control has no name or
// is smaller than 24 px, or an id is not unique.
const inspect = `(() => {
  const opened = document.querySelectorAll("details:not([open])");
  for (const menu of opened) menu.open = true;
  const problems = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) problems.push("the page is " + root.scrollWidth + " px wide");
  for (const e of document.querySelectorAll("details > div")) {
    const box = e.getBoundingClientRect();
    if (box.left < 0 || box.right > root.clientWidth) problems.push("beyond the edge: " + e.outerHTML);
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((x) => x === id).length > 1) problems.push("two elements with the id " + id);
  for (const e of document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")) {
    const box = e.getBoundingClientRect();
    const name = e.getAttribute("aria-label") || (e.labels && e.labels.length) || e.textContent.trim();
    if (!name) problems.push("without a name: " + e.outerHTML);
    const inText = getComputedStyle(e).display === "inline";
    const visible = box.width > 0 && box.right > 0;
    const target = e.type === "radio" || e.type === "checkbox" ? e.closest("label").getBoundingClientRect() : box;
    const finger = root.clientWidth < 561 && e.matches(".button:not(.slim)") ? 44 : 24;
    if (visible && !inText && target.height < finger) problems.push(target.height + " px high: " + e.outerHTML);
    const card = e.matches(".button") && e.closest(".card");
    if (card && visible && box.right > card.getBoundingClientRect().right) problems.push("beyond its card: " + e.outerHTML);
  }
  for (const e of document.querySelectorAll("[aria-describedby]")) {
    for (const id of e.getAttribute("aria-describedby").split(" "))
      if (!document.getElementById(id)) problems.push("no element with the id " + id);
  }
  for (const menu of opened) menu.open = false;
  return problems;
})()`

// Every screen can be used on a phone and on a desktop, in the light and the dark theme.
// With SCREENSHOTS=<directory> it writes a picture of each.
func TestScreensCanBeUsed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada.with.a.long.name@lovelace.org", "engine")
	if _, err := s.store.Workspaces.CreateWorkspace(t.Context(), m.Account(),
		"a-workspace-with-a-long-slug", "A workspace with quite a long name"); err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{store.RoleEditor, store.RoleOwner} {
		if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", role+".of.the.analytical.engine@lovelace.org",
			role); err != nil {
			t.Fatal(err)
		}
	}
	s.publish(t, m, "sales", "Sales", "weekly", "revenue and margin")
	kept := s.publish(t, m, "sales", "Commerce performance across all channels", "weekly", "revenue and margin")
	name := "Before the price change"
	if _, err := s.store.Dashboards.NameVersion(t.Context(), m, "sales", kept.Dashboard.VersionID, &name); err != nil {
		t.Fatal(err)
	}
	s.publish(t, m, "sales", "Commerce performance across all channels", "weekly", "revenue and margin")
	schedule, err := store.ParseSchedule("daily 07:00", "Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.Refreshes.SetSchedule(t.Context(), m, "sales", schedule); err != nil {
		t.Fatal(err)
	}
	s.exec(t, `UPDATE refresh_run SET state = 'failed', started_at = queued_at, finished_at = queued_at + interval '2 s',
		error = 'The warehouse refused the connection: its certificate has ended.' WHERE state = 'queued'`)
	s.exec(t, `UPDATE dashboard SET refreshed_at = $1, failing_since = $2`, s.now().Add(-5*time.Hour), s.now().Add(-time.Hour))
	s.publish(t, m, "people", "Weekly active people", "weekly")
	s.exec(t, `UPDATE refresh_run SET state = 'succeeded', started_at = queued_at, finished_at = queued_at + interval '1.4 s',
		datasets = '[{"id": "orders", "state": "succeeded", "rows": 1234, "elapsed_ms": 900}]' WHERE state = 'queued'`)
	s.exec(t, `UPDATE dashboard SET refreshed_at = $1 WHERE slug = 'people'`, s.now().Add(-3*time.Hour))

	tags := []string{"Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"}
	for i := range 49 {
		tags = append(tags, fmt.Sprintf("a-tag-%d", i))
	}
	long := s.publish(t, m, "long", strings.Repeat("Unbroken", 15), tags...)
	s.revise(t, m, "long", strings.Repeat("Unbroken", 15),
		`SELECT day, sum(amount) AS revenue\nFROM `+strings.Repeat("a_long_name_", 20)+`\nGROUP BY 1`)
	s.publish(t, m, "rtl", "لوحة معلومات المبيعات الشهرية حسب المنطقة", "四半期ごとの売上高")
	for i := range 9 { // so many that the list of choices scrolls
		if _, err := s.store.Workspaces.CreateWorkspace(t.Context(), m.Account(), fmt.Sprintf("workspace-%d", i),
			"Another workspace"); err != nil {
			t.Fatal(err)
		}
	}

	page := p.post("/w/engine/connections", url.Values{
		"kind": {"postgres"}, "label": {"Orders and returns"}, "host": {"warehouse.of.the.analytical.engine.lovelace.org"},
		"port": {"5432"}, "user": {"reader"}, "tls": {"verify"}, "password": {"open-sesame"},
	}).want(http.StatusOK)
	warehouseID := path.Base(page.url.Path)
	s.exec(t, `UPDATE connection SET status = 'failing', status_reason = 'The warehouse refused the user or the password.'`)
	uploaded := p.send("/w/engine/uploads", "a-file-with-quite-a-long-name-for-a-phone.csv", "day,revenue\n2026-01-01,10\n").
		want(http.StatusOK).url.Path
	p.send(uploaded, "the-second-file-with-quite-a-long-name-for-a-phone.csv", "day,revenue,country\n2026-01-01,10,DE\n").want(http.StatusOK)
	s.publishFile(t, m, "weekly", "Revenue per week, and what became of it over the last three years in all countries", path.Base(uploaded),
		"SELECT day, sum(revenue) AS revenue FROM upload GROUP BY 1", `{"type": "line", "x": "day", "y": "revenue"}`)
	s.publishFile(t, m, "countries", "Countries", path.Base(uploaded),
		"SELECT * FROM upload", `{"type": "table", "columns": ["day", "revenue", "country"]}`)
	waiting := p.send(uploaded, "three-columns.csv", "a_column_with_quite_a_long_name_for_a_phone,country,c\n1,DE,3\n").
		want(http.StatusOK, "2 dashboards would break").url.Path
	earlier := ""
	for _, file := range fileOfUpload.FindAllString(p.get(uploaded).want(http.StatusOK, "Earlier files").body, -1) {
		if file != waiting {
			earlier = file
		}
	}
	const invited = "somebody.with.an.address.as.long.as.some.people.really.have.them@department.of.a.subsidiary.lovelace.org"
	p.post("/w/engine/members", url.Values{"email": {invited}, "role": {"editor"}}).want(http.StatusOK)
	page = p.post("/w/engine/members/link", url.Values{"email": {invited}}).want(http.StatusOK)
	link := invitationLink.FindStringSubmatch(page.body)[1]

	c := s.register(t, "Claude Code", "http://localhost:33418/callback/with/a/long/path?and=a&query=as-long-as-a-client-may-choose-to-make-it")
	_, handle := s.browser(t).authorize(c)

	for _, wish := range []url.Values{
		{"rhythm": {"weekly-1"}, "at": {"08:00"}, "attach": {"xlsx"}, "changed": {"1"}}, {"rhythm": {"refresh"}},
	} {
		p.post("/w/engine/d/sales/send", wish).want(http.StatusOK)
	}
	s.propose(t, m, "sales", "a-channel-with-quite-a-long-name-for-a-phone-of-one-of-us")
	board, err := s.store.Dashboards.Dashboard(t.Context(), m, "sales")
	if err != nil {
		t.Fatal(err)
	}
	sent, err := s.store.Messages.Subscriptions(t.Context(), m, board)
	if err != nil {
		t.Fatal(err)
	}
	token := s.store.Messages.UnsubscribeToken(m.WorkspaceID(), sent[0].ID, uuid.Nil)

	s.deleted(t, m, "taken")
	s.publish(t, m, "taken", "The one that has its slug now")
	erased := s.deleted(t, m, "quarterly-revenue-by-region-and-product-line-of-all-companies")
	s.seedAlerts(t)
	p.post("/w/engine/channels", url.Values{
		"kind": {"mail"}, "slug": {"pager"}, "members": {m.Account().String()},
		"name": {"A channel whose name somebody wrote as one whole sentence of eighty letters or more"},
	}).want(http.StatusOK)
	look := &looker{source: browsertest.Axe(t), pictures: os.Getenv("SCREENSHOTS"), seen: map[string]bool{}}
	signedIn := func(email string) *looker {
		l := *look
		l.Tab = browsertest.Open(t)
		l.Visit(s.url + "/sign-in?return_to=/account")
		l.Follow(chromedp.SendKeys(`#email`, email+"\r"))
		return &l
	}

	ada := signedIn("ada.with.a.long.name@lovelace.org")
	ada.Expect("404") // of the screen that reports it
	ada.Expect("400")
	ada.Expect("500")
	for name, address := range map[string]string{
		"list": "/w/engine/", "list-search": "/w/engine/?q=nothing",
		"list-empty": "/w/a-workspace-with-a-long-slug/", "connect": "/w/engine/connect",
		"clients-empty": "/w/engine/clients", "members": "/w/engine/members", "dashboard": "/w/engine/d/sales",
		"list-tag": "/w/engine/?tag=a-tag-7", "dashboard-long": "/w/engine/d/long",
		"dashboard-long-delete": "/w/engine/d/long/delete", "dashboard-rtl": "/w/engine/d/rtl",
		"account": "/account", "connections": "/w/engine/connections", "connection": "/w/engine/connections/" + warehouseID,
		"connection-new": "/w/engine/connections/new?kind=postgres", "uploads": "/w/engine/uploads", "upload": uploaded,
		"upload-file": waiting, "upload-file-back": earlier,
		"account-delete": "/account/delete", "alerts": "/w/engine/alerts", "audit": "/w/engine/audit", "settings": "/w/engine/settings",
		"dashboard-copy": "/w/engine/d/sales/copy", "bin": "/w/engine/bin", "bin-erase": "/w/engine/bin/" + erased.String() + "/erase",
		"channels": "/w/engine/channels", "channel": "/w/engine/channels/pager", "channel-new": "/w/engine/channels/new?kind=webhook",
		"compare":          "/w/engine/d/long/versions/" + long.Dashboard.VersionID.String() + "/compare",
		"dashboard-delete": "/w/engine/d/sales/delete", "invitation": link,
		"workspace-new": "/workspaces/new", "consent": "/consent?request=" + url.QueryEscape(handle),
		"send": "/w/engine/d/sales/send?f.day=last_7_days", "send-change": "/w/engine/d/sales/send/" + sent[0].ID.String(),
		"unsubscribe": "/unsubscribe?token=" + token,
		"not-found":   "/nothing", "expired": "/consent?request=x", "audit-narrowed": "/w/engine/audit?kind=version&from=2026-01-01",
	} {
		want := http.StatusOK
		switch name {
		case "not-found":
			want = http.StatusNotFound
		case "expired":
			want = http.StatusBadRequest
		}
		ada.at(name, s.url+address, want)
	}
	for name, steps := range map[string]struct { // screens that only a form leads to
		from, press string
	}{
		"invitation-link": {"/w/engine/members", `form[action$="/link"] button`},
		"named":           {"/w/engine/d/sales", `form[action$="/details"] button`},
	} {
		ada.Visit(s.url + steps.from)
		if status := ada.Follow(chromedp.Click(chromedp.CSS(steps.press))); status != http.StatusOK {
			t.Errorf("%s: status %d", name, status)
		}
		ada.look(name)
	}
	ada.Expect("422")
	ada.Visit(s.url + "/w/engine/d/sales")
	tooLong := `title.value = tags.value = "x".repeat(301); document.querySelector('form[action$="/details"] button').click(); undefined`
	if status := ada.Follow(chromedp.Evaluate[chromedp.Void](tooLong)); status != http.StatusUnprocessableEntity {
		t.Errorf("a name that is refused: status %d", status)
	}
	ada.look("refused")
	s.exec(t, `ALTER TABLE dashboard RENAME TO elsewhere`)
	ada.at("failed", s.url+"/w/engine/", http.StatusInternalServerError)
	s.exec(t, `ALTER TABLE elsewhere RENAME TO dashboard`)

	member := signedIn(store.RoleEditor + ".of.the.analytical.engine@lovelace.org")
	s.exec(t, `UPDATE workspace SET plan = 'free'`)
	for name, address := range map[string]string{
		"member-members": "/w/engine/members", "member-settings": "/w/engine/settings",
		"free-connections": "/w/engine/connections", "free-connection-new": "/w/engine/connections/new?kind=postgres",
	} {
		member.at(name, s.url+address, http.StatusOK)
	}

	s.exec(t, `UPDATE membership p SET role = 'viewer' FROM account a WHERE a.id = p.account_id AND a.email LIKE 'editor.of.%'`)
	s.exec(t, `UPDATE dashboard SET refreshed_at = NULL`) // they have no rows, so their thumbnails are not found, if the tab asks for them
	member.Expect("403")
	for name, address := range map[string]string{
		"viewer-list": "/w/engine/", "viewer-dashboard": "/w/engine/d/sales", "viewer-alerts": "/w/engine/alerts",
		"viewer-members": "/w/engine/members",
	} {
		member.at(name, s.url+address, http.StatusOK)
	}
	member.at("viewer-refused", s.url+"/w/engine/audit", http.StatusForbidden)

	stranger := signedIn("stranger@lovelace.org")
	for name, address := range map[string]string{
		"first-workspace": "/", "consent-without-workspace": "/consent?request=" + url.QueryEscape(handle),
	} {
		stranger.at(name, s.url+address, http.StatusOK)
	}

	app := s.register(t, "Cursor", "cursor://anysphere.cursor-retrieval/oauth/callback")
	_, inApp := s.browser(t).authorize(app)
	ada.Visit(s.url + "/consent?request=" + url.QueryEscape(inApp))
	ada.Follow(chromedp.Click(`input[value="engine"]`), chromedp.Click(`button[value="allow"]`))
	ada.look("consent-done")
	ada.at("clients", s.url+"/w/engine/clients", http.StatusOK)

	nobody := *look
	nobody.Tab = browsertest.Open(t)
	nobody.Expect("400")
	nobody.Expect("401")
	for name, screen := range map[string]struct {
		address string
		want    int
	}{
		"signed-out":         {s.url + "/", http.StatusOK},
		"stranger":           {s.url + "/w/engine/", http.StatusOK},
		"invited":            {s.url + link, http.StatusOK},
		"consent-signed-out": {s.url + "/consent?request=" + url.QueryEscape(handle), http.StatusOK},
		"sign-in-cancelled":  {s.url + "/sign-in/callback?error=access_denied&state=x", http.StatusBadRequest},
		"sign-in-forged":     {s.url + "/sign-in/callback?code=x&state=x", http.StatusBadRequest},
		"authorize-unknown":  {s.base + "/authorize?client_id=x", http.StatusUnauthorized},
	} {
		nobody.at(name, screen.address, screen.want)
	}
	for _, name := range judged {
		if !look.seen[name] {
			t.Errorf("there is no screen %s to judge", name)
		}
	}
}

// wcag makes axe-core check WCAG 2.2 AA and best practices.
const wcag = `{runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"]}`

// A looker checks screens for TestScreensCanBeUsed.
type looker struct {
	*browsertest.Tab
	source   string // source of axe-core
	pictures string // directory for the pictures; may be empty
	seen     map[string]bool
}

// at checks the screen at an address, which must answer with a status.
func (l *looker) at(name, address string, want int) {
	l.Helper()
	if status := l.Visit(address); status != want {
		l.Errorf("%s: status %d, want %d", name, status, want)
	}
	l.look(name)
}

// look reports the problems of the open screen, and writes pictures of it.
func (l *looker) look(name string) {
	l.Helper()
	l.seen[name] = true
	for _, width := range []int64{1100, 360} {
		l.Do(chromedp.EmulateViewport(width, 800))
		for _, theme := range []string{"light", "dark"} {
			l.Do(set(theme))
			if l.pictures != "" {
				picture := browsertest.Run(l.Tab, chromedp.FullScreenshot(100))
				file := name + "-" + theme + map[int64]string{360: "-phone"}[width] + ".png"
				if err := os.WriteFile(filepath.Join(l.pictures, file), picture, 0o644); err != nil {
					l.Fatal(err)
				}
			}
			phone := width == 360
			if phone != (theme == "dark") { // each theme and each width once is enough
				continue
			}
			if phone { // where opened menus do not cover the rest of the page
				browsertest.Eval[int](l.Tab,
					`(() => { let n = 0; for (const menu of document.querySelectorAll("main details")) { menu.open = true; n++ } return n })()`)
			}
			if !*all && !slices.Contains(judged, name) {
				continue
			}
			for _, v := range l.Violations(l.source, wcag) {
				l.Errorf("%s at %d px, %s: %s", name, width, theme, v)
			}
		}
		if problems := browsertest.Eval[[]string](l.Tab, inspect); len(problems) > 0 {
			l.Errorf("%s at %d px:\n%s", name, width, strings.Join(problems, "\n"))
		}
	}
}

// set sets the theme with the attribute that the theme switch uses.
func set(theme string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](`document.documentElement.dataset.theme = "` + theme + `"; undefined`)
}
