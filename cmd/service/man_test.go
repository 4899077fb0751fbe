package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"service/server"
)

// manPage writes the manual page of the package's command, from the help of all commands and from the variables.
func manPage() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.\" Written by go test ./cmd/service -run ManPage -update.`)
	line(`.TH SERVICECTL 8 "" "service %s" "System administration"`, server.Release)
	line(".SH NAME\nservicectl \\- dashboards published by AI clients, read by the members of a workspace")
	line(".SH SYNOPSIS\n.B servicectl\n.I command\n[arguments]")
	line(".SH DESCRIPTION")
	line("%s", roff("servicectl runs the program service under its account and with the configuration in /etc/service/service.env. "+
		"Admin commands work with or without a running server. In the image and in a build from source, the program is called service."))
	line(".SH COMMANDS")
	root := (&program{stdout: io.Discard, stderr: io.Discard}).root()
	commands(root, func(c *cobra.Command) {
		line(".TP\n.B %s", roff(strings.TrimPrefix(c.CommandPath(), "service ")+strings.TrimPrefix(c.Use, c.Name())))
		line("%s", roff(cmp.Or(c.Long, c.Short+".")))
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			kind, about := pflag.UnquoteUsage(f)
			line(".RS\n.TP\n.BI %s\n%s\n.RE", roff(strings.TrimSpace(`"--`+f.Name+`" " `+kind)+`"`), roff(about+"."))
		})
	})
	line(".SH ENVIRONMENT")
	for _, v := range (&config{}).variables() {
		line(".TP\n.B %s", roff(v.Name))
		text := v.About + "."
		if v.Default != "" {
			text += " Default: " + v.Default + "."
		}
		if v.Secret {
			text += " " + v.Name + "_FILE names a file with it."
		}
		line("%s", roff(text))
	}
	line(".SH FILES")
	for _, f := range [][2]string{
		{"/etc/service/service.env", "the configuration"},
		{"/var/lib/service", "the data directory"},
		{"/var/backups/service", "the backups of service-backup.timer"},
		{"/usr/share/doc/service/docs", "the documentation"},
	} {
		line(".TP\n.I %s\n%s.", roff(f[0]), roff(f[1]))
	}
	line(".SH EXIT STATUS\n0: success. 1: failure. 2: a mistake in the command line or the configuration.")
	return b.String()
}

// commands calls f with each command that does something and that people use.
func commands(c *cobra.Command, f func(*cobra.Command)) {
	if c.Hidden {
		return
	}
	if !c.HasSubCommands() {
		f(c)
	}
	for _, sub := range c.Commands() {
		commands(sub, f)
	}
}

// roff escapes text for a manual page. Empty lines begin paragraphs.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	text = regexp.MustCompile(`[^\x00-\x7f]`).ReplaceAllStringFunc(text, func(r string) string {
		return fmt.Sprintf(`\[u%04X]`, []rune(r)[0])
	})
	text = regexp.MustCompile(`(?m)^([.'])`).ReplaceAllString(text, `\&$1`)
	return regexp.MustCompile(`\n\n+`).ReplaceAllString(text, "\n.PP\n")
}

// requireCurrent requires that a committed file is the text that a test makes. With -update, it writes the file.
func requireCurrent(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, string(got)); diff != "" {
		t.Fatalf("%s is not current: go test ./cmd/service -run %s -update (-want +got):\n%s", file, t.Name(), diff)
	}
}

func TestManPage(t *testing.T) {
	t.Parallel()
	const file = "packaging/files/servicectl.8"
	want := manPage()
	requireCurrent(t, file, want)
	for _, name := range []string{"admin member list", "backup", "dashboard plan", "SERVICE_BASE_URL", "healthcheck"} {
		if !strings.Contains(want, "\n.B "+name) {
			t.Errorf("it lacks %s", name)
		}
	}
	if groff, err := exec.LookPath("groff"); err == nil {
		cmd := exec.CommandContext(t.Context(), groff, "-man", "-ww", "-Tutf8", "-z")
		cmd.Stdin = strings.NewReader(want)
		if out, err := cmd.CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
			t.Errorf("groff: %v\n%s", err, out)
		}
	}
}
