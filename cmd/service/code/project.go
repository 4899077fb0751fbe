package code

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"service/store/message"
)

// The files of a project that are not dashboards.
const (
	ConfigFile = "service.yaml"
	LockFile   = "service.lock"
)

// maxFile is the maximal size of a file in bytes, which is that of a spec.
const maxFile = message.MaxBytes

// A Project is a folder with dashboards in files.
type Project struct {
	Root string
	config
	lock map[string]map[string]string // hash of the version that file and server last had in common, by environment and slug
}

// config is the content of service.yaml.
type config struct {
	Folder       string                 `yaml:"folder"`
	Environments map[string]Environment `yaml:"environments"`
}

// An Environment is a server with a workspace, and the names of connections and uploaded files there.
type Environment struct {
	Name        string            `yaml:"-"`
	Server      string            `yaml:"server"`      // address of the server, as people give it to clients
	Workspace   string            `yaml:"workspace"`   // empty: the workspace of the authorization
	Connections map[string]string `yaml:"connections"` // labels by name
	Uploads     map[string]string `yaml:"uploads"`     // file names by name
}

// Open reads the project in root or in the nearest folder above it that has a service.yaml.
func Open(root string) (*Project, error) {
	from, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	dir := from
	for {
		if _, err := os.Stat(filepath.Join(dir, ConfigFile)); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil, message.Refuse("there is no %s in %s or above it. A new one has:\n\nenvironments:\n  production:\n    server: https://…",
				ConfigFile, from)
		}
		dir = up
	}
	p := &Project{Root: dir, lock: map[string]map[string]string{}}
	raw, err := os.ReadFile(filepath.Join(dir, ConfigFile))
	if err != nil {
		return nil, err
	}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&p.config); err != nil {
		return nil, message.Refuse("%s: %s", ConfigFile, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if p.Folder == "" {
		p.Folder = "dashboards"
	}
	if !fs.ValidPath(p.Folder) {
		return nil, message.Refuse(`%s: folder "%s" must be a folder below that of %s`, ConfigFile, p.Folder, ConfigFile)
	}
	return p, p.readLock()
}

func (p *Project) readLock() error {
	raw, err := os.ReadFile(filepath.Join(p.Root, LockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &p.lock); err != nil {
		return message.Refuse("%s cannot be read (%v): if Git left marks of a conflict in it, keep both sides' lines, or delete the file "+
			"and pull again", LockFile, err)
	}
	return nil
}

// Environment returns the environment called name, or the only one if name is empty.
func (p *Project) Environment(name string) (Environment, error) {
	names := slices.Sorted(maps.Keys(p.Environments))
	switch {
	case len(names) == 0:
		return Environment{}, message.Refuse("%s names no environment", ConfigFile)
	case name == "" && len(names) == 1:
		name = names[0]
	case name == "":
		return Environment{}, message.Refuse("%s has several environments: choose one with --env (%s)", ConfigFile, strings.Join(names, ", "))
	}
	e, ok := p.Environments[name]
	if !ok {
		return e, message.Refuse(`%s has no environment "%s"; it has %s`, ConfigFile, name, strings.Join(names, ", "))
	}
	if e.Name = name; e.Server == "" {
		return e, message.Refuse(`%s: environment "%s" has no server, the address that clients connect to`, ConfigFile, name)
	}
	return e, nil
}

// Pages reads the files of the project, sorted by slug: all, or those of slugs. With an error of [Mistakes], the pages that could be read
// are returned too.
func (p *Project) Pages(slugs []string) ([]*Page, error) {
	var pages []*Page
	var wrong Mistakes
	files := map[string]string{} // by slug
	err := fs.WalkDir(os.DirFS(p.Root), p.Folder, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && file == p.Folder {
			return nil
		}
		if err != nil {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") && file != p.Folder {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		ext := path.Ext(file)
		if d.IsDir() || ext != ".yaml" && ext != ".yml" && ext != ".json" {
			return nil
		}
		slug := strings.TrimSuffix(path.Base(file), ext)
		if len(slugs) > 0 && !slices.Contains(slugs, slug) {
			return nil
		}
		if other := files[slug]; other != "" {
			wrong = append(wrong, Mistake{File: file, Text: fmt.Sprintf("%s is the dashboard %s too: one file is one dashboard", other, slug)})
			return nil
		}
		files[slug] = file
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Size() > maxFile {
			wrong = append(wrong, Mistake{File: file, Text: fmt.Sprintf("the file has %d bytes, over the limit of %d", info.Size(), maxFile)})
			return nil
		}
		data, err := os.ReadFile(filepath.Join(p.Root, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		page, err := readPage(file, slug, data)
		if m, ok := errors.AsType[Mistakes](err); ok {
			wrong = append(wrong, m...)
		}
		if page != nil {
			pages = append(pages, page)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, slug := range slugs {
		if files[slug] == "" {
			wrong = append(wrong, Mistake{File: p.Folder, Text: fmt.Sprintf("no file is called %s.yaml or %s.json", slug, slug)})
		}
	}
	slices.SortFunc(pages, func(a, b *Page) int { return strings.Compare(a.Slug, b.Slug) })
	if len(wrong) > 0 {
		return pages, wrong
	}
	return pages, nil
}

// write writes the file of a page. In an existing YAML file, comments stay.
func (p *Project) write(page *Page, file string, old *yaml.Node) error {
	text, err := encode(file, page.topOf(), old)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	name := filepath.Join(p.Root, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return replaceFile(name, text, 0o644)
}

// replaceFile writes a file so that it has either its old or its new contents, whatever happens.
func replaceFile(name string, data []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".service-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// synced returns the hash that the page had when file and server were last the same; empty if they never were.
func (p *Project) synced(env, slug string) string { return p.lock[env][slug] }

// sync records that file and server are the same.
func (p *Project) sync(env, slug, hash string) {
	if p.lock[env] == nil {
		p.lock[env] = map[string]string{}
	}
	if p.lock[env][slug] = hash; hash == "" {
		delete(p.lock[env], slug)
	}
}

// saveLock writes the lock file, if it differs.
func (p *Project) saveLock() error {
	for env, slugs := range p.lock {
		if len(slugs) == 0 {
			delete(p.lock, env)
		}
	}
	text, err := json.MarshalIndent(p.lock, "", "  ") // sorted, with a line for each dashboard
	if err != nil {
		return err
	}
	name := filepath.Join(p.Root, LockFile)
	was, err := os.ReadFile(name)
	text = append(text, '\n')
	if err == nil && bytes.Equal(was, text) || errors.Is(err, fs.ErrNotExist) && len(p.lock) == 0 {
		return nil
	}
	return replaceFile(name, text, 0o644)
}
