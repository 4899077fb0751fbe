package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"service/store"
	"service/store/message"
	"service/store/warehouse"
)

// connection has the operator's commands for warehouse connections. A connection belongs to a
// member, so each command names its owner.
func (p *program) connection() *cobra.Command {
	return group("connection", "Warehouse connections of a member",
		p.connectionList(), p.connectionAdd(), p.connectionUpdate(),
		p.onConnection("test", "Test a connection: it becomes active, or the error is printed", p.test),
		p.onConnection("disable", "Disable a connection; a successful test enables it again",
			func(ctx context.Context, s *store.Store, m store.Member, id uuid.UUID) error {
				if err := s.Connections.DisableConnection(ctx, m, id); err != nil {
					return err
				}
				return p.say("Connection %s is disabled.", id)
			}),
		p.onConnection("delete", "Delete a connection: dashboards that use it keep their last rows and no longer refresh",
			func(ctx context.Context, s *store.Store, m store.Member, id uuid.UUID) error {
				if err := s.Connections.DeleteConnection(ctx, m, id); err != nil {
					return err
				}
				return p.say("Connection %s is deleted.", id)
			}),
	)
}

// onConnection returns a command about one connection.
func (p *program) onConnection(
	verb, short string, do func(context.Context, *store.Store, store.Member, uuid.UUID) error,
) *cobra.Command {
	var id uuid.UUID
	cmd := p.onMember(verb+" <workspace> <email> <id>", short, 3,
		func(ctx context.Context, s *store.Store, m store.Member, args []string) error {
			missing := "%s has no connection %s to a warehouse in workspace %s: see service admin connection list %s %s"
			if verb == "delete" { // that of uploaded files too, which is in the list
				missing = strings.Replace(missing, " to a warehouse", "", 1)
			}
			return named(do(ctx, s, m, id), missing, args[1], id, args[0], args[0], args[1])
		})
	cmd.PreRunE = takeID(&id, 2, "connection")
	return cmd
}

// test tests a connection and prints the result, warnings, and the negotiated properties (version, sign-in, user, limits). It returns an
// error if the test failed.
func (p *program) test(ctx context.Context, s *store.Store, m store.Member, id uuid.UUID) error {
	c, err := s.Connections.TestConnection(ctx, m, id)
	if err != nil {
		return err
	}
	if c.Status != store.StatusActive {
		return message.Refuse("connection %s is %s: %s", c.ID, c.Status, c.StatusReason)
	}
	if err := p.say("Connection %s is active.", c.ID); err != nil {
		return err
	}
	if c.StatusReason != "" {
		if err := p.say("%s", c.StatusReason); err != nil {
			return err
		}
	}
	facts, err := s.Facts(ctx, m, id)
	if bad, ok := errors.AsType[*warehouse.Error](err); ok {
		return p.say("The warehouse did not report what was negotiated: %s", bad.Message)
	}
	if err != nil {
		return err
	}
	for _, f := range facts {
		if err := p.say("%s: %s", f.Name, f.Value); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) connectionList() *cobra.Command {
	return p.onMember("list <workspace> <email>", "List a member's connections", 2,
		func(ctx context.Context, s *store.Store, m store.Member, _ []string) error {
			list, err := s.Connections.Connections(ctx, m)
			if err != nil {
				return err
			}
			t := p.table("ID", "KIND", "STATUS", "SINCE", "LABEL", "REASON")
			for _, c := range list {
				t.row(c.ID, c.Kind, c.Status, c.StatusAt, c.Label, c.StatusReason)
			}
			return t.Flush()
		})
}

// A targetFlags holds the flags that describe how to connect to a warehouse. The password is not a flag, because other
// processes can read a command line.
type targetFlags struct {
	label string
	warehouse.Target
}

func (f *targetFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.label, "label", "", "display name")
	flags.StringVar(&f.Host, "host", "", "host name or address")
	flags.IntVar(&f.Port, "port", 0, "port")
	flags.StringVar(&f.Database, "database", "", "database")
	flags.StringVar(&f.Place, "place", "",
		"athena: workgroup; bigquery without a key: workload identity provider; databricks: HTTP path or id of the SQL warehouse; "+
			"files: the files, one a line; snowflake by OAuth: token endpoint, a space and the scopes; other kinds do not use it")
	flags.StringVar(&f.Role, "role", "", "athena, redshift and files: ARN of a role that the access key assumes")
	flags.StringVar(&f.User, "user", "", "user name; use a user that can only read")
	flags.Int64Var(&f.MaxBytes, "max-bytes", 0,
		"bytes that a run of a query may read, for kinds that count them (0: 150 GB, or no limit for snowflake)")
	flags.Int64Var(&f.MaxMonth, "max-month", 0, "bytes that all runs of a month may read, for kinds that count them (0: no limit)")
	flags.StringVar(&f.TLS, "tls", warehouse.TLSVerify, "verify, require (encrypted, any certificate) or off (private hosts)")
}

