package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/auth"
	"service/store"
	"service/store/dashboard/locale"
)

// dashboardsPerPage is the number of dashboards on a page of the list: it fills rows of two, three and four.
const dashboardsPerPage = 24

// tagsShown is the number of tags that are visible without unfolding.
const tagsShown = 12

// dashboardList is the list of a workspace's dashboards.
type dashboardList struct {
	Starred     []board        // the person's favourites, on the first page
	Dashboards  []board        // the other dashboards
	Recent      []store.Opened // opened recently by the person; on the first page of the unfiltered list
	Search, Tag string
	Owner       string // id of an account; empty for all
	Owners      []choice
	Sort        store.Sort
	Sorts       []sortOption
	Tags        []tagChip
	MoreTags    []tagChip // folded
	Narrowed    bool      // by a search, a tag or an owner
	Found       int       // number of matching dashboards
	Exactly     bool      // whether Found is exact
	Pages       pages
	MCPURL      string
	Here        string // address of this page
}

// A board is a dashboard of the list.
type board struct {
	store.Dashboard
	Fresh   freshness
	Starred bool
	Picture string // address of its thumbnail; empty if there is nothing to draw
	Here    string // address of the list
	Theme   string // theme of the page
}

// A choice is an option of a select field.
type choice struct{ Value, Name string }

type sortOption struct {
	Value store.Sort
	Label locale.Key
}

type tagChip struct {
	Name, URL string
	Current   bool
}

func (a *App) dashboards(v *visit) error {
	a.Auth.SetCookie(v.w, workspaceCookie, v.in.Workspace(), remembered)
	ctx, query := v.r.Context(), v.r.URL.Query()
	list := dashboardList{
		Search: strings.TrimSpace(query.Get("q")), Tag: query.Get("tag"), MCPURL: a.MCPURL,
		Sort:  store.Sort(query.Get("sort")),
		Sorts: sortNames,
		Here:  auth.LocalPath(v.r.RequestURI),
	}
	owner, err := uuid.Parse(query.Get("owner"))
	if err == nil {
		list.Owner = owner.String()
	}
	list.Narrowed = list.Search != "" || list.Tag != "" || list.Owner != ""

	shelf, err := a.Store.Dashboards.Shelf(ctx, *v.in)
	if err != nil {
		return err
	}
	asked := store.DashboardQuery{
		Search: list.Search, Tag: list.Tag, Owner: owner, Sort: list.Sort,
		Cursor: query.Get("after"), Limit: dashboardsPerPage, But: shelf.Starred,
	}
	page, err := a.Store.Dashboards.ListDashboards(ctx, []store.Member{*v.in}, asked)
	if errors.Is(err, store.ErrCursor) {
		return store.ErrNotFound
	}
	if err != nil {
		return err
	}
	reader := a.readerOf(v)
	list.Dashboards = boards(page, reader, list.Here, a.theme(v), false)
	if asked.Cursor == "" && len(shelf.Starred) > 0 {
		asked.Of, asked.But, asked.Limit = shelf.Starred, nil, store.MaxStarred
		starred, err := a.Store.Dashboards.ListDashboards(ctx, []store.Member{*v.in}, asked)
		if err != nil {
			return err
		}
		list.Starred = boards(starred, reader, list.Here, a.theme(v), true)
	}
	if asked.Cursor == "" && !list.Narrowed {
		list.Recent = shelf.Recent
	}
	list.Found, list.Exactly = len(list.Starred)+len(list.Dashboards)+page.Left, asked.Cursor == "" && page.Left < store.MaxLeft
	list.Pages.reader = reader
	if asked.Cursor != "" {
		list.Pages.First = list.address(v, list.Tag, "")
	}
	if page.Next != "" {
		list.Pages.Next, list.Pages.Left, list.Pages.Least = list.address(v, list.Tag, page.Next), page.Left, page.Left == store.MaxLeft
	}
	if list.Owners, err = a.owners(v, list.Owner); err != nil {
		return err
	}
	tags, err := a.Store.Dashboards.Tags(ctx, *v.in)
	if err != nil {
		return err
	}
	list.setTags(v, tags)
	return a.render(v, http.StatusOK, screen{name: "dashboards", title: v.Text(tabDashboards), tab: tabDashboards, data: list})
}

