package code

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"service/store"
	"service/store/message"
)

// A Plan lists the changes that apply would make.
type Plan struct {
	Environment string
	Steps       []Step
	Unchanged   int
	Left        string // which dashboards on the server have lost their file, in a sentence; empty if all have it
}

// A Step is the plan of one dashboard.
type Step struct {
	Slug, File string
	URL        string
	New        bool
	Moved      string   // why apply refuses: the server's version is not the one that the file was made from; empty if it is
	Changes    []string // in words
	Numbers    []Number // of the panels with other values than before
	Compared   string   // what the numbers were compared with, or why they were not compared
	Left       int      // panels whose values the server left out, because the page is too long
	Warnings   []string
	Cost       string
	Told       []string // the recipients of the page's messages from then on
	Refused    string   // by the server, in its words
	Waits      string   // why the server cannot try it yet; empty if it was tried
}

// A Number is a panel with other values than before.
type Number struct {
	Panel       string
	Before, Now string // empty: the panel does not exist
}

// Differs reports whether apply would change something.
func (p Plan) Differs() bool { return len(p.Steps) > 0 }

// Refused reports whether the server refuses a page.
func (p Plan) Refused() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Refused != "" })
}

// mostTwice is the maximal number of changed dashboards for which the page before is tried too. The server allows 60 calls of
// publish_dashboard within a minute; with more dashboards, the numbers before are those of its stored rows.
const mostTwice = 25

// Plan tries the dashboards of slugs, or all in files, on the server, which stores nothing.
func (r Run) Plan(ctx context.Context, slugs []string) (Plan, error) {
	plan := Plan{Environment: r.env.Name}
	f, err := r.gather(ctx, slugs, false)
	if err != nil {
		return plan, err
	}
	if err := failures(f.pairs); err != nil {
		return plan, err
	}
	git := r.commit(ctx)
	differ := slices.DeleteFunc(slices.Clone(f.pairs), pair.same)
	plan.Left = f.leftWords()
	plan.Unchanged = len(f.pairs) - len(differ)
	plan.Steps = make([]Step, len(differ))
	twice := len(differ) <= mostTwice
	var fresh []string
	for _, p := range differ {
		if p.server == nil {
			fresh = append(fresh, p.slug)
		}
	}
	err = each(ctx, differ, func(ctx context.Context, i int, p pair) (err error) {
		s, err := r.step(ctx, p, f.known, git, twice)
		if why := waits(s.Refused, fresh); why != "" {
			s.Refused, s.Waits = "", why
		}
		plan.Steps[i] = s
		return err
	})
	return plan, err
}

