package store

// What tests read rows with.
type (
	OrZero  = orZero
	OrFalse = orFalse
)

// ScanRow is scanRow.
var ScanRow = scanRow
