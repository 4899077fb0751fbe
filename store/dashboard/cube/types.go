package cube

// A Type is what a column's values are, whatever warehouse they came from.
type Type string

// The types. A value is nil (SQL NULL) or of the Go type named here.
const (
	Text      Type = "text"      // string; also arrays, JSON and all that fits nowhere else
	Boolean   Type = "boolean"   // bool
	Integer   Type = "integer"   // int64, or a Decimal beyond it
	Number    Type = "number"    // float64, or a Decimal where a float64 would round
	Date      Type = "date"      // time.Time, midnight UTC
	Timestamp Type = "timestamp" // time.Time, UTC, microseconds
)

// A Column is one column of a result.
type Column struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}
