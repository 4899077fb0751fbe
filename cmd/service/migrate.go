package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"service/store"
)

func (p *program) migrate() *cobra.Command {
	up := func(cmd *cobra.Command, _ []string) error {
		return p.withDatabase(cmd.Context(), false, func(k *core) error {
			if err := store.Migrate(cmd.Context(), k.pool, k.log); err != nil {
				return err
			}
			fmt.Fprintln(p.stdout, "The schema is current.")
			return nil
		})
	}
	status := func(cmd *cobra.Command, _ []string) error {
		return p.withDatabase(cmd.Context(), true, func(k *core) error { return p.migrateStatus(cmd.Context(), k) })
	}
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Update the database schema to this release",
		Long: "Update the database schema to this release.\n\n" +
			"serve and worker do this when they start; processes that start together wait for each\n" +
			"other. restore does it too, other commands do not. A database that a newer release has\n" +
			"migrated is refused.",
		Args: cobra.NoArgs,
		RunE: up,
	}
	cmd.AddCommand(
		&cobra.Command{Use: "up", Short: "Apply missing migrations (the same as migrate)", Args: cobra.NoArgs, RunE: up},
		&cobra.Command{Use: "status", Short: "List the migrations; status 1 when one is missing", Args: cobra.NoArgs, RunE: status},
	)
	return cmd
}

func (p *program) migrateStatus(ctx context.Context, k *core) error {
	list, err := store.Migrations(ctx, k.pool)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, m := range list {
		at := "pending"
		if !m.AppliedAt.IsZero() {
			at = m.AppliedAt.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%s\t%s\n", m.Name, at)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	current, err := store.Migrated(ctx, k.pool)
	if err == nil && !current {
		err = errors.New("migrations are missing: run service migrate")
	}
	return err
}

// atSchema returns an error if a database is not at the program's schema. Migrations cannot be undone, and a database without a
// schema may be the wrong one, so only the commands that serve migrate implicitly.
func atSchema(ctx context.Context, pool *pgxpool.Pool, _ *slog.Logger) error {
	current, err := store.Migrated(ctx, pool)
	if err != nil || current {
		return err
	}
	list, err := store.Migrations(ctx, pool)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(m store.Migration) bool { return !m.AppliedAt.IsZero() }) {
		return fmt.Errorf("the database %s has no tables of this program. If it is the right one, run: service migrate",
			pool.Config().ConnConfig.Database)
	}
	return errors.New("the database has the schema of an earlier release. Migrations cannot be undone, " +
		"so make a backup first (service backup <file>), then run: service migrate")
}

// withDatabase runs f with the database open, without a check of its schema. existing is that of prepareDataDir.
func (p *program) withDatabase(ctx context.Context, existing bool, f func(*core) error) (err error) {
	c, log, err := p.load()
	if err != nil {
		return err
	}
	dir, err := prepareDataDir(c, existing, log)
	if err != nil {
		return err
	}
	k := &core{config: c, log: log}
	if err := k.openDatabase(ctx, dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.close()) }()
	return f(k)
}
