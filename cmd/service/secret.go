package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"service/store"
)

// minKey is the minimum number of characters of a key.
const minKey = 32

// secretKey returns the installation's key. On loopback it is made once, in the data
// directory; otherwise it must be configured, which checkServing has checked.
func secretKey(c *config, dir string) (string, error) {
	if c.SecretKey != "" {
		return c.SecretKey, nil
	}
	file := filepath.Join(dir, "secret.key")
	key, err := readKey(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	draft, err := os.CreateTemp(dir, "secret.key.*") // with mode 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(draft.Name()) //nolint:errcheck // its hard link remains
	key256 := make([]byte, store.KeySize)
	_, _ = rand.Read(key256) // never fails
	_, err = draft.WriteString(base64.StdEncoding.EncodeToString(key256) + "\n")
	if err = errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return "", err
	}
	// A link, not a rename: it never replaces a key that another process made.
	if err := os.Link(draft.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return readKey(file)
}

// readKey reads a key file, which must not be readable by others.
func readKey(file string) (string, error) {
	st, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if st.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s is open to other accounts (mode %04o): chmod 600 it", file, st.Mode().Perm())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(text))
	if len(key) < minKey {
		return "", fmt.Errorf("%s holds no key: restore it from a backup", file)
	}
	return key, nil
}

// keyText returns the operator's keys in the form that the store accepts: separated by
// commas, the one that seals first. A key is 32 bytes in base64; any other text of 32
// characters or more is a passphrase.
func keyText(given string) (string, error) {
	var keys []string
	for part := range strings.SplitSeq(given, ",") {
		part = strings.TrimSpace(part)
		raw, err := base64.StdEncoding.DecodeString(part)
		if err != nil || len(raw) != store.KeySize {
			if len(part) < minKey {
				return "", fmt.Errorf("a key must have at least %d characters (one has %d); openssl rand -base64 32 makes one", minKey, len(part))
			}
			sum := sha256.Sum256([]byte("service: passphrase " + part))
			part = base64.StdEncoding.EncodeToString(sum[:])
		}
		keys = append(keys, part)
	}
	return strings.Join(keys, ","), nil
}
