package embeddedtest

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed" // source
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"service/store/embedded"
)

// source is the text of this file, because what it stores may change with it.
//
//go:embed embeddedtest.go
var source string

// kept is how many clusters of a kind are stored: of the working tree and of one other, such as the branch before.
const kept = 2

// A Kind is a sort of cluster that tests need.
type Kind struct {
	Name string // begins the names of its folders
	Key  string // changes with what Fill writes
	// Fill writes to a new cluster, whose superuser dsn is for. It closes its connections. Without it the cluster remains empty.
	Fill func(ctx context.Context, dsn string) error
}

// Prepare puts a stopped cluster of the kind into dir, where [embedded.Start] finds it. dir must not have a cluster. If the user's cache
// directory cannot be written to, Prepare does nothing, and the server makes an empty cluster.
func (k Kind) Prepare(ctx context.Context, dir string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil //nolint:nilerr // an account without a home directory has no cache
	}
	return k.prepare(ctx, filepath.Join(cache, "service", "clusters"), dir)
}

func (k Kind) prepare(ctx context.Context, cache, dir string) error {
	recipe, err := embedded.Recipe(dir)
	if err != nil {
		return err
	}
	if cache == "" || os.MkdirAll(cache, 0o700) != nil {
		return nil
	}
	lock, err := os.OpenFile(filepath.Join(cache, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil //nolint:nilerr // another account's
	}
	defer lock.Close() // which releases it
	// After a crash of the machine, files that were written just before it may be empty. A cluster of an earlier boot is not used, so that
	// none need be synced.
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // other systems than Linux have none
	hash := sha256.Sum256([]byte(strings.Join([]string{recipe, source, k.Key, string(boot)}, "\x00")))
	entry := filepath.Join(cache, k.Name+"-"+hex.EncodeToString(hash[:8]))
	for _, mode := range []int{syscall.LOCK_SH, syscall.LOCK_EX} { // a cluster is removed or made only under the second
		if err := flock(lock, mode); err != nil {
			return nil //nolint:nilerr // a file system without locks
		}
		if found, _ := filepath.Glob(filepath.Join(entry, "data-*")); len(found) == 1 {
			now := time.Now()
			return errors.Join(os.Chtimes(entry, now, now), copyCluster(found[0], dir)) // the time is that of its last use
		}
	}
	return k.make(ctx, cache, entry, dir)
}

func flock(f *os.File, mode int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), mode); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// make makes the cluster in dir and stores a copy as entry. The caller has the cache's lock alone.
func (k Kind) make(ctx context.Context, cache, entry, dir string) error {
	server, err := embedded.Start(ctx, embedded.Config{Dir: dir, Ephemeral: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if k.Fill != nil {
		err = k.Fill(ctx, server.DSN)
	}
	if err := errors.Join(err, server.Stop()); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(dir, "data-*"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("%v in %s, want one cluster: %w", found, dir, err)
	}
	k.tidy(cache)
	// It has another name until it is complete, so that a killed run does not leave half a cluster. A failure, such as that of a full disk,
	// concerns only the next test binary, which makes the cluster again.
	draft := entry + ".tmp"
	if os.Mkdir(draft, 0o700) != nil || copyCluster(found[0], draft) != nil || os.Rename(draft, entry) != nil {
		_ = os.RemoveAll(draft)
	}
	return nil
}

// tidy removes what killed runs have left, and makes room for a cluster of the kind.
func (k Kind) tidy(cache string) {
	left, _ := filepath.Glob(filepath.Join(cache, "*.tmp")) // the pattern is valid
	for _, path := range left {
		_ = os.RemoveAll(path)
	}
	stored, _ := filepath.Glob(filepath.Join(cache, k.Name+"-*"))
	used := map[string]time.Time{}
	for _, path := range stored {
		if st, err := os.Stat(path); err == nil {
			used[path] = st.ModTime()
		}
	}
	slices.SortFunc(stored, func(a, b string) int { return cmp.Or(used[b].Compare(used[a]), strings.Compare(a, b)) })
	for _, path := range stored[min(len(stored), kept-1):] {
		_ = os.RemoveAll(path)
	}
}

// copyCluster copies the cluster data into the folder dir, which it makes if it does not exist. The copy has another name until it is
// complete, under which a server ignores it.
func copyCluster(data, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	to := filepath.Join(dir, filepath.Base(data))
	draft := to + ".tmp"
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := draft + strings.TrimPrefix(path, data)
		switch {
		case d.IsDir():
			err = os.Mkdir(target, 0o700)
		case d.Type().IsRegular():
			err = copyFile(path, target)
		default:
			err = fmt.Errorf("%s is neither a file nor a directory", path)
		}
		if err != nil || os.Geteuid() != 0 {
			return err
		}
		st, err := d.Info() // the server has an account of its own if we are root
		if err != nil {
			return err
		}
		sys := st.Sys().(*syscall.Stat_t)
		return os.Lchown(target, int(sys.Uid), int(sys.Gid))
	})
	if err == nil {
		err = os.Rename(draft, to)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(draft))
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
