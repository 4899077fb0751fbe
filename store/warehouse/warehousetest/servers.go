package warehousetest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"service/store/embedded"
	"service/store/embedded/embeddedtest"
)

// A Server is a real server for one test binary. Stop ends it and removes what it
// has stored.
type Server struct {
	DSN  string // of its administrator
	Port int    // on 127.0.0.1
	Out  string // a folder that its account can write to
	PID  int    // its process; 0 for a PostgreSQL, whose backends have the id of their parent
	Stop func()
}

// StartPostgres starts a PostgreSQL that can also be reached by TCP.
func StartPostgres() (*Server, error) { return startPostgres(true) }

// StartDurablePostgres starts a PostgreSQL that syncs its writes to disk, with a log that replicas could follow.
func StartDurablePostgres() (*Server, error) { return startPostgres(false) }

func startPostgres(ephemeral bool) (*Server, error) {
	dir, err := os.MkdirTemp("", "warehouse-")
	if err != nil {
		return nil, err
	}
	s := &Server{Stop: func() { os.RemoveAll(dir) }}
	if err := os.Chmod(dir, 0o755); err != nil { // its account must be able to enter the folder
		return s, err
	}
	cluster := filepath.Join(dir, "pg")
	if err := (embeddedtest.Kind{Name: "empty"}).Prepare(context.Background(), cluster); err != nil {
		return s, err
	}
	server, err := embedded.Start(context.Background(), embedded.Config{
		Dir: cluster, Ephemeral: ephemeral, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return s, err
	}
	s.Stop = func() { server.Stop(); os.RemoveAll(dir) }
	config, err := pgx.ParseConfig(server.DSN)
	if err != nil {
		return s, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return s, err
	}
	go forward(listener, fmt.Sprintf("%s/.s.PGSQL.%d", config.Host, config.Port))
	s.Port = listener.Addr().(*net.TCPAddr).Port
	s.DSN = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", s.Port)
	s.Stop = func() { listener.Close(); server.Stop(); os.RemoveAll(dir) }
	return s, nil
}

// forward forwards TCP connections to a Unix socket.
func forward(l net.Listener, socket string) {
	for {
		in, err := l.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("unix", socket)
		if err != nil {
			in.Close()
			continue
		}
		go func() { io.Copy(out, in); out.(*net.UnixConn).CloseWrite() }() // the client may still read
		go func() { io.Copy(in, out); in.Close(); out.Close() }()
	}
}

// StartMariaDB starts a MariaDB that supports TLS with a self-signed certificate. It may not answer yet. The error is an *exec.Error if it
// is not installed.
func StartMariaDB() (*Server, error) {
	os.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/usr/local/sbin") // the folders of packages
	server, err := exec.LookPath("mariadbd")
	if err != nil {
		return nil, err
	}
	install, err := exec.LookPath("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mysql-")
	if err != nil {
		return nil, err
	}
	data, tmp := filepath.Join(dir, "data"), filepath.Join(dir, "tmp")
	s := &Server{Out: filepath.Join(dir, "out"), Stop: func() { os.RemoveAll(dir) }}
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(s.Out, 0o777), os.Chmod(s.Out, 0o777),
		os.Mkdir(tmp, 0o777), os.Chmod(tmp, 0o777), certify(dir)); err != nil {
		return s, err
	}
	// A server empties its folder of temporary tables when it starts, so each has its own.
	common := []string{"--no-defaults", "--datadir=" + data, "--tmpdir=" + tmp, "--skip-name-resolve"}
	if os.Geteuid() == 0 { // it refuses to run as root
		name := "nobody"
		if _, err := user.Lookup("mysql"); err == nil {
			name = "mysql"
		}
		common = append(common, "--user="+name)
	}
	setup := append(slices.Clone(common), "--skip-test-db", "--auth-root-authentication-method=normal")
	if out, err := exec.Command(install, setup...).CombinedOutput(); err != nil {
		return s, fmt.Errorf("%s: %w\n%s", install, err, out)
	}
	port, release, err := Reserve()
	if err != nil {
		return s, err
	}
	s.Port, s.Stop = port, func() { release(); os.RemoveAll(dir) }
	socket := filepath.Join(data, "s")
	s.DSN = "root@unix(" + socket + ")/"
	running := exec.Command(server, append(
		common, "--socket="+socket, "--pid-file="+filepath.Join(data, "pid"), "--bind-address=127.0.0.1", fmt.Sprint("--port=", s.Port),
		"--ssl-cert="+filepath.Join(dir, "cert.pem"), "--ssl-key="+filepath.Join(dir, "key.pem"), "--secure-file-priv=", "--local-infile=1",
		"--innodb-buffer-pool-size=128M",
	)...)
	if err := running.Start(); err != nil {
		return s, err
	}
	s.PID = running.Process.Pid
	s.Stop = func() {
		running.Process.Kill() // its data is not kept
		running.Wait()
		release()
		os.RemoveAll(dir)
	}
	return s, nil
}

// certify writes a self-signed certificate.
func certify(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{{127, 0, 0, 1}}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "cert.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o644),
		// The server's account must be able to read it.
		os.WriteFile(filepath.Join(dir, "key.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o644),
	)
}
