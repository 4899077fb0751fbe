package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"service/store"
	"service/store/message"
)

// admin has the operator's commands. They act without an account; the audit log names "the operator".
func (p *program) admin() *cobra.Command {
	return group("admin", "Manage workspaces, members, accounts, authorizations of clients, connections, keys and the audit log",
		group("workspace", "Workspaces", p.workspaceCreate(), p.workspaceList(), p.workspacePlan()),
		group("member", "Members of a workspace", p.memberAdd(), p.memberAttribute(), p.memberList(), p.memberRemove()),
		p.groups(),
		group("user", "People who have signed in", p.userList(), p.userDelete()),
		group("grant", "Authorizations that people gave to AI clients", p.grantList(), p.grantRevoke()),
		p.trust(),
		p.connection(),
		group("upload", "Uploaded files", p.uploadAdd()),
		group("key", "The key that encrypts stored credentials", p.keyRotate()),
		group("audit", "The audit log", p.auditExport()),
	)
}

// withStore runs f with the store open, whether or not a server is running.
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

// named turns a not-found error into one that names the missing thing.
func named(err error, format string, args ...any) error {
	if errors.Is(err, store.ErrNotFound) {
		return message.Refuse(format, args...)
	}
	return err
}

// noWorkspace explains a not-found error about a workspace, and names the command that lists those that there are.
func noWorkspace(err error, slug string) error {
	return named(err, `there is no workspace "%s": see service admin workspace list`, slug)
}

// noMember explains a not-found error about a member of a workspace. The store does not report which of both is missing.
func noMember(err error, workspace, email string) error {
	return named(err, `%s is not a member of workspace "%s", or there is no such workspace: see service admin member list %s`,
		email, workspace, workspace)
}

// noAccount explains a not-found error about a person.
func noAccount(err error, email string) error {
	return named(err, "nobody has signed in as %s: see service admin user list", email)
}

// onStore returns a command with n arguments that uses the store.
func (p *program) onStore(use, short string, n int, run func(context.Context, *store.Store, []string) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ExactArgs(n),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withStore(cmd.Context(), func(s *store.Store) error { return run(cmd.Context(), s, args) })
		},
	}
}

// onMember is onStore for a command about a member. The first two arguments are the member's
// workspace and e-mail address.
func (p *program) onMember(
	use, short string, n int, run func(context.Context, *store.Store, store.Member, []string) error,
) *cobra.Command {
	return p.onStore(use, short, n, func(ctx context.Context, s *store.Store, args []string) error {
		m, err := memberByEmail(ctx, s, args[0], args[1])
		if err != nil {
			return err
		}
		return run(ctx, s, m, args)
	})
}

// say prints a message about what the command did.
func (p *program) say(format string, args ...any) error {
	_, err := fmt.Fprintf(p.stdout, format+"\n", args...)
	return err
}

func (p *program) workspaceCreate() *cobra.Command {
	var name, owner string
	cmd := p.onStore("create <slug> --owner <email> [--name <name>]", "Make a workspace", 1,
		func(ctx context.Context, s *store.Store, args []string) error {
			if err := s.Workspaces.CreateWorkspaceFor(ctx, args[0], cmp.Or(name, args[0]), owner); err != nil {
				return err
			}
			return p.say("Created workspace %s, owned by %s.", args[0], owner)
		})
	cmd.Long = "Create a workspace. The owner need not have an account yet: they become the owner when\n" +
		"they first sign in with this e-mail address."
	cmd.Example = "  service admin workspace create acme --name Acme --owner ann@example.com"
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if owner == "" {
			return usageError{errors.New("a workspace has an owner: --owner <email>")}
		}
		return nil
	}
	cmd.Flags().StringVar(&name, "name", "", "display name; the slug by default")
	cmd.Flags().StringVar(&owner, "owner", "", "e-mail address of its first owner")
	return cmd
}

func (p *program) workspaceList() *cobra.Command {
	return p.onStore("list", "List the workspaces", 0, func(ctx context.Context, s *store.Store, _ []string) error {
		list, err := s.Workspaces.Workspaces(ctx)
		if err != nil {
			return err
		}
		t := p.table("SLUG", "PLAN", "MEMBERS", "DASHBOARDS", "CREATED", "NAME")
		for _, w := range list {
			t.row(w.Slug, w.Plan, w.Members, w.Dashboards, w.CreatedAt, w.Name)
		}
		return t.Flush()
	})
}

func (p *program) workspacePlan() *cobra.Command {
	cmd := p.onStore("plan <slug> free|paid", "Put a workspace on a plan", 2,
		func(ctx context.Context, s *store.Store, args []string) error {
			if err := s.Workspaces.SetPlan(ctx, args[0], args[1]); err != nil {
				return noWorkspace(err, args[0])
			}
			return p.say("Workspace %s is on plan %s.", args[0], args[1])
		})
	cmd.Long = "Change the plan of a workspace. Only members of a workspace on the plan \"paid\" can add warehouse " +
		"connections; uploads work on both plans."
	return cmd
}

