package code

import (
	"context"
	"errors"
	"strings"

	"service/store/message"
)

// Apply publishes the dashboards of slugs, or all in files, that differ. It publishes nothing if one of them has changed on the server
// since, unless take names the side that counts. Dashboards that others read come first.
func (r Run) Apply(ctx context.Context, slugs []string, take string) (err error) {
	f, err := r.gather(ctx, slugs, false)
	if err != nil {
		return err
	}
	if err := failures(f.pairs); err != nil {
		return err
	}
	f.pairs = sourcesFirst(f.pairs)
	git := r.commit(ctx)
	var refused error
	specs := make([][]byte, len(f.pairs))
	for i, p := range f.pairs {
		if p.same() {
			continue
		}
		if specs[i], err = specFor(p.file, f.known); err != nil {
			refused = joined(refused, message.Refuse("%s: %v", p.file.File, err))
		}
		if why := r.movedWords(p, git); why != "" && (take == "" || p.server != nil && p.server.Aliases) {
			refused = joined(refused, message.Refuse("%s: %s", p.file.File, why))
		}
	}
	if refused != nil {
		return joined(refused, message.Refuse("Nothing was published. For dashboards that changed on the server, --take theirs updates "+
			"the file, and --take mine overwrites the server's version."))
	}
	defer func() { err = errors.Join(err, r.saveLock()) }()
	same := 0
	for i, p := range f.pairs {
		switch {
		case p.same():
			same++
			r.sync(r.env.Name, p.slug, p.server.Hash())
		case take == TakeTheirs && p.server == nil && r.synced(r.env.Name, p.slug) != "":
			r.printf("%s: is no longer on the server; the file stays", p.file.File)
		case take == TakeTheirs && p.server != nil && r.moved(p, git):
			if err := r.take(p, p.file.File); err != nil {
				return err
			}
			r.printf("%s: updated from the server", p.file.File)
		default:
			if err := r.applyOne(ctx, p, specs[i], git); err != nil {
				return err
			}
		}
	}
	r.printf("%s unchanged.", count(same, "dashboard"))
	if words := f.leftWords(); words != "" {
		r.printf("%s", words)
	}
	return nil
}

func (r Run) applyOne(ctx context.Context, p pair, spec []byte, git *commit) error {
	version, scheduled := "none", Head{Schedule: "off"}
	if p.server != nil {
		version, scheduled = p.server.Version, p.server.Head
	}
	from := git.origin(p.file)
	done, err := r.publish(ctx, publication{slug: p.slug, head: &p.file.Head, spec: spec, ifVersion: version, origin: from})
	if no, ok := errors.AsType[*Refused](err); ok {
		return message.Refuse("%s: %s", p.file.File, no.Text)
	}
	if err != nil {
		return err
	}
	if h := p.file.Head; h.Schedule != scheduled.Schedule || h.Timezone != scheduled.Timezone {
		args := map[string]any{"slug": done.Slug, "schedule": h.Schedule}
		if h.Timezone != "" {
			args["timezone"] = h.Timezone
		}
		if err := r.call(ctx, "set_refresh_schedule", r.args(args), nil, nil); err != nil {
			return message.Refuse("%s: published, but its schedule was not set: %v", p.file.File, err)
		}
	}
	r.sync(r.env.Name, p.slug, p.file.Hash())
	words := "published"
	if from == nil && git != nil {
		words += "; the file is not committed, so the page does not name a commit"
	}
	r.printf("%s: %s: %s", p.file.File, words, done.URL)
	for _, w := range done.Warnings {
		r.printf("  warning: %s", strings.ReplaceAll(w, "\n", "\n  "))
	}
	return nil
}
