package main

import (
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"
)

// load reads the configuration, warns of unknown variables, and makes the logger. All subcommands
// use it.
func (p *program) load() (*config, *slog.Logger, error) {
	c, warnings, err := loadConfig(p.environ)
	if err != nil {
		for _, w := range warnings { // a misspelt variable is often the cause
			fmt.Fprintln(p.stderr, "service: warning:", w)
		}
		return nil, nil, err
	}
	var log *slog.Logger
	log, p.flush = newLogger(p.stderr, c)
	for _, w := range warnings {
		log.Warn(w)
	}
	return c, log, nil
}

func (p *program) config() *cobra.Command {
	return group("config", "Show or check the configuration",
		&cobra.Command{
			Use:   "print",
			Short: "Print the effective configuration, without its secrets",
			Args:  cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				c, _, err := p.load()
				if err != nil {
					return err
				}
				if c.DataDir, err = filepath.Abs(c.dataDir()); err != nil {
					return err
				}
				for _, v := range c.variables() {
					fmt.Fprintf(p.stdout, "%s=%s\n", v.Name, v)
				}
				return nil
			},
		},
		&cobra.Command{
			Use:   "check",
			Short: "Check the server's configuration and print all mistakes",
			Args:  cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				c, _, err := p.load()
				if err != nil {
					return err
				}
				if err := c.checkServing(); err != nil {
					return err
				}
				fmt.Fprintln(p.stdout, "The configuration is fine.")
				return nil
			},
		})
}
