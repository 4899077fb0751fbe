// Package alert evaluates the alerts of a spec on the stored rows: [Judge] reports whether conditions hold now, [Reading.Step] returns the
// next states and events, and [Replay] reports when an alert would have fired in the past. [Words] write findings in the language of the
// spec. The package uses neither a database nor a clock: package store stores states and events.
//
// A value of an alert is in one of three states. It enters the second when its condition holds, and the third when the condition has held
// for as many refreshes in a row as the spec requires:
//
//	quiet ─► holding ─► firing ─► quiet
//	  ▲         │
//	  └─────────┘ the condition does not hold
//
// A value that cannot be evaluated, because there is no complete period, no value or too little history, keeps its state.
package alert
