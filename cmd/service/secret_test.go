package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"service/store"
)

func TestSecretKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := make([]string, 8)
	var wg sync.WaitGroup
	for i := range keys { // processes that start at the same time
		wg.Go(func() {
			var err error
			if keys[i], err = secretKey(&config{}, dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, key := range keys {
		if key != keys[0] || len(key) < minKey {
			t.Fatalf("keys differ, or are short: %q", keys)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("the directory holds %v (%v), want the key alone", files, err)
	}
	st, err := os.Stat(filepath.Join(dir, "secret.key"))
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if text, err := keyText(keys[0]); err != nil || text != keys[0] {
		t.Errorf("the key is not what the store takes: %v", err)
	}
}

func TestSecretKeyGivenIsUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, err := secretKey(&config{SecretKey: someKey}, dir)
	if err != nil || key != someKey {
		t.Errorf("%q, %v", key, err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("files were made: %v, %v", files, err)
	}
}

func TestSecretKeyFileIsGuarded(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"open to others": {someKey, 0o644, "chmod 600"},
		"cut off":        {"abc", 0o600, "holds no key"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "secret.key")
		if err := errors.Join(os.WriteFile(file, []byte(tc.text), tc.mode), os.Chmod(file, tc.mode)); err != nil { // whatever the umask
			t.Fatal(err)
		}
		if _, err := secretKey(&config{}, dir); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeyText(t *testing.T) {
	t.Parallel()
	raw := "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" // 32 bytes
	for given, ok := range map[string]bool{
		raw:                                 true,
		someKey:                             true, // a passphrase
		strings.Repeat("0123456789abcd", 5): true,
		raw + ", " + someKey:                true,
		"short":                             false,
		raw + ",short":                      false,
		raw + ",":                           false,
	} {
		text, err := keyText(given)
		if (err == nil) != ok {
			t.Errorf("%q: %v", given, err)
			continue
		}
		if ok {
			if _, err := store.ParseKeys(text); err != nil {
				t.Errorf("%q: the store refuses it: %v", given, err)
			}
		} else if strings.Contains(err.Error(), given) {
			t.Errorf("the error shows the key: %v", err)
		}
	}
	a, _ := keyText(someKey)
	b, _ := keyText(someKey + "x")
	if a == b {
		t.Error("two passphrases are one key")
	}
}
