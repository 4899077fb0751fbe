package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// layers is the direction of imports, outermost first: a folder may import from layers
// below its own, from itself and from its subfolders. Folders of one layer do not import
// each other. The longest name that matches a package counts.
var layers = [][]string{
	{"cmd/service"},
	{"server"},
	{"server/web", "server/host", "server/refresh", "server/notify", "server/scim"},
	{"server/jobs"},
	{"tools", "prompts", "resources", "cmd/service/code"},
	{"auth/authtest"},
	{"auth", "auth/devidp"},
	{"store/storetest", "store/view", "store/impact", "store/archive", "server/browsertest"},
	{"store", "store/dashboard/page", "store/warehouse/isolate", "store/warehouse/linked"},
	{"store/dashboard/export"},
	{"store/dashboard/panel"},
	{
		"store/migrations", "store/tracing",
		"store/warehouse/postgres", "store/warehouse/mysql", "store/warehouse/clickhouse", "store/warehouse/duckdb", "store/warehouse/rest",
	},
	{"store/warehouse/sts", "store/warehouse/google"},
	{"store/warehouse", "store/dashboard/alert", "store/channel"},
	{"store/warehouse/sigv4"},
	{"store/dashboard/encode"},
	{"store/dashboard/format"},
	{"store/dashboard"},
	{"store/dashboard/canvas/picture", "store/dashboard/markdown"},
	{"store/dashboard/canvas/html", "store/dashboard/canvas/text", "store/dashboard/chart"},
	{"store/dashboard/canvas"},
	{
		"store/dashboard/chart/stat", "store/dashboard/cube", "store/dashboard/geo", "store/dashboard/locale", "store/dashboard/scene",
		"store/sqltext",
	},
	{"store/embedded", "store/blob", "store/growthtest", "store/linediff", "store/seccomp"},
	{"store/decimal", "store/fault", "store/limit", "store/message", "store/suggest", "store/rawjson"},
	{"store/pattern"},
}

// forTests are packages that tests of all packages may import.
var forTests = []string{"store/storetest", "store/growthtest", "server/browsertest", "auth/authtest", "auth/devidp"}

// above are packages that tests of a package may import though they are above it: tests of figures look at whole pages.
var above = map[string]string{"store/dashboard/panel": "store/dashboard/page"}

// A reservation lists the packages that may import a package.
type reservation struct {
	name    string   // of the package and those below it
	holders []string // packages; /... includes all below a folder
	tests   bool     // tests of all packages may import it too
	why     string
}

// reservations has general ones before special ones: the last that matches counts.
var reservations = []reservation{
	{
		"github.com/jackc/pgx",
		[]string{"store/...", "cmd/service"},
		true,
		"SQL is written in store",
	},
	{
		"github.com/jackc/pgx/v5/pgxpool",
		[]string{"store/...", "cmd/service", "server"},
		true,
		"the server reads a pool's statistics, and no more",
	},
	{
		"github.com/duckdb/duckdb-go",
		[]string{"store/warehouse/duckdb/worker"},
		false,
		"queries over data files run in a process that can be killed",
	},
	{"service/store/warehouse/duckdb/worker", []string{"cmd/service", "store/warehouse/duckdb/worker"}, true, "the worker is another process"},
	{"service/store/storetest", []string{"store/storetest"}, true, "it is for tests"},
	{"service/store/embedded/embeddedtest", []string{"store/storetest", "store/warehouse/warehousetest"}, true, "it is for tests"},
	{"service/store/growthtest", []string{"store/warehouse/warehousetest"}, true, "it is for tests"},
	{"service/server/browsertest", nil, true, "it is for tests"},
	{"service/auth/authtest", nil, true, "it is for tests"},
	{"service/auth/devidp", []string{"cmd/service", "auth/devidp", "auth/authtest"}, true, "anybody can sign in with it"},
	{"github.com/elimity-com/scim", []string{"server/scim"}, false, "provisioning is served in one place"},
	{"github.com/wneessen/go-mail", []string{"server/notify"}, false, "messages are sent by server/notify"},
	{"go.opentelemetry.io", []string{"store/tracing"}, true, "what a span may say is decided in one place"},
	{"github.com/spf13/cobra", []string{"cmd/service"}, false, "the program alone has a command line"},
	{
		"service/store/dashboard/page",
		[]string{"store/view", "tools", "server/host", "store/dashboard/page"},
		true,
		"pages are drawn by store/view",
	},
	{
		"service/store/dashboard/panel",
		[]string{"store/dashboard/page", "store/dashboard/export", "store/dashboard/panel"},
		false,
		"package page opens the panels of a view",
	},
	{"github.com/go-text/typesetting", []string{"store/dashboard/scene"}, false, "texts are measured and shaped in one place"},
	{"golang.org/x/image", []string{"store/dashboard/scene"}, true, "pictures are painted in one place"},
	{"golang.org/x/image/colornames", []string{"store/dashboard"}, false, "names of colours in specs are read in one place"},
	{"codeberg.org/go-pdf/fpdf", []string{"store/dashboard/scene"}, false, "documents are written in one place"},
	{
		"testing",
		[]string{
			"store/storetest", "store/growthtest", "store/warehouse/warehousetest", "store/warehouse/rest/resttest", "server/browsertest",
			"store/warehouse/duckdb/duckdbtest", "auth/authtest",
		},
		true,
		"it is for tests",
	},
}

