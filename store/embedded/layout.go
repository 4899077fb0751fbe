package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxSocketPath is the limit of sockaddr_un on the strictest supported system (macOS: 104 bytes with the final zero; Linux: 108).
const maxSocketPath = 103

// A layout has the settings of a server that are decided before it starts.
type layout struct {
	dir    string              // absolute, without symbolic links
	bin    string              // the directory of the binaries
	data   string              // the cluster
	socket string              // the socket's directory
	as     *syscall.Credential // account of the server; nil for our own
}

// prepare decides on the layout below dir, and makes the directory.
func prepare(dir string) (*layout, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	// The server reports its directory without symbolic links: see serves.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	bin, major, err := choose(dir, candidates(installations))
	if err != nil {
		return nil, err
	}
	p := &layout{dir: dir, bin: bin, data: clusterDir(dir, major), socket: socketDir(dir)}
	if os.Geteuid() == 0 {
		if p.as, err = account(p.data, "/etc/passwd"); err != nil {
			return nil, err
		}
		if err := os.Lchown(dir, int(p.as.Uid), int(p.as.Gid)); err != nil {
			return nil, err
		}
		return p, enterable(filepath.Dir(dir), p.as)
	}
	if st, err := os.Stat(p.data); err == nil && owner(st) != uint32(os.Geteuid()) {
		return nil, fmt.Errorf("the database in %s belongs to uid %d, and this is uid %d: "+
			"run as that account or as root, or use another data directory", p.data, owner(st), os.Geteuid())
	}
	return p, nil
}

// Reachable reports whether the database server could use a directory below dir (which need not exist): if this process runs as root, the
// server runs under another account, which must have permission to enter every parent directory.
func Reachable(dir string) bool {
	if os.Geteuid() != 0 {
		return true
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	for dir != "/" {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	as, err := account("", "/etc/passwd")
	return err == nil && enterable(dir, as) == nil
}

func owner(st fs.FileInfo) uint32 { return st.Sys().(*syscall.Stat_t).Uid }

// enterable refuses a directory that the server's account cannot reach, because the start would fail with only
// "permission denied".
func enterable(dir string, as *syscall.Credential) error {
	for {
		st, err := os.Stat(dir)
		if err != nil {
			return err
		}
		sys := st.Sys().(*syscall.Stat_t)
		mode := st.Mode().Perm()
		switch {
		case sys.Uid == as.Uid && mode&0o100 != 0:
		case sys.Uid != as.Uid && sys.Gid == as.Gid && mode&0o010 != 0:
		case sys.Uid != as.Uid && sys.Gid != as.Gid && mode&0o001 != 0:
		default:
			return fmt.Errorf("PostgreSQL cannot run as root, and the account it runs under (uid %d) cannot enter %s: "+
				"choose a data directory elsewhere (such as /var/lib/service), or set DATABASE_URL", as.Uid, dir)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		dir = parent
	}
}

// socketDir returns <dir>/run or, if that path is too long for a socket or contains a comma, a path in /tmp derived from dir, so that all
// processes with the same dir use the same socket.
func socketDir(dir string) string {
	run := filepath.Join(dir, "run")
	// A comma separates hosts in a connection string.
	if len(run)+len("/.s.PGSQL.5432") <= maxSocketPath && !strings.Contains(run, ",") {
		return run
	}
	sum := sha256.Sum256([]byte(dir))
	return "/tmp/service-" + hex.EncodeToString(sum[:8]) // not os.TempDir: TMPDIR may differ between the processes
}

// makeSocketDir makes the socket's directory, or accepts an existing one that is private to the server's account.
// Anybody may create files in /tmp, so it refuses a directory that somebody else has made.
func (p *layout) makeSocketDir() error {
	err := os.Mkdir(p.socket, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	st, err := os.Lstat(p.socket)
	if err != nil {
		return err
	}
	want := uint32(os.Geteuid())
	if p.as != nil {
		want = p.as.Uid
		if st.IsDir() && owner(st) == 0 { // created just now, or by an earlier start that was killed at this point
			if err := os.Lchown(p.socket, int(p.as.Uid), int(p.as.Gid)); err != nil {
				return err
			}
			if st, err = os.Lstat(p.socket); err != nil {
				return err
			}
		}
	}
	if !st.IsDir() || owner(st) != want || st.Mode().Perm() != 0o700 {
		return fmt.Errorf("%s must be a directory of uid %d with mode 0700: remove it if it is yours", p.socket, want)
	}
	return nil
}

// removeSocketDir removes the socket's directory if it is empty, to leave nothing in /tmp.
func (p *layout) removeSocketDir() { _ = os.Remove(p.socket) }

func (p *layout) dsn() string {
	return (&url.URL{Scheme: "postgres", Path: "/postgres", RawQuery: url.Values{
		"host":    {p.socket},
		"user":    {"postgres"},
		"sslmode": {"disable"},
	}.Encode()}).String()
}
