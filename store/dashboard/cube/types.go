package cube

import (
	"math"
	"time"
)

// A Type is the type of a column, the same for all kinds of warehouses.
type Type string

// The types. A value is nil (SQL NULL) or of the Go type named here.
const (
	Text      Type = "text"      // string; also for arrays, JSON and all other types
	Boolean   Type = "boolean"   // bool
	Integer   Type = "integer"   // int64, or a Decimal beyond it
	Number    Type = "number"    // float64, or a Decimal if a float64 would round
	Date      Type = "date"      // time.Time, midnight UTC
	Timestamp Type = "timestamp" // time.Time in UTC, microseconds: wall-clock time without a zone, never shifted
	Instant   Type = "instant"   // time.Time, microseconds: a moment, shown in the zone of the page
)

// Lost represents a value that no column can store: NaN, an infinity, or a time outside the years 1 to 9999. A [Builder] stores it as NULL
// and counts it.
var Lost any = lost{}

type lost struct{}

// IsLost reports whether a column of type t cannot store a value.
func IsLost(t Type, v any) bool {
	switch v := v.(type) {
	case lost:
		return true
	case float64:
		return math.IsNaN(v) || math.IsInf(v, 0)
	case time.Time:
		if t != Date {
			v = v.UTC()
		}
		return v.Year() < 1 || v.Year() > 9999
	}
	return false
}

// IsTime reports whether the values of a column of type t are times.
func (t Type) IsTime() bool { return t == Date || t == Timestamp || t == Instant }

// A Column is one column of a result.
type Column struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}