// storeBans are the packages that package store itself must not import, because it is
// about rows, transactions and the queue only.
var storeBans = []string{"html", "net", "compress", "github.com/klauspost/compress", "container/list"}

func TestImportsGoOneWay(t *testing.T) {
	t.Parallel()
	broken, packages, err := checkImports(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if packages < 20 {
		t.Errorf("only %d packages were found: is this the repository?", packages)
	}
	for _, b := range broken {
		t.Error(b)
	}
}

// The check finds broken rules; otherwise it would prove nothing.
func TestImportsGoOneWayFailsWhenBroken(t *testing.T) {
	t.Parallel()
	file := func(imports ...string) *fstest.MapFile {
		text := "package x\n"
		for _, name := range imports {
			text += "import _ " + strconv.Quote(name) + "\n"
		}
		return &fstest.MapFile{Data: []byte(text)}
	}
	broken, _, err := checkImports(fstest.MapFS{
		"store/a.go":                   file("service/store/message", "service/auth", "fmt"),                        // up
		"store/b.go":                   file("compress/gzip", "html/template", "service/store/dashboard/page"),      // not Postgres
		"store/b_test.go":              file("compress/gzip"),                                                       // fine
		"store/message/a.go":           file("service/store"),                                                       // up
		"server/web/a.go":              file("service/server/host", "service/auth"),                                 // sideways
		"server/web/a_test.go":         file("service/store/storetest", "service/auth/devidp", "service/server"),    // up, in a test
		"tools/a.go":                   file("service/resources", "github.com/jackc/pgx/v5", "service/auth/devidp"), // sideways, and not theirs
		"server/metrics.go":            file("github.com/jackc/pgx/v5/pgxpool"),                                     // fine
		"store/warehouse/duckdb/a.go":  file("github.com/duckdb/duckdb-go/v2", "service/store/warehouse"),           // not the worker
		"store/dashboard/page/a.go":    file("service/store/dashboard", "service/store/dashboard/cube"),             // fine
		"store/dashboard/cube/a.go":    file("service/store/dashboard"),                                             // up
		"newfolder/a.go":               file("fmt"),                                                                 // has no layer
		"store/embedded/testdata/a.go": file("service/server"),                                                      // not a package
		"tool/go.mod":                  {},
		"tool/a.go":                    file("github.com/jackc/pgx/v5"), // of another module
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"newfolder/a.go: newfolder has no place in the layers",
		"server/web/a.go: server/web must not import server/host",
		"server/web/a_test.go: server/web must not import server",
		"store/a.go: store must not import auth",
		"store/b.go: compress/gzip is not for this package: store is Postgres alone, without HTML, compression, caches or dialling",
		"store/b.go: html/template is not for this package: store is Postgres alone, without HTML, compression, caches or dialling",
		"store/b.go: service/store/dashboard/page is not for this package: pages are drawn by store/view",
		"store/b.go: store must not import store/dashboard/page",
		"store/dashboard/cube/a.go: store/dashboard/cube must not import store/dashboard",
		"store/message/a.go: store/message must not import store",
		"store/warehouse/duckdb/a.go: github.com/duckdb/duckdb-go/v2 is not for this package: " +
			"queries over data files run in a process that can be killed",
		"tools/a.go: github.com/jackc/pgx/v5 is not for this package: SQL is written in store",
		"tools/a.go: service/auth/devidp is not for this package: anybody can sign in with it",
		"tools/a.go: tools must not import resources",
	}
	slices.Sort(broken)
	if diff := cmp.Diff(want, broken); diff != "" {
		t.Errorf("broken rules (-want +got):\n%s", diff)
	}
}

// checkImports parses the imports of all Go files of a module. It does not run the go
// command: the result of a test that does is cached even if the files have changed.
func checkImports(module fs.FS) (broken []string, packages int, err error) {
	seen := map[string]bool{}
	err = eachGoFile(module, func(name string, text []byte) error {
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := path.Dir(name)
		seen[pkg] = true
		var imports []string
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, imported)
		}
		for _, b := range checkFile(pkg, strings.HasSuffix(name, "_test.go"), imports) {
			broken = append(broken, name+": "+b)
		}
		return nil
	})
	return broken, len(seen), err
}

