package store

// Functions by which tests read rows.
type (
	OrZero  = orZero
	OrFalse = orFalse
)

// ScanRow is scanRow.
var ScanRow = scanRow
