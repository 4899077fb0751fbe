package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"github.com/google/uuid"
)

// ErrCursor is returned for a cursor that was not issued for this listing by this service.
var ErrCursor = errors.New("the cursor is not valid here")

// cursor seals id, the last row shown of a listing, as an opaque string. listing names the listing and its owner; a cursor that was
// changed, or issued for another listing, is not valid.
func (s *core) cursor(id uuid.UUID, listing string) string {
	return base64.RawURLEncoding.EncodeToString(append(id[:], s.sealOf(id, listing)...))
}

// parseCursor opens a cursor. The empty cursor is the first page, for which id is zero.
func (s *core) parseCursor(cursor, listing string) (id uuid.UUID, err error) {
	if cursor == "" {
		return uuid.Nil, nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) != 16+16 {
		return uuid.Nil, ErrCursor
	}
	if id = uuid.UUID(b[:16]); !hmac.Equal(b[16:], s.sealOf(id, listing)) {
		return uuid.Nil, ErrCursor
	}
	return id, nil
}

func (s *core) sealOf(id uuid.UUID, listing string) []byte {
	h := hmac.New(sha256.New, s.cursorKey)
	h.Write(id[:])
	h.Write([]byte(listing))
	return h.Sum(nil)[:16]
}
