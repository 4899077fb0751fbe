package linked

import (
	"cmp"
	"context"
	"crypto/sha256"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// A key identifies a file in the cache. It includes the credentials, so that a change of them needs new bytes.
type key struct {
	workspace uuid.UUID
	source    [sha256.Size]byte
	path      string
}

// An entry is one state of a file, as Parquet, of which some parts are present.
type entry struct {
	id    uint64 // of this state, in this process
	key   key
	mark  mark
	size  int64
	file  *os.File
	whole bool          // it was converted, or was fetched in one piece
	slot  chan struct{} // held while parts are fetched

	// Guarded by the cache's mutex.
	have []span // sorted, and apart
	held int64  // bytes of them
	refs int    // calls that use it
	used time.Time
	gone bool // no longer in the cache
}

// A span is a part of a file.
type span struct{ from, to int64 }

// A mark identifies a state of a file.
type mark struct{ etag, modified string }

// known reports whether the host identifies states.
func (m mark) known() bool { return m.etag != "" || m.modified != "" }

// A cache keeps entries, of at most most bytes unless calls use them.
type cache struct {
	most int64

	mu    sync.Mutex
	all   map[key]*entry
	loose map[*entry]bool // without a mark: only the connector that asked for them uses them
	held  int64
	last  uint64
}

// looseTime is for how long an entry without a mark is kept after its last use.
const looseTime = 5 * time.Minute

// find returns the entry of a key for use, or nil. The caller releases it.
func (c *cache) find(k key) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.all[k]
	if e != nil {
		e.refs++
		e.used = time.Now()
	}
	return e
}

// add makes e the entry of its key, for use, and removes the former one. An entry without a mark is not found again.
func (c *cache) add(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	e.id, e.refs, e.used, e.slot = c.last, 1, time.Now(), make(chan struct{}, 1)
	c.held += e.held
	c.remove(c.all[e.key])
	if e.mark.known() {
		c.all[e.key] = e
	} else {
		c.loose[e] = true
	}
	for old := range c.loose {
		if old.refs == 0 && time.Since(old.used) > looseTime {
			c.remove(old)
		}
	}
	c.evict()
}

// again marks e as used by one more call. It returns false if it was closed.
func (c *cache) again(e *entry) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.gone {
		return false
	}
	e.refs++
	e.used = time.Now()
	return true
}

// release ends a use.
func (c *cache) release(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.refs--
	c.close(e)
	c.evict()
}

// forget removes an entry whose file has changed.
func (c *cache) forget(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(e)
}

// remove takes an entry out of the cache; its file is closed once no call uses it. The caller holds mu.
func (c *cache) remove(e *entry) {
	if e == nil || e.gone {
		return
	}
	e.gone = true
	if c.all[e.key] == e {
		delete(c.all, e.key)
	}
	delete(c.loose, e)
	c.close(e)
}

// close closes the file of an entry that is neither used nor findable any more. The caller holds mu.
func (c *cache) close(e *entry) {
	if e.gone && e.refs == 0 {
		e.file.Close()
		c.held -= e.held
		e.held = 0
	}
}

// evict removes unused entries, longest unused first, while there are too many bytes. The caller holds mu.
func (c *cache) evict() {
	if c.held <= c.most {
		return
	}
	var idle []*entry
	for _, e := range slices.AppendSeq(slices.Collect(maps.Values(c.all)), maps.Keys(c.loose)) {
		if e.refs == 0 {
			idle = append(idle, e)
		}
	}
	slices.SortFunc(idle, func(a, b *entry) int { return a.used.Compare(b.used) })
	for _, e := range idle {
		if c.held <= c.most {
			return
		}
		c.remove(e)
	}
}

// got records a part that was written to the file of e.
func (c *cache) got(e *entry, part span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := e.held
	e.have = joined(append(e.have, part))
	e.held = 0
	for _, s := range e.have {
		e.held += s.to - s.from
	}
	c.held += e.held - before
}

// missing returns the spans of a part that the entry lacks.
func (c *cache) missing(e *entry, part span) (out []span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := part.from
	for _, s := range e.have {
		if s.to <= at || s.from >= part.to {
			continue
		}
		if s.from > at {
			out = append(out, span{at, s.from})
		}
		at = max(at, s.to)
	}
	if at < part.to {
		out = append(out, span{at, part.to})
	}
	return out
}

// joined sorts spans and joins those that touch.
func joined(all []span) (out []span) {
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for _, s := range all {
		if n := len(out) - 1; n >= 0 && s.from <= out[n].to {
			out[n].to = max(out[n].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// closeAll removes all entries.
func (c *cache) closeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range slices.AppendSeq(slices.Collect(maps.Values(c.all)), maps.Keys(c.loose)) {
		c.remove(e)
	}
}

// alone waits until no other call fetches parts of e.
func (e *entry) alone(ctx context.Context) (release func(), err error) {
	select {
	case e.slot <- struct{}{}:
		return func() { <-e.slot }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
