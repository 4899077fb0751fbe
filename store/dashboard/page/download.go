package page

import (
	"context"

	"service/store/dashboard/export"
)

// CSV returns the rows that panel number i (from 0) shows under the view's filters: see [export.CSV].
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

// XLSX returns the rows of [CSV] as a workbook with one sheet: see [export.XLSX].
func XLSX(v View, i int) ([]byte, error) {
	if v.Spec == nil {
		return nil, export.ErrNoPanel
	}
	return export.XLSX(open(v).Env, i, v.Header.Workspace)
}

// Workbook returns a workbook with a sheet for each panel that has numbers: see [export.Workbook].
func Workbook(ctx context.Context, v View) ([]byte, error) {
	if v.Spec == nil {
		return nil, export.ErrNoPanel
	}
	p := open(v)
	return export.Workbook(ctx, p.Env, p.heading(), v.Header.Workspace)
}