// step plans one dashboard that differs.
func (r Run) step(ctx context.Context, p pair, known sources, git *commit, twice bool) (Step, error) {
	s := Step{Slug: p.slug, File: p.file.File, New: p.server == nil, Changes: []string{}}
	if p.server != nil {
		s.Changes = changes(&p.server.Page, p.file)
	}
	s.Moved = r.movedWords(p, git)
	spec, err := specFor(p.file, known)
	if no, ok := message.As(err); ok {
		s.Refused = no.Error()
		return s, nil
	}
	if err != nil {
		return s, err
	}
	now, err := r.publish(ctx, publication{slug: p.slug, head: &p.file.Head, spec: spec, dryRun: true})
	if no, ok := errors.AsType[*Refused](err); ok {
		s.Refused = no.Text
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.URL, s.Warnings, s.Left = now.URL, now.Warnings, now.DrawnLeft
	s.Cost = cost(p, now)
	for _, t := range now.Told {
		line := t.What + " to " + listWords(t.To)
		if t.Next != "" {
			line += " (" + t.Next + ")"
		}
		s.Told = append(s.Told, line)
	}
	var before []drawn
	switch {
	case p.server == nil:
		s.Compared = "the dashboard is new"
	default:
		before, s.Compared, err = r.before(ctx, p, known, twice)
	}
	if err == nil {
		s.Numbers = numbers(before, now.Drawn)
	}
	return s, err
}

// before returns the panels of the page that is replaced, and the origin of their rows. If they are tried now, they have the rows that the
// new page has, so that a panel differs only if the page does.
func (r Run) before(ctx context.Context, p pair, known sources, twice bool) ([]drawn, string, error) {
	if twice {
		spec, err := specFor(&p.server.Page, known)
		if err == nil {
			var was tried
			if was, err = r.publish(ctx, publication{slug: p.slug, spec: spec, dryRun: true}); err == nil && len(was.Drawn) > 0 {
				return was.Drawn, "old and new page on the same current rows", nil
			}
		}
		if _, refused := errors.AsType[*Refused](err); err != nil && !refused {
			if _, ok := message.As(err); !ok {
				return nil, "", err
			}
		}
	}
	var stored struct {
		Panels    []drawn `json:"panels"`
		Freshness struct {
			AsOf string `json:"as_of"`
		} `json:"freshness"`
	}
	err := r.call(ctx, "verify_dashboard", r.args(map[string]any{"slug": p.slug}), nil, &stored)
	if no, ok := errors.AsType[*Refused](err); ok {
		return nil, "not compared: " + no.Text, nil
	}
	of := "the page before on its stored rows"
	if stored.Freshness.AsOf != "" {
		of += ", as of " + stored.Freshness.AsOf
	}
	return stored.Panels, of + "; the new page on the rows of now", err
}

// movedWords returns why apply refuses a file without --take; empty if it does not.
func (r Run) movedWords(p pair, git *commit) string {
	switch {
	case p.server == nil && r.synced(r.env.Name, p.slug) != "":
		return "the dashboard was deleted on the server after the last pull or apply; delete the file too, or publish it again with --take mine"
	case p.server == nil:
		return ""
	case p.server.Aliases:
		return "it was renamed to " + p.server.Slug + " on the server: pull renames the file"
	case !r.moved(p, git):
		return ""
	case p.server.Code != nil && git != nil && p.server.Code.Path != git.path(p.file.File):
		return "the server has it from another file, " + p.server.Code.Path
	case r.synced(r.env.Name, p.slug) == "":
		return "the server has such a dashboard already, which was never pulled"
	}
	return "the dashboard changed on the server after the last pull or apply; drift shows the changes"
}

// cost describes how often the SQL of a page runs.
func cost(p pair, now tried) string {
	queries := now.Runs
	if spec := parsed(p.file); queries == 0 && spec != nil {
		queries = len(spec.Datasets)
	}
	words := count(queries, "query") + " at each refresh"
	runs := daily(p.file.Head)
	switch {
	case p.file.Head.Schedule == "off":
		return words + ", no schedule"
	case math.Round(runs*float64(queries)) < 2:
		return words + ", " + p.file.Head.scheduleWords()
	}
	return fmt.Sprintf("%s, %s: about %.0f a day", words, p.file.Head.scheduleWords(), math.Round(runs*float64(queries)))
}

// daily returns how often a schedule runs in a day, on the average of four weeks.
func daily(h Head) float64 {
	s, err := store.ParseSchedule(h.Schedule, h.Timezone)
	if err != nil || s.Off() {
		return 0
	}
	const days = 28
	from := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC) // a Monday that is not followed by a change of clocks
	n := 0
	for next := s.Next(from.Add(-time.Second), 1); len(next) == 1 && next[0].Before(from.AddDate(0, 0, days)); next = s.Next(next[0], 1) {
		n++
	}
	return float64(n) / days
}

// numbers lists the panels that differ, in the order of the page.
func numbers(before, now []drawn) []Number {
	old, all := byName(before), []Number{}
	seen := map[string]bool{}
	for _, p := range panelNames(now) {
		seen[p.name] = true
		was, ok := old[p.name]
		if ok && was.shown() == p.shown() {
			continue
		}
		all = append(all, Number{Panel: p.name, Before: was.shown(), Now: p.shown()})
	}
	for _, p := range panelNames(before) {
		if !seen[p.name] {
			all = append(all, Number{Panel: p.name, Before: p.shown()})
		}
	}
	return slices.DeleteFunc(all, func(n Number) bool { return n.Before == n.Now })
}

// shown returns the values of a panel, in words; empty for text and headings, which are in the changes.
func (d drawn) shown() string {
	if d.Type == "text" || d.Type == "section" {
		return ""
	}
	if d.Problem != "" {
		return d.Problem
	}
	return d.Summary
}

type namedPanel struct {
	drawn
	name string
}

// panelNames names panels by type and title, and numbers those with the same name.
func panelNames(panels []drawn) []namedPanel {
	seen := map[string]int{}
	var out []namedPanel
	for _, p := range panels {
		n := p.Type
		if p.Title != "" {
			n = fmt.Sprintf("%s (%s)", p.Title, p.Type)
		}
		if seen[n]++; seen[n] > 1 {
			n = fmt.Sprintf("%s, number %d", n, seen[n])
		}
		out = append(out, namedPanel{p, n})
	}
	return out
}

func byName(panels []drawn) map[string]drawn {
	out := map[string]drawn{}
	for _, p := range panelNames(panels) {
		out[p.name] = p.drawn
	}
	return out
}
