package web

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"service/server/browsertest"
	"service/store"
	"service/store/storetest"
)

// revise publishes a refreshable dashboard with SQL, which is escaped for JSON.
func (s *site) revise(t *testing.T, m store.Member, slug, name, sql string) store.Published {
	t.Helper()
	content := fmt.Appendf(nil, `{"version": 1, "title": "%s", "datasets": [{"id": "orders", "sql": "%s"}],
			"panels": [{"type": "table", "columns": ["day", "revenue"]}]}`, slug, sql)
	p, err := s.store.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: slug, Filename: "index.html", Name: &name, DefaultChart: "line", Spec: storetest.Spec(content), ContentType: "application/json",
		Content:     content,
		Definitions: map[string][]byte{"orders": []byte(sql)}, Panels: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCompareVersions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	revise := func(name, sql string) string { return s.revise(t, m, "sales", name, sql).Dashboard.VersionID.String() }
	first := revise("Sales", `SELECT day, 1 AS revenue\nFROM orders -- <script>alert(1)</script>`)
	second := revise("Sales <b>", `SELECT day, 2 AS revenue\nFROM orders -- <script>alert(1)</script>`)
	third := revise("Sales <b>", `SELECT day, 2 AS revenue\nFROM returns -- </ol><img src=x>`)
	other := s.publish(t, m, "other", "Other").Dashboard.VersionID.String()
	const at = "/w/engine/d/sales"
	compare := at + "/versions/" + first + "/compare"

	p.get(at).want(http.StatusOK, compare, at+"/versions/"+second+"/compare").lacks(third + "/compare")

	// Two earlier versions: words, lines of the SQL, both previews, and a restore of each.
	p.get(compare+"?with="+second).want(http.StatusOK,
		`name: &#34;Sales&#34; → &#34;Sales &lt;b&gt;&#34;`, "SQL of dataset orders",
		`Removed: </span><del><code>      &#34;sql&#34;: &#34;SELECT day, 1 AS revenue\n</code></del>`,
		`Added: </span><ins><code>      &#34;sql&#34;: &#34;SELECT day, 2 AS revenue\n</code></ins>`,
		`<li><code>FROM orders -- &lt;script&gt;alert(1)&lt;/script&gt;&#34;</code></li>`,
		"sales?version="+first, "sales?version="+second, "/versions/"+first+"/restore", "/versions/"+second+"/restore",
	).lacks("<script>alert", "<b>", "/versions/"+third+"/restore")

	// By default with the current version, which cannot be restored.
	p.get(compare).want(http.StatusOK, "<del><code>FROM orders",
		`<ins><code>FROM returns -- &lt;/ol&gt;&lt;img src=x&gt;`, `value="`+third+`" selected`).
		lacks("<img src=x", "/versions/"+third+"/restore", "sales?version="+third)
	p.get(at+"/versions/"+third+"/compare").want(http.StatusOK, "These two versions do not differ.").lacks(`id="restore"`, "<ins>S")

	// The current version has the dashboard's present name, which was not stored by a publish.
	renamed := "Renamed"
	if _, err := s.store.Dashboards.UpdateDashboard(t.Context(), m, "sales", store.Update{Name: &renamed}); err != nil {
		t.Fatal(err)
	}
	p.get(compare).want(http.StatusOK, `name: &#34;Sales&#34; → &#34;Renamed&#34;`)

	// Versions of other dashboards, and ids that are not versions.
	for _, path := range []string{
		at + "/versions/" + other + "/compare", compare + "?with=" + other, compare + "?with=nonsense", at + "/versions/nonsense/compare",
		at + "/versions/0190a8f2-0000-7000-8000-000000000000/compare", "/w/engine/d/nothing/versions/" + first + "/compare",
	} {
		p.get(path).want(http.StatusNotFound)
	}
	s.signIn(t, "eve@example.com").get(compare).want(http.StatusNotFound).lacks("orders")

	p.post(at+"/versions/"+first+"/restore", nil).want(http.StatusOK, "The version is restored.")

	// A document and a spec are compared by their lines; contents that are not text are not compared.
	note := s.note(t, m, "notes", "Notes").Dashboard.VersionID.String()
	s.revise(t, m, "notes", "Notes", "SELECT 1")
	p.get("/w/engine/d/notes/versions/"+note+"/compare").
		want(http.StatusOK, "refreshable now", "<del><code># Notes</code></del>", "<ins><code>{</code></ins>")
	var file store.Published
	for _, content := range []string{"PAR1\x00\xff", "PAR1\x00\xfe"} {
		before, err := file, error(nil)
		if file, err = s.store.Dashboards.Publish(t.Context(), m, store.Publication{
			Slug: "rows", Filename: "rows.parquet", DefaultName: "Rows", DefaultChart: "file",
			ContentType: "application/vnd.apache.parquet", Content: []byte(content),
		}); err != nil {
			t.Fatal(err)
		}
		if old := before.Dashboard.VersionID; old != uuid.Nil {
			p.get("/w/engine/d/rows/versions/"+old.String()+"/compare").
				want(http.StatusOK, "document changed", "One of these versions is not text").lacks("PAR1")
		}
	}
}

