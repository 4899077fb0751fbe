package blob_test

import (
	"bytes"
	"testing"

	"service/store/blob"
)

func TestDecompressReversesCompress(t *testing.T) {
	t.Parallel()
	for _, b := range [][]byte{nil, []byte("a"), bytes.Repeat([]byte("revenue,"), 10_000)} {
		for _, size := range []int{0, len(b), 2 * len(b)} { // the size is a hint, not a limit
			got, err := blob.Decompress(blob.Compress(b), size)
			if err != nil || !bytes.Equal(got, b) {
				t.Errorf("%d bytes, expecting %d: got %d bytes, error %v", len(b), size, len(got), err)
			}
		}
	}
}

func TestDecompressRefusesWhatIsBroken(t *testing.T) {
	t.Parallel()
	z := blob.Compress([]byte("revenue"))
	z[len(z)-5] ^= 1 // of the checksum
	for name, z := range map[string][]byte{"nothing": nil, "no gzip": []byte("revenue"), "cut off": z[:12], "changed": z} {
		if b, err := blob.Decompress(z, 7); err == nil {
			t.Errorf("%s: got %q and no error", name, b)
		}
	}
}
