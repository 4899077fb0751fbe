package warehouse

import (
	"context"
	"time"

	"service/store/dashboard/cube"
)

// An Estimator is a [Connector] whose warehouse estimates how many bytes a query reads.
type Estimator interface {
	// Estimate is [Connector.Describe], and also returns how many bytes a run of the query reads. bytes is -1 if that is not known.
	Estimate(ctx context.Context, sql string, args []any) (cols []cube.Column, bytes int64, err error)
}

// Estimate describes a query of c. bytes is -1 if c is not an [Estimator].
func Estimate(ctx context.Context, c Connector, sql string, args []any) (cols []cube.Column, bytes int64, err error) {
	if e, ok := c.(Estimator); ok {
		return e.Estimate(ctx, sql, args)
	}
	cols, err = c.Describe(ctx, sql, args)
	return cols, -1, err
}

// Month is the number of days for which costs of a month are stated.
const Month = 30 * 24 * time.Hour

// worthSaying is the number of bytes a month from which a cost is stated: a tenth of the bytes that BigQuery reads without a charge.
const worthSaying = 100_000_000_000

// A Cost is the number of bytes that a run reads, and the number of runs in a [Month].
type Cost struct {
	Bytes int64  // of one run
	Runs  int    // in a month
	Often string // how often it runs, as in hourly
	Most  int64  // bytes that all runs of a month may read; 0 for no limit
}

// Hourly is the cost of runs whose schedule is not known.
func Hourly(bytes int64) Cost {
	return Cost{Bytes: bytes, Runs: int(Month / time.Hour), Often: "hourly"}
}

// mostStated is the largest number of bytes that is stated: larger ones are stated as this.
const mostStated = 1_000_000_000_000_000_000

// OfMonth returns the number of bytes that the runs of a month read, at most mostStated.
func (c Cost) OfMonth() int64 {
	if c.Runs > 0 && c.Bytes > mostStated/int64(c.Runs) {
		return mostStated
	}
	return c.Bytes * int64(c.Runs)
}

// String returns the cost as a sentence without a full stop. It is empty for a cost that is not known or too small to be stated.
func (c Cost) String() string {
	month := c.OfMonth()
	over := c.Most > 0 && month > c.Most
	if c.Bytes <= 0 || month < worthSaying && !over {
		return ""
	}
	text := "about " + Size(rough(min(c.Bytes, mostStated))) + " a run; " + c.Often + " that is " + Size(rough(month)) + " a month"
	if over {
		text += ", and this connection allows " + Size(c.Most) + " a month: then its queries are refused until the next month"
	}
	return text
}

// rough returns n with two digits that are not zero.
func rough(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}
