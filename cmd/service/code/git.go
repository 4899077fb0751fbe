package code

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path"
	"strings"
)

// A commit is the state of Git in the project's folder.
type commit struct {
	id     string
	prefix string          // path of the project's folder in the repository, with a slash at its end
	dirty  map[string]bool // files that differ from the commit, by path in the repository
}

// commit returns the commit that the files are at, or nil outside a repository.
func (p *Project) commit(ctx context.Context) *commit {
	git := func(args ...string) (string, bool) {
		lead := []string{"-C", p.Root}
		if os.Getenv("CI") != "" { // the files of a job may belong to another account
			lead = append(lead, "-c", "safe.directory=*", "-c", "core.fsmonitor=false")
		}
		cmd := exec.CommandContext(ctx, "git", append(lead, args...)...)
		out, err := cmd.Output()
		return string(bytes.TrimRight(out, "\n")), err == nil
	}
	id, ok := git("rev-parse", "--verify", "HEAD")
	if !ok {
		return nil
	}
	prefix, _ := git("rev-parse", "--show-prefix")
	c := &commit{id: id, prefix: prefix, dirty: map[string]bool{}}
	status, ok := git("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching", "--", p.Folder)
	if !ok {
		return nil
	}
	for entry := range strings.SplitSeq(status, "\x00") {
		if len(entry) > 3 { // two letters and a space
			c.dirty[entry[3:]] = true
		}
	}
	return c
}

// path returns the path of a project's file in the repository.
func (c *commit) path(file string) string { return path.Join(c.prefix, file) }

// origin returns the commit and file of a page, or nil if its file is not committed as it is.
func (c *commit) origin(p *Page) *origin {
	if c == nil || c.dirty[c.path(p.File)] {
		return nil
	}
	return &origin{Commit: c.id, Path: c.path(p.File), Hash: p.Hash()}
}