// readPassword reads the password from standard input: its first line, or all of it if it is a key in JSON or PEM. At a terminal it asks
// for a line, which the terminal shows.
func (f *targetFlags) readPassword(cmd *cobra.Command) error {
	in := io.LimitReader(cmd.InOrStdin(), 64<<10)
	if file, ok := cmd.InOrStdin().(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			fmt.Fprint(cmd.ErrOrStderr(), "Password (the terminal shows it; empty for none): ")
			line := bufio.NewScanner(in)
			line.Scan()
			f.Password = line.Text()
			return line.Err()
		}
	}
	b, err := io.ReadAll(in)
	if f.Password = string(b); !strings.HasPrefix(f.Password, "{") && !strings.HasPrefix(f.Password, "-----BEGIN ") {
		f.Password, _, _ = strings.Cut(f.Password, "\n")
	}
	return err
}

const targetUsage = "--label … --host … --port … --database … --user … < password"

func (p *program) connectionAdd() *cobra.Command {
	var f targetFlags
	var kind string
	cmd := p.onMember("add <workspace> <email> --kind <kind> "+targetUsage, "Connect a warehouse, and test it", 2,
		func(ctx context.Context, s *store.Store, m store.Member, _ []string) error {
			c, err := s.Connections.AddWarehouse(ctx, m, kind, f.label, f.Target)
			if err != nil {
				return err
			}
			if err := p.say("Added connection %s.", c.ID); err != nil {
				return err
			}
			if steps, err := s.Connections.KeySteps(ctx, m, c.ID); f.Password == "" && steps != "" {
				return p.say("A key pair was made. Run this at the vendor, then test the connection:\n%s", steps)
			} else if err != nil {
				return err
			}
			return p.test(ctx, s, m, c.ID)
		})
	cmd.Long = "Connect a warehouse, and test it. The password is read from the standard input."
	cmd.Example = "  service admin connection add acme ann@example.com --kind postgres --label Sales \\\n" +
		"    --host db.example.com --port 5432 --database sales --user reader < password.txt"
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if kind == "" {
			return usageError{errors.New("a connection has a kind: --kind <kind>, such as --kind postgres")}
		}
		return f.readPassword(cmd)
	}
	f.add(cmd)
	cmd.Flags().StringVar(&kind, "kind", "", "kind of warehouse, such as postgres")
	return cmd
}

func (p *program) connectionUpdate() *cobra.Command {
	var f targetFlags
	cmd := p.onConnection("update", "Change the address of a connection, and test it",
		func(ctx context.Context, s *store.Store, m store.Member, id uuid.UUID) error {
			if _, err := s.Connections.UpdateWarehouse(ctx, m, id, f.label, f.Target); err != nil {
				return err
			}
			return p.test(ctx, s, m, id)
		})
	cmd.Use += " " + targetUsage
	cmd.Long = "Change the address of a connection, and test it. An empty standard input keeps the password,\n" +
		"unless host, port, user or TLS change."
	takeID := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := takeID(cmd, args); err != nil {
			return err
		}
		return f.readPassword(cmd)
	}
	f.add(cmd)
	return cmd
}
