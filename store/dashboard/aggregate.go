package dashboard

// An aggregate is what is known of a function whose values are of a group of rows: such
// a column is not what a query groups by.
type aggregate struct {
	agg    Agg    // how the values of a plain call add up; "" when they do not
	values values // what they are

	// guarded is of functions that take a condition behind what they add up. [query.isAggregate] and [query.function]
	// leave them out; avgif is none of them, so that a mean is told.
	guarded bool
}

// values are what the values of an expression are, in the order of how little can be done with them.
type values int

const (
	added     values = iota // amounts that add up, and what is no number
	notAdded                // amounts of which several do not add up: of distinct values, or of one row of each group
	noAmounts               // means, quotients and extremes
)

// aggregates are the aggregate functions of all dialects, in small letters.
var aggregates = map[string]aggregate{
	"sum":      {agg: Sum},
	"count":    {agg: Sum},
	"sumif":    {agg: Sum, guarded: true},
	"countif":  {agg: Sum, guarded: true},
	"count_if": {agg: Sum, guarded: true},

	"min":    {agg: Min, values: noAmounts},
	"max":    {agg: Max, values: noAmounts},
	"minif":  {agg: Min, guarded: true},
	"maxif":  {agg: Max, guarded: true},
	"min_by": {values: noAmounts},
	"max_by": {values: noAmounts},

	"avg":             {values: noAmounts},
	"avgif":           {values: noAmounts},
	"median":          {values: noAmounts},
	"mode":            {values: noAmounts},
	"percentile_cont": {values: noAmounts},
	"quantile":        {values: noAmounts},
	"quantile_cont":   {values: noAmounts},
	"stddev":          {values: noAmounts},
	"variance":        {values: noAmounts},

	"approx_count_distinct": {values: notAdded},
	"uniq":                  {values: notAdded},
	"uniqexact":             {values: notAdded},

	"any":       {values: notAdded},
	"any_value": {values: notAdded},
	"anylast":   {values: notAdded},
	"arg_max":   {values: notAdded},
	"arg_min":   {values: notAdded},
	"argmax":    {values: notAdded},
	"argmin":    {values: notAdded},
	"first":     {values: notAdded},
	"last":      {values: notAdded},

	"array_agg":    {},
	"bool_and":     {},
	"bool_or":      {},
	"every":        {},
	"group_concat": {},
	"grouparray":   {},
	"list":         {},
	"listagg":      {},
	"string_agg":   {},
}

// valuesOf is what the values are that a function of [query.function] makes.
func valuesOf(function string) values {
	switch function {
	case "/":
		return noAmounts
	case "count distinct", "sum distinct":
		return notAdded
	}
	return aggregates[function].values
}
