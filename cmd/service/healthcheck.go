package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func (p *program) healthcheck() *cobra.Command {
	var ready bool
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: "Check whether the server on this machine is healthy; the exit status is then 0",
		Long: "Check whether the server on this machine is healthy; the exit status is then 0.\n\n" +
			"It reads the same variables as the server, so that a container's\n" +
			"HEALTHCHECK needs no shell. Without --ready it checks only the process,\n" +
			"not its dependencies: an unreachable database is not a reason to restart.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, _, err := p.load()
			if err != nil {
				return err
			}
			addr, path := c.ListenAddr, "/healthz"
			if ready {
				if addr, path = c.OpsAddr, "/readyz"; addr == "off" {
					return usageError{fmt.Errorf("--ready needs the operators' listener, and SERVICE_OPS_ADDR is off")}
				}
			}
			host := c.base.Host // the MCP host; other hosts have no /healthz
			if ready {
				host = "localhost" // the operators' listener answers to no domain
			}
			err = probe(cmd.Context(), addr, path, host, p.stdout)
			if !ready && errors.Is(err, syscall.ECONNREFUSED) && c.OpsAddr != "off" { // a worker has no public listener
				return probe(cmd.Context(), c.OpsAddr, "/livez", "localhost", p.stdout)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&ready, "ready", false, "also check the database and its schema")
	return cmd
}

// probe requests path at addr, and prints the answer.
func probe(ctx context.Context, addr, path, host string, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(addr)+path, nil)
	if err != nil {
		return err
	}
	req.Host = host
	direct := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // a proxy of the environment would answer in its place
	res, err := direct.Do(req)
	if err != nil {
		return fmt.Errorf("%s does not answer: %w", addr, plain(err))
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %s", path, res.Status, body)
	}
	fmt.Fprintf(out, "%s\n", body)
	return nil
}

// reachable returns an address for connecting to a listener on addr: loopback for a listener on
// all interfaces.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if host == "" || host == "0.0.0.0" {
		host = "127.0.0.1"
	}
	if host == "::" {
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}
