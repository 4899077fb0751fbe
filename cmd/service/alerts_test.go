package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	yaml "go.yaml.in/yaml/v3"

	"service/server"
	"service/server/notify"
	"service/server/refresh"
	"service/store/embedded"
)

// alertRules is a file of rules as Prometheus reads it.
type alertRules struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Expr         string
			For                 string
			Labels, Annotations map[string]string
		}
	}
}

// decodeYAML decodes a file of the repository. Keys that v does not have are errors.
func decodeYAML(t *testing.T, name string, v any) {
	t.Helper()
	d := yaml.NewDecoder(bytes.NewReader(readFile(t, name)))
	d.KnownFields(true)
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// metrics returns the metrics of a server, a worker and the embedded database, with their labels.
func metrics(t *testing.T) map[string][]string {
	t.Helper()
	m := server.NewMetrics(nil)
	m.Pool(nil)
	m.Queue(nil)
	m.Sandbox(nil)
	m.Requests()
	watchCore(m.Registry(), &core{embedded: &embedded.Server{}})
	watchRefreshes(m.Registry(), &refresh.Config{})
	watchMessages(m.Registry(), &notify.Config{})
	descs := make(chan *prometheus.Desc)
	go func() {
		m.Registry().Describe(descs)
		close(descs)
	}()
	all := map[string][]string{}
	of := regexp.MustCompile(`fqName: "([^"]+)".*constLabels: \{([^}]*)\}.*variableLabels: \{([^}]*)\}`)
	for d := range descs {
		found := of.FindStringSubmatch(d.String())
		if found == nil {
			t.Fatalf("a metric describes itself as %s", d)
		}
		labels := strings.FieldsFunc(found[3], func(r rune) bool { return r == ',' })
		for _, constant := range regexp.MustCompile(`(\w+)=`).FindAllStringSubmatch(found[2], -1) {
			labels = append(labels, constant[1])
		}
		all[found[1]] = labels
	}
	return all
}

// unknownMetrics returns the metrics and labels in an expression that this program does not have.
func unknownMetrics(expr string, known map[string][]string) (unknown []string) {
	labels := []string{"instance", "job", "le"}
	for _, m := range regexp.MustCompile(`\b((?:service|process|go)_\w+)(?:\{([^}]*)\})?`).FindAllStringSubmatch(expr, -1) {
		name := m[1]
		if _, ok := known[name]; !ok {
			name = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		}
		of, ok := known[name]
		if !ok {
			unknown = append(unknown, m[1])
			continue
		}
		labels = append(labels, of...)
		for _, l := range regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`).FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(of, l[1]) && l[1] != "job" && l[1] != "instance" && (l[1] != "le" || name == m[1]) {
				unknown = append(unknown, m[1]+"{"+l[1]+"}")
			}
		}
	}
	for _, by := range regexp.MustCompile(`\b(?:by|without) \(([^)]*)\)`).FindAllStringSubmatch(expr, -1) {
		for label := range strings.SplitSeq(by[1], ",") {
			if label = strings.TrimSpace(label); !slices.Contains(labels, label) {
				unknown = append(unknown, "by "+label)
			}
		}
	}
	return unknown
}

func TestAlertDocs(t *testing.T) {
	t.Parallel()
	known := metrics(t)
	if len(known) < 40 {
		t.Fatalf("only %d metrics", len(known))
	}
	var rules alertRules
	decodeYAML(t, "docs/operations/alerts.yaml", &rules)
	runbook := string(readFile(t, "docs/operations/runbook.md"))
	seen := map[string]bool{}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			for _, name := range unknownMetrics(r.Expr, known) {
				t.Errorf("%s uses %s, which does not exist", r.Alert, name)
			}
			if strings.Count(r.Expr, "(") != strings.Count(r.Expr, ")") || r.Expr == "" {
				t.Errorf("%s: %s", r.Alert, r.Expr)
			}
			if _, err := time.ParseDuration(r.For); err != nil && r.For != "" {
				t.Errorf("%s: %v", r.Alert, err)
			}
			if s := r.Labels["severity"]; s != "page" && s != "ticket" || r.Annotations["summary"] == "" || seen[r.Alert] {
				t.Errorf("%s: %+v", r.Alert, r)
			}
			seen[r.Alert] = true
			if want := "https://runbooks.example.com/service/runbook.md#" + strings.ToLower(r.Alert); r.Annotations["runbook_url"] != want {
				t.Errorf("%s leads to %s, not %s", r.Alert, r.Annotations["runbook_url"], want)
			}
			if _, text, ok := strings.Cut(runbook, "\n## "+r.Alert+"\n\n"); !ok || len(strings.SplitN(text, "\n\n", 2)[0]) < 150 {
				t.Errorf("the runbook has no paragraph on %s", r.Alert)
			}
		}
	}
	for _, heading := range regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(runbook, -1) {
		if !seen[heading[1]] {
			t.Errorf("the runbook has %s, which is not an alert", heading[1])
		}
	}
	for _, name := range unknownMetrics(runbook, known) {
		if strings.HasPrefix(name, "service_") {
			t.Errorf("the runbook names %s, which does not exist", name)
		}
	}
}

// alertTests is a file of tests of rules as promtool reads it.
type alertTests struct {
	RuleFiles          []string `yaml:"rule_files"`
	EvaluationInterval string   `yaml:"evaluation_interval"`
	Tests              []struct {
		Name, Interval string
		InputSeries    []struct{ Series, Values string } `yaml:"input_series"`
		AlertRuleTest  []struct {
			EvalTime  string `yaml:"eval_time"`
			Alertname string
			ExpAlerts []struct {
				Labels      map[string]string `yaml:"exp_labels"`
				Annotations map[string]string `yaml:"exp_annotations"`
			} `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
	}
}

