package store

// Functions by which tests read rows.
type (
	OrZero  = orZero
	OrFalse = orFalse
)

// ScanRow is scanRow.
var ScanRow = scanRow

// Asking returns how many calls with the token or session of a hash run or wait to be run.
func (s *Store) Asking(hash []byte) int {
	return s.askers.Users(string(hash)) + s.checks.Users(string(hash))
}
