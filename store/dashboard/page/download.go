package page

import "context"

// CSV returns what panel number i (from 0) shows under the view's filters, as [panelCSV] has it.
func CSV(v View, i int) ([]byte, error) {
	if v.Spec == nil {
		return nil, ErrNoPanel
	}
	return panelCSV(open(v).env, i)
}

// CSVs returns the CSVs of all panels that have numbers: see [panelCSVs].
func CSVs(ctx context.Context, v View, most int) (files []PanelCSV, left int, err error) {
	return panelCSVs(ctx, open(v).env, most)
}

// XLSX returns what [CSV] does as a workbook with one sheet: see [panelXLSX].
func XLSX(v View, i int) ([]byte, error) {
	if v.Spec == nil {
		return nil, ErrNoPanel
	}
	return panelXLSX(open(v).env, i, v.Header.Workspace)
}

// Workbook is [XLSX] of all panels that have numbers, a sheet for each: see [panelsXLSX].
func Workbook(ctx context.Context, v View) ([]byte, error) {
	if v.Spec == nil {
		return nil, ErrNoPanel
	}
	p := open(v)
	return panelsXLSX(ctx, p.env, p.heading(), v.Header.Workspace)
}
