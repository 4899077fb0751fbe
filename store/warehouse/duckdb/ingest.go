package duckdb

import (
	"context"
	"fmt"
	"io"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// MaxFile is the largest data file, in bytes.
const MaxFile = 5 << 20

// maxParquet is the largest Parquet file made of a data file, in bytes.
const maxParquet = 32 << 20

// Ingest reads an uploaded file in its own worker, and returns its typed rows as Parquet. The extension of the name (.csv .tsv .json
// .ndjson .parquet .xlsx) determines the format, which is checked against the content. The error for a file that cannot be read is a
// [*warehouse.Error] that names the fault and its place.
func (e *Engine) Ingest(ctx context.Context, tenant warehouse.Tenant, filename string, data []byte) (*warehouse.Ingested, error) {
	if len(data) > MaxFile {
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
	upload, err := e.handOver(data)
	if err != nil {
		return nil, err
	}
	defer upload.Close()
	parquet, err := e.scratch()
	if err != nil {
		return nil, err
	}
	defer parquet.Close()
	if err := w.start(ctx, upload, parquet); err != nil {
		return nil, err
	}
	var r ingested
	result, err := w.ask(ctx, wire.Call{
		Op: wire.Ingest, Path: descriptor(0), Output: descriptor(1), Filename: filename,
		MemoryMB: plannable(e.cfg.MemoryMB), Threads: e.cfg.Threads, Sealed: e.cfg.Sealed,
	}, r.take)
	if err != nil {
		return nil, err
	}
	// The worker could still change the file, so it is read only once.
	rows, err := io.ReadAll(io.NewSectionReader(parquet, 0, maxParquet+1))
	if err != nil {
		return nil, fmt.Errorf("duckdb: read a worker's file: %w", err)
	}
	if len(rows) > maxParquet {
		return nil, warehouse.Errorf(warehouse.TooLarge,
			"the rows of the file take more than %d bytes; split it, or leave out columns", maxParquet)
	}
	if r.cols == nil || len(rows) == 0 {
		return nil, warehouse.Errorf(warehouse.Failed, "the file could not be read")
	}
	return &warehouse.Ingested{
		Parquet: rows, Columns: r.cols, Rows: result.Rows, Preview: r.preview, Report: result.Report,
	}, nil
}

// ingested collects the answer.
type ingested struct {
	cols    []cube.Column
	preview [][]any
}

func (r *ingested) take(kind wire.Kind, payload []byte) (err error) {
	switch {
	case kind == wire.Columns && r.cols == nil:
		r.cols, err = wire.DecodeColumns(payload)
		return err
	case kind == wire.Rows && r.cols != nil:
		for len(payload) > 0 {
			var row []any
			if row, payload, err = wire.DecodeRow(payload, r.cols); err != nil {
				return err
			}
			if r.preview = append(r.preview, row); len(r.preview) > warehouse.PreviewRows {
				return wire.ErrGarbage
			}
		}
		return nil
	}
	return wire.ErrGarbage
}
