package refresh

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/alert"
	"service/store/dashboard/cube"
	"service/store/fault"
)

const (
	// alertsEvery is how often a worker looks for alerts that are due without a refresh.
	alertsEvery = time.Minute
	// dueAtOnce is how many dashboards with due alerts are judged at once.
	dueAtOnce = 200
	// toldValues is how many values of its dimension one message names.
	toldValues = 20
)

// alerts returns the function that judges the alerts of a spec at the end of a refresh; nil for a spec without alerts. Alerts on the
// datasets unheard are not judged, because their publisher may read only some of the rows.
func (w *Worker) alerts(ctx context.Context, run uuid.UUID, s *dashboard.Spec, unheard []string) func(store.Judging) []store.Judged {
	if s == nil || len(s.Alerts) == 0 {
		return nil
	}
	return func(on store.Judging) []store.Judged {
		in := alert.Input{
			Spec: s, Cubes: map[string]*cube.Cube{}, Truncated: map[string]bool{}, AsOf: on.Now, LastGood: on.LastGood, Failed: on.Failed,
		}
		for _, d := range on.Datasets {
			if d.Cube != nil && !slices.Contains(unheard, d.ID) {
				in.Cubes[d.ID], in.Truncated[d.ID] = d.Cube, d.Truncated
			}
		}
		return w.judgeEach(ctx, in, on, func(*dashboard.Alert) bool { return true }, "run", run)
	}
}

// stale returns a function that judges those alerts of a spec that are about the absence of refreshes.
func (w *Worker) stale(ctx context.Context, s *dashboard.Spec, version uuid.UUID) func(store.Judging) []store.Judged {
	return func(on store.Judging) []store.Judged {
		in := alert.Input{Spec: s, AsOf: on.Now, LastGood: on.LastGood}
		return w.judgeEach(ctx, in, on, func(a *dashboard.Alert) bool { return a.Condition == dashboard.AlertStale }, "version", version)
	}
}

// judgeEach judges alerts of a spec. If judging one panics, it stays as it was: our mistake in it does not keep rows from being stored or
// other alerts from being sent. The log has the stack, without values of the rows.
func (w *Worker) judgeEach(
	ctx context.Context, in alert.Input, on store.Judging, of func(*dashboard.Alert) bool, about ...any,
) []store.Judged {
	var out []store.Judged
	words := alert.WordsOf(in.Spec).Over(in.Cubes)
	for i := range in.Spec.Alerts {
		a := &in.Spec.Alerts[i]
		if !of(a) {
			continue
		}
		func() {
			defer func() {
				if p := recover(); p != nil {
					w.cfg.Log.ErrorContext(ctx, "judging an alert panicked",
						append(about, "alert", a.ID, "err", fault.Text(p), "stack", fault.Callers())...)
				}
			}()
			out = append(out, judge(words, in, a, on))
		}()
	}
	return out
}

// judge judges one alert, and writes the texts of its notices.
func judge(words alert.Words, in alert.Input, a *dashboard.Alert, on store.Judging) store.Judged {
	r := alert.Judge(in, a)
	out := store.Judged{Alert: a.ID, Title: storable(words.Title(&r), 500), Unknown: r.Unknown}
	before := on.States[a.ID]
	var events []alert.Event
	out.States, events = r.Step(before, on.Now, func(f alert.Finding) string {
		if a.By == "" {
			return storable(words.Finding(&r, f), 1000)
		}
		return storable(words.Name(&r, f)+": "+words.Value(&r, f), 1000)
	})
	for _, e := range events {
		n := store.Notice{
			Alert: a.ID, Title: out.Title, Severity: a.Severity, Event: e.Kind, Sentence: storable(words.Sentence(&r, e), 2000),
			Query: alert.QueryOf(in.Spec, &r, e), Panel: max(alert.PanelOf(in.Spec, a), 0), // 0 is the top, where the first panel is
			Locale: in.Spec.Locale,
		}
		if a.By != "" {
			for _, f := range e.Findings[:min(len(e.Findings), toldValues)] {
				n.Values = append(n.Values, store.NoticeValue{Name: storable(words.Name(&r, f), 200), Text: storable(words.Value(&r, f), 300)})
			}
			n.More = len(e.Findings) - len(n.Values)
		}
		out.Notices = append(out.Notices, store.JudgedNotice{Notice: n, Silent: e.Kind == alert.Recovered && !a.Recover})
	}
	if a.Condition == dashboard.AlertStale {
		out.Due = in.LastGood.Add(a.Stale)
		for _, st := range out.States {
			if out.Due = (time.Time{}); st.Firing && a.Again > 0 {
				out.Due = st.Told.Add(a.Again)
			}
		}
	}
	return out
}

// storable returns a text that fits into the database and into one line, of at most limit characters: values may be any bytes of a source.
func storable(s string, limit int) string {
	s = dashboard.OneLine(s)
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit-1]) + "…"
	}
	return s
}

// JudgeDue judges the alerts that are due without a refresh. A running worker calls it periodically.
func (w *Worker) JudgeDue(ctx context.Context) error {
	due, err := w.cfg.Store.Alerts.DueAlerts(ctx, dueAtOnce)
	if err != nil {
		return err
	}
	var errs []error
	for _, d := range due {
		s, err := dashboard.ParseStored(d.Spec)
		if err != nil { // the next refresh reports it
			w.cfg.Log.ErrorContext(ctx, "a stored spec does not parse", "workspace_id", d.Workspace, "version", d.Version, "err", err)
			s = &dashboard.Spec{}
		}
		errs = append(errs, w.cfg.Store.Alerts.JudgeDue(ctx, d, w.stale(ctx, s, d.Version)))
	}
	return errors.Join(errs...)
}
