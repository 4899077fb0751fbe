package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"service/store"
	"service/store/archive"
	"service/store/embedded"
)

// withArchive runs f on the configured database. existing is that of prepareDataDir. server is the embedded server, or nil.
func (p *program) withArchive(
	ctx context.Context, existing bool, f func(c *config, log *slog.Logger, dir string, db archive.Database, server *embedded.Server) error,
) (err error) {
	c, log, err := p.load()
	if err != nil {
		return err
	}
	dir, err := prepareDataDir(c, existing, log)
	if err != nil {
		return err
	}
	dsn, server, err := findDatabase(ctx, c, dir, log)
	if err != nil {
		return err
	}
	if server != nil {
		defer func() { err = errors.Join(err, server.Stop()) }()
	}
	return f(c, log, dir, archive.Database{DSN: dsn, Environ: p.environ}, server)
}

// backupName is the format of a backup's name in a directory: the time at which it began. Names sort by age.
const (
	backupName = "service-20060102T150405Z.dump"
	backupGlob = "service-????????T??????Z.dump"
)

func (p *program) backup() *cobra.Command {
	var keep int
	cmd := &cobra.Command{
		Use:   "backup <file or directory> [--keep <n>]",
		Short: "Write the database to a file",
		Long: "Write the database to a new file, and its checksum beside it. Servers may be running. In a\n" +
			"directory the file is named by the time. The file has the custom format of pg_dump;\n" +
			"service restore reads it. The secret key is not in it: keep that elsewhere.",
		Example: "  service backup /var/backups/service --keep 14",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := args[0]
			st, err := os.Stat(file)
			isDir := err == nil && st.IsDir()
			switch {
			case cmd.Flags().Changed("keep") && keep < 1:
				return usageError{errors.New("--keep must be at least 1")}
			case keep > 0 && !isDir:
				return usageError{fmt.Errorf("--keep is for a directory of backups, and %s is not a directory", file)}
			case isDir:
				file = filepath.Join(file, time.Now().UTC().Format(backupName))
			}
			return p.withArchive(cmd.Context(), true, func(_ *config, _ *slog.Logger, _ string, db archive.Database, _ *embedded.Server) error {
				info, err := archive.Backup(cmd.Context(), db, file)
				if err != nil {
					return err
				}
				if err := p.say("Wrote %s: %d bytes, of PostgreSQL %d.", info.File, info.Bytes, info.Major); err != nil {
					return err
				}
				if info.Fingerprint != "" {
					if err := p.say("Its secrets need the key of fingerprint %s, which is not in it.", info.Fingerprint); err != nil {
						return err
					}
				}
				if info.Unrecorded != nil {
					fmt.Fprintf(p.stderr, "service: warning: the backup is complete, but the database could not store its time for the metrics: %v\n",
						info.Unrecorded)
				}
				if keep == 0 {
					return nil
				}
				return p.prune(filepath.Dir(file), keep)
			})
		},
	}
	cmd.Flags().IntVar(&keep, "keep", 0, "if the argument is a directory: after the backup, delete all but the newest n backups in it")
	return cmd
}

// prune deletes the oldest backups of a directory.
func (p *program) prune(dir string, keep int) error {
	files, err := filepath.Glob(filepath.Join(dir, backupGlob))
	if err != nil {
		return err
	}
	slices.Sort(files)
	for _, file := range files[:max(0, len(files)-keep)] {
		if err := os.Remove(file); err != nil {
			return err
		}
		if err := os.Remove(file + ".sha256"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := p.say("Deleted %s.", file); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) restore() *cobra.Command {
	var replace, unchecked bool
	cmd := &cobra.Command{
		Use:   "restore <file> [--replace] [--unchecked]",
		Short: "Restore a backup",
		Long: "Restore a backup in one transaction, and update its schema to this release. Stop all\n" +
			"servers and workers first, and configure the key with which its secrets were encrypted. A\n" +
			"database that is not empty is replaced only with --replace.",
		Example: "  service restore /var/backups/service/service-20260102T030405Z.dump",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := os.Stat(args[0]); err != nil { // before a database is made for it
				return err
			}
			return p.withArchive(cmd.Context(), false, func(
				c *config, log *slog.Logger, dir string, db archive.Database, server *embedded.Server,
			) error {
				if server != nil && !server.Started() {
					return archive.ErrInUse
				}
				keys, err := keysThere(c, dir)
				if err != nil {
					return err
				}
				done, err := archive.Restore(cmd.Context(), db, args[0], archive.RestoreOptions{
					Keys: keys, Replace: replace, Unchecked: unchecked, Application: applicationOf(db.DSN),
				})
				if err != nil {
					return err
				}
				if err := p.bringUp(cmd.Context(), db, log); err != nil {
					return fmt.Errorf("the backup is restored, but not brought to this program's schema: %w", err)
				}
				return p.say("Restored %s: %d accounts, %d dashboards, %d versions.", args[0], done.Accounts, done.Dashboards, done.Versions)
			})
		},
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "delete the current contents of the database first")
	cmd.Flags().BoolVar(&unchecked, "unchecked", false, "accept a dump without a checksum file, as pg_dump alone writes it")
	return cmd
}

// bringUp migrates a database after a restore.
func (p *program) bringUp(ctx context.Context, db archive.Database, log *slog.Logger) error {
	pool, err := connect(ctx, db.DSN, log, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	return store.Migrate(ctx, pool, log)
}

// keysThere returns the keys in the configuration or in the data directory, or nil if there are no keys. It does not create keys.
func keysThere(c *config, dir string) (*store.Keys, error) {
	text := c.SecretKey
	if text == "" {
		var err error
		if text, err = readKey(filepath.Join(dir, "secret.key")); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	text, err := keyText(text)
	if err != nil {
		return nil, err
	}
	return store.ParseKeys(text)
}

// applicationOf returns the application_name of servers that use a connection string, which may set its own.
func applicationOf(dsn string) string {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return applicationName // connecting reports the error
	}
	return cmp.Or(cfg.RuntimeParams["application_name"], applicationName)
}
