package tools_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// answers returns all answers of the transcripts, by file.
func answers(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, file := range transcripts(t) {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".txtar")] = string(part(ar, "want"))
	}
	return all
}

// specified lists the specification's sentences in its order: the section, the beginning
// of the refusal, and the transcript that has it.
var specified = []struct{ section, sentence, transcript string }{
	{"Errors, upload larger than cap", `413 payload too large: `, "(TestCaps)"},
	{"Path and input validation", `slug "Sales" must match [a-z0-9-]`, "publish_dashboard.arguments"},
	{"Path and input validation", `slug exceeds 64-char limit (got 65)`, "publish_dashboard.arguments"},
	{"Path and input validation", `slug must not be empty`, "update_dashboard.edit"},
	{"Path and input validation", `filename "B.csv" must match [a-z0-9._-]`, "publish_dashboard.arguments"},
	{"Path and input validation", `path "a/b/c": must be <slug>/<filename> (exactly two segments)`, "publish_dashboard.arguments"},
	{"Path and input validation", `path must not be empty`, "publish_dashboard.arguments"},
	{"Path and input validation", `version_id must be a valid uuid`, "restore_dashboard_version.restore"},
	{"Path and input validation", `spec is 5242881 bytes, over the 5242880-byte limit`, "(TestCaps)"},
	{"Metadata rules", `name must be a non-empty string`, "update_dashboard.edit"},
	{"Metadata rules", `chart must be a non-empty string`, "update_dashboard.edit"},
	{"Metadata rules", `tags must be an array of strings`, "update_dashboard.edit"},
	{"Metadata rules", `tags[1] must be a string (got number)`, "update_dashboard.edit"},
	{"Metadata rules", `visibility is no longer accepted`, "update_dashboard.edit"},
	{"Metadata rules", `visibility is no longer accepted`, "publish_dashboard.arguments"},
	{"Connection resolution", `connection must be a string`, "publish_dashboard.connection"},
	{"Connection resolution", `connection "Self" is not a valid connection;`, "publish_dashboard.connection"},
	{"Connection resolution", `Could not verify the connection: `, "publish_dashboard.connection"},
	{"Connection resolution", `Connection "<theirs>" was not found among your connections.`, "publish_dashboard.connection"},
	{"Connection resolution", `Connection "orders" is not active (status: failing).`, "publish_dashboard.connection"},
	{"Connection resolution", `Connection "orders" is not active (status: disabled).`, "trigger_refresh.source"},
	{
		"Scope refusals",
		`Dashboards outside a workspace are retired. This connection is authorized for the personal account`,
		"publish_dashboard.grants",
	},
	{"Scope refusals", `Dashboards outside a workspace are retired. This connection names no workspace.`, "publish_dashboard.grants"},
	{"Scope refusals", `This connection is authorized for the "acme" workspace and cannot act on "beta".`, "publish_dashboard.grants"},
	{
		"Scope refusals",
		`This connection is not authorized for any workspace, so it cannot publish a dashboard anywhere.`,
		"check_readiness.grants",
	},
	{"Scope refusals", `Data sources belong to a workspace.`, "list_connections.grants"},
	{"Scope refusals", `workspace must be a non-empty slug string`, "publish_dashboard.grants"},
	{"Scope refusals", `workspace "nowhere" not found`, "publish_dashboard.grants"},
	{"Scope refusals", `not a member of workspace "gamma"`, "publish_dashboard.grants"},
	{"Dashboard not found", `No dashboard named "gone" in that workspace.`, "get_refresh_status.states"},
	{"Dashboard not found", `No dashboard named "gone" in that workspace.`, "get_source_config.binding"},
	{"Dashboard not found", `No dashboard named "gone" in that workspace.`, "get_dashboard_spec.pointer"},
	{"Dashboard not found", `No dashboard named "gone" in that workspace.`, "set_refresh_schedule.forms"},
	{"Dashboard not found", `No dashboard named "gone" in that workspace.`, "verify_dashboard.checks"},
	{"Dashboard not found", `No dashboard named "gone" in that workspace.`, "derive_dashboard_spec.draft"},
	{"Dashboard not found", "dashboard not found\n", "list_dashboard_versions.history"},
	{"Dashboard not found", "dashboard not found\n", "restore_dashboard_version.restore"},
	{"Dashboard not found", `404 not found: "gone/index.html" under the acme workspace`, "get_dashboard.show"},
	{"Dashboard not found", `No dashboard found with slug "gone" in this workspace.`, "trigger_refresh.queue"},
	{"Dashboard not found", `dashboard not found for slug "gone"`, "update_dashboard.edit"},
	{"Dashboard not found", `delete rejected: dashboard not found for slug "gone"`, "delete_dashboard.delete"},
	{"Dashboard not found", `rename rejected: dashboard not found for slug "gone"`, "update_dashboard.edit"},
	{
		"Rate limits",
		`Rate limit exceeded for publish_dashboard: too many requests. Wait about 60 seconds and try again.`,
		"publish_dashboard.throttle",
	},
	{
		"Rate limits",
		`Rate limit exceeded for validate_cube_sql: too many requests. Wait about 60 seconds and try again.`,
		"validate_cube_sql.throttle",
	},
	{
		"Rate limits",
		`Rate limit exceeded for trigger_refresh: too many requests. Wait about 60 seconds and try again.`,
		"trigger_refresh.throttle",
	},
	{"Rate limits", `Too many refresh triggers right now. Wait about a minute and try again.`, "trigger_refresh.budget"},
}

