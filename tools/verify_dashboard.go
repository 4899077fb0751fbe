package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/page"
	"service/store/message"
	"service/store/view"
)

var verifyDashboard = tool[verifyDashboardArgs]{
	name:  "verify_dashboard",
	title: "Verify dashboard",
	description: `Checks a dashboard end to end and gives a fix for each problem: the spec or body, the connection, the newest refresh, ` +
		`the age and completeness of the rows, and the SQL on the source. It also reports empty panels and firing alerts. checks has ` +
		`status (ok, warning, failed), message and fix; panels has row count, truncation, emptiness, a summary and a text drawing of ` +
		`each; freshness is the age of the rows.`,
	hints: hints{readOnly: true, idempotent: true, openWorld: true},
	scope: dashboardScope,
	run:   runVerifyDashboard,
}

type verifyDashboardArgs struct{ target }

type verification struct {
	answer
	Workspace  string          `json:"workspace"`
	Slug       string          `json:"slug"`
	OK         bool            `json:"ok"`
	Checks     []check         `json:"checks"`
	Freshness  freshness       `json:"freshness"`
	Panels     []verifiedPanel `json:"panels"`
	PanelsLeft int             `json:"panels_left,omitempty"` // panels that are not in this answer
	Undrawn    int             `json:"undrawn,omitempty"`     // panels whose picture did not fit
}

type freshness struct {
	State        string `json:"state"`
	AsOf         string `json:"as_of,omitempty"`
	AgeSeconds   int    `json:"age_seconds,omitempty"`
	LastSuccess  string `json:"last_success_at,omitempty"`
	FailingSince string `json:"failing_since,omitempty"`
	NextRunAt    string `json:"next_run_at,omitempty"`
}

type verifiedPanel struct {
	Index     int    `json:"index"`
	Type      string `json:"type"`
	Title     string `json:"title,omitempty"`
	Rows      int    `json:"rows"`
	Truncated bool   `json:"truncated"`
	Empty     bool   `json:"empty"`
	Problem   string `json:"problem,omitempty"`
	Summary   string `json:"summary"`
	Picture   string `json:"picture,omitempty"` // the panel drawn in text; see [page.Summary]
}

// maxPictures is the limit of pictures in one answer, in characters.
const maxPictures = 12000

// panelsShown returns panels for an answer, and the number of panels without their
// picture.
func panelsShown(summaries []page.Summary) (panels []verifiedPanel, undrawn int) {
	panels = []verifiedPanel{}
	drawn := 0
	for _, s := range summaries {
		if n := utf8.RuneCountInString(s.Sketch); drawn+n <= maxPictures {
			drawn += n
		} else {
			s.Sketch = ""
			undrawn++
		}
		panels = append(panels, verifiedPanel{
			s.Index, s.Type, clip(s.Title, 200), s.Rows, s.Truncated, s.Empty, clip(s.Problem, 300), clip(s.Text, 1000), s.Sketch,
		})
	}
	return panels, undrawn
}

// withProblems adds a warning for each panel that cannot be drawn and has none yet.
func withProblems(warnings []dashboard.Warning, panels []page.Summary) []dashboard.Warning {
	for _, s := range panels {
		path := fmt.Sprintf("panels[%d]", s.Index)
		if s.Problem == "" || slices.ContainsFunc(warnings, func(w dashboard.Warning) bool {
			return w.Code == dashboard.WarnPageNotDrawn && w.Path == path
		}) {
			continue
		}
		warnings = append(warnings, dashboard.Warnf(dashboard.WarnPageNotDrawn, path, "it cannot be drawn: %s", clip(s.Problem, 300)))
	}
	return warnings
}

