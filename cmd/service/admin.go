package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"service/store"
	"service/store/message"
)

// admin is what the operator does, whoever they are to the service: there is no
// account behind it, and the audit log says so.
func (p *program) admin() *cobra.Command {
	return group("admin", "Workspaces, people and grants, for the operator",
		group("workspace", "Workspaces", p.workspaceCreate(), p.workspaceList(), p.workspacePlan()),
		group("member", "Members of a workspace", p.memberAdd(), p.memberRemove()),
		group("user", "People who have signed in", p.userList(), p.userDelete()),
		group("grant", "What clients are allowed to do", p.grantList(), p.grantRevoke()),
		p.connection(),
		group("upload", "Uploaded files", p.uploadAdd()),
		group("key", "The key that seals credentials", p.keyRotate()),
	)
}

// withStore runs f with the store open, beside a running server or without one.
func (p *program) withStore(ctx context.Context, f func(*store.Store) error) (err error) {
	c, log, err := p.load()
	if err != nil {
		return err
	}
	k, err := open(ctx, c, log, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.close()) }()
	return f(k.store)
}

// named says what was not found.
func named(err error, format string, args ...any) error {
	if errors.Is(err, store.ErrNotFound) {
		return message.Refuse(format, args...)
	}
	return err
}

func (p *program) workspaceCreate() *cobra.Command {
	var name, owner string
	cmd := &cobra.Command{
		Use:     "create <slug> --owner <email> [--name <name>]",
		Short:   "Make a workspace",
		Long:    "Make a workspace. Its owner need not have signed in yet: the membership waits for\ntheir first sign-in with that e-mail address.",
		Example: "  service admin workspace create acme --name Acme --owner ann@example.com",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if owner == "" {
				return usageError{errors.New("a workspace has an owner: --owner <email>")}
			}
			if name == "" {
				name = args[0]
			}
			return p.withStore(cmd.Context(), func(s *store.Store) error {
				if err := s.CreateWorkspaceFor(cmd.Context(), args[0], name, owner); err != nil {
					return err
				}
				fmt.Fprintf(p.stdout, "Created workspace %s, owned by %s.\n", args[0], owner)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "what people call it; the slug by default")
	cmd.Flags().StringVar(&owner, "owner", "", "e-mail address of its first owner")
	return cmd
}

func (p *program) workspaceList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the workspaces",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withStore(cmd.Context(), func(s *store.Store) error {
				list, err := s.Workspaces(cmd.Context())
				if err != nil {
					return err
				}
				t := p.table("SLUG", "PLAN", "MEMBERS", "DASHBOARDS", "CREATED", "NAME")
				for _, w := range list {
					t.row(w.Slug, w.Plan, w.Members, w.Dashboards, w.CreatedAt, w.Name)
				}
				return t.Flush()
			})
		},
	}
}

func (p *program) workspacePlan() *cobra.Command {
	return &cobra.Command{
		Use:   "plan <slug> free|paid",
		Short: "Put a workspace on a plan",
		Long:  "Put a workspace on a plan. Warehouse connections need paid; uploads do not.",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withStore(cmd.Context(), func(s *store.Store) error {
				if err := s.SetPlan(cmd.Context(), args[0], args[1]); err != nil {
					return named(err, `there is no workspace "%s"`, args[0])
				}
				fmt.Fprintf(p.stdout, "Workspace %s is on plan %s.\n", args[0], args[1])
				return nil
			})
		},
	}
}

func (p *program) memberAdd() *cobra.Command {
	var role string
	cmd := &cobra.Command{
		Use:   "add <workspace> <email> [--role owner]",
		Short: "Make somebody a member, or change their role",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withStore(cmd.Context(), func(s *store.Store) error {
				waits, err := s.AddMember(cmd.Context(), uuid.Nil, args[0], args[1], role)
				if err != nil {
					return named(err, `there is no workspace "%s"`, args[0])
				}
				then := "is"
				if waits {
					then = "has not signed in yet, and will then be"
				}
				fmt.Fprintf(p.stdout, "%s %s %s of workspace %s.\n", args[1], then, role, args[0])
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&role, "role", store.RoleMember, "owner or member")
	return cmd
}

func (p *program) memberRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove <workspace> <email>",
		Short: "End a membership, and at once all access that came with it",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withStore(cmd.Context(), func(s *store.Store) error {
				if err := s.RemoveMember(cmd.Context(), args[0], args[1]); err != nil {
					return named(err, `%s is not a member of a workspace "%s"`, args[1], args[0])
				}
				fmt.Fprintf(p.stdout, "%s is no longer a member of workspace %s.\n", args[1], args[0])
				return nil
			})
		},
	}
}

func (p *program) userList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List everybody who has signed in",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withStore(cmd.Context(), func(s *store.Store) error {
				list, err := s.ListAccounts(cmd.Context())
				if err != nil {
					return err
				}
				t := p.table("ID", "E-MAIL", "NAME", "SINCE")
				for _, a := range list {
					t.row(a.ID, a.Email, a.Name, a.CreatedAt)
				}
				return t.Flush()
			})
		},
	}
}

