package main

import (
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The targets of links between the files of the repository exist.
func TestLinksInDocs(t *testing.T) {
	t.Parallel()
	broken, links, err := brokenLinks(repository)
	if err != nil {
		t.Fatal(err)
	}
	if links < 50 {
		t.Errorf("only %d links were found: is this the repository?", links)
	}
	for _, b := range broken {
		t.Error(b)
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)|<(?:a href|img src)="([^"]+)"`)
	span    = regexp.MustCompile("`[^`\n]*`")
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
)

// brokenLinks follows the relative links of all Markdown in a repository, to files, folders
// and headings. Links of the plugin must stay inside it, because it is installed alone.
func brokenLinks(root fs.FS) (broken []string, links int, err error) {
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == ".service") {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(name) != ".md" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		prose := span.ReplaceAllString(fence.ReplaceAllString(string(text), ""), "")
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			address := m[1] + m[2]
			to, err := url.Parse(address)
			if err != nil {
				broken = append(broken, fmt.Sprintf("%s: %v", name, err))
				continue
			}
			if to.Scheme != "" {
				continue
			}
			links++
			target := name
			if to.Path != "" {
				target = path.Join(path.Dir(name), to.Path)
			}
			if why := unreached(root, name, target, to.Fragment); why != "" {
				broken = append(broken, fmt.Sprintf("%s: %s %s", name, address, why))
			}
		}
		return nil
	})
	return broken, links, err
}

// unreached returns why the target of a link from one file to another does not exist.
func unreached(root fs.FS, from, to, fragment string) string {
	if !fs.ValidPath(to) {
		return "leads out of the repository"
	}
	if strings.HasPrefix(from, pluginDir+"/") && !strings.HasPrefix(to, pluginDir+"/") {
		return "leads out of the plugin"
	}
	if _, err := fs.Stat(root, to); err != nil {
		return "leads nowhere"
	}
	if fragment == "" {
		return ""
	}
	text, err := fs.ReadFile(root, to)
	if err != nil || !slices.Contains(anchors(string(text)), fragment) {
		return "leads to no heading"
	}
	return ""
}

// anchors returns the names of a page's headings, as GitHub makes them.
func anchors(page string) []string {
	var names []string
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		name := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// The check finds broken links; otherwise it would prove nothing.
func TestLinksInDocsFailWhenBroken(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	broken, links, err := brokenLinks(fstest.MapFS{
		"README.md": file("# It\n[a](docs/a.md) [b](docs/b.md) [c](docs/) [d](#it) [e](#that) " +
			"[f](https://example.com/x) `[g](h)`\n<a href=\"docs/\"><img src=\"docs/a.png\"></a>\n```\n[i](j)\n```\n"),
		"docs/a.md": file("## What's `new`, in 2?\n[up](../README.md#it) [a](#whats-new-in-2) " +
			"[out](../../x) [z](%zz)\n```\n# no heading\n```\n[n](#no-heading)"),
		pluginDir + "/README.md": file("[out](../a.md) [in](.mcp.json)"),
		pluginDir + "/.mcp.json": file("{}"),
		"testdata/a.md":          file("[a](b)"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"README.md: #that leads to no heading",
		"README.md: docs/b.md leads nowhere",
		"README.md: docs/a.png leads nowhere",
		"docs/a.md: #no-heading leads to no heading",
		"docs/a.md: ../../x leads out of the repository",
		`docs/a.md: parse "%zz": invalid URL escape "%zz"`,
		"docs/plugin/README.md: ../a.md leads out of the plugin",
	}
	slices.Sort(want)
	slices.Sort(broken)
	if diff := cmp.Diff(want, broken); diff != "" || links != 13 {
		t.Errorf("%d links; broken (-want +got):\n%s", links, diff)
	}
}
