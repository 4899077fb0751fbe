package store_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"service/store"
	"service/store/dashboard/cube"
)

// weather is a cube of 1,461 days with a word and four measurements of one decimal each, which differ with the seed.
func weather(b *testing.B, seed int) *cube.Cube {
	b.Helper()
	random := rand.New(rand.NewPCG(1, uint64(seed)))
	build := cube.NewBuilder([]cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "weather", Type: cube.Text},
		{Name: "rain", Type: cube.Number},
		{Name: "wind", Type: cube.Number},
		{Name: "warmest", Type: cube.Number},
		{Name: "coldest", Type: cube.Number},
	})
	for i := range 1461 {
		row := []any{time.Date(2012, 1, 1+i, 0, 0, 0, 0, time.UTC), strings.Fields("sun rain fog drizzle snow")[random.IntN(5)]}
		for range 4 {
			row = append(row, float64(random.IntN(400))/10)
		}
		if err := build.Add(row); err != nil {
			b.Fatal(err)
		}
	}
	return build.Cube()
}

// BenchmarkDashboardBytes reports how many bytes of the database a dashboard of 1,461 rows takes: after its first refresh, and after nine
// more with other rows, once the rows before are deleted. -benchtime is the number of dashboards.
func BenchmarkDashboardBytes(b *testing.B) {
	var passed atomic.Int64
	s := setup(b, func(o *store.Options) {
		o.RefreshBudget = 1_000_000
		o.Now = func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }
	})
	ctx := b.Context()
	size := func() (bytes int64) {
		if _, err := s.pool.Exec(ctx, `VACUUM FULL`); err != nil {
			b.Fatal(err)
		}
		if err := s.pool.QueryRow(ctx, `SELECT pg_database_size(current_database())`).Scan(&bytes); err != nil {
			b.Fatal(err)
		}
		return bytes
	}
	panels := strings.Repeat(`,{"type":"line","title":"The warmest and the coldest hour of each day","x":"day","y":["warmest","coldest"]}`, 13)
	spec := `{"title":"Seattle weather","datasets":[{"id":"d","sql":"SELECT day, weather, rain, wind, warmest, coldest FROM upload"}],` +
		`"panels":[{"type":"kpi","value":"rain"}` + panels + `]}`
	finish := func(p store.Published, seed int) {
		j, err := s.Refreshes.StartRun(ctx, store.RefreshArgs{Workspace: p.Dashboard.WorkspaceID, Run: p.Run.ID}, 2)
		if err == nil {
			_, err = s.Refreshes.FinishRun(ctx, j, store.Outcome{Took: time.Second, Datasets: []store.DatasetResult{{
				RunDataset: store.RunDataset{ID: "d", State: store.RunSucceeded, Rows: 1461}, Definition: []byte("same"), Cube: weather(b, seed),
			}}})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	before, seed := size(), 0
	var all []store.Published
	for b.Loop() {
		p := s.spec(b, s.owner, fmt.Sprint("weather-", len(all)), spec)
		finish(p, seed)
		all = append(all, p)
		seed++
	}
	report := func(unit string) { b.ReportMetric(float64(size()-before)/float64(len(all)), unit) }
	report("B/dashboard")
	for range 9 {
		for _, p := range all {
			t, err := s.Refreshes.TriggerRefresh(ctx, s.owner, p.Dashboard.Slug)
			if err != nil {
				b.Fatal(err)
			}
			p.Run = t.Run
			finish(p, seed)
			seed++
		}
	}
	passed.Add(int64(2 * time.Hour))
	for {
		if gone, err := s.SweepBlobs(ctx); err != nil {
			b.Fatal(err)
		} else if gone == 0 {
			break
		}
	}
	report("B/refreshed-dashboard")
}
