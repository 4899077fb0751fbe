package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	_ "time/tzdata" // schedules name time zones, and a container may have no zone files

	"github.com/spf13/cobra"

	"service/server"
)

func main() {
	runtime.MemProfileRate = heapSample
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills the program
	err := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	os.Exit(status(err, os.Stderr))
}

// A program is the context that the subcommands share.
type program struct {
	environ        []string // in the form of os.Environ
	stdout, stderr io.Writer
	flush          func() // of the log; nil for a subcommand without a log
}

// run is the whole program. It returns when the subcommand is done or, for those that
// serve, when ctx has ended and everything is shut down in order.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) error {
	p := &program{environ: environ, stdout: stdout, stderr: stderr}
	ran := false
	root := p.root()
	root.PersistentPreRun = func(*cobra.Command, []string) { ran = true }
	root.SetArgs(args)
	defer func() {
		if p.flush != nil {
			p.flush()
		}
	}()
	err := root.ExecuteContext(ctx)
	if err != nil && !ran { // cobra refused the command line
		err = usageError{err}
	}
	return err
}

// root returns the command with all subcommands.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "service",
		Short: "A server for dashboards that AI clients publish and the members of a workspace read",
		Long: "A server for dashboards that AI clients publish and the members of a workspace read.\n\n" +
			"The server is configured by environment variables; \"service config print\" lists them.",
		Example: "  service serve\n" +
			"  service admin workspace create acme --name Acme --owner ann@example.com\n" +
			"  service config check",
		Version:       server.Release, // adds the flag --version
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          help,
	}
	root.SetVersionTemplate(versionText())
	root.SetFlagErrorFunc(flagError)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.AddCommand(p.serve(), p.worker(), p.migrate(), p.backup(), p.restore(), p.admin(), p.dashboard(), p.config(), p.healthcheck(),
		p.version(), p.queryStarter(), p.queryWorker(), p.warehouseWorker())
	explainArguments(root)
	return root
}

// help is the action of a command that only has subcommands.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// group makes a command that only has subcommands.
func group(use, short string, sub ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: help}
	cmd.AddCommand(sub...)
	return cmd
}
