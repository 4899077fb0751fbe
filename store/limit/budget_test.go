package limit

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// transfers are those of a budget of 100 bytes, of which an account has 40, and ten a second are slow enough to be evicted.
type transfers struct {
	*testing.T
	Budget[string]
	evicted []string
}

func (b *transfers) acquire(account string, size int64, want error) *Reservation[string] {
	b.Helper()
	r, err := b.Acquire(account, size, 10, func() { b.evicted = append(b.evicted, account) })
	if !errors.Is(err, want) || (err == nil) != (want == nil) {
		b.Errorf("%d bytes of %s: %v, want %v", size, account, err, want)
	}
	return r
}

// TestBudget: transfers that are slow, and those of accounts with more, make way, the slowest first. Complete ones stay.
func TestBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := transfers{T: t, Budget: Budget[string]{Total: 100, Account: 40, Grace: time.Second}}
		b.acquire("quick", 41, ErrNoMemory) // more than an account may have
		quick, slow, slower := b.acquire("quick", 30, nil), b.acquire("slow", 30, nil), b.acquire("slower", 30, nil)
		b.acquire("slow", 10, nil).Release()
		b.acquire("slow", 11, ErrNoMemory)
		b.acquire("new", 31, ErrNoMemory)
		if len(b.evicted) > 0 {
			t.Errorf("%v are evicted", b.evicted)
		}
		for r, n := range map[*Reservation[string]]int64{quick: 20, slow: 2, slower: 1} {
			if err := r.Arrived(n, false); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(time.Second)
		b.acquire("new", 40, nil)
		if len(b.evicted) != 1 || b.evicted[0] != "slower" {
			t.Errorf("%v are evicted", b.evicted)
		}
		if err := slower.Arrived(1, true); !errors.Is(err, ErrEvicted) {
			t.Errorf("what has been evicted: %v", err)
		}
		if err := slow.Arrived(3, true); err != nil {
			t.Error(err)
		}
		if bytes, accounts := b.Usage(); bytes != 30+5+40 || accounts != 3 {
			t.Errorf("%d bytes of %d accounts", bytes, accounts)
		}
		time.Sleep(time.Hour)
		b.acquire("newer", 40, nil)
		b.acquire("newest", 40, nil)
		if len(b.evicted) != 3 || b.evicted[1] != "new" || b.evicted[2] != "quick" { // which has become slow
			t.Errorf("%v are evicted", b.evicted)
		}
		slow.Release()
		slow.Release()
		slower.Release()
		if bytes, accounts := b.Usage(); bytes != 80 || accounts != 2 {
			t.Errorf("%d bytes of %d accounts", bytes, accounts)
		}
	})
}

// TestBudgetEvictsNoMore: an account makes way for another until both have as much, and not beyond.
func TestBudgetEvictsNoMore(t *testing.T) {
	t.Parallel()
	b := transfers{T: t, Budget: Budget[string]{Total: 40, Account: 40, Grace: time.Hour}}
	for range 4 {
		b.acquire("a", 10, nil)
	}
	b.acquire("b", 30, ErrNoMemory)
	b.acquire("b", 20, nil)
	if bytes, _ := b.Usage(); bytes != 40 || len(b.evicted) != 2 {
		t.Errorf("%d bytes, %v are evicted", bytes, b.evicted)
	}
}

// TestBudgetOfAccounts: an account that has more than another makes way for it, until both have as much.
func TestBudgetOfAccounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := transfers{T: t, Budget: Budget[string]{Total: 80, Account: 40, Grace: time.Second}}
		var all []*Reservation[string]
		for _, account := range []string{"a", "a", "b", "b"} {
			all = append(all, b.acquire(account, 20, nil))
		}
		all = append(all, b.acquire("c", 20, nil))
		b.acquire("c", 20, ErrNoMemory)
		all = append(all, b.acquire("d", 20, nil))
		b.acquire("e", 20, ErrNoMemory)
		if len(b.evicted) != 2 || b.evicted[0] == b.evicted[1] {
			t.Errorf("%v are evicted", b.evicted)
		}
		for _, r := range all {
			r.Release()
		}
		if bytes, accounts := b.Usage(); bytes != 0 || accounts != 0 || len(b.pending) != 0 {
			t.Errorf("%d bytes of %d accounts, %d pending", bytes, accounts, len(b.pending))
		}
	})
}
