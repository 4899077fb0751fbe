package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	yaml "go.yaml.in/yaml/v3"
)

const manifests = "docs/operations/kubernetes/"

// A manifestObject has the parts of a manifest that a test checks.
type manifestObject struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Data       map[string]string
	Spec       struct {
		Selector       yaml.Node
		MaxUnavailable any                   `yaml:"maxUnavailable"`
		ScaleTargetRef struct{ Name string } `yaml:"scaleTargetRef"`
		Metrics        []struct {
			Type     string
			External struct{ Metric struct{ Name string } }
		}
		Template    podTemplate
		JobTemplate struct {
			Spec struct{ Template podTemplate }
		} `yaml:"jobTemplate"`
	}
}

type podTemplate struct {
	Metadata struct{ Labels map[string]string }
	Spec     struct {
		SecurityContext struct {
			RunAsNonRoot bool `yaml:"runAsNonRoot"`
		} `yaml:"securityContext"`
		Containers []struct {
			Name, Image     string
			Args            []string
			Ports           []struct{ Name string }
			Startup         probeManifest `yaml:"startupProbe"`
			Liveness        probeManifest `yaml:"livenessProbe"`
			Readiness       probeManifest `yaml:"readinessProbe"`
			Resources       struct{ Requests, Limits map[string]string }
			SecurityContext struct {
				ReadOnly     bool  `yaml:"readOnlyRootFilesystem"`
				Escalation   *bool `yaml:"allowPrivilegeEscalation"`
				Capabilities struct{ Drop []string }
			} `yaml:"securityContext"`
			VolumeMounts []volumeMount `yaml:"volumeMounts"`
		}
		Volumes []struct{ Name string }
	}
}

type volumeMount struct {
	Name string
	Path string `yaml:"mountPath"`
}

type probeManifest struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// objects decodes the manifests that kustomization.yaml lists, which must be all of them.
func objects(t *testing.T) (list []manifestObject) {
	t.Helper()
	var k struct {
		Resources []string
		Images    []struct{ Name, NewTag string }
	}
	if err := yaml.Unmarshal(readFile(t, manifests+"kustomization.yaml"), &k); err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(repository, manifests+"*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := path.Base(file); name != "kustomization.yaml" && !slices.Contains(k.Resources, name) {
			t.Errorf("%s is in no kustomization", name)
		}
	}
	for _, name := range k.Resources {
		d := yaml.NewDecoder(bytes.NewReader(readFile(t, manifests+name)))
		for {
			var o manifestObject
			err := d.Decode(&o)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if o.APIVersion == "" || o.Kind == "" || o.Metadata.Name == "" {
				t.Errorf("%s has an object without a name: %+v", name, o)
			}
			list = append(list, o)
		}
	}
	return list
}

func TestKubernetesDocs(t *testing.T) {
	t.Parallel()
	var c config
	variables := map[string]bool{}
	for _, v := range c.variables() {
		variables[v.Name] = true
	}
	kinds := map[string][]string{}
	for _, o := range objects(t) {
		kinds[o.Kind] = append(kinds[o.Kind], o.Metadata.Name)
		for name := range o.Data {
			if o.Kind == "ConfigMap" && !variables[name] {
				t.Errorf("%s is not a variable of this program", name)
			}
		}
		switch o.Kind {
		case "Deployment":
			checkPod(t, o.Metadata.Name, o.Spec.Template, true)
		case "CronJob":
			checkPod(t, o.Metadata.Name, o.Spec.JobTemplate.Spec.Template, false)
		case "HorizontalPodAutoscaler":
			if o.Spec.ScaleTargetRef.Name != o.Metadata.Name || len(o.Spec.Metrics) == 0 {
				t.Errorf("%+v", o)
			}
			known := metrics(t)
			for _, m := range o.Spec.Metrics {
				if name := m.External.Metric.Name; name != "" && known[name] == nil && len(unknownMetrics(name, known)) > 0 {
					t.Errorf("%s follows %s, which does not exist", o.Metadata.Name, name)
				}
			}
		}
	}
	both := []string{"service-web", "service-worker"}
	for _, kind := range []string{"Deployment", "PodDisruptionBudget", "HorizontalPodAutoscaler"} {
		if slices.Sort(kinds[kind]); !slices.Equal(kinds[kind], both) {
			t.Errorf("%s: %v", kind, kinds[kind])
		}
	}
	for _, kind := range []string{"Service", "Ingress", "CronJob", "PersistentVolumeClaim", "ConfigMap", "Namespace"} {
		if len(kinds[kind]) != 1 {
			t.Errorf("%s: %v", kind, kinds[kind])
		}
	}
}

