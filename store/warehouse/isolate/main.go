package isolate

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// Command is the first argument of a process that does one call.
const Command = "warehouse-worker"

// warning is a call of [warehouse.Warner.Warning].
const warning wire.Op = "warning"

// A call is the request to a process.
type call struct {
	wire.Call
	Kind     string           `json:"kind"`
	Target   warehouse.Target `json:"target"`
	Private  bool             `json:"private"`  // private addresses too
	Time     time.Duration    `json:"time"`     // of the call; of a query its limit
	Deadline time.Time        `json:"deadline"` // by the clock: the start of the process is part of the call's time
}

// An answer is the last frame that a process sends.
type answer struct {
	Error     *wire.Error `json:"error,omitempty"`
	Fault     string      `json:"fault,omitempty"` // an error that is not for users
	Truncated bool        `json:"truncated,omitempty"`
	Warning   string      `json:"warning,omitempty"`
}

const (
	maxFault  = 1000      // bytes
	maxMemory = 1 << 30   // bytes of a process. A catalog or the rows that wait to be sent take far less
	soft      = 512 << 20 // bytes at which its garbage is collected at any cost
	frameSize = 64 << 10  // bytes of rows that are collected before they are sent
	perFrame  = 256       // columns of a table
)

// Dispatch lets a test binary do calls: if its first argument is [Command] it runs [Main] and exits. Call it first in TestMain.
func Dispatch(kinds map[string]Open) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		os.Exit(Main(os.Stdin, os.Stdout, kinds))
	}
}

// Main does the call that it reads from stdin, answers on stdout, and returns the exit status of the process: 0, or 1 if the caller breaks
// the protocol. The end of stdin ends the call, and soon after it the process. Before it reads anything, it limits the process's resources
// and drops the rights that a call does not need.
func Main(stdin io.Reader, stdout io.Writer, kinds map[string]Open) int {
	debug.SetMemoryLimit(soft)
	bound()
	seal()
	signal.Ignore(syscall.SIGPIPE) // of a caller that has left: the query must still be cancelled on the server
	kind, payload, err := wire.Read(stdin, wire.MaxFrame)
	var c call
	if err != nil || kind != wire.Request || json.Unmarshal(payload, &c) != nil || kinds[c.Kind] == nil {
		return 1
	}
	ctx, cancel := context.WithDeadline(context.Background(), c.Deadline)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		cancel()
		time.Sleep(leaveTime)
		os.Exit(1)
	}()
	connector, err := kinds[c.Kind](c.Target, warehouse.Dialer{AllowPrivate: c.Private})
	if err == nil && c.Zone != "" {
		var zone *time.Location
		if zone, err = time.LoadLocation(c.Zone); err != nil {
			err = warehouse.SayZone(c.Zone)
		} else {
			connector = connector.In(zone)
		}
	}
	var a answer
	if err == nil {
		a, err = c.do(ctx, connector, stdout)
	}
	if _, known := errors.AsType[*warehouse.Error](err); known {
		a.Error = wire.FromError(err)
	} else if err != nil {
		a.Fault = err.Error()
	}
	err = wire.WriteJSON(stdout, wire.End, a)
	if l, ok := connector.(leaver); ok {
		l.Leave()
	}
	if err != nil {
		return 1
	}
	return 0
}

// A leaver is a connector that ends queries on the server after their call has returned.
type leaver interface {
	Leave() // waits for the end of the query
}

// do does the call, and sends all frames of the answer but the last.
func (c call) do(ctx context.Context, connector warehouse.Connector, out io.Writer) (a answer, err error) {
	args := make([]any, len(c.Args))
	for i, arg := range c.Args {
		args[i] = arg.Value
	}
	switch c.Op {
	case wire.Ping:
		return a, connector.Ping(ctx)
	case warning:
		if w, ok := connector.(warehouse.Warner); ok {
			a.Warning = w.Warning(ctx)
		}
		return a, nil
	case wire.Introspect:
		tables, err := connector.Introspect(ctx, *c.Find)
		for _, t := range tables {
			for columns := range slices.Chunk(t.Columns, perFrame) {
				t.Columns = columns
				if err := send(out, wire.Tables, t); err != nil {
					return a, err
				}
			}
		}
		return a, err
	case wire.Describe:
		cols, err := connector.Describe(ctx, c.SQL, args)
		if err != nil {
			return a, err
		}
		return a, (&sender{out: out}).Columns(cols)
	case wire.Query:
		s := &sender{out: out}
		stats, err := connector.Query(ctx, c.SQL, args, warehouse.Limits{Rows: c.Rows, Bytes: c.Bytes, Time: c.Time}, s)
		a.Truncated = stats.Truncated
		return a, errors.Join(err, s.flush())
	}
	return a, errors.New("apart: there is no such call")
}

// send sends v as JSON, if it fits into a frame.
func send(out io.Writer, kind wire.Kind, v any) error {
	payload, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(payload) > wire.MaxFrame {
		return warehouse.Errorf(warehouse.TooLarge, warehouse.SayTooLarge)
	}
	return wire.Write(out, kind, payload)
}

// A sender is a sink that sends its columns and rows.
type sender struct {
	out   io.Writer
	cols  []cube.Column
	frame []byte // rows that are not sent yet
}

// Columns sends the columns.
func (s *sender) Columns(cols []cube.Column) error {
	if s.cols = cols; len(cols) > warehouse.MaxColumns {
		return warehouse.Errorf(warehouse.TooLarge, warehouse.SayTooLarge)
	}
	return send(s.out, wire.Columns, cols)
}

// Row sends a row, or keeps it for the next frame.
func (s *sender) Row(row []any) error {
	for i, v := range row {
		row[i] = sendable(s.cols[i].Type, v)
	}
	if s.frame = wire.AppendRow(s.frame, s.cols, row); len(s.frame) < frameSize {
		return nil
	}
	return s.flush()
}

func (s *sender) flush() error {
	if len(s.frame) == 0 {
		return nil
	}
	err := wire.Write(s.out, wire.Rows, s.frame)
	s.frame = s.frame[:0]
	return err
}

// sendable returns v in a form that [wire.AppendRow] accepts and that means the same to a [cube.Builder].
func sendable(t cube.Type, v any) any {
	if cube.IsLost(t, v) {
		return cube.Lost
	}
	switch v := v.(type) {
	case string:
		return strings.ToValidUTF8(v, "\uFFFD")
	case int64:
		if n, err := cube.Parse(t, strconv.FormatInt(v, 10)); t == cube.Number && err == nil {
			return n
		}
	}
	return v
}
