package store

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/tink-crypto/tink-go/v2/aead/subtle"
)

// KeySize is the size of a secret key, in bytes.
const KeySize = 32

// Keys encrypt the credentials of warehouses and channels in the database. The first key encrypts and all
// decrypt, so that a new key can be put in front of an old one.
type Keys struct{ keys [][]byte }

// ParseKeys reads keys, separated by commas, each [KeySize] bytes in base64.
func ParseKeys(text string) (*Keys, error) {
	var k Keys
	for i, part := range strings.Split(strings.TrimSpace(text), ",") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(part))
		if err != nil || len(key) != KeySize {
			return nil, fmt.Errorf("key %d is not base64 of %d bytes", i+1, KeySize)
		}
		k.keys = append(k.keys, key)
	}
	return &k, nil
}

// Derive makes a key for another purpose from the first key, such as encrypting cursors.
func (k *Keys) Derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, k.keys[0], nil, "service: "+purpose, KeySize)
	if err != nil {
		panic(err) // only for a length that HKDF does not support
	}
	return key
}

// Fingerprint identifies the first key without revealing it.
func (k *Keys) Fingerprint() string { return fingerprint(k.keys[0]) }

// Has reports whether one of the keys has this fingerprint.
func (k *Keys) Has(print string) bool {
	return slices.ContainsFunc(k.keys, func(key []byte) bool { return fingerprint(key) == print })
}

func fingerprint(key []byte) string {
	sum := sha256.Sum256(append([]byte("service: fingerprint "), key...))
	return hex.EncodeToString(sum[:8])
}

// seal encrypts plain. place is the table, row and column where it is stored; it can only be
// decrypted with the same place, so that secrets cannot be exchanged between rows.
func (k *Keys) seal(plain []byte, place string) ([]byte, error) {
	a, err := subtle.NewXChaCha20Poly1305(k.keys[0])
	if err != nil {
		return nil, err
	}
	return a.Encrypt(plain, []byte(place))
}

// open decrypts what [Keys.seal] encrypted with any of the keys.
func (k *Keys) open(sealed []byte, place string) ([]byte, error) {
	for _, key := range k.keys {
		a, err := subtle.NewXChaCha20Poly1305(key)
		if err != nil {
			return nil, err
		}
		if plain, err := a.Decrypt(sealed, []byte(place)); err == nil {
			return plain, nil
		}
	}
	return nil, errors.New("no key opens it")
}

// secretPlace is the place of a connection's secret: see [Keys.seal].
func secretPlace(connection uuid.UUID) string { return "connection/" + connection.String() + "/secret" }

// CheckKey checks that the installation's key is among the keys, and records the first key at the
// first start. Its error names both fingerprints.
func (s *Store) CheckKey(ctx context.Context) error {
	var known *string
	if err := s.pool.QueryRow(ctx, `
		UPDATE instance SET key_fingerprint = coalesce(key_fingerprint, $1)
		RETURNING key_fingerprint`, s.opt.Keys.Fingerprint()).Scan(&known); err != nil {
		return err
	}
	if s.opt.Keys.Has(*known) {
		return nil
	}
	return fmt.Errorf("the secret key does not fit this database: it has fingerprint %s, and secrets were sealed with %s. "+
		"Start with the key that was used before", s.opt.Keys.Fingerprint(), *known)
}

// RotateKey encrypts every secret again with the first key, and makes it the installation's key. It
// returns the number of secrets.
func (s *Store) RotateKey(ctx context.Context) (n int, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) error {
		connections, err := s.resealTable(ctx, tx, "connection", secretPlace)
		if err != nil {
			return err
		}
		channels, err := s.resealTable(ctx, tx, "channel", channelPlace)
		if err != nil {
			return err
		}
		asked, err := s.resealTable(ctx, tx, "provider_token", providerPlace)
		if err != nil {
			return err
		}
		n = connections + channels + asked
		if _, err := tx.Exec(ctx, `UPDATE instance SET key_fingerprint = $1`, s.opt.Keys.Fingerprint()); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{Action: "key.rotate", Subject: s.opt.Keys.Fingerprint(), Detail: map[string]any{"secrets": n}})
	})
	return n, err
}

// resealTable encrypts the secrets of a table again with the first key.
func (s *core) resealTable(ctx context.Context, tx pgx.Tx, table string, place func(uuid.UUID) string) (int, error) {
	type row struct {
		ID     uuid.UUID
		Secret []byte
	}
	rows, _ := tx.Query(ctx, `SELECT id, secret FROM `+table+` WHERE secret IS NOT NULL ORDER BY id FOR UPDATE`)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return 0, err
	}
	for _, r := range all {
		plain, err := s.opt.Keys.open(r.Secret, place(r.ID))
		if err != nil {
			return 0, fmt.Errorf("%s %s: %w", table, r.ID, err)
		}
		sealed, err := s.opt.Keys.seal(plain, place(r.ID))
		if err != nil {
			return 0, err
		}
		if _, err := tx.Exec(ctx, `UPDATE `+table+` SET secret = $2 WHERE id = $1`, r.ID, sealed); err != nil {
			return 0, err
		}
	}
	return len(all), nil
}