// Each rule is silent while everything works and fires when something fails, with series
// that the program has. If promtool is installed, it runs these tests.
func TestAlertTestsDocs(t *testing.T) {
	t.Parallel()
	var rules alertRules
	decodeYAML(t, "docs/operations/alerts.yaml", &rules)
	var tests alertTests
	decodeYAML(t, "docs/operations/alerts.test.yaml", &tests)
	known := metrics(t)
	silent, fires := map[string]bool{}, map[string]bool{}
	for _, c := range tests.Tests {
		for _, series := range c.InputSeries {
			if name := unknownMetrics(series.Series, known); name != nil {
				t.Errorf("%s: %s, which does not exist", c.Name, name)
			}
		}
		for _, a := range c.AlertRuleTest {
			silent[a.Alertname] = silent[a.Alertname] || len(a.ExpAlerts) == 0 && c.Name == tests.Tests[0].Name
			fires[a.Alertname] = fires[a.Alertname] || len(a.ExpAlerts) > 0
		}
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if !silent[r.Alert] || !fires[r.Alert] {
				t.Errorf("%s is tested to be silent: %t, to fire: %t", r.Alert, silent[r.Alert], fires[r.Alert])
			}
		}
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("promtool is not installed: .ci/programs brings it")
		}
		t.Skip("promtool is not installed: .ci/programs brings it")
	}
	for _, args := range [][]string{{"test", "rules", "alerts.test.yaml"}, {"check", "config", "prometheus.yaml"}} {
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir = "../../docs/operations"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", args, err, out)
		}
	}
}

// The jobs of Prometheus have the label that the rules ask for. Debian's promtool is built without Kubernetes, so that it knows only one of
// the files.
func TestScrapeDocs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"prometheus.yaml", "prometheus-kubernetes.yaml"} {
		var c struct {
			Rules []string `yaml:"rule_files"`
			Jobs  []struct {
				Name       string           `yaml:"job_name"`
				Static     []map[string]any `yaml:"static_configs"`
				Kubernetes []map[string]any `yaml:"kubernetes_sd_configs"`
				Relabel    []map[string]any `yaml:"relabel_configs"`
			} `yaml:"scrape_configs"`
		}
		decodeYAML(t, "docs/operations/"+name, &c)
		if len(c.Jobs) != 1 || c.Jobs[0].Name != "service" || !slices.Equal(c.Rules, []string{"alerts.yaml"}) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if rules := string(readFile(t, "docs/operations/alerts.yaml")); strings.Count(rules, `job="service"`) < 2 {
		t.Error("no rule asks for the job")
	}
}

func TestBoardDocs(t *testing.T) {
	t.Parallel()
	known := metrics(t)
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []struct{ Expr, RefID string }
		}
	}
	if err := json.Unmarshal(readFile(t, "docs/operations/board.json"), &board); err != nil {
		t.Fatal(err)
	}
	ids := map[int]bool{}
	for _, p := range board.Panels {
		if p.Title == "" || ids[p.ID] || len(p.Targets) == 0 {
			t.Errorf("%+v", p)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			for _, name := range unknownMetrics(target.Expr, known) {
				t.Errorf("%s uses %s, which does not exist", p.Title, name)
			}
		}
	}
	if len(ids) < 20 {
		t.Errorf("%d panels", len(ids))
	}
}

func TestAlertDocsFailWhenWrong(t *testing.T) {
	t.Parallel()
	known := map[string][]string{"service_a_total": {"code"}, "service_b_seconds": nil}
	expr := `sum by (code, zone) (service_a_total{code=~"5..", kind="x"}) / service_b_seconds_bucket + service_c`
	want := "[service_a_total{kind} service_c by zone]"
	if got := fmt.Sprint(unknownMetrics(expr, known)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
