// Package alert judges the alerts of a spec by the rows that are stored: what holds now ([Judge]), what that makes of
// what held before ([Reading.Step]), and what would have been ([Replay]). It reads no database and no clock, and
// writes no sentences: package page words what it finds, package store keeps it.
//
// A value of an alert is in one of three states. It enters the second when its condition holds, and the third when it
// has held for as many refreshes in a row as the spec wants:
//
//	quiet ─► holding ─► firing ─► quiet
//	  ▲         │
//	  └─────────┘ the condition does not hold
//
// What cannot be judged, because there is no complete period, no value or too little before it, changes nothing.
package alert
