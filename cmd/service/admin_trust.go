package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"service/auth"
	"service/store"
)

// trust has the operator's commands for issuers whose tokens act for a member, such as a CI's.
func (p *program) trust() *cobra.Command {
	return group("trust", "CI systems whose tokens may publish for a member (trusts)", p.trustAdd(), p.trustList(), p.trustRemove())
}

func (p *program) trustAdd() *cobra.Command {
	var t store.Trust
	cmd := &cobra.Command{
		Use:   "add <issuer> --subject <pattern> --workspace <slug> --as <email>",
		Short: "Let a CI publish on behalf of a member of a workspace, with tokens that the CI issues",
		Long: "Let a CI that issues OpenID Connect tokens publish on behalf of a member of a workspace.\n" +
			"Its jobs use that member's connections and rate limits, and the audit log names that\n" +
			"member. In the subject, * matches any text without a colon.",
		Example: "  service admin trust add https://token.actions.githubusercontent.com \\\n" +
			"    --subject repo:acme/dash:ref:refs/heads/main --workspace acme --as ann@example.com\n" +
			"  service admin trust add https://token.actions.githubusercontent.com --dry-run-only \\\n" +
			"    --subject repo:acme/dash:pull_request --workspace acme --as ann@example.com",
		Args: cobra.ExactArgs(1),
		PreRunE: func(*cobra.Command, []string) error {
			if t.Subject == "" || t.Workspace == "" || t.Email == "" {
				return usageError{errors.New("--subject, --workspace and --as are required")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, _, err := p.load()
			if err != nil {
				return err
			}
			t.Issuer, t.Audience = args[0], cmp.Or(t.Audience, c.BaseURL)
			if err := auth.CheckTrust(t); err != nil {
				return err
			}
			return p.withStore(cmd.Context(), func(s *store.Store) error {
				m, err := memberByEmail(cmd.Context(), s, t.Workspace, t.Email)
				if err != nil {
					return err
				}
				added, err := s.OAuth.AddTrust(cmd.Context(), m, t)
				if err != nil {
					return err
				}
				may := "may do what that member may"
				if t.Role != "" {
					may = "may do what that member may, at most as " + t.Role
				}
				if t.DryRunOnly {
					may = "may read, and try without publishing"
				}
				return p.say("Added trust %s: tokens of %s for the audience %s\nwith the subject %s act for %s in workspace %s, and %s.",
					added.ID, t.Issuer, t.Audience, t.Subject, t.Email, t.Workspace, may)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&t.Audience, "audience", "", "audience that the tokens name; SERVICE_BASE_URL by default")
	flags.StringVar(&t.Subject, "subject", "", "subject of the tokens, with * for any text without a colon")
	flags.StringVar(&t.Workspace, "workspace", "", "slug of the workspace")
	flags.StringVar(&t.Email, "as", "", "e-mail address of the member for whom they act")
	flags.StringVar(&t.Role, "role", "", "highest role that the tokens can have: owner, editor or viewer (default: the member's role)")
	flags.BoolVar(&t.DryRunOnly, "dry-run-only", false, "allow only reading and dry runs, no changes; use this for pull requests")
	return cmd
}

func (p *program) trustList() *cobra.Command {
	return p.onStore("list", "List the trusts", 0, func(ctx context.Context, s *store.Store, _ []string) error {
		list, err := s.OAuth.Trusts(ctx)
		if err != nil {
			return err
		}
		t := p.table("ID", "WORKSPACE", "AS", "ROLE", "DRY RUN ONLY", "LAST USED", "ISSUER", "AUDIENCE", "SUBJECT")
		for _, a := range list {
			t.row(a.ID, a.Workspace, a.Email, cmp.Or(a.Role, "-"), a.DryRunOnly, a.UsedAt, a.Issuer, a.Audience, a.Subject)
		}
		return t.Flush()
	})
}

func (p *program) trustRemove() *cobra.Command {
	var id uuid.UUID
	cmd := p.onStore("remove <id>", "Remove a trust; access that was given by it ends immediately", 1,
		func(ctx context.Context, s *store.Store, _ []string) error {
			if err := s.OAuth.RemoveTrust(ctx, id); err != nil {
				return named(err, "there is no trust %s: see service admin trust list", id)
			}
			return p.say("Removed trust %s.", id)
		})
	cmd.PreRunE = takeID(&id, 0, "trust")
	return cmd
}
