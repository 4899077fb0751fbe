package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"service/store"
	"service/store/dashboard/locale"
)

// dashboardsPerPage is how many dashboards a page of the list shows.
const dashboardsPerPage = 25

// tagsShown is how many tags the list shows at once.
const tagsShown = 12

// dashboardList is the list of a workspace's dashboards.
type dashboardList struct {
	Dashboards  []dashboardRow
	Search, Tag string
	Sort        store.Sort
	Sorts       []sortOption
	Tags        []tagChip
	MoreTags    []tagChip // behind a click
	Narrowed    bool      // by a search or a tag
	Pages       pages
	MCPURL      string
}

type dashboardRow struct {
	store.Dashboard
	Fresh freshness
}

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
	}
	list.Narrowed = list.Search != "" || list.Tag != ""

	page, err := a.Store.ListDashboards(ctx, []store.Member{*v.in}, store.DashboardQuery{
		Search: list.Search, Tag: list.Tag, Sort: list.Sort, Cursor: query.Get("after"), Limit: dashboardsPerPage,
	})
	if errors.Is(err, store.ErrCursor) {
		return store.ErrNotFound
	}
	if err != nil {
		return err
	}
	reader := a.readerOf(v)
	for _, d := range page.Dashboards {
		list.Dashboards = append(list.Dashboards, dashboardRow{d, freshnessOf(d, reader)})
	}
	address := func(tag, after string) string {
		q := url.Values{}
		for key, value := range map[string]string{"q": list.Search, "tag": tag, "sort": string(list.Sort), "after": after} {
			if value != "" {
				q.Set(key, value)
			}
		}
		return (&url.URL{Path: "/w/" + v.in.Workspace() + "/", RawQuery: q.Encode()}).String()
	}
	list.Pages.reader = reader
	if query.Get("after") != "" {
		list.Pages.First = address(list.Tag, "")
	}
	if page.Next != "" {
		list.Pages.Next, list.Pages.Left, list.Pages.Least = address(list.Tag, page.Next), page.Left, page.Left == store.MaxLeft
	}
	tags, err := a.Store.Tags(ctx, *v.in)
	if err != nil {
		return err
	}
	if list.Tag != "" && !slices.Contains(tags, list.Tag) {
		tags = append(tags, list.Tag)
	}
	for _, tag := range tags {
		if tag == list.Tag {
			list.Tags = slices.Insert(list.Tags, 0, tagChip{Name: tag, URL: address("", ""), Current: true}) // a second click removes the filter
		} else {
			list.Tags = append(list.Tags, tagChip{Name: tag, URL: address(tag, "")})
		}
	}
	if len(list.Tags) > tagsShown {
		list.Tags, list.MoreTags = list.Tags[:tagsShown], list.Tags[tagsShown:]
	}
	return a.render(v, http.StatusOK, screen{name: "dashboards", title: v.Text(tabDashboards), tab: tabDashboards, data: list})
}

// freshness says how current a dashboard's rows are, in a word and a colour.
type freshness struct {
	reader
	Tone         string
	Word         locale.Key
	At           *time.Time // last good refresh
	FailingSince *time.Time
	Next         *time.Time
	Published    *time.Time // of a static dashboard
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

// sortNames are the orders of the list of dashboards, in the order of the form.
var sortNames = []sortOption{
	{store.SortNewest, locale.Key("Newest first")},
	{store.SortUpdated, locale.Key("Updated last")},
	{store.SortName, locale.Key("By name")},
	{store.SortStale, locale.Key("Stale first")},
}
