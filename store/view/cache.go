package view

import (
	"container/list"
	"sync"
	"time"
)

// Sizes of the caches: together at most 150 MiB of memory. Values are keyed by content hash and never change, so they are never
// invalidated.
const (
	cubeCacheBytes  = 96 << 20
	pageCacheBytes  = 32 << 20
	paramCacheBytes = 2 << 20
	readCacheBytes  = 16 << 20
	saidCacheBytes  = 4 << 20
	readFactor      = 4   // bytes of memory of a parsed spec per byte of its text
	paramBytes      = 256 // of one parameter

	// How long an unused value is kept. After a refresh the values of the earlier rows are no longer used, and the collector lets the heap
	// grow to nine times the kept bytes. Pages, of which some are pictures, take longest to make.
	unused     = 15 * time.Minute
	unusedPage = time.Hour
)

// A cache keeps the most recently used values, up to a number of bytes. Adding a value removes those that have not been used for long.
type cache[V any] struct {
	mu    sync.Mutex
	limit int           // bytes
	old   time.Duration // age since the last use at which a value is removed
	size  int
	order *list.List // of *entry[V], most recently used first
	byKey map[string]*list.Element
}

type entry[V any] struct {
	key   string
	value V
	size  int
	used  time.Time
}

func newCache[V any](limit int, old time.Duration) *cache[V] {
	return &cache[V]{limit: limit, old: old, order: list.New(), byKey: map[string]*list.Element{}}
}

func (c *cache[V]) get(key string) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return v, false
	}
	c.order.MoveToFront(e)
	kept := e.Value.(*entry[V])
	kept.used = time.Now()
	return kept.value, true
}

// put keeps v, which takes size bytes, unless it is too large for the cache.
func (c *cache[V]) put(key string, v V, size int) {
	size += len(key) + 64
	if size > c.limit/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[key]; ok {
		return
	}
	now := time.Now()
	c.byKey[key] = c.order.PushFront(&entry[V]{key, v, size, now})
	c.size += size
	for {
		last := c.order.Back()
		e := last.Value.(*entry[V])
		if c.size <= c.limit && now.Sub(e.used) <= c.old {
			return
		}
		c.order.Remove(last)
		delete(c.byKey, e.key)
		c.size -= e.size
	}
}
