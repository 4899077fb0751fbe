package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/wire"
)

// TestSandboxThatIsMissing has each layer missing in turn.
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
		if err := checkSandbox(layers, false, log); err != nil {
			t.Errorf("without %s: %v", missing, err)
		}
		want := 1
		if whole {
			want = 0
		}
		if n := strings.Count(logged.String(), "level=WARN"); n != want || !whole && !strings.Contains(logged.String(), missing) {
			t.Errorf("without %s it logs %s", missing, &logged)
		}
		logged.Reset()
		err := checkSandbox(layers, true, log)
		if (err == nil) != whole || !whole && !strings.HasSuffix(err.Error(), "does not allow "+missing) || logged.Len() > 0 {
			t.Errorf("without %s, required: %v %s", missing, err, &logged)
		}
	}
}
