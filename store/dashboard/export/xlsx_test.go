package export

import (
	"strings"
	"testing"
)

// TestSheetNames: a sheet has the title of its panel, changed where programs would reject it as a name.
func TestSheetNames(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"": "Sheet1", "History": "Sheet1", "''": "Sheet1", "Revenue / day [EUR]": "Revenue - day -EUR-", "a\tb\x00c": "a b c",
		"'quoted'": "quoted", "A title that is longer than thirty-one characters": "A title that is longer than thi",
		strings.Repeat("💶", 20): strings.Repeat("💶", 15),
	} {
		if got := sheetName(title); got != want {
			t.Errorf("%q: a sheet called %q, want %q", title, got, want)
		}
	}
}
