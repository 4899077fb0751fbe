package alert

import (
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// ReplayDays is how far a replay looks back.
const ReplayDays = 90

// A Replayed is how an alert would have behaved.
type Replayed struct {
	Now     Reading   // by the rows as they are
	Periods int       // that were judged; 0 where an alert has none
	Days    int       // that they cover
	Fired   []Firing  // in order
	Always  bool      // every value held in every period
	Never   Reason    // why nothing could be judged in any period; "" where something was
	From    time.Time // begin of the first of Periods
}

// A Firing is when an alert would have begun to fire, and for which values.
type Firing struct {
	Period   time.Time
	Findings []Finding
}

// Replay judges an alert in each complete period of the last [ReplayDays] days, as if there had been a refresh after
// each. Of an alert without periods it tells what holds now.
func Replay(in Input, a *dashboard.Alert) Replayed {
	if a.OfRefresh() {
		return Replayed{Now: Judge(in, a)}
	}
	out := Replayed{Now: Judge(in, a)}
	if out.Never = out.Now.Unknown; out.Never != "" || a.X == "" {
		return out
	}
	s := read(in, a)
	today := cube.DayOf(in.AsOf.In(in.Spec.Location()))
	var states []State
	quiet := func(Finding) string { return "" }
	judged, held := 0, 0
	out.Never = NoHistory
	for at, period := range s.judged {
		if cube.DayOf(period) < today-ReplayDays || at < len(s.judged)-mostReplayed/max(1, len(s.keys)) {
			continue
		}
		r := s.Reading
		r.Findings = s.findings(at)
		if out.Periods++; out.Periods == 1 {
			out.From = period
		}
		for _, f := range r.Findings {
			if f.Unknown != "" {
				continue
			}
			out.Never = ""
			if judged++; f.Holds {
				held++
			}
		}
		var events []Event
		states, events = r.Step(states, period, quiet)
		for _, e := range events {
			if e.Kind == Fired {
				out.Fired = append(out.Fired, Firing{period, e.Findings})
			}
		}
	}
	if out.Periods > 0 {
		out.Days = max(1, int(today-cube.DayOf(out.From)))
	} else {
		out.Never = "" // the data are older
	}
	out.Always = out.Periods >= 3 && judged == held && judged > 0
	return out
}

// mostReplayed is how many values, times periods, a replay judges.
const mostReplayed = 200_000
