package main

import (
	"os"

	"github.com/spf13/cobra"

	"service/store/warehouse/duckdb/forkserver"
	"service/store/warehouse/duckdb/worker"
	"service/store/warehouse/isolate"
)

// queryStarter returns the command of the process that starts query workers.
func (p *program) queryStarter() *cobra.Command {
	return &cobra.Command{
		Use:    forkserver.Command,
		Short:  "Start query workers (started by the server)",
		Hidden: true,

		DisableFlagParsing: true, // its arguments are the command of a worker
		RunE: func(_ *cobra.Command, args []string) error {
			if code := forkserver.Main(args); code != 0 {
				return exitError(code)
			}
			return nil
		},
	}
}

// queryWorker returns the command of the process that runs queries over data files. It
// does not read the configuration, and does not get the program's environment.
func (p *program) queryWorker() *cobra.Command {
	return &cobra.Command{
		Use:    worker.Command,
		Short:  "Answer queries over data files on stdin and stdout (started by the server)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if code := worker.Main(os.Stdin, os.Stdout); code != 0 {
				return exitError(code)
			}
			return nil
		},
	}
}

// warehouseWorker returns the command of the process that runs one call of a warehouse. It does not read the configuration.
func (p *program) warehouseWorker() *cobra.Command {
	return &cobra.Command{
		Use:    isolate.Command,
		Short:  "Do one call of a warehouse on stdin and stdout (started by the server)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if code := isolate.Main(os.Stdin, os.Stdout, isolatedKinds); code != 0 {
				return exitError(code)
			}
			return nil
		},
	}
}
