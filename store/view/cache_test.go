package view

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestCacheForgets: a cache stays within its bytes, and removes first the value that was used longest ago.
func TestCacheForgets(t *testing.T) {
	t.Parallel()
	const room, each = 100_000, 1000
	c := newCache[int](room, time.Hour)
	c.put("often", 0, each)
	for i := range 10 * room / each {
		c.put(fmt.Sprint(i), i, each)
		if _, ok := c.get("often"); !ok {
			t.Fatalf("after %d more, what is used all the time is forgotten", i)
		}
		if got := len(c.byKey); c.size > room || got > room/each || got != c.order.Len() {
			t.Fatalf("%d values (%d in order) of %d bytes, in room for %d bytes", got, c.order.Len(), c.size, room)
		}
	}
	if _, ok := c.get("0"); ok {
		t.Error("nothing is forgotten")
	}
	before := len(c.byKey)
	c.put("large", 0, room/4)
	if _, ok := c.get("large"); ok || len(c.byKey) != before {
		t.Error("one value drives out a quarter of the others")
	}
}

// TestCacheForgetsWhatIsUnused: a value that has been unused for so long is removed when another is added.
func TestCacheForgetsWhatIsUnused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCache[int](100_000, time.Hour)
		c.put("old", 1, 100)
		c.put("used", 2, 100)
		time.Sleep(40 * time.Minute)
		c.get("used")
		time.Sleep(40 * time.Minute)
		c.put("new", 3, 100)
		if _, ok := c.get("old"); ok || len(c.byKey) != 2 || c.order.Len() != 2 {
			t.Errorf("%d values are kept, the old one: %t", len(c.byKey), ok)
		}
	})
}
