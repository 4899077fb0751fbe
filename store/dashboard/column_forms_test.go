package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"service/store/dashboard/cube"
)

// Formats of other tools are refused with the members to write, which the column accepts.
func TestForeignFormats(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"$0,0": `"format": "currency"`, "$0,0.00": `"format": "currency2"`, "€#,##0": `"format": "currency"`, "$,.2f": `"format": "currency2"`,
		"$0.0a": `"format": "currency_compact"`, "0.0%": `"format": "percent1"`, ".1%": `"format": "percent1"`, "0%": `"format": "percent"`,
		"0.000%": `"format": "percent", "decimals": 3`, "0,0": `"format": "integer"`, "#,##0": `"format": "integer"`, ",": `"format": "integer"`,
		",d": `"format": "integer"`, "0.00": `"format": "number2"`, ",.1f": `"format": "number1"`,
		"#,##0.000": `"format": "number", "decimals": 3`,
		"0a":        `"format": "compact"`, ".2s": `"format": "compact"`, "~s": `"format": "compact"`, "thousands": `"format": "compact"`,
		"k": `"format": "compact"`, "Millions": `"format": "compact"`,
		"YYYY-MM-DD": `"format": "date"`, "%Y-%m-%d": `"format": "date"`, "%b %Y": `"format": "month"`, "MMM YYYY": `"format": "month"`,
		"yyyy": `"format": "year"`, "HH:mm": `"format": "time"`, "%Y-%m-%d %H:%M": `"format": "minute"`,
	} {
		column := "n"
		if strings.ContainsAny(text, "YyHb") && !strings.Contains(text, "k") {
			column = "day"
		}
		refused := func(member string) string {
			s, err := Parse(fmt.Appendf(nil, `{"datasets": [{"id": "d", "sql": "SELECT day, sum(n) AS n FROM t GROUP BY 1", `+
				`"columns": {"%s": {%s}}}]}`, column, member))
			if err == nil {
				_, err = s.Check(map[string][]cube.Column{"d": {{Name: "day", Type: cube.Timestamp}, {Name: "n", Type: cube.Number}}})
			}
			if err == nil {
				return ""
			}
			return err.Error()
		}
		if got := refused(fmt.Sprintf(`"format": %q`, text)); !strings.Contains(got, "write "+want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if got := refused(want); got != "" {
			t.Errorf("%s: what replaces it is refused: %s", text, got)
		}
	}
	for _, text := range []string{"nonsense", "d", "percent of", "12", "monthly"} {
		if got := foreignFormat(text); got != "" {
			t.Errorf("%s: %s", text, got)
		}
	}
}
