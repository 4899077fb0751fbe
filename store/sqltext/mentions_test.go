package sqltext

import "testing"

func TestMentions(t *testing.T) {
	t.Parallel()
	for _, try := range []struct {
		text, name string
		want       bool
	}{
		{"SELECT a FROM b", "a", true},
		{"SELECT max(x) FROM orders", "a", false},
		{"SELECT max(x) FROM ORDERS;", "orders", true},
		{"c30>=0", "c3", false},
		{"c30>=0 AND c3<5", "c3", true},
		{`"Hash, of"=1`, "hash, of", true},
		{"aab ab", "ab", true},
		{"ä_a", "a", false},
		{"", "a", false},
		{"a", "", false},
	} {
		if got := Mentions(try.text, try.name); got != try.want {
			t.Errorf("%s in %s: %t", try.name, try.text, got)
		}
	}
}
