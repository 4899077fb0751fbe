package view

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"service/store"
	"service/store/dashboard"
)

// ofReport is the view of a report.
func ofReport(t testing.TB, report string) View {
	t.Helper()
	text, err := read([]byte(report), store.KindBody, dashboard.DefaultFile, dashboard.TypeReport)
	if err != nil {
		t.Fatal(err)
	}
	v := View{Filename: dashboard.DefaultFile, kind: text.kind}
	v.Spec, v.Cubes = text.spec, text.cubes
	return v
}

// Files are made as far as there is room for them: a file that does not fit is dropped before it is complete, later ones may use the
// remaining bytes, and the bytes written do not grow with the files that are dropped.
func TestFilesHaveRoom(t *testing.T) { // not parallel: the allocations of the whole process are measured
	const large = 400_000 // bytes of a CSV, about
	report := func(tables int) View {
		rows := strings.Repeat(`,["`+strings.Repeat("x", 398)+`",1]`, large/401)
		return ofReport(t, `{"version": 1, "datasets": [
			{"id": "large", "columns": ["name", "n"], "rows": [["x",1]`+rows+`]}, {"id": "small", "columns": ["n"], "rows": [[1],[2]]}],
			"panels": [`+strings.Repeat(`{"type": "table", "data": "large"},`, tables)+`{"type": "text", "markdown": "x"},
			{"type": "table", "data": "small"}]}`)
	}
	v := report(5)
	names := func(files []File) string {
		var out []string
		for _, f := range files {
			out = append(out, f.Name)
		}
		return fmt.Sprint(out)
	}
	for most, want := range map[int]string{
		10 * large:  "[sales-0.csv sales-1.csv sales-2.csv sales-3.csv sales-4.csv sales-6.csv] 0",
		2.5 * large: "[sales-0.csv sales-1.csv sales-6.csv] 3",
		large / 2:   "[sales-6.csv] 5",
		6:           "[sales-6.csv] 5",
		5:           "[] 6",
	} {
		files, left, err := v.Files(t.Context(), "csv", "sales", most)
		if got := fmt.Sprint(names(files), " ", left); err != nil || got != want {
			t.Errorf("room for %d bytes: %s (%v), want %s", most, got, err, want)
		}
		size := 0
		for _, f := range files {
			if size += len(f.Body); f.ContentType != "text/csv; charset=utf-8" {
				t.Errorf("%s is %s", f.Name, f.ContentType)
			}
		}
		if size > most {
			t.Errorf("%d bytes, with room for %d", size, most)
		}
	}
	for most, want := range map[int]string{10 * large: "[sales.xlsx] 0", 10: "[] 1"} {
		files, left, err := v.Files(t.Context(), "xlsx", "sales", most)
		if got := fmt.Sprint(names(files), " ", left); err != nil || got != want {
			t.Errorf("room for %d bytes of a workbook: %s (%v), want %s", most, got, err, want)
		}
	}
	allocated := func(v View) int {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, _, err := v.Files(t.Context(), "csv", "sales", large*11/10); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	few, many := allocated(report(10)), allocated(report(50))
	t.Logf("%d bytes allocated for 10 tables, %d for 50", few, many)
	if many-few > 40*2*large { // to write each whole allocates more than three times its size
		t.Errorf("%d bytes allocated for 10 tables, %d for 50: those that are left are made whole", few, many)
	}
}

// A workbook that is refused has no room in any mail.
func TestWorkbookThatIsRefusedIsLeft(t *testing.T) {
	t.Parallel()
	v := ofReport(t, `{"version": 1, "datasets": [{"id": "q", "columns": ["a", "b", "c", "d"], "rows": [[1,2,3,4]`+
		strings.Repeat(",[1,2,3,4]", 125_000)+`]}]}`)
	if files, left, err := v.Files(t.Context(), "xlsx", "sales", 1<<30); err != nil || len(files) != 0 || left != 1 {
		t.Errorf("%d files, %d left (%v), want the one left", len(files), left, err)
	}
}

// Nothing is drawn for a request that has ended: neither a page nor the files of a mail.
func TestNothingIsDrawnForNobody(t *testing.T) {
	t.Parallel()
	v := ofReport(t, `{"version": 1, "datasets": [{"id": "q", "columns": ["a"], "rows": [[1]]}]}`)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, err := v.draw(ctx, store.Dashboard{Slug: "q"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a page: %v", err)
	}
	for _, format := range []string{"csv", "xlsx"} {
		if files, left, err := v.Files(ctx, format, "q", 1<<20); len(files) != 0 || left != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%d files, %d left: %v", len(files), left, err)
		}
	}
}
