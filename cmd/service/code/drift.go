package code

import (
	"context"
	"strings"
)

// Drift prints what changed on the server since files and server were last the same, and reports whether something did. Nothing is written.
func (r Run) Drift(ctx context.Context, slugs []string) (drifted bool, err error) {
	f, err := r.gather(ctx, slugs, true)
	if err != nil {
		return false, err
	}
	git := r.commit(ctx)
	var others []string
	same := 0
	say := func(format string, args ...any) {
		drifted = true
		r.printf(format, args...)
	}
	for _, p := range f.pairs {
		switch {
		case p.err != nil:
			continue
		case p.file == nil:
			others = append(others, p.slug)
		case p.server == nil && r.synced(r.env.Name, p.slug) == "":
			r.printf("%s: is not on the server yet", p.file.File)
		case p.server == nil:
			say("%s: is no longer on the server", p.file.File)
		case p.server.Aliases:
			say("%s: was renamed to %s on the server", p.file.File, p.server.Slug)
		case !r.moved(p, git):
			same++
		case p.file.Hash() == r.synced(r.env.Name, p.slug):
			say("%s: changed on the server", p.file.File)
			for _, line := range changes(p.file, &p.server.Page) {
				r.printf("  %s", line)
			}
		default:
			say("%s: changed on the server, and here; from the file to the server:", p.file.File)
			for _, line := range changes(p.file, &p.server.Page) {
				r.printf("  %s", line)
			}
		}
	}
	if same > 0 {
		r.printf("%s not changed on the server.", count(same, "dashboard"))
	}
	if len(others) > 0 {
		r.printf("On the server and in no file: %s. pull writes files for them.", strings.Join(others, ", "))
	}
	return drifted, failures(f.pairs)
}
