package warehousetest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"service/store/warehouse"
)

// kept is how many bytes more a server may use after a bomb than before.
const kept = 256 << 20

// bombs checks that a query that needs all memory ends, and that the server survives it.
func bombs(t *testing.T, s Source) {
	if s.Resident == nil {
		return // the server's memory cannot be measured
	}
	c := s.Open(t)
	before := s.Resident(t)
	for _, sql := range s.Bombs {
		t.Run(sql, func(t *testing.T) {
			start := time.Now()
			var class warehouse.Class
			var err error
			// A limit that expired before the query was sent is raised.
			for _, limit := range []time.Duration{time.Second, 5 * time.Second, 20 * time.Second} {
				_, err = c.Query(t.Context(), sql, nil, warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: limit}, &Table{})
				if class = classOf(t, s, sql, err); class != warehouse.Connect {
					break
				}
			}
			switch class {
			case "", warehouse.Timeout, warehouse.TooLarge, warehouse.Type, warehouse.Failed:
			default:
				t.Errorf("class %q: %v", class, err)
			}
			if took := time.Since(start); took > patience {
				t.Errorf("it took %s", took)
			}
			gone(t, s)
			for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
				after := s.Resident(t)
				if after <= before+kept {
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("the server has %d MiB, and had %d", after>>20, before>>20)
				}
			}
		})
	}
}

// Resident returns the private memory of a process and its children, in bytes. It skips the test if the system does not report that.
func Resident(t testing.TB, pid int) (bytes int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil || len(all) == 0 {
		t.Skip("no /proc tells of the memory of processes")
	}
	for _, path := range all {
		status, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		value := map[string]int{}
		for line := range strings.Lines(string(status)) {
			if f := strings.Fields(line); len(f) > 1 {
				value[f[0]], _ = strconv.Atoi(f[1])
			}
		}
		if value["Pid:"] == pid || value["PPid:"] == pid {
			bytes += value["RssAnon:"] << 10
		}
	}
	if bytes == 0 {
		t.Fatalf("process %d has no memory", pid)
	}
	return bytes
}

// Parent returns the id of the process that has started another.
func Parent(t testing.TB, pid int) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Skipf("nothing tells of process %d: %v", pid, err)
	}
	_, rest, _ := strings.Cut(string(status), ") ") // the name may contain spaces
	parent, err := strconv.Atoi(strings.Fields(rest)[1])
	if err != nil {
		t.Fatal(err)
	}
	return parent
}
