package code

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"

	"service/store/message"
)

// How a command resolves changes on both sides.
const (
	TakeTheirs = "theirs" // the server's
	TakeMine   = "mine"   // the file's
)

// Pull writes the files of the dashboards of slugs, or of all on the server. A file that equals the server's version is not touched, and an
// edited file stays, unless take is [TakeTheirs].
func (r Run) Pull(ctx context.Context, slugs []string, json bool, take string) (err error) {
	f, err := r.gather(ctx, slugs, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.saveLock()) }()
	failed := failures(f.pairs)
	same := 0
	for _, p := range f.pairs {
		switch {
		case p.err != nil:
			continue
		case p.server == nil && r.synced(r.env.Name, p.slug) != "":
			r.printf("%s: is no longer on the server; the file stays", p.file.File)
			continue
		case p.server == nil:
			r.printf("%s: is not on the server yet", p.file.File)
			continue
		case p.server.Aliases:
			if err := r.follow(&p); err != nil {
				failed = joined(failed, err)
				continue
			}
		}
		switch {
		case p.same():
			same++
			r.sync(r.env.Name, p.slug, p.server.Hash())
			continue
		case p.file == nil:
			ext := ".yaml"
			if json {
				ext = ".json"
			}
			if err := r.take(p, path.Join(r.Folder, p.slug+ext)); err != nil {
				return err
			}
			r.printf("%s: new", path.Join(r.Folder, p.slug+ext))
			continue
		case take != TakeTheirs && r.edited(p) && r.moved(p, r.commit(ctx)):
			failed = joined(failed, message.Refuse(
				"%s: changed here and on the server. --take theirs replaces the file; drift shows what changed on the server", p.file.File))
			continue
		case take != TakeTheirs && r.edited(p):
			r.printf("%s: changed here, and not on the server; the file stays", p.file.File)
			continue
		}
		words := changes(p.file, &p.server.Page)
		if err := r.take(p, p.file.File); err != nil {
			return err
		}
		r.printf("%s: changed", p.file.File)
		for _, line := range words {
			r.printf("  %s", line)
		}
	}
	if same > 0 {
		r.printf("%s unchanged.", count(same, "file"))
	}
	if len(f.static) > 0 && len(slugs) == 0 {
		r.printf("%s without a spec not pulled: Markdown, reports and data files.", count(len(f.static), "static dashboard"))
	}
	return failed
}

// take writes the server's page into a file.
func (r Run) take(p pair, file string) error {
	if p.file == nil {
		if err := r.write(&p.server.Page, file, nil); err != nil {
			return err
		}
	} else if err := r.write(&p.server.Page, file, p.file.top); err != nil {
		return err
	}
	r.sync(r.env.Name, p.slug, p.server.Hash())
	return nil
}

// follow renames the file of a dashboard that was renamed on the server.
func (r Run) follow(p *pair) error {
	to := path.Join(path.Dir(p.file.File), p.server.Slug+path.Ext(p.file.File))
	name := filepath.Join(r.Root, filepath.FromSlash(to))
	if _, err := os.Lstat(name); err == nil {
		return message.Refuse("%s: was renamed to %s on the server, and %s is there already", p.file.File, p.server.Slug, to)
	}
	if err := os.Rename(filepath.Join(r.Root, filepath.FromSlash(p.file.File)), name); err != nil {
		return err
	}
	r.printf("%s: renamed to %s, as on the server", p.file.File, to)
	r.sync(r.env.Name, p.server.Slug, r.synced(r.env.Name, p.slug))
	r.sync(r.env.Name, p.slug, "")
	p.slug, p.file.Slug, p.file.File = p.server.Slug, p.server.Slug, to
	return nil
}