func TestEverySpecifiedSentenceIsReached(t *testing.T) {
	t.Parallel()
	all := answers(t)
	for _, s := range specified {
		if s.transcript[0] == '(' { // too large for a transcript
			continue
		}
		if !strings.Contains(all[s.transcript], "\n! "+s.sentence) {
			t.Errorf("%s: no refusal of %s begins with %q", s.section, s.transcript, s.sentence)
		}
	}
	if !strings.Contains(all["list_connections.list"], "\nYou have no warehouse connections.\n") {
		t.Error("Authentication, sanity check: list_connections does not say that there are none")
	}
}

// elsewhere has the sentences that no tool uses, with the places where they are tested.
var elsewhere = map[string]string{
	"UnknownTool":       "the edge, package server",
	"PayloadTooLarge":   "TestCaps, and web uploads",
	"SpecTooLarge":      "TestCaps",
	"NotFirstPublisher": "delete_dashboard.roles and update_dashboard.roles, behind the specification's beginnings",
}

// Package message has no sentence that is not used.
func TestEveryPhraseIsReached(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../store/message/message.go")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "message.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for _, text := range answers(t) {
		said.WriteString(text)
	}
	seen := 0
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !f.Name.IsExported() || f.Name.Name == "Refuse" {
			continue
		}
		format := formatOf(f)
		if format == "" {
			continue
		}
		seen++
		if elsewhere[f.Name.Name] != "" {
			continue
		}
		if !regexp.MustCompile(`(?m)^! ` + pattern(format)).MatchString(said.String()) {
			t.Errorf("message.%s is reached by no transcript: %s", f.Name.Name, format)
		}
	}
	if seen < 30 {
		t.Errorf("only %d constructors were found in the phrase book: does this test still read it?", seen)
	}
}

// formatOf returns the format string that a constructor gives to Refuse.
func formatOf(f *ast.FuncDecl) (format string) {
	ast.Inspect(f, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if name, ok := c.Fun.(*ast.Ident); ok && name.Name == "Refuse" {
			if lit, ok := c.Args[0].(*ast.BasicLit); ok {
				format, _ = strconv.Unquote(lit.Value)
			}
		}
		return true
	})
	return format
}

// pattern returns a pattern for the first sentence of a formatted text.
func pattern(format string) string {
	parts := regexp.MustCompile(`%[sd]`).Split(format, -1)
	return strings.Join(slices.Collect(func(yield func(string) bool) {
		for _, p := range parts {
			if !yield(regexp.QuoteMeta(p)) {
				return
			}
		}
	}), ".*")
}
