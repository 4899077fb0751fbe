package rest

import (
	"bytes"
	"errors"
	"io"

	"service/store/rawjson"
)

// Bounds of an answer that is longer than maxBody.
const (
	maxStream = 1 << 30 // bytes, after decompression
	maxHead   = 4 << 20 // of its members before the rows
	maxTail   = 1 << 20 // of those after them
)

// A Stream reads the rows of an answer that is too long to be kept: a list of lists or objects. Its memory is that of the longest answer
// that is kept, which also limits a row.
type Stream struct {
	session *Session
	request Request
	st      Statement
	body    io.ReadCloser
	window  []byte // the bytes that have arrived and are not read
	at      int    // the next one in window
	arrived int64  // bytes in all
	begun   bool   // a row was read of the present answer
	rows    int    // that were read
	broken  int    // answers that were truncated
}

// stream begins to read an answer whose first bytes are the session's body. It returns the members before the list called rows, as an
// object.
func (s *Session) stream(body io.ReadCloser, rows string) (head []byte, x *Stream, err error) {
	name, comma := `"`+rows+`"`, -1
	i := space(s.body, 0)
	for more := byte('{'); ; more = ',' {
		if i >= len(s.body) || s.body[i] != more {
			return nil, nil, errLong
		}
		comma, i = i, space(s.body, i+1)
		from := i
		if i = after(s.body, i); i < 0 {
			return nil, nil, errLong
		}
		found := string(s.body[from:i]) == name
		if i = space(s.body, i); i >= len(s.body) || s.body[i] != ':' {
			return nil, nil, errLong
		}
		i = space(s.body, i+1)
		if found && i < len(s.body) && s.body[i] == '[' {
			break
		}
		if i = after(s.body, i); i < 0 {
			return nil, nil, errLong
		}
		i = space(s.body, i)
	}
	if comma > maxHead {
		return nil, nil, errLong
	}
	if head = append(bytes.Clone(s.body[:comma]), '}'); s.body[comma] == '{' {
		head = []byte("{}")
	}
	if !rawjson.Valid(head) {
		return nil, nil, errJSON
	}
	return head, &Stream{session: s, body: body, window: s.body, at: i + 1, arrived: int64(len(s.body))}, nil
}

// Next returns the next row, which is valid until the following call, or [io.EOF] after the last one. If the answer is truncated, it is
// requested again, and the rows that were read are skipped.
func (x *Stream) Next() ([]byte, error) {
	for {
		row, err := x.next()
		if err == nil {
			x.rows++
		}
		if err == nil || errors.Is(err, io.EOF) || errors.Is(err, errLong) || errors.Is(err, errJSON) {
			return row, err
		}
		if x.broken++; x.broken == maxBroken || x.session.ctx.Err() != nil {
			return nil, err
		}
		if err := x.again(); err != nil {
			return nil, err
		}
	}
}

// again requests the answer once more.
func (x *Stream) again() error {
	x.Close()
	a, err := x.session.Send(x.request, x.st)
	if err != nil {
		return err
	}
	if a.Long == nil {
		return ErrForm // the rows that were read were of another answer
	}
	read, broken := x.rows, x.broken
	*x = *a.Long
	x.rows, x.broken = read, broken
	for range read {
		if _, err := x.next(); errors.Is(err, io.EOF) {
			return ErrForm
		} else if err != nil {
			return err
		}
	}
	return nil
}

// next returns the next row of the present answer. A truncated answer is [io.ErrUnexpectedEOF], or an error of the network.
func (x *Stream) next() ([]byte, error) {
	c, err := x.byte()
	switch {
	case err != nil:
		return nil, err
	case c == ']':
		x.at++
		return nil, x.tail()
	case c == ',' && x.begun:
		x.at++
		if c, err = x.byte(); err != nil {
			return nil, err
		}
	case x.begun:
		return nil, errJSON
	}
	if c != '[' && c != '{' {
		return nil, errJSON
	}
	end := after(x.window, x.at)
	if end < 0 {
		err = x.fill()
		if end = after(x.window, x.at); end < 0 && err == nil {
			return nil, errLong // it fills the window
		} else if end < 0 {
			return nil, err
		}
	}
	row := x.window[x.at:end:end]
	if x.at = end; !rawjson.Valid(row) {
		return nil, errJSON
	}
	x.begun = true
	return row, nil
}

// byte returns the next byte that is not white space, without reading it.
func (x *Stream) byte() (byte, error) {
	for {
		if x.at = space(x.window, x.at); x.at < len(x.window) {
			return x.window[x.at], nil
		}
		if err := x.fill(); len(x.window) == 0 {
			return 0, err
		}
	}
}

// fill fills the window with bytes that follow. The error is that of the body; [io.ErrUnexpectedEOF] if it has ended.
func (x *Stream) fill() error {
	kept := copy(x.window, x.window[x.at:])
	x.window, x.at = x.window[:kept], 0
	n, err := io.ReadFull(x.body, x.window[kept:cap(x.window)])
	x.window = x.window[:kept+n]
	if x.arrived += int64(n); x.arrived > maxStream {
		x.window = x.window[:0]
		return errLong
	}
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// tail reads what follows the rows. It returns [io.EOF] if that is the end of the object.
func (x *Stream) tail() error {
	rest := bytes.Clone(x.window[x.at:])
	if len(rest) <= maxTail {
		more, err := io.ReadAll(io.LimitReader(x.body, int64(maxTail+1-len(rest))))
		if err != nil {
			return err
		}
		rest = append(rest, more...)
	}
	rest = bytes.TrimSpace(rest)
	switch {
	case len(rest) > maxTail:
		return errLong
	case len(rest) == 0:
		return io.ErrUnexpectedEOF
	case string(rest) == "}", rest[0] == ',' && rawjson.Valid(append([]byte("{"), rest[1:]...)):
		return io.EOF
	}
	return errJSON
}

// Close ends the answer, of which the rest is not read.
func (x *Stream) Close() { x.body.Close() }

// space returns the position of the first byte from i on that is not white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// after returns the end of the JSON value that begins at i, or -1 if it is not complete. The value may be invalid. A number or a word is
// complete if another byte follows.
func after(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			if i = afterText(b, i); i < 0 {
				return -1
			}
			if depth == 0 {
				return i
			}
			i--
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			} else if depth < 0 {
				return i
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

func afterText(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}
