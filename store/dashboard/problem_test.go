package dashboard

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	allowed := []string{"revenue", "orders", "net_revenue", "day", "id", "últimas"}
	for s, want := range map[string]string{
		"revenu": "revenue", "Revenue": "revenue", "revneue": "revenue", "netRevenue": "net_revenue", "net revenue": "net_revenue",
		"order": "orders",
		"days":  "day", "dya": "day", "ultimas": "últimas",
		"x": "", "ab": "", "": "", "customers": "", "revolution of the orders": "",
		strings.Repeat("revenue", 20): "",
	} {
		if got := likeliest(s, allowed); got != want {
			t.Errorf("likeliest(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestProblemListsMany(t *testing.T) {
	t.Parallel()
	p := Problem{Path: "a", Message: "b", Noun: "columns", Allowed: strings.Split(strings.Repeat("c,", 49)+"c", ",")}
	if want := "a: b; columns: " + strings.Repeat("c, ", 39) + "c and 10 more"; p.String() != want {
		t.Errorf("got %s", p)
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("é", maxQuoted)
	for s, want := range map[string]string{"": "", "abc": "abc", full: full, full + "x": full + "…"} {
		if got := short(s); got != want {
			t.Errorf("short(%q) = %q", s, got)
		}
	}
}

// Very many problems cost no more than many.
func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"datasets": [{"id": "d", "sql": "SELECT 1", "columns": [`)
	for range 200 {
		b.WriteString(`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1},`)
	}
	b.WriteString(`{}]}]}`)
	_, err := Parse([]byte(b.String()))
	if p, ok := err.(*Problems); !ok || len(*p) != maxKept {
		t.Errorf("got %v", err)
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	got := fields("{{a.b}} {{ a.b c }} {{x}} {{}} {{a\n.b}} {a} {{a.b.c}} {{ a.b }}")
	want := []field{{"a", "b"}, {"a", "b c"}, {"x", ""}, {"", ""}, {"a", "b.c"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
