package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"service/store"
)

// An auditLine is an event as a line of JSON. Log collectors read it, so names must not change.
type auditLine struct {
	At        time.Time      `json:"at"`
	ID        uuid.UUID      `json:"id"`
	Workspace string         `json:"workspace,omitempty"`
	By        string         `json:"by,omitempty"`
	Operator  bool           `json:"operator,omitzero"`
	Client    string         `json:"client,omitempty"`
	Action    string         `json:"action"`
	Subject   string         `json:"subject"`
	Detail    map[string]any `json:"detail,omitempty"`
}

func (p *program) auditExport() *cobra.Command {
	var since, workspace string
	var from time.Time
	cmd := p.onStore("export [--since <time>] [--workspace <slug>]", "Write the audit log as lines of JSON", 0,
		func(ctx context.Context, s *store.Store, _ []string) error {
			lines := json.NewEncoder(p.stdout)
			lines.SetEscapeHTML(false)
			err := s.Audit.ExportAudit(ctx, from, workspace, func(e store.ExportedEvent) error {
				return lines.Encode(auditLine{e.At.UTC(), e.ID, e.Workspace, e.By, e.Operator, e.Client, e.Action, e.Subject, e.Detail})
			})
			return noWorkspace(err, workspace)
		})
	cmd.Long = "Write the audit log of all workspaces as lines of JSON, oldest first. To collect it\n" +
		"regularly, pass the time of the last line as --since, and leave out the ids that are there\n" +
		"already."
	cmd.Example = "  service admin audit export --since 24h\n" +
		"  service admin audit export --since 2026-01-02T03:04:05Z --workspace acme"
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		from, err = sinceWhen(since, time.Now())
		return err
	}
	cmd.Flags().StringVar(&since, "since", "", "write only events after this time, such as 2026-01-02T03:04:05Z, or within "+
		"this duration, such as 24h or 7d (default: all events)")
	cmd.Flags().StringVar(&workspace, "workspace", "", "slug of a workspace; write only its events")
	return cmd
}

// sinceWhen parses a time, or a duration before now.
func sinceWhen(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	var ago days
	if err := ago.UnmarshalText([]byte(text)); err != nil || ago < 0 {
		return time.Time{}, usageError{errors.New("--since is a time such as 2026-01-02T03:04:05Z, or how long ago, such as 24h or 7d")}
	}
	return now.Add(-time.Duration(ago)), nil
}
