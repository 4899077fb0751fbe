package postgres

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"sync/atomic"

	"service/store/warehouse"
)

// maxRounds is how many rounds of SCRAM one call computes, in all handshakes of all addresses of a host together. PostgreSQL requires 4,096
// by default, and 600,000 take about 0.1 s of processor time. The driver limits one exchange to 10,000,000 rounds, and does not limit the
// number of exchanges.
const maxRounds = 600_000

// maxChallenge is how long the server's part of a SCRAM exchange may be, in bytes: the salt and the nonce.
// PostgreSQL's has 92.
const maxChallenge = 4096

// errRounds is the error of a handshake that would need too much computation.
var errRounds = errors.New("postgres: the server asks for too many rounds of SCRAM")

// A handshake reads the messages of a server, inside TLS. It fails before the driver receives a message that would make it compute for
// long. It ignores messages after the first ReadyForQuery.
type handshake struct {
	io.Reader
	rounds *atomic.Int64 // remaining in this call
	head   []byte        // of the current message: its type, length and, if it is an SCRAM challenge, its body
	left   int           // bytes of the current message not read yet
	ended  bool
}

const (
	headerSize    = 5 // bytes: one for the type, four for the length
	msgAuth       = 'R'
	msgReady      = 'Z'
	saslChallenge = 11 // the first four bytes of the body of an msgAuth
)

func (h *handshake) Read(b []byte) (int, error) {
	n, err := h.Reader.Read(b)
	for rest := b[:n]; len(rest) > 0 && !h.ended; {
		var bad error
		if rest, bad = h.take(rest); bad != nil {
			return 0, bad
		}
	}
	return n, err
}

// take reads a part of one message from b, and returns the bytes after that part.
func (h *handshake) take(b []byte) ([]byte, error) {
	if len(h.head) < headerSize {
		n := min(len(b), headerSize-len(h.head))
		if h.head = append(h.head, b[:n]...); len(h.head) == headerSize {
			h.left = max(int(binary.BigEndian.Uint32(h.head[1:]))-4, 0)
		}
		b = b[n:]
	}
	if len(h.head) < headerSize {
		return b, nil
	}
	n := min(len(b), h.left)
	if keep := min(n, headerSize+maxChallenge-len(h.head)); h.head[0] == msgAuth && keep > 0 {
		h.head = append(h.head, b[:keep]...)
	}
	if h.left -= n; h.left > 0 {
		return b[n:], nil
	}
	err := h.judge()
	h.ended = h.head[0] == msgReady
	h.head = h.head[:0]
	return b[n:], err
}

// judge checks one complete message.
func (h *handshake) judge() error {
	body := h.head[headerSize:]
	if h.head[0] != msgAuth || len(body) < 4 || binary.BigEndian.Uint32(body) != saslChallenge {
		return nil
	}
	if len(body) == maxChallenge {
		return errRounds
	}
	_, count, _ := bytes.Cut(body[4:], []byte(",i="))
	// The driver uses the third attribute, which must be the last. An attribute that it cannot parse costs nothing.
	if n, err := strconv.Atoi(string(count)); err == nil && (n > maxRounds || h.rounds.Add(-int64(n)) < 0) {
		return errRounds
	}
	return nil
}

// roundsError returns the caller's message for errRounds.
func roundsError() *warehouse.Error {
	return warehouse.Errorf(warehouse.Connect, "The warehouse asks for more than %d rounds of SCRAM at sign-in. "+
		"Set scram_iterations to a lower number there, and then the password of the user again.", maxRounds)
}