func runVerifyDashboard(ctx context.Context, c call, in verifyDashboardArgs) (*reply, error) {
	found, err := c.Store.Dashboards.Detail(ctx, c.Member, string(in.Slug))
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.NoDashboardNamed(string(in.Slug))
	}
	if err != nil {
		return nil, err
	}
	status, d := found.Status(), found.Dashboard
	if d.VersionID == uuid.Nil {
		return c.unverified(d), nil
	}
	v, err := c.Views.Of(ctx, c.Member, found, url.Values{})
	if err != nil {
		return nil, err
	}
	failed, err := c.lastFailure(ctx, d, status.Run)
	if err != nil {
		return nil, err
	}
	if !c.SeesReasons(d) {
		failed = nil
	}
	out := verification{answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, Panels: []verifiedPanel{}}
	if d.Refreshable() {
		if out.Checks, err = c.sourceChecks(ctx, found, v.View, failed); err != nil {
			return nil, err
		}
		out.Freshness = c.freshness(d, status)
	} else {
		out.Checks = []check{{"contents", checkOK, fmt.Sprintf("The dashboard is static: %s, %d bytes.", mimeType(d.ContentType), d.Size), ""}}
		out.Freshness = freshness{State: "static", AsOf: stamp(d.UpdatedAt), AgeSeconds: int(c.Now().Sub(d.UpdatedAt).Seconds())}
	}
	alerts, err := c.alerts(ctx, d, v.Spec, failed)
	if err != nil {
		return nil, err
	}
	if k, ok := alertCheck(alerts); ok {
		out.Checks = append(out.Checks, k)
	}
	if v.Drawn() {
		summaries, warnings := page.Examine(v.View)
		out.Panels, out.Undrawn = panelsShown(summaries)
		out.Checks = append(out.Checks, panelCheck(out.Panels, v.View, out.Freshness.State))
		dead, err := c.linkWarnings(ctx, v.Spec, d.Slug)
		if err != nil {
			return nil, err
		}
		fix := "If this is not intended, publish_dashboard with a patch changes the key."
		if !d.Refreshable() {
			fix = "If this is not intended, publish_dashboard with a corrected body replaces it."
		}
		for _, w := range dashboard.JoinWarnings(append(warnings, dead...)) {
			what := clip(w.Path+": "+w.Message, 400)
			out.Checks = append(out.Checks, check{w.Code, checkWarn, what, fix})
		}
	}
	space := room / 2
	out.Checks, _ = fit(out.Checks, &space)
	space += room / 2
	out.Panels, out.PanelsLeft = fit(out.Panels, &space)
	bad, warned := 0, 0
	first := ""
	for _, k := range out.Checks {
		switch k.Status {
		case checkFail:
			if bad++; bad == 1 {
				first = k.text()
			}
		case checkWarn:
			warned++
		}
	}
	out.OK = bad == 0
	if !out.OK {
		return replyWith(&out, `"%s" (%s) has %s and %s. %s`, d.Slug, out.URL, count(bad, "failed check"), count(warned, "warning"),
			first), nil
	}
	return replyWith(&out, `"%s" (%s) is sound: %s passed, with %s.`, d.Slug, out.URL, count(len(out.Checks)-warned, "check"),
		count(warned, "warning")), nil
}

// unverified returns the answer for a dashboard without a stored version.
func (c call) unverified(d store.Dashboard) *reply {
	k := check{"contents", checkFail, "No version of the dashboard is stored, so its page shows nothing.", "publish_dashboard makes one."}
	out := verification{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug,
		Checks: []check{k}, Freshness: freshness{State: neverRefreshed}, Panels: []verifiedPanel{},
	}
	return replyWith(&out, `"%s" (%s) has %s. %s`, d.Slug, out.URL, count(1, "failed check"), k.text())
}

func (c call) freshness(d store.Dashboard, s store.RefreshStatus) freshness {
	f := freshness{State: stateOf(s.Run), LastSuccess: when(d.RefreshedAt), FailingSince: when(d.FailingSince), NextRunAt: when(d.NextRunAt)}
	for _, r := range s.Results {
		if age := int(c.Now().Sub(r.RefreshedAt).Seconds()); age > f.AgeSeconds || f.AsOf == "" {
			f.AgeSeconds, f.AsOf = max(age, 0), stamp(r.RefreshedAt)
		}
	}
	return f
}

// sourceChecks returns the checks of a refreshable dashboard: spec, connection, SQL, refresh and rows. failed is the result of
// [call.lastFailure].
func (c call) sourceChecks(ctx context.Context, found store.Detail, v page.View, failed *store.Run) ([]check, error) {
	s, d := found.Status(), found.Dashboard
	declared := v.Spec
	checks := []check{
		{"spec", checkOK, fmt.Sprintf("The spec is sound: %s and %s.", count(len(declared.Datasets), "dataset"),
			count(len(declared.Panels), "panel")), ""},
	}
	blockers := c.bindingTo(d, found.Bound).blockers
	if len(blockers) > 0 {
		checks = append(checks, check{"connection", checkFail, blockers[0], "get_source_config shows the binding; " +
			"publish_dashboard with another connection replaces it."})
	} else {
		checks = append(checks, check{"connection", checkOK, fmt.Sprintf(`The connection "%s" is usable.`, d.ConnectionName()), ""})
		sql, err := c.sqlCheck(ctx, d, v)
		if err != nil {
			return nil, err
		}
		checks = append(checks, sql)
	}
	return append(checks, refreshCheck(s, failed, view.Withheld(c.Member, d)), rowsCheck(declared, s), scheduleCheck(d, declared)), nil
}

