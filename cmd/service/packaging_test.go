package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/prompts"
	"service/server"
	"service/store/dashboard"
	"service/tools"
)

// These tests check files of this repository that other programs read: the plugin and
// its catalogue, the registry's template, and the pages on clients. Nothing else here
// would notice mistakes in them.

// TestImageBacksUpComposeDatabase: pg_dump refuses a server that is newer than itself, so the image has
// the version of the database that compose.yaml runs.
func TestImageBacksUpComposeDatabase(t *testing.T) {
	t.Parallel()
	majors := map[string][]string{}
	for file, pattern := range map[string]string{
		"Dockerfile": `postgresql-client-(\d+)|/usr/lib/postgresql/(\d+)/bin/psql`, "compose.yaml": `image: postgres:(\d+)`,
	} {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(readFile(t, file)), -1) {
			majors[file] = append(majors[file], strings.Join(m[1:], ""))
		}
	}
	image, database := majors["Dockerfile"], majors["compose.yaml"]
	if len(image) != 2 || len(database) != 1 || image[0] != database[0] || image[1] != database[0] {
		t.Errorf("the image has PostgreSQL's programs (client, psql) %s, and compose.yaml runs %s", image, database)
	}
}

// packagedDocs copies the documentation of releases to a folder.
func packagedDocs(t *testing.T, to string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "packaging/docs.sh", to).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestServicectlOfAnotherAccount: servicectl names the way to run it to an account that may not read the configuration.
func TestServicectlOfAnotherAccount(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	const id = "#!/bin/sh\ncase $1 in -un) echo ann ;; -u) echo 1000 ;; esac\n"
	if err := os.WriteFile(filepath.Join(bin, "id"), []byte(id), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "packaging/files/servicectl", "admin", "workspace", "list")
	cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	const want = "servicectl: only root and the account service may read the configuration: run sudo servicectl admin workspace list\n"
	if err == nil || string(out) != want {
		t.Errorf("%v: %s", err, out)
	}
}

// In the documentation of a package, all links lead to files of the package, and so do the paths in its units and configuration.
func TestPackagedDocs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	packagedDocs(t, dir)
	broken, links, err := brokenLinks(os.DirFS(dir))
	if err != nil || links < 50 {
		t.Errorf("%d links, %v", links, err)
	}
	for _, b := range broken {
		t.Error(b)
	}
	files, err := fs.Glob(repository, "cmd/service/packaging/files/*")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, file := range files {
		for _, m := range regexp.MustCompile(`/usr/share/doc/service/([\w./-]*\w)`).FindAllStringSubmatch(string(readFile(t, file)), -1) {
			named++
			if _, err := os.Stat(filepath.Join(dir, m[1])); err != nil {
				t.Errorf("%s names %s: %v", file, m[0], err)
			}
		}
	}
	if named < 4 {
		t.Errorf("only %d paths are named", named)
	}
}

// The steps for compose make each file and name each variable that compose.yaml requires.
func TestComposeDocs(t *testing.T) {
	t.Parallel()
	compose := string(readFile(t, "compose.yaml"))
	_, steps, _ := strings.Cut(string(readFile(t, "docs/operations.md")), "\n## With compose\n")
	steps, _, _ = strings.Cut(steps, "\n## ")
	secrets := regexp.MustCompile(`(?m)^  \w+: \{file: "\$\{SECRETS_DIR:-/etc/service\}/(\w+)"\}$`).FindAllStringSubmatch(compose, -1)
	required := regexp.MustCompile(`\$\{(\w+):\?`).FindAllStringSubmatch(compose, -1)
	if len(secrets) != 4 || len(required) < 4 {
		t.Fatalf("%v %v", secrets, required)
	}
	for _, s := range secrets {
		if !strings.Contains(steps, "> "+s[1]+"\n") && !strings.Contains(steps, "> "+s[1]+" ") {
			t.Errorf("no step makes %s", s[1])
		}
	}
	for _, v := range required {
		if !strings.Contains(steps, "`"+v[1]+"`") || !strings.Contains(string(readFile(t, ".env.example")), v[1]+"=") {
			t.Errorf("%s is not named", v[1])
		}
	}
}

