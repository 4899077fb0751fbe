package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A Kind is the kind of a frame.
type Kind byte

// The kinds of frames.
const (
	Request Kind = 'Q' // server to worker: JSON of a [Call]
	Columns Kind = 'C' // JSON of []cube.Column, once, before rows
	Rows    Kind = 'R' // rows, see [AppendRow]
	Tables  Kind = 'T' // JSON of a [warehouse.Table], or of some of its columns; of package isolate
	End     Kind = 'E' // JSON of a [Result]; the answer is complete
)

// MaxFrame is the largest payload of a frame, in bytes. A row is never split,
// so it also bounds a row.
const MaxFrame = 8 << 20

// ErrGarbage means that the other side does not follow the protocol.
var ErrGarbage = errors.New("wire: not a frame")

// Write sends one frame.
func Write(w io.Writer, kind Kind, payload []byte) error {
	if len(payload) > MaxFrame {
		return fmt.Errorf("wire: a frame of %d bytes is over the limit", len(payload))
	}
	var header [5]byte
	header[0] = byte(kind)
	binary.BigEndian.PutUint32(header[1:], uint32(len(payload)))
	if _, err := w.Write(header[:]); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// WriteJSON sends v as the JSON payload of one frame.
func WriteJSON(w io.Writer, kind Kind, v any) error {
	payload, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return Write(w, kind, payload)
}

// Read reads one frame of at most limit bytes. The caller may keep the payload. It returns io.EOF if the other side ended between frames.
func Read(r io.Reader, limit int) (Kind, []byte, error) {
	var header [5]byte
	if _, err := io.ReadFull(r, header[:1]); err != nil {
		return 0, nil, err
	}
	if _, err := io.ReadFull(r, header[1:]); err != nil {
		return 0, nil, io.ErrUnexpectedEOF
	}
	kind, size := Kind(header[0]), int64(binary.BigEndian.Uint32(header[1:]))
	switch kind {
	case Request, Columns, Rows, Tables, End:
	default:
		return 0, nil, ErrGarbage
	}
	if size > int64(min(limit, MaxFrame)) {
		return 0, nil, ErrGarbage
	}
	// The buffer grows with the bytes that arrive, not with the announced length.
	var payload bytes.Buffer
	if n, err := io.CopyN(&payload, r, size); err != nil || n != size {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return kind, payload.Bytes(), nil
}
