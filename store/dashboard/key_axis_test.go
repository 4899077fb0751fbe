package dashboard

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestAxisKeys: each type of panel has each key that authors expect of charts along an axis, or refuses it with the reason or the remedy.
// Package page shows that a key that a type has changes the drawing (TestKeysHaveEffect).
func TestAxisKeys(t *testing.T) {
	t.Parallel()
	for _, pt := range types {
		for _, key := range axisKeys {
			if slices.Contains(pt.keys(), key) {
				continue
			}
			_, err := Parse([]byte(fmt.Sprintf(`{"datasets": [{"id": "d", "sql": "SELECT 1"}], "panels": [{"type": "%s", "%s": 1}]}`, pt.name, key)))
			if err == nil {
				t.Errorf("a %s takes %s, which is not one of its keys", pt.name, key)
				continue
			}
			refused := fmt.Sprintf(`panels[0].%s: "%s" is not a key of a panel of type %s`, key, key, pt.name)
			_, rest, ok := strings.Cut(err.Error(), refused)
			if line, _, _ := strings.Cut(rest, "\n"); !ok || !strings.HasPrefix(line, ": ") && !strings.Contains(line, "did you mean") {
				t.Errorf("a %s refuses %s without reason and remedy: %v", pt.name, key, err)
			}
		}
	}
	for _, name := range axisTypes {
		if typeNamed(name) == nil {
			t.Errorf("there is no type %s", name)
		}
	}
}

// axisReference is the table of the reference that shows which charts have which keys of axes.
func axisReference() string {
	var b strings.Builder
	b.WriteString("\nKeys of charts along an axis (● means that the type has the key; the other types refuse it, and the error gives " +
		"the reason or the types that have it):\n\n")
	fmt.Fprintf(&b, "| Key | %s |\n|---|%s\n", strings.Join(axisTypes, " | "), strings.Repeat("---|", len(axisTypes)))
	for _, key := range axisKeys {
		fmt.Fprintf(&b, "| `%s` |", key)
		for _, name := range axisTypes {
			mark := "–"
			if slices.Contains(typeNamed(name).keys(), key) {
				mark = "●"
			}
			b.WriteString(" " + mark + " |")
		}
		b.WriteByte('\n')
	}
	b.WriteString("| `events` of the page |")
	for _, name := range axisTypes {
		mark := "–"
		if marksEvents(name) {
			mark = "●"
		}
		b.WriteString(" " + mark + " |")
	}
	b.WriteByte('\n')
	return b.String()
}
