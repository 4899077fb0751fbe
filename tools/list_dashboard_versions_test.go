package tools

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestVersionsAreNeverCut: fifty versions with the longest names and changes fit an
// answer, all of them.
func TestVersionsAreNeverCut(t *testing.T) {
	t.Parallel()
	for _, changes := range []int{0, 3, 21} {
		versions := make([]storedVersion, 50)
		for i := range versions {
			versions[i] = storedVersion{
				VersionID: strings.Repeat("0", 36), Name: strings.Repeat("ü", 300), CreatedAt: "2026-03-04T09:05:00Z", Cause: "publish",
				Kind: "spec", Bytes: 5242880, SHA256: strings.Repeat("0", 64), Changes: []string{},
			}
			for n := range changes {
				versions[i].Changes = append(versions[i].Changes, fmt.Sprintf(`panel line "%s" %d changed`, strings.Repeat("x", 60), n))
			}
		}
		shortenChanges(versions)
		b, err := marshal(versions)
		if err != nil {
			t.Fatal(err)
		}
		if n := utf8.RuneCount(b); n > 38_000 {
			t.Errorf("%d changes each: %d characters", changes, n)
		}
		if got := versions[0].Changes; changes == 21 && got[len(got)-1] != fmt.Sprintf("and %d more", 21-(len(got)-1)) {
			t.Errorf("%q", got[len(got)-1])
		}
	}
}
