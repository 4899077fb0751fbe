package alert

import (
	"context"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// ReplayDays is the number of past days of a replay.
const ReplayDays = 90

// A Replayed is the result of a replay.
type Replayed struct {
	Now     Reading   // by the current rows
	Periods int       // that were judged; 0 if an alert has no periods
	Days    int       // that they cover
	Fired   []Firing  // in order
	Always  bool      // every value held in every period
	Never   Reason    // the reason if no period could be judged, or ""
	From    time.Time // begin of the first of Periods
	Judged  int       // values, over all Periods
	Cut     bool      // periods of these days were not judged: there were too many values, or the context ended
}

// A Firing is a time at which an alert would have begun to fire, with the values.
type Firing struct {
	Period   time.Time
	Findings []Finding
}

// Replay judges an alert in each complete period of the last [ReplayDays] days, as if there had been a refresh after each. For an alert
// without periods it only judges the present.
func Replay(in Input, a *dashboard.Alert) Replayed {
	return ReplayUpTo(context.Background(), in, a, MostReplayed)
}

// ReplayUpTo is [Replay] of at most most values, over all periods: those of the newest periods are judged. It
// ends when ctx does.
func ReplayUpTo(ctx context.Context, in Input, a *dashboard.Alert, most int) Replayed {
	if a.OfRefresh() {
		return Replayed{Now: Judge(in, a)}
	}
	out := Replayed{Now: Judge(in, a)}
	if out.Never = out.Now.Unknown; out.Never != "" || a.X == "" {
		return out
	}
	s := read(in, a)
	today := cube.DayOf(in.Spec.DataEnd(in.AsOf).In(in.Spec.Location()))
	var states []State
	quiet := func(Finding) string { return "" }
	judged, held := 0, 0
	out.Never = NoHistory
	for at, period := range s.judged {
		if cube.DayOf(period) < today-ReplayDays {
			continue
		}
		if at < len(s.judged)-most/max(1, len(s.keys)) || ctx.Err() != nil {
			out.Cut = true
			continue
		}
		r := s.Reading
		r.Findings = s.findings(at)
		if out.Periods++; out.Periods == 1 {
			out.From = period
		}
		for _, f := range r.Findings {
			if out.Judged++; f.Unknown != "" {
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

// MostReplayed limits values times periods of a replay, and of all replays of a dry run together. An anomaly among 60 periods takes about 6
// µs.
const MostReplayed = 200_000