// TestKubernetesRestore makes the job that restores a backup out of the backup's job, as the README describes: it restores a file in the
// volume of backups.
func TestKubernetesRestore(t *testing.T) {
	t.Parallel()
	readme := readFile(t, manifests+"README.md")
	change := regexp.MustCompile(`jq '\.spec\.template\.spec\.containers\[0\]\.args = ([^']+)'`).FindSubmatch(readme)
	jobs := slices.DeleteFunc(objects(t), func(o manifestObject) bool { return o.Kind != "CronJob" })
	if change == nil || len(jobs) != 1 {
		t.Fatalf("%d jobs, changed by %q", len(jobs), change)
	}
	restore := jobs[0].Spec.JobTemplate.Spec.Template
	c := &restore.Spec.Containers[0]
	c.Args = nil
	if err := json.Unmarshal(change[1], &c.Args); err != nil {
		t.Fatal(err)
	}
	checkPod(t, "service-restore", restore, false)
	mounted := func(m volumeMount) bool { return m.Name == "backups" && m.Path == path.Dir(c.Args[1]) }
	if c.Args[0] != "restore" || !slices.ContainsFunc(c.VolumeMounts, mounted) {
		t.Errorf("%q with %+v", c.Args, c.VolumeMounts)
	}
}

// checkPod checks every pod: it has no privileges, has limits and the right probes, and runs an existing command of the program.
func checkPod(t *testing.T, name string, p podTemplate, serves bool) {
	t.Helper()
	if !p.Spec.SecurityContext.RunAsNonRoot || len(p.Spec.Containers) != 1 {
		t.Fatalf("%s: %+v", name, p)
	}
	c := p.Spec.Containers[0]
	s := c.SecurityContext
	if !s.ReadOnly || s.Escalation == nil || *s.Escalation || !slices.Equal(s.Capabilities.Drop, []string{"ALL"}) || c.Image != "service" {
		t.Errorf("%s: %+v", name, s)
	}
	if c.Resources.Requests["memory"] == "" || c.Resources.Limits["memory"] == "" {
		t.Errorf("%s has no limits: %+v", name, c.Resources)
	}
	volumes := map[string]bool{}
	for _, v := range p.Spec.Volumes {
		volumes[v.Name] = true
	}
	for _, m := range c.VolumeMounts {
		if !volumes[m.Name] {
			t.Errorf("%s mounts %s, which does not exist", name, m.Name)
		}
	}
	// The command accepts the flags; it would refuse a wrong command line.
	var out, errs output
	if err := run(t.Context(), append(slices.Clone(c.Args), "--help"), nil, &out, &errs); err != nil {
		t.Errorf("%s: %s: %v", name, c.Args, err)
	}
	for _, arg := range c.Args {
		if flag, _, ok := strings.Cut(arg, "="); ok && !strings.Contains(out.String(), flag) {
			t.Errorf("%s: %s has no %s", name, c.Args[0], flag)
		}
	}
	if !serves {
		return
	}
	for path, probe := range map[string][]probeManifest{"/livez": {c.Startup, c.Liveness}, "/readyz": {c.Readiness}} {
		for _, asked := range probe {
			if asked.HTTPGet.Path != path || asked.HTTPGet.Port != "ops" {
				t.Errorf("%s asks %+v, not %s", name, asked, path)
			}
		}
	}
	if !slices.ContainsFunc(c.Ports, func(p struct{ Name string }) bool { return p.Name == "ops" }) {
		t.Errorf("%s has no port ops", name)
	}
}
