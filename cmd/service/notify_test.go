package main

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"testing"
)

// The service manager is notified when the server is ready and when it begins to stop.
func TestServeTellsTheServiceManager(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	in := install(t, "NOTIFY_SOCKET="+socket, "DATABASE_URL="+migratedDatabase(t))
	hear := func(want string) {
		t.Helper()
		b := make([]byte, 100)
		n, err := manager.Read(b)
		if err != nil || string(b[:n]) != want {
			t.Errorf("it got %q, %v; want %q", b[:n], err, want)
		}
	}
	for _, args := range [][]string{{"serve"}, {"worker"}} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- run(ctx, args, in.environ, io.Discard, io.Discard) }()
		hear("READY=1")
		if args[0] == "serve" {
			if code, _ := get(t, in.port, "/healthz"); code != 200 {
				t.Errorf("it is ready and answers %d", code)
			}
		}
		cancel()
		hear("STOPPING=1")
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	(&program{environ: []string{"NOTIFY_SOCKET=" + filepath.Join(t.TempDir(), "nobody")}}).notify("READY=1") // does not wait
}
