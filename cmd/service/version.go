package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"service/server"
)

func (p *program) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and build of this program",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprint(p.stdout, versionText())
			return nil
		},
	}
}

// versionText returns the version that the build recorded.
func versionText() string {
	commit, date := server.Build()
	return fmt.Sprintf("service %s\ncommit  %s\ndate    %s\ngo      %s\n", server.Release, commit, date, runtime.Version())
}
