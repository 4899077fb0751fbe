package dashboard_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
)

// A warning that is true of several places is one warning, which names them.
func TestWarningsAreJoined(t *testing.T) {
	t.Parallel()
	got := dashboard.JoinWarnings([]dashboard.Warning{
		{Code: "rows_not_counted", Path: "datasets[0].sql", Message: "it was slow."},
		{Code: "cut", Path: "panels[0]", Message: "it was slow."},
		{Code: "rows_not_counted", Path: "datasets[1].sql", Message: "it was slow."},
		{Code: "rows_not_counted", Path: "datasets[1].sql", Message: "it was fast."},
		{Code: "rows_not_counted", Path: "datasets[2].sql", Message: "it was slow."},
		{Code: "cost", Message: "much."},
		{Code: "cost", Message: "much."},
	})
	want := []dashboard.Warning{
		{Code: "rows_not_counted", Path: "datasets[0].sql, datasets[1].sql, datasets[2].sql", Message: "it was slow."},
		{Code: "cut", Path: "panels[0]", Message: "it was slow."},
		{Code: "rows_not_counted", Path: "datasets[1].sql", Message: "it was fast."},
		{Code: "cost", Message: "much."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("joined (-want +got):\n%s", diff)
	}
	if got := dashboard.JoinWarnings(nil); got != nil {
		t.Errorf("no warnings: %v", got)
	}
}
