package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/server"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/wire"
)

// TestSandboxThatIsMissing removes each layer in turn.
func TestSandboxThatIsMissing(t *testing.T) {
	t.Parallel()
	for _, missing := range append([]string{"", duckdb.Namespaces}, wire.Layers...) {
		layers := map[string]bool{duckdb.Namespaces: missing != duckdb.Namespaces}
		for _, layer := range wire.Layers {
			layers[layer] = layer != missing
		}
		whole := missing == "" || missing == duckdb.Namespaces
		var logged bytes.Buffer
		log := slog.New(slog.NewTextHandler(&logged, nil))
		if seals, err := checkSandbox(layers, false, log); seals != whole || err != nil {
			t.Errorf("without %s: %v, %v", missing, seals, err)
		}
		want := 1
		if whole {
			want = 0
		}
		if n := strings.Count(logged.String(), "level=WARN"); n != want || !whole && !strings.Contains(logged.String(), missing) {
			t.Errorf("without %s it logs %s", missing, &logged)
		}
		logged.Reset()
		_, err := checkSandbox(layers, true, log)
		if (err == nil) != whole || !whole && !strings.HasSuffix(err.Error(), "does not allow "+missing) || logged.Len() > 0 {
			t.Errorf("without %s, required: %v %s", missing, err, &logged)
		}
	}
}

// TestSandboxMetricFollows shows that the metric of namespaces has their state at the time of a scrape.
func TestSandboxMetricFollows(t *testing.T) {
	t.Parallel()
	has := true
	m := server.NewMetrics(nil)
	m.Sandbox(sandboxNow(map[string]bool{duckdb.Namespaces: true, wire.Landlock: false}, func() bool { return has }))
	for _, has = range []bool{true, false, true} {
		families, err := m.Registry().Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, f := range families {
			if f.GetName() != "service_worker_sandbox" {
				continue
			}
			for _, s := range f.GetMetric() {
				got[s.GetLabel()[0].GetValue()] = s.GetGauge().GetValue()
			}
		}
		want := map[string]float64{duckdb.Namespaces: 0, wire.Landlock: 0}
		if has {
			want[duckdb.Namespaces] = 1
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with namespaces %v (-want +got):\n%s", has, diff)
		}
	}
}
