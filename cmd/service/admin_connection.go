package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"service/store"
	"service/store/message"
	"service/store/warehouse"
)

// connection is what the operator does about warehouse connections. A
// connection is a member's, so each command names its owner.
func (p *program) connection() *cobra.Command {
	return group("connection", "Warehouse connections of a member",
		p.connectionList(), p.connectionAdd(), p.connectionUpdate(),
		p.connectionDo("test", "Test a connection: it becomes active, or says what is wrong", func(ctx context.Context, s *store.Store, m store.Member, id uuid.UUID) error {
			c, err := s.TestConnection(ctx, m, id)
			if err != nil {
				return err
			}
			return p.tested(c)
		}),
		p.connectionDo("disable", "Switch a connection off; a test switches it on", func(ctx context.Context, s *store.Store, m store.Member, id uuid.UUID) error {
			if err := s.DisableConnection(ctx, m, id); err != nil {
				return err
			}
			fmt.Fprintf(p.stdout, "Connection %s is disabled.\n", id)
			return nil
		}),
		p.connectionDo("delete", "Delete a connection: dashboards bound to it stay, and no longer refresh", func(ctx context.Context, s *store.Store, m store.Member, id uuid.UUID) error {
			if err := s.DeleteConnection(ctx, m, id); err != nil {
				return err
			}
			fmt.Fprintf(p.stdout, "Connection %s is deleted.\n", id)
			return nil
		}),
	)
}

func (p *program) connectionList() *cobra.Command {
	return &cobra.Command{
		Use:   "list <workspace> <email>",
		Short: "List a member's connections",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withMember(cmd.Context(), args, func(s *store.Store, m store.Member) error {
				list, err := s.Connections(cmd.Context(), m)
				if err != nil {
					return err
				}
				t := p.table("ID", "KIND", "STATUS", "SINCE", "LABEL", "REASON")
				for _, c := range list {
					t.row(c.ID, c.Kind, c.Status, c.StatusAt, c.Label, c.StatusReason)
				}
				return t.Flush()
			})
		},
	}
}

// A targetFlags is where a warehouse is, as flags. The password is never one:
// the command line of a process is no secret.
type targetFlags struct {
	label string
	warehouse.Target
}

func (f *targetFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.label, "label", "", "what people call it")
	flags.StringVar(&f.Host, "host", "", "host name or address")
	flags.IntVar(&f.Port, "port", 0, "port")
	flags.StringVar(&f.Database, "database", "", "database")
	flags.StringVar(&f.User, "user", "", "user; one that may only read")
	flags.StringVar(&f.TLS, "tls", warehouse.TLSVerify, "verify, require (encrypted, any certificate) or off (private hosts)")
}

// readPassword reads the first line of the standard input.
func (f *targetFlags) readPassword(cmd *cobra.Command) error {
	b, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), 4096))
	f.Password, _, _ = strings.Cut(string(b), "\n")
	return err
}

func (p *program) connectionAdd() *cobra.Command {
	var f targetFlags
	var kind string
	cmd := &cobra.Command{
		Use:     "add <workspace> <email> --kind <kind> --label … --host … --port … --database … --user … < password",
		Short:   "Connect a warehouse, and test it",
		Long:    "Connect a warehouse, and test it. The password is read from the standard input.",
		Example: "  service admin connection add acme ann@example.com --kind postgres --label Sales \\\n    --host db.example.com --port 5432 --database sales --user reader < password.txt",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.readPassword(cmd); err != nil {
				return err
			}
			return p.withMember(cmd.Context(), args, func(s *store.Store, m store.Member) error {
				c, err := s.AddWarehouse(cmd.Context(), m, kind, f.label, f.Target)
				if err != nil {
					return err
				}
				fmt.Fprintf(p.stdout, "Added connection %s.\n", c.ID)
				if c, err = s.TestConnection(cmd.Context(), m, c.ID); err != nil {
					return err
				}
				return p.tested(c)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&kind, "kind", "", "kind of warehouse, such as postgres")
	return cmd
}

func (p *program) connectionUpdate() *cobra.Command {
	var f targetFlags
	cmd := &cobra.Command{
		Use:   "update <workspace> <email> <id> --label … --host … --port … --database … --user … < password",
		Short: "Change where a connection leads, and test it",
		Long:  "Change where a connection leads, and test it. An empty standard input keeps the password,\nunless host, port, user or TLS change.",
		Args:  cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := connectionID(args[2])
			if err != nil {
				return err
			}
			if err := f.readPassword(cmd); err != nil {
				return err
			}
			return p.withMember(cmd.Context(), args, func(s *store.Store, m store.Member) error {
				if _, err := s.UpdateWarehouse(cmd.Context(), m, id, f.label, f.Target); err != nil {
					return named(err, "%s has no connection %s in workspace %s", args[1], id, args[0])
				}
				c, err := s.TestConnection(cmd.Context(), m, id)
				if err != nil {
					return err
				}
				return p.tested(c)
			})
		},
	}
	f.add(cmd)
	return cmd
}

// connectionDo is a command about one connection.
func (p *program) connectionDo(verb, short string, do func(context.Context, *store.Store, store.Member, uuid.UUID) error) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " <workspace> <email> <id>",
		Short: short,
		Args:  cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := connectionID(args[2])
			if err != nil {
				return err
			}
			return p.withMember(cmd.Context(), args, func(s *store.Store, m store.Member) error {
				return named(do(cmd.Context(), s, m, id), "%s has no connection %s in workspace %s", args[1], id, args[0])
			})
		},
	}
}

// tested says how a test went, with what it warns of, and fails when it failed.
func (p *program) tested(c store.Connection) error {
	if c.Status != store.StatusActive {
		return message.Refuse("connection %s is %s: %s", c.ID, c.Status, c.StatusReason)
	}
	fmt.Fprintf(p.stdout, "Connection %s is active.\n", c.ID)
	if c.StatusReason != "" {
		fmt.Fprintln(p.stdout, c.StatusReason)
	}
	return nil
}

func connectionID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return id, usageError{errors.New(`"` + text + `" is not the id of a connection: see service admin connection list`)}
	}
	return id, nil
}

// withMember runs f for the member whom the first two arguments name, by
// workspace and e-mail.
func (p *program) withMember(ctx context.Context, args []string, f func(*store.Store, store.Member) error) error {
	return p.withStore(ctx, func(s *store.Store) error {
		m, err := memberByEmail(ctx, s, args[0], args[1])
		if err != nil {
			return err
		}
		return f(s, m)
	})
}
