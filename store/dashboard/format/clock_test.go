package format

import (
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
	if got := f.Decimals("minutes_seconds", 273.25, 2); got != "4:33" {
		t.Errorf("with decimals: %s", got)
	}
}