func (p *program) userDelete() *cobra.Command {
	var alone []string
	cmd := &cobra.Command{
		Use:   "delete <email> [--with-workspace <slug>]",
		Short: "Delete an account: its memberships, connections, uploads, grants and sessions end",
		Long: "Delete an account: its memberships, connections, uploads, grants and sessions end at\n" +
			"once. Dashboards stay, and those bound to its connections no longer refresh. A\n" +
			"workspace in which there is nobody else is deleted with it, when it is named.",
		Example: "  service admin user delete bob@example.com --with-workspace bobs",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withStore(cmd.Context(), func(s *store.Store) error {
				account, err := s.AccountByEmail(cmd.Context(), args[0])
				if err != nil {
					return named(err, "nobody has signed in as %s", args[0])
				}
				if err := s.DeleteAccount(cmd.Context(), uuid.Nil, account.ID, alone...); err != nil {
					return err
				}
				fmt.Fprintf(p.stdout, "Deleted the account of %s.\n", args[0])
				return nil
			})
		},
	}
	cmd.Flags().StringSliceVar(&alone, "with-workspace", nil, "slug of a workspace in which there is nobody else; may be given again")
	return cmd
}

func (p *program) grantList() *cobra.Command {
	return &cobra.Command{
		Use:   "list <email>",
		Short: "List what somebody has allowed clients to do",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withStore(cmd.Context(), func(s *store.Store) error {
				account, err := s.AccountByEmail(cmd.Context(), args[0])
				if err != nil {
					return named(err, "nobody has signed in as %s", args[0])
				}
				list, err := s.ListGrants(cmd.Context(), account.ID, uuid.Nil)
				if err != nil {
					return err
				}
				t := p.table("ID", "LOCK", "WORKSPACE", "CREATED", "LAST USED", "CLIENT")
				for _, g := range list {
					t.row(g.ID, g.Lock, g.Workspace, g.CreatedAt, g.UsedAt, g.ClientName)
				}
				return t.Flush()
			})
		},
	}
}

func (p *program) grantRevoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke <id>",
		Short: "End a grant: its client has to ask anew",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := uuid.Parse(args[0])
			if err != nil {
				return usageError{fmt.Errorf(`"%s" is not the id of a grant: see service admin grant list`, args[0])}
			}
			return p.withStore(cmd.Context(), func(s *store.Store) error {
				if err := s.RevokeGrant(cmd.Context(), uuid.Nil, id); err != nil {
					return named(err, "there is no grant %s", id)
				}
				fmt.Fprintf(p.stdout, "Revoked grant %s.\n", id)
				return nil
			})
		},
	}
}

func (p *program) uploadAdd() *cobra.Command {
	return &cobra.Command{
		Use:   "add <workspace> <email> <file>",
		Short: "Upload a data file for a member, as in the web app",
		Long:  "Upload a data file for a member, as in the web app: CSV, TSV, JSON, NDJSON,\nParquet or XLSX, of at most 5 MiB.",
		Args:  cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := readUpload(args[2])
			if err != nil {
				return err
			}
			return p.withMember(cmd.Context(), args, func(s *store.Store, m store.Member) error {
				added, err := s.AddUpload(cmd.Context(), m, filepath.Base(args[2]), data)
				if err != nil {
					return err
				}
				fmt.Fprintf(p.stdout, "Uploaded %s: %d rows, %d columns.\nconnection %s\nupload     %s\n",
					added.Upload.Filename, added.Upload.Rows, len(added.Upload.Columns), added.Connection.ID, added.Upload.ID)
				return nil
			})
		},
	}
}

func (p *program) keyRotate() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate",
		Short: "Seal all credentials anew with the first key of SERVICE_SECRET_KEY",
		Long: "Seal all credentials anew with the first key of SERVICE_SECRET_KEY.\n\n" +
			"First put the new key in front of the old one, with a comma, everywhere, and\n" +
			"restart; then rotate; then the old key can go.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withStore(cmd.Context(), func(s *store.Store) error {
				n, err := s.RotateKey(cmd.Context())
				if err != nil {
					return err
				}
				fmt.Fprintf(p.stdout, "Sealed %d secrets anew.\n", n)
				return nil
			})
		},
	}
}

// readUpload reads a file that is not larger than an upload may be.
func readUpload(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.Size() > message.MaxBytes {
		return nil, message.PayloadTooLarge(int(st.Size()))
	}
	return os.ReadFile(path)
}

// memberByEmail is a member named as the operator knows them.
func memberByEmail(ctx context.Context, s *store.Store, workspace, email string) (store.Member, error) {
	account, err := s.AccountByEmail(ctx, email)
	if err != nil {
		return store.Member{}, named(err, "nobody has signed in as %s", email)
	}
	m, err := s.Member(ctx, account.ID, workspace)
	if errors.Is(err, store.ErrNotMember) {
		return m, message.Refuse("%s is not a member of workspace %s", email, workspace)
	}
	return m, named(err, `there is no workspace "%s"`, workspace)
}

// A table is a list with headings, aligned.
type table struct{ *tabwriter.Writer }

func (p *program) table(headings ...any) table {
	t := table{tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)}
	t.row(headings...)
	return t
}

func (t table) row(cells ...any) {
	for i, cell := range cells {
		switch at := cell.(type) {
		case time.Time:
			cell = at.UTC().Format(time.RFC3339)
		case *time.Time:
			cell = "never"
			if at != nil {
				cell = at.UTC().Format(time.RFC3339)
			}
		}
		if i > 0 {
			fmt.Fprint(t, "\t")
		}
		fmt.Fprint(t, cell)
	}
	fmt.Fprintln(t)
}
