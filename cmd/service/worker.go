package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func (p *program) worker() *cobra.Command {
	var workers int
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Refresh dashboards, and serve nothing",
		Long: "Refresh dashboards, and serve nothing: a replica for machines of their own,\n" +
			"beside servers that share the database.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if workers < 1 {
				return usageError{fmt.Errorf("--workers must be at least 1")}
			}
			return p.runWorker(cmd.Context(), workers)
		},
	}
	cmd.Flags().IntVar(&workers, "workers", 4, "refreshes that run at once")
	return cmd
}

func (p *program) runWorker(ctx context.Context, workers int) (err error) {
	c, log, err := p.load()
	if err != nil {
		return err
	}
	if err := c.checkServing(); err != nil {
		return err
	}
	log.Info("starting", "version", serverVersion, "memory_limit", tuneMemory(os.Getenv))
	k, err := open(ctx, c, log, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.close()) }()
	if err := k.store.CheckKey(ctx); err != nil {
		return err
	}
	w, err := k.startWorker(ctx, workers, nil)
	if err != nil {
		return err
	}
	log.Info("refreshing", "workers", workers)
	<-ctx.Done()
	log.Info("stopping")
	return stopWorker(ctx, w)
}
