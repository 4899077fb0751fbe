package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"service/store/dashboard"
)

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestShapesOfTimes: times of a column have one shape in a CSV and a workbook, independent of the filtered rows, and an instant has its
// offset.
func TestShapesOfTimes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		zone, kind string
		grain      string // of a line; "" for a table
		times      []string
		csv        []string
		cells      []string // raw; of instants the cell in UTC, and the text next to it
	}{
		"the hour that comes twice": {
			"Europe/Berlin", "instant", "",
			[]string{"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-24T22:00:00Z"},
			[]string{"2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "2026-10-25T00:00:00+02:00"},
			[]string{
				"46320.020833333336", "2026-10-25T02:30:00+02:00", "46320.0625", "2026-10-25T02:30:00+01:00", "46319.916666666664",
				"2026-10-25T00:00:00+02:00",
			},
		},
		"hours": {
			"Europe/Berlin", "instant", "hour",
			[]string{"2026-10-24T22:10:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"},
			[]string{"2026-10-25T00:00:00+02:00", "2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"},
			[]string{
				"46319.916666666664", "2026-10-25T00:00:00+02:00", "46320", "2026-10-25T02:00:00+02:00", "46320.041666666664",
				"2026-10-25T02:00:00+01:00",
			},
		},
		"days of a zone without midnight": {
			"America/Santiago", "instant", "",
			[]string{"2026-09-05T04:00:00Z", "2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z"},
			[]string{"2026-09-05", "2026-09-06", "2026-09-07"},
			[]string{"46270", "46271", "46272"},
		},
		"months of instants": {
			"America/Santiago", "instant", "month",
			[]string{"2026-09-05T04:00:00Z", "2026-10-06T04:11:00Z"},
			[]string{"2026-09-01", "2026-10-01"},
			[]string{"46266", "46296"},
		},
		"UTC": {
			"UTC", "instant", "",
			[]string{"2026-10-25T00:00:00Z", "2026-10-25T01:30:00Z"},
			[]string{"2026-10-25T00:00:00Z", "2026-10-25T01:30:00Z"},
			[]string{"46320", "46320.0625"},
		},
		"by the sun": { // 53 minutes and 28 seconds
			"Europe/Berlin", "instant", "",
			[]string{"1800-01-01T00:00:00Z", "2026-10-25T01:30:00Z"},
			[]string{"1800-01-01T00:00:00Z", "2026-10-25T02:30:00+01:00"},
			[]string{"1800-01-01T00:00:00Z", "1800-01-01T00:00:00Z", "46320.0625", "2026-10-25T02:30:00+01:00"},
		},
		"fractions": {
			"UTC", "instant", "",
			[]string{"2026-10-25T00:00:00Z", "2026-10-25T00:00:00.5Z"},
			[]string{"2026-10-25T00:00:00.000Z", "2026-10-25T00:00:00.500Z"},
			[]string{"46320", "46320.000005787035"},
		},
		"microseconds": {
			"UTC", "timestamp", "",
			[]string{"2026-10-25T00:00:00Z", "2026-10-25T00:00:00.000001Z"},
			[]string{"2026-10-25T00:00:00.000000", "2026-10-25T00:00:00.000001"},
			[]string{"46320", "46320.000000000015"},
		},
		"clocks on a wall": {
			"Europe/Berlin", "timestamp", "",
			[]string{"2026-10-25T00:00:00Z", "2026-10-25T02:30:00Z"},
			[]string{"2026-10-25T00:00:00", "2026-10-25T02:30:00"},
			[]string{"46320", "46320.104166666664"},
		},
		"midnights on a wall": {
			"Europe/Berlin", "timestamp", "",
			[]string{"2026-10-25T00:00:00Z", "2026-10-26T00:00:00Z"},
			[]string{"2026-10-25", "2026-10-26"},
			[]string{"46320", "46321"},
		},
		"all years": {
			"Europe/Berlin", "date", "",
			[]string{"0001-01-01T00:00:00Z", "1900-02-28T00:00:00Z", "1900-03-01T00:00:00Z", "9999-12-31T00:00:00Z"},
			[]string{"0001-01-01", "1900-02-28", "1900-03-01", "9999-12-31"},
			[]string{"0001-01-01", "1900-02-28", "61", "2958465"},
		},
	} {
		var rows [][]any
		for i, s := range tc.times {
			rows = append(rows, []any{instant(t, s), float64(i)})
		}
		panel := dashboard.Panel{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "at"}, {Column: "n"}}}
		if tc.grain != "" {
			panel = dashboard.Panel{Type: dashboard.Line, X: "at", Y: []string{"n"}, Grain: tc.grain}
		}
		v := tiny([]dashboard.Panel{panel}, []string{"at " + tc.kind, "n number sum"}, rows...)
		v.Spec.Timezone = tc.zone
		var got []string
		for _, record := range csvOf(t, v, 0)[1:] {
			got = append(got, record[0])
		}
		if diff := cmp.Diff(tc.csv, got); diff != "" {
			t.Errorf("%s, CSV (-want +got):\n%s", name, diff)
		}
		f, sheet := workbookOf(t, v, 0)
		var cells []string
		raw, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range raw[1:] {
			for _, cell := range row[:len(row)-1] {
				cells = append(cells, tenth(cell))
			}
		}
		for i, cell := range tc.cells {
			tc.cells[i] = tenth(cell)
		}
		if diff := cmp.Diff(tc.cells, cells); diff != "" {
			t.Errorf("%s, XLSX (-want +got):\n%s", name, diff)
		}
		if twofold := len(tc.cells) > len(tc.times); twofold && !slices.Equal(raw[0], []string{"At (UTC)", "At (" + tc.zone + ")", "N"}) ||
			!twofold && !slices.Equal(raw[0], []string{"At", "N"}) {
			t.Errorf("%s: heads %q", name, raw[0])
		}
		formats := map[string]bool{}
		for row := range tc.times {
			cell, err := f.GetCellValue(sheet, fmt.Sprint("A", row+2))
			if err != nil {
				t.Fatal(err)
			}
			if instant(t, tc.times[row]).Year() > 1900 {
				formats[strings.Map(func(r rune) rune {
					if r >= '0' && r <= '9' {
						return '0'
					}
					return r
				}, cell)] = true
			}
		}
		if len(formats) != 1 && tc.grain != "month" {
			t.Errorf("%s: the cells have several shapes: %v", name, formats)
		}
	}
}

// tenth returns a number in a cell to the nine decimals of a day that every version of the reader returns: a tenth of a millisecond.
func tenth(cell string) string {
	if days, err := strconv.ParseFloat(cell, 64); err == nil {
		return strconv.FormatFloat(days, 'f', 9, 64)
	}
	return cell
}
