package main

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"service/server"
)

// installScript installs the package $3 into a private copy of this machine's files at $1, upgrades it to the package $2, restores the
// database $4 of an earlier release, and then runs the server with the package's configuration. It has its own mount namespace, so that all
// its changes end with it.
const installScript = `
set -e
mount -t tmpfs -o mode=755 tmpfs "$1"
mkdir "$1/up" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=/,upperdir=$1/up,workdir=$1/work" overlay "$1/root"
root=$1/root
for dir in proc dev; do
	mkdir -p "$root/$dir"
	mount --rbind "/$dir" "$root/$dir"
done
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
cp "$2" "$root/tmp/service.deb"
cp "$3" "$root/tmp/before.deb"
cp "$4" "$4.sha256" "$root/tmp"
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
inside dpkg --force-unsafe-io --install /tmp/before.deb
echo "before: $(inside dpkg-query --show service)"
echo "# kept" >>"$root/etc/service/service.env"
touch "$root/var/lib/service/kept"
inside dpkg --force-unsafe-io --install /tmp/service.deb
echo "after: $(inside dpkg-query --show service)"
grep --with-filename kept "$root/etc/service/service.env"
ls "$root/var/lib/service/kept"
echo "configuration: $(inside stat -c %U:%G:%a /etc/service/service.env)"
echo "data: $(inside stat -c %U:%a /var/lib/service)"
echo "units: $(inside sh -c 'ls /usr/lib/systemd/system/service*')"
inside sh -c 'ls $(sed -n "s,.*file://\(/[^ ]*\).*,\1,p" /usr/lib/systemd/system/service*.service) /usr/share/man/man8/servicectl.8'
cat >>"$root/etc/service/service.env"
inside servicectl config check
inside servicectl --version
inside servicectl restore "/tmp/$(basename "$4")"
exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin servicectl serve
`

// TestPackage makes the Debian package around this test binary, installs it with dpkg and all its dependencies over an older one, with the
// database that an earlier release wrote, and has a client publish a dashboard on the service that the package starts. .ci/package does the
// same with the released package, in a root with only Debian.
func TestPackage(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"dpkg", "chroot", "setpriv"} {
		if _, err := exec.LookPath(tool); err != nil || os.Geteuid() != 0 {
			t.Skip("only root can install packages, on a Debian")
		}
	}
	overlay := exec.Command("sh", "-ec",
		`mount -t tmpfs tmpfs "$1"; cd "$1"; mkdir a b c; mount -t overlay -o lowerdir=/,upperdir=a,workdir=b overlay c`, "sh", t.TempDir())
	overlay.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if out, err := overlay.CombinedOutput(); err != nil {
		t.Skipf("the kernel does not let us lay files over files: %v %s", err, out)
	}
	after, before := debianPackage(t, server.Release, "/proc/self/exe"), debianPackage(t, "0.6.0", "packaging/files/servicectl")
	for _, release := range []string{"0.6.0", "cb97e63"} {
		t.Run(release, func(t *testing.T) {
			s := packaged(t, before, after, "../../store/archive/testdata/"+release+".dump")
			ann := s.browser(t)
			ann.signIn(s.app+"/", "ann@example.com")
			want := "Written with <strong>" + release + "</strong>"
			if p := ann.get(s.workspace("acme") + "/notes"); p.status != http.StatusOK || !strings.Contains(p.text, want) {
				t.Errorf("a page of %s: %d\n%s", release, p.status, p.text)
			}
			ada := s.browser(t)
			ada.signIn(s.app+"/", "ada@example.com")
			ada.submit("/workspaces", url.Values{"name": {"Engine"}, "slug": {"engine"}})
			s.connect(t, ada, "engine").publish("first", "First", "SELECT 42 AS number", nil)
			if p := ada.get(s.workspace("engine") + "/first"); p.status != http.StatusOK || !strings.Contains(p.text, "42") {
				t.Errorf("a new page: %d\n%s", p.status, p.text)
			}
		})
	}
}

// packaged runs installScript until the test ends, and returns the site that it starts.
func packaged(t *testing.T, before, after, dump string) *site {
	t.Helper()
	port, ops, idp := freePort(t), freePort(t), freePort(t)
	cmd := exec.Command("sh", "-c", installScript, "sh", t.TempDir(), after, before, dump)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	cmd.Stdin = strings.NewReader(strings.Join([]string{
		asProgram + "=1", "SERVICE_LISTEN_ADDR=127.0.0.1:" + port, `SERVICE_BASE_URL="http://localhost:` + port + `"`,
		"SERVICE_OPS_ADDR=127.0.0.1:" + ops, "SERVICE_DEV_IDP_ADDR=127.0.0.1:" + idp,
		"SERVICE_SECRET_KEY=a-passphrase-of-forty-characters-for-tests", "",
	}, "\n"))
	said := &output{}
	cmd.Stdout, cmd.Stderr = said, said
	ended := make(chan error, 1)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v\n%s", err, said)
		}
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		res, err := http.Get("http://127.0.0.1:" + ops + "/readyz")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				break
			}
		}
		select {
		case err := <-ended:
			ended <- nil
			t.Fatalf("it did not start: %v\n%s", err, said)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("it is not ready\n%s", said)
		}
	}
	for _, want := range []string{
		"before: service\t0.6.0\n", "after: service\t" + server.Release + "\n", "service.env:# kept\n", "/var/lib/service/kept\n",
		"configuration: root:service:640\n", "data: service:711\n", "/service-backup.timer", "The configuration is fine.",
		"service " + server.Release + "\n", "/usr/share/doc/service/docs/operations.md\n",
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not among what was said:\n%s", want, said)
		}
	}
	return siteAt(port, nil)
}

// debianPackage makes a version of the package of nfpm.yaml with a program. It
// is not compressed, because that would take longer than everything else.
func debianPackage(t *testing.T, version, program string) string {
	t.Helper()
	const packaging = "packaging"
	stage := t.TempDir()
	copies := map[string]string{}
	files, err := filepath.Glob(packaging + "/files/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		copies[f] = filepath.Base(f)
	}
	for from, to := range copies {
		copyFile(t, from, filepath.Join(stage, to))
	}
	copyFile(t, program, filepath.Join(stage, "service"))
	packagedDocs(t, stage+"/doc")
	config := append(readFile(t, "cmd/service/packaging/nfpm.yaml"), "\ndeb: {compression: none}\n"...)
	for name, text := range map[string][]byte{"sbom.cdx.json": []byte("{}"), "nfpm.yaml": config} {
		if err := os.WriteFile(filepath.Join(stage, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "tool", "nfpm", "package", "--config", stage+"/nfpm.yaml", "--packager", "deb",
		"--target", stage+"/service.deb")
	cmd.Dir = packaging
	cmd.Env = append(os.Environ(), "VERSION="+version, "ARCH="+runtime.GOARCH, "GLIBC=2.34", "STAGE="+stage, "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("nfpm: %v\n%s", err, out)
	}
	return stage + "/service.deb"
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
