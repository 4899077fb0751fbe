package format

import (
	"strings"
	"testing"

	"service/store/dashboard/locale"
)

// TestMinutesAndSeconds: seconds are rounded once, and have hours from an hour on.
func TestMinutesAndSeconds(t *testing.T) {
	t.Parallel()
	f := Formatter{Locale: locale.For("en-US")}
	for v, want := range map[float64]string{
		0: "0:00", 4: "0:04", 59.4: "0:59", 59.5: "1:00", 273: "4:33", -273: Minus + "4:33", -0.4: "0:00", 3599.6: "1:00:00", 3873: "1:04:33",
		4_000_000: "1,111:06:40",
	} {
		if got := f.Value("minutes_seconds", v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
		if got := f.Short("minutes_seconds", v); got != want {
			t.Errorf("%v in short: %s, want %s", v, got, want)
		}
	}
}

// TestDecimalsOfLengths: lengths of time and bytes have decimals where their format alone would make different numbers equal.
func TestDecimalsOfLengths(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		language, format string
		v                float64
		decimals         int
		want             string
	}{
		{"en-US", "minutes_seconds", 273.25, 0, "4:33"},
		{"en-US", "minutes_seconds", 273.25, 2, "4:33.25"},
		{"en-US", "minutes_seconds", 59.96, 1, "1:00.0"},
		{"de-DE", "minutes_seconds", -3605.04, 2, Minus + "1:00:05,04"},
		{"en-US", "minutes_seconds", -0.04, 1, "0:00.0"},
		{"en-US", "hours_minutes", 425.5, 0, "7 h 06 m"},
		{"en-US", "hours_minutes", 425.5, 1, "7 h 05.5 m"},
		{"en-US", "hours_minutes", 5.25, 2, "5.25 m"},
		{"en-US", "hours_minutes", 0.25, 2, "0.25 m"},
		{"en-US", "duration", 90061, 0, "1 d 1 h"},
		{"en-US", "duration", 90061.5, 1, "90,062 s"},
		{"en-US", "duration", 90061.5, 2, "90,061.5 s"},
		{"en-US", "bytes", 1_000_001, 0, "1 MB"},
		{"en-US", "bytes", 1_000_001, 6, "1.000001 MB"},
	} {
		f := Formatter{Locale: locale.For(tc.language)}
		if got := strings.ReplaceAll(f.Decimals(tc.format, tc.v, tc.decimals), NBSP, " "); got != tc.want {
			t.Errorf("%v as %s with %d decimals: %s, want %s", tc.v, tc.format, tc.decimals, got, tc.want)
		}
	}
}