// The details of a dashboard have its picture beside its state on a desktop and above it on a phone, where numbers do not wrap.
func TestDetailsInChromium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, m := s.owner(t, "ada@lovelace.org", "engine")
	s.note(t, m, "notes", "Notes")
	s.publish(t, m, "sales", "Sales")
	s.exec(t, `UPDATE refresh_run SET state = 'failed', started_at = queued_at, finished_at = queued_at + interval '112 ms',
		error = 'The warehouse refused the connection: its certificate has ended.'`)
	b := browsertest.Open(t)
	b.Visit(s.url + "/sign-in?return_to=/w/engine/d/notes")
	b.Follow(chromedp.SendKeys(`#email`, "ada@lovelace.org\r"))
	const boxes = `const [shot, facts] = [".shot", ".facts"].map((of) => document.querySelector(of).getBoundingClientRect());`
	for width, want := range map[int64]string{1280: `shot.left >= facts.right && shot.top < facts.bottom`, 390: `shot.bottom <= facts.top`} {
		b.Do(chromedp.EmulateViewport(width, 900))
		if !browsertest.Eval[bool](b, `(() => { `+boxes+` return shot.height > 100 && `+want+` })()`) {
			t.Errorf("at %d px the picture is not in its place", width)
		}
	}
	b.Visit(s.url + "/w/engine/d/sales")
	if took := b.Text(`td.num`); took != "112 ms" {
		t.Fatalf("it took %q", took)
	}
	if browsertest.Eval[float64](b, `(() => {
		const text = document.createRange();
		text.selectNodeContents(document.querySelector("td.num"));
		return text.getBoundingClientRect().height;
	})()`) > 24 {
		t.Error("the time that a refresh took is on two lines")
	}
}

// At the width of a phone, related buttons are on one line, and a clock is mentioned only where it matters.
func TestPhoneInChromium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "grace@hopper.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	b := browsertest.Open(t)
	b.Do(chromedp.EmulateViewport(390, 900))
	b.Visit(s.url + "/sign-in?return_to=/w/engine/d/sales")
	b.Follow(chromedp.SendKeys(`#email`, "ada@lovelace.org\r"))
	for path, buttons := range map[string]string{
		"/w/engine/d/sales": ".head .actions .button", "/w/engine/members": ".rows li:last-child :is(.button.slim, summary)",
	} {
		b.Visit(s.url + path)
		if lines := browsertest.Eval[[]int](b, `(() => {
			const boxes = [...document.querySelectorAll("`+buttons+`")].map((e) => e.getBoundingClientRect());
			return [boxes.length, new Set(boxes.map((box) => Math.round(box.top + box.height / 2))).size];
		})()`); !slices.Equal(lines, []int{3, 1}) {
			t.Errorf("%s: buttons and lines of them: %d", path, lines)
		}
	}
	b.Visit(s.url + "/w/engine/d/sales/send")
	for rhythm, want := range map[string]bool{"daily": true, "refresh": false} {
		if seen := browsertest.Eval[bool](b, `(() => {
			document.querySelector("#rhythm").value = "`+rhythm+`";
			return document.querySelector("#at-hint").checkVisibility();
		})()`); seen != want {
			t.Errorf("%s: the clock is spoken of: %t", rhythm, seen)
		}
	}
}
