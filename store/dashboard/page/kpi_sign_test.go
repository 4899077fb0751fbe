package page

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestUnchangedNumberHasPlainSign: the sign of an unchanged number is in every font; the wide one of CJK fonts is a box elsewhere.
func TestUnchangedNumberHasPlainSign(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n", Compare: []string{"m"}}}, []string{"n integer sum", "m integer sum"},
		[]any{int64(5), int64(5)})
	if doc := string(render(t, v)); strings.Contains(doc, "＝") || !strings.Contains(doc, `<span aria-hidden="true">=</span>`) {
		t.Error("an unchanged number has no plain sign")
	}
}
