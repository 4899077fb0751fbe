package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"service/store/warehouse"
	"service/store/warehouse/duckdb/forkserver"
	"service/store/warehouse/duckdb/wire"
)

// Command is the first argument of a process that is a worker.
const Command = "query-worker"

// Dispatch lets a test binary be a worker or a starter: if its first argument is [Command] it runs [Main] and exits, if it is
// [forkserver.Command] it runs [forkserver.Main] and exits, and otherwise it returns false. Call it first in TestMain.
func Dispatch() bool {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case Command:
			os.Exit(Main(os.Stdin, os.Stdout))
		case forkserver.Command:
			os.Exit(forkserver.Main(os.Args[2:]))
		}
	}
	return false
}

// Main answers calls from stdin on stdout until stdin ends, and returns the exit status of the process: 0, or 1 if the caller breaks the
// protocol or the engine failed.
func Main(stdin io.Reader, stdout io.Writer) int {
	w := &worker{missing: seal(), ctx: context.Background(), out: bufio.NewWriterSize(stdout, 64<<10)}
	defer w.close()
	in := bufio.NewReader(stdin)
	for {
		kind, payload, err := wire.Read(in, wire.MaxFrame)
		if errors.Is(err, io.EOF) {
			return 0
		}
		var call wire.Call
		if err != nil || kind != wire.Request || json.Unmarshal(payload, &call) != nil {
			return 1
		}
		result, err := w.answer(call)
		if err != nil {
			result.Error = wire.FromError(err)
		}
		if wire.WriteJSON(w.out, wire.End, result) != nil || w.out.Flush() != nil || w.broken {
			return 1
		}
	}
}

type worker struct {
	missing []string        // layers of the seal that this machine does not have
	ctx     context.Context // of the whole process: a call is only ended by killing it
	out     *bufio.Writer
	db      *database
	broken  bool // the engine reported a fault, so it gets no other query
}

func (w *worker) close() {
	if w.db != nil {
		w.db.close()
	}
}

func (w *worker) answer(call wire.Call) (wire.Result, error) {
	switch {
	case call.Op == wire.Probe:
		return wire.Result{Missing: w.missing}, nil
	case call.Sealed && len(w.missing) > 0:
		return wire.Result{}, warehouse.Errorf(warehouse.Failed, "the query worker is not sealed")
	case call.Op == wire.Load && w.db == nil:
		return wire.Result{}, w.load(call)
	case call.Op == wire.Ingest && w.db == nil:
		return w.ingest(call)
	case w.db == nil:
		return wire.Result{}, warehouse.Errorf(warehouse.Failed, "the query worker is not ready")
	}
	result, err := w.db.answer(call, w.out)
	if e, ok := errors.AsType[*engineFault](err); ok {
		w.broken = true
		err = e.Err
	}
	return result, err
}

func (w *worker) load(call wire.Call) error {
	var files []string
	for _, t := range call.Tables {
		if t.Format != "linked" {
			files = append(files, t.Path)
		}
		files = append(files, t.Parts...)
	}
	db, err := openDatabase(w.ctx, call.MemoryMB, call.Threads, call.Zone, files...)
	if err != nil {
		return err
	}
	w.db = db
	for _, t := range call.Tables {
		if err := db.load(t); err != nil {
			return err
		}
	}
	if err := db.lock(); err != nil {
		return err
	}
	if len(db.linked) > 0 { // their files are read by each query
		return sealWrites()
	}
	return sealFiles(len(files))
}

func (db *database) answer(call wire.Call, out io.Writer) (wire.Result, error) {
	switch call.Op {
	case wire.Ping:
		return wire.Result{}, db.exec("SELECT 1")
	case wire.Introspect:
		if call.Find == nil {
			call.Find = &warehouse.Introspection{}
		}
		return wire.Result{Tables: db.introspect(*call.Find)}, nil
	case wire.Describe:
		q, err := db.prepare(call.SQL, call.Args)
		if err != nil {
			return wire.Result{}, err
		}
		return wire.Result{}, wire.WriteJSON(out, wire.Columns, q.columns)
	case wire.Plan:
		q, err := db.prepare(call.SQL, call.Args)
		if err != nil {
			return wire.Result{}, err
		}
		return q.plan(call.Rows, call.Whole)
	case wire.Query:
		q, err := db.prepare(call.SQL, call.Args)
		if err == nil {
			err = q.checkPages(call.Rows, call.Whole)
		}
		if err != nil {
			return wire.Result{}, err
		}
		return q.run(call.Rows, call.Bytes, out)
	}
	return wire.Result{}, warehouse.Errorf(warehouse.Failed, "the query worker does not know this request")
}
