package page

import (
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestContents: a page with three sections or more lists them, unless its spec sets that.
func TestContents(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		sections int
		contents *bool
		want     int
	}{
		{sections: 2},
		{sections: 3, want: 3},
		{sections: 4, contents: new(false)},
		{sections: 1, contents: new(true), want: 1},
		{contents: new(true)},
	} {
		var panels []dashboard.Panel
		for i := range tc.sections {
			panels = append(panels, dashboard.Panel{Type: dashboard.Section, Title: strings.Repeat("s", i+1)})
		}
		v := tiny(append(panels, dashboard.Panel{Type: dashboard.KPI, Value: "n"}), []string{"n integer sum"}, []any{int64(1)})
		v.Spec.Contents = tc.contents
		page := string(render(t, v))
		_, list, _ := strings.Cut(page, `<nav class="toc"`)
		list, _, _ = strings.Cut(list, "</nav>")
		if got := strings.Count(list, "<a "); got != tc.want {
			t.Errorf("%d sections, contents %v: %d are listed, want %d", tc.sections, tc.contents, got, tc.want)
		}
	}
}
