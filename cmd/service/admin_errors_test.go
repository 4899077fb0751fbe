package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdminErrorsNameTheFix gives every admin command a name that does not exist: the error names the command that lists the right ones.
func TestAdminErrorsNameTheFix(t *testing.T) {
	t.Parallel()
	in := install(t, "DATABASE_URL="+migratedDatabase(t))
	in.must("admin", "workspace", "create", "acme", "--owner", "ann@example.com")
	const id = "01a21c47-2a71-765e-b9d8-5d15e9324156"
	const workspaces, members, users = "see service admin workspace list", "see service admin member list acme", "see service admin user list"
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command, want string
		code          int
	}{
		{"workspace plan none paid", workspaces, 1},
		{"workspace create new", "--owner <email>", 2},
		{"member add none bob@example.com", workspaces, 1},
		{"member list none", workspaces, 1},
		{"member remove acme bob@example.com", members, 1},
		{"member remove none bob@example.com", "see service admin member list none", 1},
		{"member attribute acme bob@example.com region EU", members, 1},
		{"user delete bob@example.com", users, 1},
		{"grant list bob@example.com", users, 1},
		{"grant revoke " + id, "service admin grant list <email>", 1},
		{"grant revoke 5", "see service admin grant list", 2},
		{"connection list acme bob@example.com", users, 1},
		{"connection add acme bob@example.com", "--kind postgres", 2},
		{"connection test acme bob@example.com 5", "see service admin connection list", 2},
		{"upload add acme bob@example.com " + file, users, 1},
		{"upload add acme bob@example.com " + file + "x", "file " + file + "x cannot be read: no such file or directory", 1},
		{"upload add acme bob@example.com " + filepath.Dir(file), "is a folder: name a file", 1},
		{"group map staff none viewer", workspaces, 1},
		{"group unmap staff acme", "see service admin group list", 1},
		{"trust remove " + id, "see service admin trust list", 1},
		{"audit export --workspace none", workspaces, 1},
	} {
		code, stdout, stderr := in.command(append([]string{"admin"}, strings.Fields(c.command)...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("service admin %s: exit %d, want %d with %q\n%s%s", c.command, code, c.code, c.want, stdout, stderr)
		}
	}
	if code, _, stderr := in.command("serve", "--workers", "-1"); code != 2 || !strings.Contains(stderr, "--workers must be at least 0") {
		t.Errorf("serve --workers -1: exit %d: %s", code, stderr)
	}
}

// TestArgumentsAreExplained: an error about the number of arguments names them.
func TestArgumentsAreExplained(t *testing.T) {
	t.Parallel()
	in := install(t)
	for command, want := range map[string]string{
		"backup":                            "too few arguments: service backup <file or directory> [--keep <n>]\n",
		"backup a b":                        "too many arguments: service backup <file or directory> [--keep <n>]\n",
		"restore":                           "too few arguments: service restore <file>",
		"admin member add acme":             "too few arguments: service admin member add <workspace> <email>",
		"admin member attribute acme a@b.c": "too few arguments: service admin member attribute <workspace> <email> <name> [<value> …]\n",
		"admin trust list acme b c":         "too many arguments: service admin trust list",
		"admin grant revoke":                "too few arguments: service admin grant revoke <id>\n",
		"admin workspace lst":               "unknown command \"lst\" for \"service admin workspace\"\n",
	} {
		code, stdout, stderr := in.command(strings.Fields(command)...)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "service: "+want) {
			t.Errorf("service %s: exit %d, want 2 with %q\n%s%s", command, code, want, stdout, stderr)
		}
	}
}

// TestBackupNamesTheFolder: a backup to a folder that does not exist names the folder, and not the draft of the file.
func TestBackupNamesTheFolder(t *testing.T) {
	t.Parallel()
	in := install(t, "DATABASE_URL="+migratedDatabase(t))
	folder := filepath.Join(t.TempDir(), "none")
	want := "service: no file can be written to the folder " + folder + ": no such file or directory\n"
	if code, _, stderr := in.command("backup", filepath.Join(folder, "x")); code != 1 || stderr != want {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
