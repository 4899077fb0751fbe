package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"service/server"
)

func (p *program) worker() *cobra.Command {
	var workers int
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run refreshes and send messages, without the web app and the MCP endpoint",
		Long: "Run refreshes and send messages, without the web app and the MCP endpoint. Workers on other\n" +
			"machines take load off the servers; all share the database. A worker listens only on\n" +
			"SERVICE_OPS_ADDR (health and metrics).",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if workers < 1 {
				return usageError{fmt.Errorf("--workers must be at least 1")}
			}
			return p.runWorker(cmd.Context(), workers)
		},
	}
	cmd.Flags().IntVar(&workers, "workers", 4, "refreshes that run concurrently")
	return cmd
}

func (p *program) runWorker(ctx context.Context, workers int) (err error) {
	r, err := p.begin(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	w, err := r.startWorker(ctx, workers)
	if err != nil {
		return err
	}
	ops := &server.Ops{Log: r.log, Metrics: r.metrics, Checks: r.checks(), Pprof: true}
	failed := make(chan error, 1)
	if l := r.ports.ops; l != nil {
		go func() { failed <- ops.Serve(l) }()
		r.log.Info("operators' listener", "addr", l.Addr().String())
	}
	r.log.Info("refreshing", "workers", workers)
	p.notify("READY=1")
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	r.log.Info("stopping")
	p.notify("STOPPING=1")
	ops.Drain()
	return errors.Join(err, stopWorker(ctx, w))
}
