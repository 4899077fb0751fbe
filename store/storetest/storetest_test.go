package storetest_test

import (
	"sync"
	"testing"

	"service/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestEachTestHasADatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	_, first := storetest.New(t)
	_, second := storetest.New(t)
	if _, err := first.Exec(t.Context(), `INSERT INTO workspace (id, slug, name) VALUES (gen_random_uuid(), 'acme', 'Acme')`); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := second.QueryRow(t.Context(), `SELECT count(*) FROM workspace`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if n != 0 {
		t.Errorf("the second database holds %d rows of the first", n)
	}
}

func TestDatabasesAreMadeInParallelAndDropped(t *testing.T) {
	t.Parallel()
	name := make(chan string, 20)
	t.Run("make", func(t *testing.T) {
		var wg sync.WaitGroup
		for range cap(name) {
			wg.Go(func() {
				var s string
				if err := storetest.Pool(t).QueryRow(t.Context(), `SELECT current_database()`).Scan(&s); err != nil {
					t.Error(err)
				}
				name <- s
			})
		}
		wg.Wait()
	})
	close(name)
	pool := storetest.Empty(t)
	for s := range name {
		var there bool
		if err := pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, s).Scan(&there); err != nil {
			t.Fatal(err)
		}
		if there {
			t.Errorf("database %s outlives its test", s)
		}
	}
}

func BenchmarkPool(b *testing.B) {
	for b.Loop() {
		storetest.Pool(b)
	}
}
