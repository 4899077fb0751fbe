package blob

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// MaxSize is the largest content in bytes, not compressed. The schema has the
// same limit.
const MaxSize = 64 << 20

// Hash is the SHA-256 of b.
func Hash(b []byte) []byte {
	h := sha256.Sum256(b)
	return h[:]
}

// Compress returns b as gzip.
func Compress(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(b) // cannot fail: it writes to a bytes.Buffer
	w.Close()
	return z.Bytes()
}

// Decompress reverses [Compress]. The result is expected to have size bytes, and is cut off after [MaxSize].
func Decompress(z []byte, size int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(z))
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err := b.ReadFrom(io.LimitReader(r, MaxSize+1)); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	return b.Bytes(), nil
}
