package web

import (
	"bytes"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"service/server/browsertest"
	"service/store"
	"service/store/dashboard"
)

// note publishes a static page.
func (s *site) note(t *testing.T, m store.Member, slug, name string) store.Published {
	t.Helper()
	p, err := s.store.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: slug, Filename: "index.html", DefaultName: name, DefaultChart: "document",
		ContentType: dashboard.TypeMarkdown, Content: []byte("# " + name + "\n\nWords."),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// colleague returns a browser of another member of engine, and their membership.
func (s *site) colleague(t *testing.T, owner store.Member, email string) (*person, store.Member) {
	t.Helper()
	p := s.signIn(t, email)
	if _, err := s.store.Members.AddMember(t.Context(), owner.Account(), owner.Workspace(), email, store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	account, err := s.store.Accounts.AccountByEmail(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.store.Members.Memberships(t.Context(), account.ID)
	if err != nil || len(in) != 1 {
		t.Fatal(in, err)
	}
	return p, in[0]
}

// Favourites are listed first, and are personal. They are not listed again on any page, and filters
// apply to them too.
func TestFavouritesComeFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	for _, name := range []string{"Alpha", "Beta", "Gamma"} {
		s.publish(t, m, strings.ToLower(name), name)
	}
	grace, _ := s.colleague(t, m, "grace@hopper.org")
	page := p.post("/w/engine/d/alpha/star", url.Values{"star": {"on"}, "return_to": {"/w/engine/?sort=name"}}).
		want(http.StatusOK, "Favourites", "All others")
	if page.url.RequestURI() != "/w/engine/?sort=name" {
		t.Errorf("back at %s", page.url)
	}
	first, others, _ := strings.Cut(page.body, "All others")
	if strings.Count(first, ">Alpha<") != 1 || strings.Contains(others, ">Alpha<") || strings.Count(others, `class="board"`) != 2 {
		t.Errorf("the favourite is not first, or occurs twice")
	}
	p.get("/w/engine/?q=beta").want(http.StatusOK, ">Beta<").lacks("Favourites", ">Alpha<")
	p.get("/w/engine/?q=alpha").want(http.StatusOK, "Favourites", ">Alpha<").lacks("Nothing matches", ">Beta<")
	grace.get("/w/engine/").want(http.StatusOK, ">Alpha<").lacks("Favourites")
	p.post("/w/engine/d/alpha/star", url.Values{"star": {""}, "return_to": {"/w/engine/"}}).want(http.StatusOK, ">Alpha<").lacks("Favourites")

	s.exec(t, `WITH made AS (
		  INSERT INTO dashboard (workspace_id, id, slug, name, chart)
		  SELECT $1, gen_random_uuid(), 'x' || i, 'x', 'line' FROM generate_series(1, $2::int) i RETURNING *)
		INSERT INTO slug (workspace_id, slug, dashboard_id) SELECT workspace_id, slug, id FROM made`, m.WorkspaceID(), store.MaxStarred)
	s.exec(t, `INSERT INTO dashboard_use (workspace_id, account_id, dashboard_id, starred_at) SELECT workspace_id, $1, dashboard_id, now()
		FROM slug WHERE slug ~ '^x'`, m.Account())
	p.post("/w/engine/d/alpha/star", url.Values{"star": {"on"}, "return_to": {"/w/engine/"}}).
		want(http.StatusOK, "You can have 60 favourites in a workspace.")
	p.post("/w/engine/d/gone/star", url.Values{"star": {"on"}}).want(http.StatusNotFound)
}

// The list has the dashboards that the person opened last, which other people do not see.
func TestRecentlyOpened(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	grace, hers := s.colleague(t, m, "grace@hopper.org")
	ids := map[string]uuid.UUID{}
	for _, name := range []string{"Alpha", "Beta", "Gamma"} {
		ids[name] = s.note(t, m, strings.ToLower(name), name).Dashboard.ID
	}
	for _, name := range []string{"Beta", "Alpha", "Beta", "Gamma"} {
		s.ahead.Add(int64(time.Second))
		s.store.Dashboards.CountView(m, ids[name], time.Millisecond, 1)
	}
	s.store.Dashboards.CountView(hers, ids["Alpha"], time.Millisecond, 1)
	if err := s.store.Dashboards.FlushViews(t.Context()); err != nil {
		t.Fatal(err)
	}
	recent := between(t, p.get("/w/engine/").want(http.StatusOK).body, "Recently opened", "</nav>\n<section")
	if g, b, a := strings.Index(recent, "Gamma"), strings.Index(recent, "Beta"), strings.Index(recent, "Alpha"); g < 0 || b < g || a < b {
		t.Errorf("recently opened: %s", recent)
	}
	p.get("/w/engine/?q=alpha").want(http.StatusOK).lacks("Recently opened")
	recent = between(t, grace.get("/w/engine/").want(http.StatusOK).body, "Recently opened", "</nav>\n<section")
	if strings.Contains(recent, "Gamma") {
		t.Errorf("another's: %s", recent)
	}
}

// The list can be filtered by owner.
func TestWhoseDashboards(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	_, hers := s.colleague(t, m, "grace@hopper.org")
	s.note(t, m, "alpha", "Alpha")
	p.get("/w/engine/").want(http.StatusOK).lacks("Whose dashboards")
	s.note(t, hers, "beta", "Beta")
	p.get("/w/engine/").want(http.StatusOK, "Whose dashboards", "Mine", `value="`+hers.Account().String())
	p.get("/w/engine/?owner="+hers.Account().String()).want(http.StatusOK, ">Beta<").lacks(">Alpha<")
	p.get("/w/engine/?owner="+m.Account().String()).want(http.StatusOK, ">Alpha<").lacks(">Beta<")
	p.get("/w/engine/?owner="+uuid.NewString()).want(http.StatusOK, "Nothing matches", "Somebody else&#39;s")
	p.get("/w/engine/?owner=nonsense").want(http.StatusOK, ">Alpha<", ">Beta<")
}

// A thumbnail is for members of the workspace, and only their browsers may cache it.
func TestThumbnails(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	s.note(t, m, "notes", "Notes")
	s.publish(t, m, "sales", "Sales")
	shot := between(t, p.get("/w/engine/").want(http.StatusOK).body, `<img src="`, `" alt="" width="640"`)
	for _, theme := range []string{"", "&theme=dark"} {
		picture := p.get(shot + theme).want(http.StatusOK)
		if c, err := png.DecodeConfig(bytes.NewReader([]byte(picture.body))); err != nil || c.Width != 640 || c.Height != 400 {
			t.Errorf("%dx%d, %v", c.Width, c.Height, err)
		}
		// The browser requests it each time, and gets it if it has changed.
		if got := picture.header.Get("Cache-Control"); got != "private, no-cache" || picture.header.Get("ETag") == "" {
			t.Errorf("kept as %q, %q", got, picture.header.Get("ETag"))
		}
	}
	p.get("/w/engine/d/sales/thumbnail.png").want(http.StatusNotFound) // there are no rows
	p.get("/w/engine/d/notes").want(http.StatusOK, `<a class="shot"`, `<img src="`+shot)
	p.get("/w/engine/d/sales").want(http.StatusOK).lacks(`class="shot"`)
	s.signIn(t, "eve@example.com").get(shot).want(http.StatusNotFound)
	if nobody := s.browser(t).get(shot); nobody.header.Get("Content-Type") == "image/png" {
		t.Error("somebody who is not signed in got a picture")
	}
}

// The list is filtered while the person types, and a star does not leave the page. Without scripts, Enter
// and the button work.
func TestListFollowsInChromium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, m := s.owner(t, "ada@lovelace.org", "engine")
	for _, name := range []string{"Alpha", "Beta", "Gamma"} {
		s.note(t, m, strings.ToLower(name), name)
	}
	b := browsertest.Open(t)
	b.Visit(s.url + "/sign-in?return_to=/w/engine/")
	b.Follow(chromedp.SendKeys(`#email`, "ada@lovelace.org\r"))
	wait := func(what, script string) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !browsertest.Eval[bool](b, script); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal(what)
			}
		}
	}
	b.Do(chromedp.SendKeys(`#q`, "bet"))
	wait("typing does not narrow the list", `document.querySelectorAll(".board").length === 1`)
	wait("the address does not follow", `location.search === "?q=bet"`)
	if said := b.Text(`#list-status`); said != "1 dashboard found" {
		t.Errorf("it shows %q", said)
	}
	b.Do(chromedp.Click(`.star button`))
	wait("the star is not set", `document.activeElement.matches('#list section[aria-labelledby="starred"] [aria-pressed="true"]')`)
	b.Visit(s.url + "/w/engine/")
	wait("the favourite is not first",
		`document.querySelector(".board .what a").textContent === "Beta" && !!document.querySelector("#starred")`)
	wait("the picture is not shown", `document.querySelector(".board img").naturalWidth === 640`)
	b.Do(chromedp.Click(`.star [aria-pressed="true"]`))
	wait("the star is still set", `!document.querySelector("#starred") && document.querySelectorAll(".board").length === 3`)

	s.publish(t, m, "sales", "Sales")
	s.exec(t, `UPDATE dashboard SET refreshed_at = $1 WHERE slug = 'sales'`, s.now())
	b.Expect("404")
	b.Visit(s.url + "/w/engine/")
	wait("a picture that there is not hides the sign for it", `document.querySelector('.board img[src*="/d/sales/"]').hidden`)

	b.Scripts(false)
	b.Visit(s.url + "/w/engine/")
	b.Follow(chromedp.SendKeys(`#q`, "gam\r"))
	b.Follow(chromedp.Click(`.star button`))
	if at := b.Address(); at != s.url+"/w/engine/?q=gam&sort=" {
		t.Errorf("without scripts the star opens %s", at)
	}
}
