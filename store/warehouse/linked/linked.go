package linked

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"service/store/warehouse"
	"service/store/warehouse/duckdb"
)

// DefaultMost is how many bytes of files a call fetches at most, unless the operator sets another number.
const DefaultMost = 512 << 20

// Files opens connections to linked files. It is safe for concurrent use; Close it after the last call.
type Files struct {
	engine *duckdb.Engine
	dialer warehouse.Dialer // of the hosts of connections
	others warehouse.Dialer // of hosts to which they redirect
	most   int64
	cache  cache
}

// New returns Files whose queries run in workers of e, that dials by d, and fetches at most most bytes for one call, or for all queries of
// one refresh. It keeps at most twice as many on disk for later calls.
func New(e *duckdb.Engine, d warehouse.Dialer, most int64) *Files {
	return &Files{engine: e, dialer: d, others: d, most: most, cache: cache{most: 2 * most, all: map[key]*entry{}, loose: map[*entry]bool{}}}
}

// Close releases the disk.
func (f *Files) Close() error {
	f.cache.closeAll()
	return nil
}

// Open returns a connector to t, which must be bound to a tenant: see [warehouse.Tenanted]. It does not connect yet.
func (f *Files) Open(t warehouse.Target) (warehouse.Connector, error) {
	s, err := parse(t)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("linked: %w", err)
	}
	return &connector{files: f, source: s, identity: sha256.Sum256(text), seen: f.visit()}, nil
}

// visit returns the state of a new connector.
func (f *Files) visit() *visit {
	v := &visit{entries: map[string][]*entry{}, failed: map[string]*warehouse.Error{}, left: &atomic.Int64{}}
	v.left.Store(f.most)
	return v
}

// A visit is the state of files that a connector has found. All queries of a refresh use one connector, so that they fetch, and ask for
// changes, once.
type visit struct {
	left *atomic.Int64 // bytes that may still be fetched

	mu      sync.Mutex
	entries map[string][]*entry         // of tables whose files were asked for
	failed  map[string]*warehouse.Error // of tables whose files cannot be read, so that a refresh of many datasets asks once
}