// address returns the address of the list with another tag, or of another page.
func (l *dashboardList) address(v *visit, tag, after string) string {
	q := url.Values{}
	for key, value := range map[string]string{"q": l.Search, "tag": tag, "owner": l.Owner, "sort": string(l.Sort), "after": after} {
		if value != "" {
			q.Set(key, value)
		}
	}
	return (&url.URL{Path: "/w/" + v.in.Workspace() + "/", RawQuery: q.Encode()}).String()
}

func (l *dashboardList) setTags(v *visit, tags []string) {
	if l.Tag != "" && !slices.Contains(tags, l.Tag) {
		tags = append(tags, l.Tag)
	}
	for _, tag := range tags {
		if tag == l.Tag {
			l.Tags = slices.Insert(l.Tags, 0, tagChip{Name: tag, URL: l.address(v, "", ""), Current: true}) // a second click removes the filter
		} else {
			l.Tags = append(l.Tags, tagChip{Name: tag, URL: l.address(v, tag, "")})
		}
	}
	if len(l.Tags) > tagsShown {
		l.Tags, l.MoreTags = l.Tags[:tagsShown], l.Tags[tagsShown:]
	}
}

// owners returns the choices of the filter by owner: none if all dashboards have one owner. The
// chosen owner is always among them.
func (a *App) owners(v *visit, chosen string) ([]choice, error) {
	people, err := a.Store.Dashboards.Publishers(v.r.Context(), *v.in)
	if err != nil || len(people) < 2 && chosen == "" {
		return nil, err
	}
	out := []choice{{"", v.Text("Everybody's")}}
	known := chosen == ""
	for _, p := range people {
		c := choice{p.ID.String(), cmp.Or(p.Name, p.Email, v.Text("No e-mail"))}
		known = known || c.Value == chosen
		if p.ID == v.session.Account.ID {
			out = slices.Insert(out, 1, choice{c.Value, v.Text("Mine")})
			continue
		}
		out = append(out, c)
	}
	if !known {
		out = append(out, choice{chosen, v.Text("Somebody else's")})
	}
	return out, nil
}

func boards(page store.DashboardPage, r reader, here, theme string, starred bool) []board {
	out := make([]board, len(page.Dashboards))
	for i, d := range page.Dashboards {
		out[i] = board{Dashboard: d, Fresh: freshnessOf(d, r), Starred: starred, Here: here, Theme: theme, Picture: thumbnailURL(d)}
	}
	return out
}

// freshness describes how current a dashboard's rows are, with a word and a colour.
type freshness struct {
	reader
	Tone         string
	Word         locale.Key
	At           *time.Time // time of the last good refresh
	FailingSince *time.Time
	Next         *time.Time
	Published    *time.Time // for a static dashboard
}

func freshnessOf(d store.Dashboard, r reader) freshness {
	if !d.Refreshable() {
		return freshness{reader: r, Tone: "plain", Word: "Static", Published: &d.UpdatedAt}
	}
	f := freshness{reader: r, At: d.RefreshedAt, FailingSince: d.FailingSince, Next: d.NextRunAt}
	state := ""
	if d.RunState != nil {
		state = *d.RunState
	}
	switch {
	case state == store.RunQueued || state == store.RunRunning:
		f.Tone, f.Word = "warn", locale.Key("Refreshing")
	case state == store.RunPartial:
		f.Tone, f.Word = "warn", locale.Key("Partly refreshed")
	case d.FailingSince != nil:
		f.Tone, f.Word = "bad", locale.Key("Failing")
	case d.RefreshedAt == nil:
		f.Tone, f.Word = "plain", locale.Key("Not refreshed yet")
	default:
		f.Tone, f.Word = "good", locale.Key("Up to date")
	}
	return f
}

// sortNames are the sort orders of the list of dashboards, as the form lists them.
var sortNames = []sortOption{
	{store.SortNewest, locale.Key("Newest first")},
	{store.SortUpdated, locale.Key("Recently changed first")},
	{store.SortName, locale.Key("By name")},
	{store.SortStale, locale.Key("Oldest data first")},
}