// repository is the root folder of the repository.
var repository = os.DirFS("../..")

// slugName matches the names that the catalogues accept.
var slugName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// readFile reads a file of the repository.
func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := fs.ReadFile(repository, name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// manifest decodes a file of the repository.
func manifest[T any](t *testing.T, name string) T {
	t.Helper()
	v, err := decodeManifest[T](repository, name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// decodeManifest decodes a file. Keys that v does not have are errors, as for the
// validators of the catalogues.
func decodeManifest[T any](files fs.FS, name string) (v T, err error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return v, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, fmt.Errorf("%s: %w", name, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return v, fmt.Errorf("%s: more than one value", name)
	}
	return v, nil
}

type marketplaceManifest struct {
	Schema      string `json:"$schema"`
	Name        string
	Description string
	Owner       struct{ Name string }
	Plugins     []struct {
		Name, Source, Description, Category string
		Tags                                []string
	}
}

type pluginManifest struct {
	Name, DisplayName, Version, Description, License string
	Author                                           struct{ Name string }
	Keywords                                         []string
	UserConfig                                       map[string]struct {
		Type, Title, Description, Default string
		Required                          bool
	}
}

type serversManifest struct {
	Servers map[string]struct{ Type, URL string } `json:"mcpServers"`
}

// pluginDir is the folder of the plugin.
const pluginDir = "docs/plugin"

func TestPluginDocs(t *testing.T) {
	t.Parallel()
	address := defaultAddress(t)
	for _, fault := range pluginFaults(repository, address) {
		t.Error(fault)
	}
	readme := string(readFile(t, pluginDir+"/README.md"))
	for _, want := range []string{
		"\n## Privacy\n", "\nclaude plugin marketplace add ", "\nclaude plugin install service@service --config server_url=" + address + "\n",
	} {
		if !strings.Contains(readme, want) {
			t.Errorf("its README lacks %q", want)
		}
	}
	if n := len(strings.Fields(readme)); n < 40 {
		t.Errorf("its README has %d words", n)
	}
}

// pluginFaults returns the faults of the plugin's manifests: it makes the checks of
// "claude plugin validate --strict", and compares the manifests with each other and with
// the server's address.
func pluginFaults(files fs.FS, address string) (faults []string) {
	market, err1 := decodeManifest[marketplaceManifest](files, ".claude-plugin/marketplace.json")
	plugin, err2 := decodeManifest[pluginManifest](files, pluginDir+"/.claude-plugin/plugin.json")
	servers, err3 := decodeManifest[serversManifest](files, pluginDir+"/.mcp.json")
	if err := errors.Join(err1, err2, err3); err != nil {
		return []string{err.Error()}
	}
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	if len(market.Plugins) != 1 {
		return []string{"the catalogue has another number of plugins than one"}
	}
	entry := market.Plugins[0]
	check(market.Owner.Name != "" && market.Description != "", "the catalogue: %+v", market)
	check(entry.Source == "./"+pluginDir, "its source is %s", entry.Source)
	for _, name := range []string{market.Name, entry.Name, plugin.Name} {
		check(slugName.MatchString(name) && name == "service", "a name is %q", name)
	}
	check(plugin.Version == server.Release, "its version is %s, the program's %s", plugin.Version, server.Release)
	check(plugin.Description != "" && entry.Description == plugin.Description, "the catalogue describes the plugin in other words than itself")
	check(plugin.License == "Apache-2.0" && plugin.Author.Name != "" && plugin.DisplayName != "", "license, author or name: %+v", plugin)

	// There is one setting, which is the address.
	setting := plugin.UserConfig["server_url"]
	check(len(plugin.UserConfig) == 1 && setting.Type == "string" && setting.Required && setting.Title != "" && setting.Description != "",
		"settings: %+v", plugin.UserConfig)
	check(setting.Default == address, "the address is %s unless one is given, and the program's is %s", setting.Default, address)
	service := servers.Servers["service"]
	check(len(servers.Servers) == 1 && service.Type == "http" && service.URL == "${user_config.server_url}", "servers: %+v", servers)
	return faults
}

// Faults that the validator refuses are refused here.
func TestPluginDocsFailWhenWrong(t *testing.T) {
	t.Parallel()
	const market, plugin, servers = ".claude-plugin/marketplace.json", pluginDir + "/.claude-plugin/plugin.json", pluginDir + "/.mcp.json"
	address := defaultAddress(t)
	for _, c := range []struct{ file, from, to string }{
		{plugin, `"license"`, `"licence"`},
		{plugin, `"version": "` + server.Release + `",`, ``},
		{plugin, `"description": "Publish`, `"description": "Publishes`},
		{plugin, `"author": {"name": "The service maintainers"},`, ``},
		{plugin, `"name": "service"`, `"name": "Service X"`},
		{plugin, `"type": "string"`, `"type": "text"`},
		{plugin, `"title": "Server URL",`, ``},
		{plugin, `["dashboards", "sql", "mcp"]`, `"dashboards"`},
		{servers, `"http"`, `"htp"`},
		{servers, `server_url`, `server_uri`},
		{servers, `"mcpServers"`, `"servers"`},
		{market, `"name": "The service maintainers"`, ``},
		{market, `"./docs/plugin"`, `"docs/plugin"`},
		{market, `"category"`, `"kind"`},
	} {
		files := fstest.MapFS{}
		for _, name := range []string{market, plugin, servers} {
			files[name] = &fstest.MapFile{Data: readFile(t, name)}
		}
		wrong := bytes.Replace(files[c.file].Data, []byte(c.from), []byte(c.to), 1)
		if bytes.Equal(wrong, files[c.file].Data) {
			t.Errorf("%s has no %s", c.file, c.from)
		}
		files[c.file].Data = wrong
		if len(pluginFaults(files, address)) == 0 {
			t.Errorf("%s with %s for %s is not refused", c.file, c.to, c.from)
		}
	}
}

// The README promises that the plugin contains only configuration and text.
func TestPluginDocsHoldNoProgram(t *testing.T) {
	t.Parallel()
	var files []string
	err := fs.WalkDir(repository, pluginDir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, strings.TrimPrefix(name, pluginDir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		".claude-plugin/icon.png", ".claude-plugin/plugin.json", ".mcp.json", "README.md",
		"skills/audit-dashboards/SKILL.md", "skills/publish-dashboard/SKILL.md",
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files of the plugin (-want +got):\n%s", diff)
	}
	icon := readFile(t, pluginDir+"/.claude-plugin/icon.png")
	picture, err := png.DecodeConfig(bytes.NewReader(icon))
	if err != nil || picture.Width != picture.Height || picture.Width < 512 || picture.Width > 2048 || len(icon) > 50_000 {
		t.Errorf("icon: %dx%d, %d bytes, %v", picture.Width, picture.Height, len(icon), err)
	}
}

// defaultAddress returns the MCP address of a program without configuration.
func defaultAddress(t *testing.T) string {
	t.Helper()
	c, _, err := (&program{environ: []string{"SERVICE_DATA_DIR=" + t.TempDir()}, stdout: io.Discard, stderr: io.Discard}).load()
	if err != nil {
		t.Fatal(err)
	}
	return c.BaseURL + "/mcp"
}

// pluginTool returns the clients' name for a tool of the plugin: the server is called
// plugin:<plugin>:<server>, and characters that names must not have become underscores.
func pluginTool(t *testing.T, tool string) string {
	t.Helper()
	plugin := manifest[pluginManifest](t, pluginDir+"/.claude-plugin/plugin.json")
	for name := range manifest[serversManifest](t, pluginDir+"/.mcp.json").Servers {
		return "mcp__" + regexp.MustCompile(`[^A-Za-z0-9_-]`).ReplaceAllString("plugin:"+plugin.Name+":"+name, "_") + "__" + tool
	}
	t.Fatal("the plugin has no server")
	return ""
}

func TestToolNamesDocs(t *testing.T) {
	t.Parallel()
	for _, d := range tools.Definitions() {
		name := pluginTool(t, d.Name)
		if want := "mcp__plugin_service_service__" + d.Name; name != want {
			t.Errorf("%s is known as %s, not %s", d.Name, name, want)
		}
		if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`).MatchString(name) {
			t.Errorf("%s has %d characters; APIs take 64", name, len(name))
		}
	}
}

func TestRegistryDocs(t *testing.T) {
	t.Parallel()
	entry := manifest[struct {
		Schema                            string `json:"$schema"`
		Name, Title, Description, Version string
		Remotes                           []struct {
			Type, URL string
			Variables map[string]struct {
				Description, Format, Placeholder string
				IsRequired                       bool
			}
		}
	}](t, "docs/server.json")
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(entry.Name) ||
		entry.Version != server.Release || entry.Title == "" {
		t.Errorf("%+v", entry)
	}
	if n := len(entry.Description); n == 0 || n > 100 {
		t.Errorf("its description has %d characters; the registry takes 100", n)
	}
	if len(entry.Remotes) != 1 {
		t.Fatalf("%d remotes", len(entry.Remotes))
	}
	remote := entry.Remotes[0]
	address := remote.URL
	for name, v := range remote.Variables {
		if v.Description == "" || !v.IsRequired || !strings.Contains(address, "{"+name+"}") {
			t.Errorf("variable %s: %+v", name, v)
		}
		address = strings.ReplaceAll(address, "{"+name+"}", v.Placeholder)
	}
	if remote.Type != "streamable-http" || address != "https://mcp.example.com/mcp" {
		t.Errorf("%s, %s", remote.Type, address)
	}
}

// vocabulary returns the words in snake case that the surface itself uses: tools,
// prompts, their arguments, and fields of answers that descriptions name.
func vocabulary(t *testing.T) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	for _, d := range tools.Definitions() {
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range regexp.MustCompile(`[a-z]+(_[a-z0-9]+)+`).FindAllString(string(text), -1) {
			words[w] = true
		}
	}
	for _, name := range promptNames(t) {
		words[name] = true
	}
	return words
}

func promptNames(t *testing.T) []string {
	t.Helper()
	srv := mcp.NewServer(&mcp.Implementation{Name: "service", Version: server.Version}, nil)
	prompts.Register(srv)
	near, far := mcp.NewInMemoryTransports()
	if _, err := srv.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "docs", Version: "1"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range list.Prompts {
		names = append(names, p.Name)
	}
	return names
}

// fence is a block of code in Markdown: its language, and its text.
var fence = regexp.MustCompile("(?ms)^ *```([^\n]*)\n(.*?)^ *```$")

// Every tool and prompt that a page names exists.
func TestNamesInDocs(t *testing.T) {
	t.Parallel()
	words := vocabulary(t)
	pages, err := fs.Glob(repository, "docs/clients/*.md")
	if err != nil {
		t.Fatal(err)
	}
	skills, err := fs.Glob(repository, pluginDir+"/skills/*/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != 10 || len(skills) != 2 {
		t.Fatalf("pages %v, skills %v", pages, skills)
	}
	for _, file := range slices.Concat(pages, skills, []string{"README.md", pluginDir + "/README.md"}) {
		for _, name := range unknownNames(string(readFile(t, file)), words) {
			t.Errorf("%s names %s, which does not exist", file, name)
		}
	}
}

// unknownNames returns the names in a page that are not in words: spans of code in snake
// case, and names as clients form them, wherever they are.
func unknownNames(page string, words map[string]bool) (unknown []string) {
	for _, m := range regexp.MustCompile(`mcp__(?:plugin_service_service|service)__([a-z0-9_]+)`).FindAllStringSubmatch(page, -1) {
		if !words[m[1]] {
			unknown = append(unknown, m[0])
		}
	}
	for _, m := range regexp.MustCompile("`([a-z]+(?:_[a-z0-9]+)+)`").FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		if !words[m[1]] {
			unknown = append(unknown, m[1])
		}
	}
	return unknown
}

func TestNamesInDocsFailWhenWrong(t *testing.T) {
	t.Parallel()
	page := "`check_readiness` `check_readyness` check_it\n```sql\nSELECT `not_a_tool`\n```\n" +
		"mcp__service__list_dashboard mcp__service__audit_my_dashboards mcp__plugin_service_service__explore"
	want := []string{"mcp__service__list_dashboard", "mcp__plugin_service_service__explore", "check_readyness"}
	if diff := cmp.Diff(want, unknownNames(page, vocabulary(t))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A skill allows the read-only tools without confirmation, by their full names; its text
// uses bare names, because the server may have been added without the plugin.
func TestSkillsDocs(t *testing.T) {
	t.Parallel()
	readOnly := map[string]bool{}
	for _, d := range tools.Definitions() {
		readOnly[d.Name] = d.Annotations.ReadOnlyHint
	}
	for _, name := range []string{"audit-dashboards", "publish-dashboard"} {
		head, body := skill(t, name)
		if head["name"] != name || !slugName.MatchString(name) {
			t.Errorf("%s is named %q", name, head["name"])
		}
		if n := len(head["description"]); n < 100 || n > 1024 || !strings.Contains(head["description"], "Use when ") {
			t.Errorf("%s: a description of %d characters, which has to say when to use it", name, n)
		}
		allowed := map[string]bool{}
		for tool := range strings.SplitSeq(head["allowed-tools"], ", ") {
			bare := strings.TrimPrefix(tool, pluginTool(t, ""))
			allowed[bare] = true
			if !readOnly[bare] || tool != pluginTool(t, bare) {
				t.Errorf("%s allows %s", name, tool)
			}
		}
		for tool, harmless := range readOnly {
			if named := strings.Contains(body, "`"+tool+"`"); harmless && named != allowed[tool] {
				t.Errorf("%s: %s is named: %t, allowed: %t", name, tool, named, allowed[tool])
			}
		}
		if strings.Contains(body, "mcp__") {
			t.Errorf("%s uses full names in its text", name)
		}
		for key := range head {
			if !slices.Contains([]string{"name", "description", "argument-hint", "allowed-tools"}, key) {
				t.Errorf("%s has a key %s", name, key)
			}
		}
	}
	_, body := skill(t, "publish-dashboard")
	if _, err := dashboard.Parse([]byte(block(t, body, "json spec"))); err != nil {
		t.Errorf("the example: %v", err)
	}
}

// skill reads a skill's keys and its text.
func skill(t *testing.T, name string) (head map[string]string, body string) {
	t.Helper()
	text := string(readFile(t, pluginDir+"/skills/"+name+"/SKILL.md"))
	parts := strings.SplitN(text, "---\n", 3)
	if len(parts) != 3 || parts[0] != "" {
		t.Fatalf("%s does not begin with its keys", name)
	}
	head = map[string]string{}
	for line := range strings.Lines(parts[1]) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if value == "" || strings.Contains(value, ": ") || strings.Contains(value, " #") || head[key] != "" { // YAML would read something else
			t.Errorf("%s: a key %q of %q", name, key, value)
		}
		head[key] = value
	}
	return head, parts[2]
}

// block returns the only code block of a page in a language.
func block(t *testing.T, page, language string) string {
	t.Helper()
	var found []string
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		if m[1] == language {
			found = append(found, m[2])
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d blocks in %s", len(found), language)
	}
	return found[0]
}