// Files that are not compiled on this system belong to the package of their folder too.
func TestImportsOfOneFolder(t *testing.T) {
	t.Parallel()
	names := map[string]string{}
	err := eachGoFile(repository, func(name string, text []byte) error {
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		if strings.HasPrefix(string(text), "//go:build ignore\n") { // for go run
			return nil
		}
		dir, pkg := path.Dir(name), strings.TrimSuffix(file.Name.Name, "_test")
		if names[dir] == "" {
			names[dir] = pkg
		}
		if names[dir] != pkg {
			t.Errorf("%s is of package %s, and others beside it of %s", name, pkg, names[dir])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// eachGoFile calls f with the Go files of the packages of a module.
func eachGoFile(module fs.FS, f func(name string, text []byte) error) error {
	return fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || name != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if _, err := fs.Stat(module, path.Join(name, "go.mod")); d.IsDir() && name != "." && err == nil { // another module
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		return f(name, text)
	})
}

// checkFile returns the rules that a file of pkg breaks.
func checkFile(pkg string, test bool, imports []string) (broken []string) {
	from, folder := layerOf(pkg)
	if folder == "" {
		broken = append(broken, pkg+" has no place in the layers")
	}
	for _, imported := range imports {
		for _, r := range slices.Backward(reservations) {
			if !within(imported, r.name) {
				continue
			}
			if !(test && r.tests) && !slices.ContainsFunc(r.holders, func(h string) bool {
				below, all := strings.CutSuffix(h, "/...")
				return pkg == h || all && within(pkg, below)
			}) {
				broken = append(broken, fmt.Sprintf("%s is not for this package: %s", imported, r.why))
			}
			break
		}
		if pkg == "store" && !test && slices.ContainsFunc(storeBans, func(ban string) bool { return within(imported, ban) }) {
			broken = append(broken, imported+" is not for this package: store is Postgres alone, without HTML, compression, caches or dialling")
		}
		other, ours := strings.CutPrefix(imported, "service/")
		if !ours || folder == "" || test && (slices.Contains(forTests, other) || above[pkg] == other) {
			continue
		}
		to, target := layerOf(other)
		if target != folder && to <= from {
			broken = append(broken, pkg+" must not import "+other)
		}
	}
	return broken
}

// layerOf returns the number of a package's layer, and its folder.
func layerOf(pkg string) (layer int, folder string) {
	for i, folders := range layers {
		for _, f := range folders {
			if within(pkg, f) && len(f) > len(folder) {
				layer, folder = i, f
			}
		}
	}
	return layer, folder
}

// within reports whether a package is name or below it.
func within(pkg, name string) bool { return pkg == name || strings.HasPrefix(pkg, name+"/") }