// scheduleCheck warns of a refreshable dashboard without a schedule, unless it reads files, which change only by an upload, or nothing but
// other dashboards. Rows that change with the clock need one all the same.
func scheduleCheck(d store.Dashboard, declared *dashboard.Spec) check {
	if d.Schedule != "" {
		return check{"schedule", checkOK, fmt.Sprintf(`It refreshes on the schedule "%s" (%s).`, d.Schedule, d.Timezone), ""}
	}
	needless := ""
	switch {
	case !declared.Queries():
		needless = "it refreshes after the dashboards that it reads"
	case len(d.Files) > 0:
		needless = "it refreshes when a file that it reads is replaced"
	default:
		return check{
			"schedule", checkWarn, "It has no schedule: its rows are not renewed until somebody triggers a refresh.",
			"set_refresh_schedule sets one.",
		}
	}
	if clocked := declared.ByClock(); len(clocked) > 0 {
		return check{
			"schedule", checkWarn, fmt.Sprintf(`It has no schedule: %s, but the rows of %s. Until then they are those of the last refresh.`,
				needless, byClock(declared, clocked)),
			"set_refresh_schedule sets one, such as daily.",
		}
	}
	return check{"schedule", checkOK, "It needs no schedule: " + needless + ".", ""}
}

// sqlCheck describes the datasets' SQL again, because tables and columns may have changed.
// It does not query another member's connection, which only its owner may use.
// [panelCheck] finds rows that must not be merged, from the stored rows.
func (c call) sqlCheck(ctx context.Context, d store.Dashboard, v page.View) (check, error) {
	declared := v.Spec
	if !declared.Queries() {
		return c.feedCheck(ctx, d, declared, map[string][]cube.Column{})
	}
	if d.Connection != uuid.Nil {
		if _, err := c.Store.Connections.Connection(ctx, c.Member, d.Connection); errors.Is(err, store.ErrNotFound) {
			return check{"sql", checkOK, "The SQL was not described: the connection belongs to another member. Refreshes run it.", ""}, nil
		}
	}
	src, err := c.Store.Connections.Source(ctx, c.Member, d.Connection, d.Files)
	if no, ok := refusal(err); ok {
		return check{"sql", checkFail, no, "list_connections shows what is wrong with the connection."}, nil
	}
	if err != nil {
		return check{}, err
	}
	found, err := c.describeAll(ctx, src.In(declared.Location()), declared)
	if _, isOurs := refusal(err); err != nil && !isOurs {
		return check{}, err
	}
	if err == nil && declared.Reads() {
		if k, err := c.feedCheck(ctx, d, declared, found.columns); err != nil || k.Status != checkOK {
			return k, err
		}
	}
	checkErr := declared.CheckColumns(found.columns)
	if err = dashboard.Join(err, checkErr); err != nil {
		return check{"sql", checkFail, clip(err.Error(), 2000), "publish_dashboard with a corrected spec replaces it; " +
			"validate_cube_sql tries SQL first."}, nil
	}
	if found.unreached != "" {
		return check{
			"sql", checkWarn, "The SQL could not be described: " + found.unreached,
			"Testing the connection in the web application shows whether it can be reached.",
		}, nil
	}
	return check{"sql", checkOK, "The source accepts the SQL of every dataset, and the panels' columns are there.", ""}, nil
}

// feedCheck checks the datasets with feeds. columns are those of the other datasets.
func (c call) feedCheck(ctx context.Context, d store.Dashboard, s *dashboard.Spec, columns map[string][]cube.Column) (check, error) {
	fed, err := c.feeds(ctx, s, d.Slug)
	if err == nil {
		if err = fed.describe(ctx, c, columns); err == nil {
			err = fed.spec.CheckColumns(columns)
		}
	}
	if _, ok := errors.AsType[*dashboard.Problems](err); ok {
		return check{"sql", checkFail, clip(err.Error(), 2000), "publish_dashboard with a corrected spec replaces it, or the dashboard " +
			"that it reads gets the dataset back."}, nil
	}
	return check{"sql", checkOK, "What it reads of other dashboards is there, and so are the panels' columns.", ""}, err
}

