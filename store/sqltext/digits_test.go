package sqltext

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"service/store/growthtest"
)

// TestDigits: numbers end where the pattern of a number ends.
func TestDigits(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(`^(0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|` +
		`([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)([eE][+-]?[0-9]+)?)`)
	const signs = "0012789__..eE+-xXbBoOaFfg "
	r := rand.New(rand.NewPCG(7, 7))
	for range 100_000 {
		var b strings.Builder
		for range r.IntN(9) {
			b.WriteByte(signs[r.IntN(len(signs))])
		}
		text := b.String()
		if got, want := digits(text), len(pattern.FindString(text)); got != want {
			t.Fatalf("%s begins with a number of %d bytes, want %d", text, got, want)
		}
	}
}

// TestNumbersCostLittle: a number costs no more than other tokens. The pattern above takes 77 ms for this SQL.
func TestNumbersCostLittle(t *testing.T) {
	sql := "SELECT " + strings.Repeat("1,", 1<<17)
	growthtest.Within(t, 30*time.Millisecond, func() { Read(sql) })
}
