package page

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
)

// TestLongEventsCostLittle: events that last for all years cost little in panels of every type, whatever their number: no panel counts the
// days of an event.
func TestLongEventsCostLittle(t *testing.T) {
	t.Parallel()
	try := newKeyTrial(t)
	all := strings.Repeat(`{"on":"0001-01-01","to":"9999-12-31","label":"E"},`, dashboard.MaxEvents)
	events := `"events":[` + strings.TrimSuffix(all, ",") + `]`
	done := make(chan int)
	go func() {
		tried := 0
		for _, kind := range dashboard.PanelTypes() {
			with, _ := try.with(kind, "events")
			for _, facet := range []string{"", `"facet":"part"`} {
				if v, _, ok := try.view(append(with, facet, events)...); ok {
					tried++
					Summaries(v)
				}
			}
		}
		done <- tried
	}()
	select {
	case tried := <-done:
		if tried < 8 {
			t.Errorf("%d panels have events", tried)
		}
	case <-time.After(20 * time.Second): // a panel that counts days takes longer
		t.Fatal("panels with long events take longer than 20 s")
	}
}
