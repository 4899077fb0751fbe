package server

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"
)

// pieces are the parts of the reply to one call, in order. Bodies of resources are encoded as JSON while they are written,
// because the encoded text can be six times larger.
type pieces []piece

// A piece is a part of a reply. Exactly one of its fields is set.
type piece struct {
	json []byte // written unchanged
	text string // written as a JSON string
	blob []byte // written as a JSON string of base64
}

// plain returns a reply that is JSON already.
func plain(json []byte) pieces { return pieces{{json: json}} }

// bytes returns the size of a reply in memory.
func (a pieces) bytes() (n int) {
	for _, p := range a {
		n += len(p.json) + len(p.text) + len(p.blob)
	}
	return n
}

// chunk is the number of bytes of a text or blob that are encoded at once: a multiple of 3, so that base64 is padded only at the
// end.
const chunk = 3 << 13

// writeTo writes the reply. Its errors are those of w.
func (a pieces) writeTo(w io.Writer) error {
	for _, p := range a {
		var err error
		switch {
		case p.text != "":
			err = writeText(w, p.text)
		case p.blob != nil:
			err = writeBlob(w, p.blob)
		default:
			_, err = w.Write(p.json)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeText writes s as a JSON string.
func writeText(w io.Writer, s string) error {
	var b bytes.Buffer
	b.WriteByte('"')
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for s != "" {
		n := min(len(s), chunk)
		for i := n; n < len(s) && i > n-utf8.UTFMax; i-- { // not within a character
			if utf8.RuneStart(s[i]) {
				n = i
				break
			}
		}
		start := b.Len()
		_ = enc.Encode(s[:n]) // a string can always be encoded
		out := b.Bytes()
		copy(out[start:], out[start+1:]) // without the quotes and the newline
		b.Truncate(len(out) - len("\"\"\n"))
		if _, err := b.WriteTo(w); err != nil {
			return err
		}
		s = s[n:]
	}
	b.WriteByte('"')
	_, err := b.WriteTo(w)
	return err
}

// writeBlob writes b as a JSON string of base64.
func writeBlob(w io.Writer, b []byte) error {
	out := make([]byte, 0, base64.StdEncoding.EncodedLen(chunk)+2)
	out = append(out, '"')
	for part := range slices.Chunk(b, chunk) {
		out = base64.StdEncoding.AppendEncode(out, part)
		if _, err := w.Write(out); err != nil {
			return err
		}
		out = out[:0]
	}
	_, err := w.Write(append(out, '"'))
	return err
}

// respond writes a reply as the body of an answer. It sets Content-Length only if the whole reply is encoded
// already.
func respond(w http.ResponseWriter, status int, a pieces) {
	if len(a) == 1 && a[0].json != nil {
		send(w, status, a[0].json)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = a.writeTo(w) // fails only when the caller has disconnected
}

func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only when the caller has disconnected
}
