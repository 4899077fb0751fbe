package warehouse

// What every kind of warehouse refuses in the same words. A % stands for a name
// that the query or the catalog gives.
const (
	SayAuth       = "The warehouse refused the user or the password."
	SayBroken     = "The connection to the warehouse broke. Try again."
	SayTimeout    = "The query took too long. Narrow it by a shorter period or fewer columns, or aggregate more."
	SayTooLarge   = "The query needs more memory or space than the warehouse gives. Narrow it, or aggregate more."
	SayType       = "A value does not fit the type that the SQL gives it. Cast it, or leave out the rows that do not fit."
	SayOneSelect  = "Only one SELECT statement can be run, and it may only read."
	SayGroupBy    = "A column must be in GROUP BY, or in an aggregate such as sum(…)."
	SayAmbiguous  = "A column is ambiguous: write it with its table."
	SayAmbiguousN = `Column "%" is ambiguous: write it with its table.`
	SayDenied     = "The warehouse user may not do that. It needs SELECT on the tables it reads."
	SayDeniedN    = `The warehouse user may not read "%". Grant it SELECT, or use another table.`
)