func (p *program) memberAdd() *cobra.Command {
	var role string
	cmd := p.onStore("add <workspace> <email> [--role owner|editor|viewer]", "Make somebody a member, or change their role", 2,
		func(ctx context.Context, s *store.Store, args []string) error {
			waits, err := s.Members.AddMember(ctx, uuid.Nil, args[0], args[1], role)
			if err != nil {
				return noWorkspace(err, args[0])
			}
			if role == "member" { // its name up to release 0.6.0
				role = store.RoleEditor
			}
			then := "is"
			if waits {
				then = "has not signed in yet, and will then be"
			}
			return p.say("%s %s %s of workspace %s.", args[1], then, role, args[0])
		})
	cmd.Long = "Make somebody a member, or change their role. An owner manages the workspace, an editor\n" +
		"publishes, and a viewer opens dashboards and changes nothing. No mail is sent."
	cmd.Example = "  service admin member add acme bob@example.com --role viewer"
	cmd.Flags().StringVar(&role, "role", store.RoleEditor, "owner, editor or viewer")
	return cmd
}

func (p *program) memberAttribute() *cobra.Command {
	cmd := p.onStore("attribute <workspace> <email> <name> [<value> …]", "Give a member an attribute, which row rules compare", 0,
		func(ctx context.Context, s *store.Store, args []string) error {
			if err := s.Members.SetAttributeFor(ctx, args[0], args[1], args[2], args[3:]); err != nil {
				return noMember(err, args[0], args[1])
			}
			if len(args) == 3 {
				return p.say("%s has no attribute %s in workspace %s.", args[1], args[2], args[0])
			}
			return p.say("%s has %s = %s in workspace %s.", args[1], args[2], strings.Join(args[3:], " | "), args[0])
		})
	cmd.Args = cobra.MinimumNArgs(3)
	cmd.Long = "Set the values of a member's attribute in place of its earlier ones. Without a value the\n" +
		"attribute is removed. In dashboards with row rules (the key access of a spec), a member\n" +
		"sees only the rows that have one of the values."
	cmd.Example = "  service admin member attribute acme bob@example.com region EMEA APAC"
	return cmd
}

func (p *program) memberList() *cobra.Command {
	return p.onStore("list <workspace>", "List the members of a workspace, and the people who are invited", 1,
		func(ctx context.Context, s *store.Store, args []string) error {
			list, err := s.Members.PeopleOf(ctx, args[0])
			if err != nil {
				return noWorkspace(err, args[0])
			}
			t := p.table("ROLE", "SINCE", "STATE", "PERSON")
			for _, person := range list {
				state := "member"
				switch {
				case person.Account == uuid.Nil:
					state = "invited"
				case person.ByGroups:
					state = "by a group"
				}
				t.row(person.Role, person.Since, state, person.Called)
			}
			return t.Flush()
		})
}

func (p *program) memberRemove() *cobra.Command {
	return p.onStore("remove <workspace> <email>", "Remove a member; their access, sessions and AI clients in this workspace "+
		"end immediately", 2,
		func(ctx context.Context, s *store.Store, args []string) error {
			if err := s.Members.RemoveMember(ctx, args[0], args[1]); err != nil {
				return noMember(err, args[0], args[1])
			}
			return p.say("%s is no longer a member of workspace %s.", args[1], args[0])
		})
}

func (p *program) userList() *cobra.Command {
	return p.onStore("list", "List everybody who has signed in", 0, func(ctx context.Context, s *store.Store, _ []string) error {
		list, err := s.Accounts.ListAccounts(ctx)
		if err != nil {
			return err
		}
		t := p.table("ID", "E-MAIL", "NAME", "SINCE")
		for _, a := range list {
			t.row(a.ID, a.Email, a.Name, a.CreatedAt)
		}
		return t.Flush()
	})
}

func (p *program) userDelete() *cobra.Command {
	var alone []string
	cmd := p.onStore("delete <email> [--with-workspace <slug>]",
		"Delete an account: its memberships, connections, uploads, grants and sessions end", 1,
		func(ctx context.Context, s *store.Store, args []string) error {
			account, err := s.Accounts.AccountByEmail(ctx, args[0])
			if err != nil {
				return noAccount(err, args[0])
			}
			if err := s.Accounts.DeleteAccount(ctx, uuid.Nil, account.ID, alone...); err != nil {
				return err
			}
			return p.say("Deleted the account of %s.", args[0])
		})
	cmd.Long = "Delete an account: its memberships, connections, uploads, grants and sessions end at\n" +
		"once. Dashboards stay, and those bound to its connections no longer refresh. A\n" +
		"workspace without other members is deleted with it, if it is named."
	cmd.Example = "  service admin user delete bob@example.com --with-workspace bobs"
	cmd.Flags().StringSliceVar(&alone, "with-workspace", nil, "slug of a workspace without other members; may be repeated")
	return cmd
}