// refreshCheck checks that the newest refresh succeeded. A refresh in progress does not count yet: if the refreshes
// before it failed, the check fails too. withheld replaces the causes unless it is empty.
func refreshCheck(s store.RefreshStatus, failed *store.Run, withheld string) check {
	switch state := stateOf(s.Run); state {
	case neverRefreshed:
		return check{"refresh", checkWarn, "The current version had no refresh yet.", "trigger_refresh queues one."}
	case store.RunQueued, store.RunRunning:
		if failed != nil {
			return check{
				"refresh", checkFail, fmt.Sprintf("Refreshes have failed since %s, and another one is %s. The last one failed: %s",
					stamp(*s.Dashboard.FailingSince), state, cmp.Or(withheld, causeOf(failed, ""), "no cause is known.")),
				"get_refresh_status shows when it has ended, and how.",
			}
		}
		return check{"refresh", checkWarn, "A refresh is " + state + ".", "get_refresh_status shows when it has ended."}
	case store.RunSucceeded:
		return check{"refresh", checkOK, "The newest refresh succeeded.", ""}
	default:
		return check{
			"refresh", checkFail, fmt.Sprintf("The newest refresh %s. %s", ended(state), cmp.Or(withheld, causeOf(s.Run, ""))),
			"get_refresh_status has the error of each dataset; after mending it, trigger_refresh tries again.",
		}
	}
}

// rowsCheck checks that every dataset has rows and that no limit cut them. A page without stored rows fails the check, even
// if a refresh that may fill it is in progress.
func rowsCheck(declared *dashboard.Spec, s store.RefreshStatus) check {
	var missing, cut, none int
	for _, set := range declared.Datasets {
		found := false
		for _, r := range s.Results {
			if r.Dataset == set.ID {
				found = true
				if r.Truncated {
					cut++
				}
				if r.Rows == 0 {
					none++
				}
			}
		}
		if !found {
			missing++
		}
	}
	switch {
	case missing > 0 && s.Run != nil && s.Run.Active():
		return check{
			"rows", checkFail, fmt.Sprintf("%s without rows so far: a refresh is %s.", count(missing, "dataset"), s.Run.State),
			"get_refresh_status shows when it has ended; verify_dashboard then checks the page.",
		}
	case missing > 0:
		return check{
			"rows", checkFail, fmt.Sprintf("%s without stored rows.", count(missing, "dataset")),
			"trigger_refresh fills them; get_refresh_status shows the error.",
		}
	case cut > 0:
		return check{
			"rows", checkWarn, fmt.Sprintf("%s truncated at a limit: totals on the page miss the rest.", count(cut, "dataset")),
			"Grouping by coarser dimensions, a WHERE, or a higher row_limit in the spec.",
		}
	case none > 0:
		return check{
			"rows", checkWarn, fmt.Sprintf("%s with no rows in the result.", count(none, "dataset")),
			"explore_data shows whether the source has data for the query.",
		}
	}
	return check{"rows", checkOK, "Every dataset has its rows, none truncated.", ""}
}

func panelCheck(panels []verifiedPanel, v page.View, state string) check {
	empty, without, broken := 0, 0, 0
	for _, p := range panels {
		switch {
		case p.Problem != "":
			broken++
		case p.Empty && dashboard.NeedsData(p.Type):
			empty++
			if rows := v.Cubes[v.Spec.Panels[p.Index].Data]; rows != nil && rows.Rows() == 0 {
				without++
			}
		}
	}
	switch {
	case broken > 0:
		return check{
			"panels", checkFail, fmt.Sprintf("%s cannot be drawn as asked; panels has the reason.", count(broken, "panel")),
			"publish_dashboard with a corrected spec replaces them.",
		}
	case empty > 0 && (state == neverRefreshed || state == store.RunQueued || state == store.RunRunning):
		return check{
			"panels", checkWarn, fmt.Sprintf("%s empty until the refresh has ended.", count(empty, "panel")),
			"get_refresh_status shows when it has.",
		}
	case empty > 0 && empty == without:
		return check{
			"panels", checkWarn, fmt.Sprintf("%s empty, because there are no rows to show.", count(empty, "panel")),
			"None if that is intended; otherwise explore_data shows whether the source has data for the query.",
		}
	case empty > 0:
		return check{
			"panels", checkWarn, fmt.Sprintf("%s empty under the default filters.", count(empty, "panel")),
			"A wider default range, or no filter, in the spec.",
		}
	}
	return check{"panels", checkOK, "Every panel has something to show.", ""}
}
