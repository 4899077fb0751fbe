package impact

import (
	"slices"
	"strings"

	"service/store"
	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// compareColumns lists the columns that differ, and counts the others.
func compareColumns(before, after []cube.Column) (changed []Column, same int) {
	types := func(columns []cube.Column) map[string]cube.Type {
		out := map[string]cube.Type{}
		for _, c := range columns {
			out[c.Name] = c.Type
		}
		return out
	}
	old, now := types(before), types(after)
	for _, c := range before {
		if now[c.Name] == c.Type {
			same++
			continue
		}
		changed = append(changed, Column{c.Name, c.Type, now[c.Name]})
	}
	for _, c := range after {
		if _, had := old[c.Name]; !had {
			changed = append(changed, Column{c.Name, "", c.Type})
		}
	}
	return changed, same
}

// columnsOf returns the columns of a sheet, and false if the workbook has no such sheet with rows.
func columnsOf(workbook []store.SheetDetail, name string) ([]cube.Column, bool) {
	s := sheetOf(workbook, name)
	if s == nil {
		return nil, false
	}
	return s.Columns, true
}

// sheetOf returns a sheet that was read, or nil.
func sheetOf(workbook []store.SheetDetail, name string) *store.SheetDetail {
	i := slices.IndexFunc(workbook, func(s store.SheetDetail) bool {
		return s.State == warehouse.SheetRead && strings.EqualFold(s.Name, name)
	})
	if i < 0 {
		return nil
	}
	return &workbook[i]
}

// compareSheets lists the sheets that differ: those of the current workbook, then new ones. The first sheet with rows of each is the table
// of the file; it is not listed if the other workbook's has the same name.
func compareSheets(before, after []store.SheetDetail) []Sheet {
	first := func(workbook []store.SheetDetail) string {
		for _, s := range workbook {
			if s.State == warehouse.SheetRead {
				return s.Name
			}
		}
		return ""
	}
	same := first(before) == first(after)
	var out []Sheet
	add := func(old, now *store.SheetDetail) {
		s := Sheet{}
		if old != nil {
			s.Name, s.Before = old.Name, &old.Rows
		}
		if now != nil {
			s.Name, s.After = now.Name, &now.Rows
		}
		if same && s.Name == first(after) {
			return
		}
		if old != nil && now != nil {
			if s.Columns, _ = compareColumns(old.Columns, now.Columns); len(s.Columns) == 0 && old.Rows == now.Rows {
				return
			}
		}
		out = append(out, s)
	}
	for i, s := range before {
		if s.State == warehouse.SheetRead {
			add(&before[i], sheetOf(after, s.Name))
		}
	}
	for i, s := range after {
		if s.State == warehouse.SheetRead && sheetOf(before, s.Name) == nil {
			add(nil, &after[i])
		}
	}
	return out
}

// maxValues is how many values of a column are compared for people.
const maxValues = 3

// compareDates lists the columns of dates whose order of day and month differs.
func compareDates(d store.UploadDetail, f store.UploadFileDetail) []Values {
	out := compareOrders("", store.SheetDetail{Columns: d.Columns, Preview: d.Preview, Report: d.Report},
		store.SheetDetail{Columns: f.Columns, Preview: f.Preview, Report: f.Report})
	first := true // the table of the file
	for _, s := range d.Workbook {
		if s.State != warehouse.SheetRead {
			continue
		}
		if now := sheetOf(f.Workbook, s.Name); now != nil && !first {
			out = append(out, compareOrders(s.Name, s, *now)...)
		}
		first = false
	}
	return out
}

// compareOrders lists the columns of two tables whose order of day and month differs.
func compareOrders(sheet string, before, after store.SheetDetail) []Values {
	var out []Values
	for _, date := range before.Report.Dates {
		i := slices.IndexFunc(after.Report.Dates, func(c warehouse.DateColumn) bool { return c.Column == date.Column })
		if i < 0 || after.Report.Dates[i].Order == date.Order {
			continue
		}
		v := Values{Sheet: sheet, Column: date.Column}
		old, now := valuesOf(before, date.Column), valuesOf(after, date.Column)
		for n := range min(len(old), len(now)) {
			if len(v.Before) < maxValues && old[n] != now[n] {
				v.Before, v.After = append(v.Before, old[n]), append(v.After, now[n])
			}
		}
		if len(v.Before) == 0 {
			v.Before, v.After = old[:min(len(old), maxValues)], now[:min(len(now), maxValues)]
		}
		out = append(out, v)
	}
	return out
}

// valuesOf returns the first values of a column, "" for NULL.
func valuesOf(t store.SheetDetail, column string) []string {
	at := slices.IndexFunc(t.Columns, func(c cube.Column) bool { return c.Name == column })
	var out []string
	for _, row := range t.Preview {
		text := ""
		if at >= 0 && at < len(row) && row[at] != nil {
			text = *row[at]
		}
		out = append(out, text)
	}
	return out
}
