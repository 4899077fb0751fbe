package duckdb

import (
	"context"
	"fmt"
	"io"

	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// MaxFile is the largest data file, in bytes.
const MaxFile = 5 << 20

// Ingest reads an uploaded file in its own worker, and returns its typed rows as Parquet. The extension of the name (.csv .tsv .json
// .ndjson .parquet .xlsx) determines the format, which is checked against the content. The error for a file that cannot be read is a
// [*warehouse.Error] that names the fault and its place.
func (e *Engine) Ingest(ctx context.Context, tenant warehouse.Tenant, f warehouse.DataFile) (*warehouse.Ingested, error) {
	if len(f.Data) > MaxFile {
		return nil, warehouse.Errorf(warehouse.TooLarge, "the file is larger than %d bytes", MaxFile)
	}
	ctx, cancel := context.WithTimeout(ctx, e.cfg.IngestTime)
	defer cancel()
	w, err := e.acquire(ctx, tenant.Account, set{workspace: tenant.Workspace}, true)
	if err != nil {
		return nil, waited(ctx, err)
	}
	// A hostile file may have taken over the process, so it is not used again.
	defer e.release(w)
	defer w.kill(nil)
	w.reads = true
	upload, err := e.handOver(f.Data)
	if err != nil {
		return nil, err
	}
	defer upload.Close()
	parquet, err := e.scratch()
	if err != nil {
		return nil, err
	}
	defer parquet.Close()
	spare, err := e.scratch()
	if err != nil {
		return nil, err
	}
	defer spare.Close()
	if err := w.start(ctx, upload, parquet, spare); err != nil {
		return nil, err
	}
	var r ingested
	result, err := w.ask(ctx, wire.Call{
		Op: wire.Ingest, Path: descriptor(0), Output: descriptor(1), Spare: descriptor(2), Filename: f.Name, Dates: f.Dates,
		MemoryMB: plannable(e.cfg.MemoryMB), Threads: e.cfg.Threads, Sealed: e.cfg.Sealed,
	}, r.take)
	if err != nil {
		return nil, err
	}
	// The worker could still change the file, so it is read only once.
	rows, err := io.ReadAll(io.NewSectionReader(parquet, 0, wire.MaxParquet+1))
	if err != nil {
		return nil, fmt.Errorf("duckdb: read a worker's file: %w", err)
	}
	if len(rows) > wire.MaxParquet {
		return nil, warehouse.Errorf(warehouse.TooLarge,
			"the rows of the file take more than %d bytes; split it, or leave out columns", wire.MaxParquet)
	}
	if len(result.Sheets) > 0 {
		return r.workbook(result.Sheets, rows)
	}
	if len(r.tables) != 1 || len(rows) == 0 {
		return nil, unreadable()
	}
	out := r.tables[0]
	out.Parquet, out.Rows, out.Report = rows, result.Rows, result.Report
	return &warehouse.Ingested{Rowset: out}, nil
}

func unreadable() error { return warehouse.Errorf(warehouse.Failed, "the file could not be read") }

// ingested collects the columns and the first rows of the tables of an answer.
type ingested struct {
	tables []warehouse.Rowset
}

func (r *ingested) take(kind wire.Kind, payload []byte) (err error) {
	switch {
	case kind == wire.Columns && len(r.tables) < wire.MaxSheets:
		cols, err := wire.DecodeColumns(payload)
		if err == nil && cols == nil {
			err = wire.ErrGarbage
		}
		r.tables = append(r.tables, warehouse.Rowset{Columns: cols})
		return err
	case kind == wire.Rows && len(r.tables) > 0:
		t := &r.tables[len(r.tables)-1]
		for len(payload) > 0 {
			var row []any
			if row, payload, err = wire.DecodeRow(payload, t.Columns); err != nil {
				return err
			}
			if t.Preview = append(t.Preview, row); len(t.Preview) > warehouse.PreviewRows {
				return wire.ErrGarbage
			}
		}
		return nil
	}
	return wire.ErrGarbage
}

// workbook puts the tables of a workbook together. rows is the Parquet of the sheets that were read, one after the other.
func (r *ingested) workbook(sheets []wire.Sheet, rows []byte) (*warehouse.Ingested, error) {
	out := &warehouse.Ingested{}
	next := 0 // of the tables
	for _, s := range sheets {
		sheet := warehouse.Sheet{Name: s.Name, State: s.State, Reason: s.Reason}
		if s.State == warehouse.SheetRead {
			if next == len(r.tables) || s.Size > int64(len(rows)) {
				return nil, unreadable()
			}
			sheet.Rowset = r.tables[next]
			sheet.Parquet, sheet.Rows, sheet.Report = rows[:s.Size:s.Size], s.Rows, s.Report
			if rows = rows[s.Size:]; next == 0 {
				out.Rowset = sheet.Rowset
			}
			next++
		}
		out.Sheets = append(out.Sheets, sheet)
	}
	if next == 0 || next != len(r.tables) || len(rows) > 0 {
		return nil, unreadable()
	}
	return out, nil
}