func (p *program) grantList() *cobra.Command {
	return p.onStore("list <email>", "List the AI clients that a person has authorized", 1,
		func(ctx context.Context, s *store.Store, args []string) error {
			account, err := s.Accounts.AccountByEmail(ctx, args[0])
			if err != nil {
				return noAccount(err, args[0])
			}
			list, err := s.OAuth.ListGrants(ctx, account.ID, uuid.Nil)
			if err != nil {
				return err
			}
			t := p.table("ID", "LOCK", "WORKSPACE", "CREATED", "LAST USED", "CLIENT")
			for _, g := range list {
				t.row(g.ID, g.Lock, g.Workspace, g.CreatedAt, g.UsedAt, g.ClientName)
			}
			return t.Flush()
		})
}

func (p *program) grantRevoke() *cobra.Command {
	var id uuid.UUID
	cmd := p.onStore("revoke <id>", "Revoke an authorization; the client must ask the person again", 1,
		func(ctx context.Context, s *store.Store, _ []string) error {
			if err := s.OAuth.RevokeGrant(ctx, uuid.Nil, id); err != nil {
				return named(err, "there is no grant %s: service admin grant list <email> lists those of a person", id)
			}
			return p.say("Revoked grant %s.", id)
		})
	cmd.PreRunE = takeID(&id, 0, "grant")
	return cmd
}

// takeID parses argument i, the id of a thing, before the store is opened.
func takeID(id *uuid.UUID, i int, thing string) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) (err error) {
		if *id, err = uuid.Parse(args[i]); err != nil {
			return usageError{fmt.Errorf(`"%s" is not the id of a %s: see service admin %s list`, args[i], thing, thing)}
		}
		return nil
	}
}

func (p *program) uploadAdd() *cobra.Command {
	var data []byte
	cmd := p.onMember("add <workspace> <email> <file>", "Upload a data file for a member, as in the web app", 3,
		func(ctx context.Context, s *store.Store, m store.Member, args []string) error {
			added, err := s.Uploads.AddUpload(ctx, m, filepath.Base(args[2]), data)
			if err != nil {
				return err
			}
			u := added.Upload
			return p.say("Uploaded %s: %d rows, %d columns.\nconnection %s\nupload     %s",
				u.Filename, u.Rows, len(u.Columns), added.Connection.ID, u.ID)
		})
	cmd.Long = "Upload a data file for a member, as in the web app: CSV, TSV, JSON, NDJSON,\n" +
		"Parquet or XLSX, of at most 5 MiB."
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		data, err = readUpload(args[2])
		return err
	}
	return cmd
}

func (p *program) keyRotate() *cobra.Command {
	cmd := p.onStore("rotate", "Encrypt all stored credentials again, with the first key of SERVICE_SECRET_KEY", 0,
		func(ctx context.Context, s *store.Store, _ []string) error {
			n, err := s.RotateKey(ctx)
			if err != nil {
				return err
			}
			return p.say("Sealed %d secrets again.", n)
		})
	cmd.Long = cmd.Short + ".\n\n" +
		"Set SERVICE_SECRET_KEY to <new>,<old> on all servers and workers, and restart them; run\n" +
		"this command; then set the new key alone, and restart again."
	return cmd
}

// cause returns the error of the system without the operation and the path, which messages have in their own words.
func cause(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err
	}
	return err
}

// readUpload reads a file, up to the limit of an upload.
func readUpload(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, message.Refuse("file %s cannot be read: %v", path, cause(err))
	}
	if st.IsDir() {
		return nil, message.Refuse("%s is a folder: name a file", path)
	}
	if st.Size() > message.MaxBytes {
		return nil, message.PayloadTooLarge(int(st.Size()))
	}
	return os.ReadFile(path)
}

// memberByEmail returns the member of a workspace with an e-mail address.
func memberByEmail(ctx context.Context, s *store.Store, workspace, email string) (store.Member, error) {
	account, err := s.Accounts.AccountByEmail(ctx, email)
	if err != nil {
		return store.Member{}, noAccount(err, email)
	}
	m, err := s.Members.Member(ctx, account.ID, workspace)
	if errors.Is(err, store.ErrNotMember) {
		return m, message.Refuse("%s is not a member of workspace %s: see service admin member list %s", email, workspace, workspace)
	}
	return m, noWorkspace(err, workspace)
}

// A table is a list with aligned columns and headings.
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
