package locale

import (
	"fmt"
	"testing"
)

// Tags are input, and unlimited in number: the memory for them is limited, and each is answered as before.
func TestTagsFillNoMemory(t *testing.T) {
	t.Parallel()
	for i := range 20_000 {
		tag := fmt.Sprintf("de-x-%05d", i)
		if l := For(tag); l.Tag != tag || l.Lang != tag && l.Lang != "de" {
			t.Fatalf("%s is %s, in %s", tag, l.Tag, l.Lang)
		}
		For(fmt.Sprintf("fr-u-va-a%05d", i))
	}
	cache.RLock()
	defer cache.RUnlock()
	if n := len(cache.of); n > mostCached {
		t.Errorf("%d locales are kept", n)
	}
}

// Names that were requested before are kept.
func TestTagsAreKept(t *testing.T) {
	t.Parallel()
	if a, b := For("pt-BR"), For("pt-BR"); a.Tag != b.Tag || a.data != b.data {
		t.Error("one tag has two locales")
	}
}
