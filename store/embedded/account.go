package embedded

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// account is the account under which the server runs when we are root: the owner of an existing cluster, or
// postgres, or nobody, or the first other account. It must be in passwd, where initdb looks it up.
func account(data, passwd string) (*syscall.Credential, error) {
	if st, err := os.Stat(data); err == nil && owner(st) != 0 {
		sys := st.Sys().(*syscall.Stat_t)
		return credential(sys.Uid, sys.Gid), nil
	}
	text, err := os.ReadFile(passwd)
	if err != nil {
		return nil, err
	}
	rank := map[string]int{"postgres": 3, "nobody": 2}
	var best *syscall.Credential
	var bestRank int
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(line, ":") // name:password:uid:gid:…
		if len(fields) < 4 {
			continue
		}
		uid, err1 := strconv.ParseUint(fields[2], 10, 32)
		gid, err2 := strconv.ParseUint(fields[3], 10, 32)
		if err1 != nil || err2 != nil || uid == 0 {
			continue
		}
		if r := max(rank[fields[0]], 1); r > bestRank {
			best, bestRank = credential(uint32(uid), uint32(gid)), r
		}
	}
	if best == nil {
		return nil, errors.New("PostgreSQL cannot run as root, and " + passwd + " names no other account it could run under: " +
			"run as another account, or set DATABASE_URL")
	}
	return best, nil
}

// credential drops every supplementary group.
func credential(uid, gid uint32) *syscall.Credential {
	return &syscall.Credential{Uid: uid, Gid: gid, Groups: []uint32{}}
}
