package page

import (
	"context"

	"service/store/dashboard/export"
)

// CSV returns what panel number i (from 0) shows under the view's filters, as [export.CSV] has it.
func CSV(v View, i int) ([]byte, error) {
	if v.Spec == nil {
		return nil, export.ErrNoPanel
	}
	return export.CSV(open(v).Env, i)
}

// CSVs returns the CSVs of all panels that have numbers: see [export.CSVs].
func CSVs(ctx context.Context, v View, most int) (files []export.File, left int, err error) {
	return export.CSVs(ctx, open(v).Env, most)
}

// XLSX returns what [CSV] does as a workbook with one sheet: see [export.XLSX].
func XLSX(v View, i int) ([]byte, error) {
	if v.Spec == nil {
		return nil, export.ErrNoPanel
	}
	return export.XLSX(open(v).Env, i, v.Header.Workspace)
}

// Workbook is [XLSX] of all panels that have numbers, a sheet for each: see [export.Workbook].
func Workbook(ctx context.Context, v View) ([]byte, error) {
	if v.Spec == nil {
		return nil, export.ErrNoPanel
	}
	p := open(v)
	return export.Workbook(ctx, p.Env, p.heading(), v.Header.Workspace)
}
