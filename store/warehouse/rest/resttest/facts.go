package resttest

import (
	"strings"
	"testing"

	"service/store/warehouse"
)

// Facts checks what a connection of a kind reports about itself: that there are these facts, each as name: value or its beginning, and that
// none contains a secret.
func Facts[C any](t *testing.T, start Starter[C], kind string, wants ...string) {
	t.Parallel()
	s := start(t)
	target := s.TargetAt("")
	facts, err := warehouse.Facts(t.Context(), s.At(""), kind, target)
	if err != nil {
		t.Fatal(err)
	}
	lines := ""
	for _, f := range facts {
		lines += f.Name + ": " + f.Value + "\n"
	}
	for _, want := range append(wants, "kind: "+kind, "TLS: off", "read-only: ") {
		if !strings.Contains("\n"+lines, "\n"+want) {
			t.Errorf("there is no %s in\n%s", want, lines)
		}
	}
	if strings.Contains(lines, "BEGIN") || target.Password != "" && strings.Contains(lines, target.Password) {
		t.Errorf("it contains the secret:\n%s", lines)
	}
}
