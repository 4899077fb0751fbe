package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
	"service/store/message"
)

// A Publication is the input of a publish.
type Publication struct {
	Slug     string
	Filename string
	Name     *string  // nil keeps the stored value
	Chart    *string  // nil keeps the stored value
	Tags     []string // nil keeps the stored value

	DefaultName  string // of a first publish without Name
	DefaultChart string // of a first publish without Chart

	ContentType string
	Content     []byte          // the spec or the body
	Spec        *dashboard.Spec // Content, parsed by the caller: the store does not parse it again. Nil: Content is a body
	Before      SeenSpec        // the spec that the caller has seen at the slug
	Connection  uuid.UUID       // of a spec; zero for self
	Files       Files           // of a spec

	// Definitions of the runs of a spec's datasets, by [dashboard.Run.ID]: hashes of all that their rows depend on,
	// other than the source. Datasets with an equal definition and the same source keep the
	// rows of the version before.
	Definitions map[string][]byte
	Panels      int
	Tables      []string // of a spec: that its SQL reads

	Colors func(kept dashboard.Colors) dashboard.Colors // of a report: gives its values their colours

	// IfVersion, if not nil, is the version that must be the current one, or the zero id if
	// there must be no dashboard. Otherwise the publish is refused.
	IfVersion *uuid.UUID

	Code *Code // the file of origin; nil: none

	Edit   bool // the content is an edit of the current version: "me" keeps its meaning
	DryRun bool // do everything, then roll back
}

// kind is the kind of the version that p makes.
func (p Publication) kind() string {
	if p.Spec == nil {
		return KindBody
	}
	return KindSpec
}

// A SeenSpec is a stored spec that the caller has parsed. The store compares the new spec with it. If another spec has been
// published since, or the SeenSpec is zero, the store reads and parses the current one.
type SeenSpec struct {
	SHA256 []byte // of its content
	Spec   *dashboard.Spec
}

// A Published is the result of a publish or a restore.
type Published struct {
	Dashboard Dashboard
	Created   bool
	Run       Run      // of a spec: the refresh that was queued
	Previous  Previous // the version before
	Changed   []string // for a restore: which of name, tags and chart have changed
	Waiting   []int    // indexes of the spec's deliveries that wait for an owner's approval

	Told, ToldBefore []Told // recipients of alerts and deliveries of the spec, and of the one before; for a publish
}

// Previous is the version that a publish or a restore replaced. It is zero if there was none.
type Previous struct {
	ID     uuid.UUID
	Author string // e-mail of its author; empty if the account was deleted or has no e-mail
	Own    bool   // the caller made it
}

// errDryRun rolls back the transaction of a dry run.
var errDryRun = errors.New("dry run")

// Publish adds a version and makes it the current one of the dashboard with slug or alias p.Slug. It
// creates the dashboard if no dashboard has either. It stores everything, or nothing if it fails.
func (s Dashboards) Publish(ctx context.Context, m Member, p Publication) (Published, error) {
	var out Published
	var err error
	for range 3 { // of two first publishes at once, the slower one replaces the faster one's version
		err = s.tx(ctx, func(tx pgx.Tx) error {
			out = Published{}
			if err := s.publish(ctx, tx, m, p, &out); err != nil {
				return err
			}
			if p.DryRun {
				return errDryRun
			}
			return nil
		})
		if !errors.Is(plain(err), ErrTaken) {
			break
		}
	}
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return out, err
}

func (s *core) publish(ctx context.Context, tx pgx.Tx, m Member, p Publication, out *Published) error {
	if p.Spec != nil {
		if err := lockFeeds(ctx, tx, m.workspace); err != nil {
			return err
		}
	}
	before, err := lockDashboard(ctx, tx, m.workspace, p.Slug)
	switch {
	case errors.Is(err, ErrNotFound):
		out.Created = true
		before = Dashboard{ID: newID(), Slug: p.Slug, Name: p.DefaultName, Chart: p.DefaultChart, Tags: []string{}}
	case err != nil:
		return err
	case before.Filename != p.Filename && before.VersionID != uuid.Nil:
		return message.Refuse(`dashboard "%s" holds the file "%s", not "%s": publish to "%s/%s", or use another slug`,
			before.Slug, before.Filename, p.Filename, before.Slug, before.Filename)
	}
	if out.Previous, err = findPrevious(ctx, tx, m, before); err != nil {
		return err
	}
	if err := p.allowed(before, out.Previous); err != nil {
		return err
	}
	if out.Previous.ID, err = s.keepDetails(ctx, tx, m, before); err != nil {
		return err
	}
	after := before
	if p.Name != nil {
		after.Name = *p.Name
	}
	if p.Chart != nil {
		after.Chart = *p.Chart
	}
	if p.Tags != nil {
		after.Tags = p.Tags
	}
	version := newVersion{
		dashboard: after, before: before.VersionID, created: out.Created, cause: CausePublish,
		kind: p.kind(), filename: p.Filename, contentType: p.ContentType, connection: p.Connection, files: p.Files,
		spec: p.Spec, size: len(p.Content),
		panels: p.Panels, tables: p.Tables, code: p.Code, access: p.Spec.StoredAccess(),
	}
	if err := mayLoosen(ctx, tx, m, before, version.access); err != nil {
		return err
	}
	if err := s.link(ctx, tx, m, &version, nil); err != nil {
		return err
	}
	fedBefore, err := findFeeds(ctx, tx, m.workspace, before.VersionID)
	if err != nil {
		return err
	}
	for id := range p.Definitions { // of each dataset, one definition is the one with its defaults
		if dashboard.DatasetOf(id) == id {
			version.datasets++
		}
	}
	if version.me, err = s.standFor(ctx, tx, m, p.Spec, before.VersionID, p.Edit); err != nil {
		return err
	}
	if out.ToldBefore, err = told(ctx, tx, m.workspace, before.ID); err != nil {
		return err
	}
	if version.sha256, err = s.putBlob(ctx, tx, m.workspace, p.Content); err != nil {
		return err
	}
	if version.changes, err = s.changes(ctx, tx, m.workspace, before, version, p.Before); err != nil {
		return err
	}
	if err := s.addVersion(ctx, tx, m, &version); err != nil {
		return err
	}
	sameSource := before.Connection == p.Connection && before.Files.Same(p.Files)
	for id, hash := range p.Definitions {
		if !sameSource {
			break
		}
		if !sameFeeds(fedBefore, version.feeds, dashboard.DatasetOf(id)) {
			continue
		}
		if _, err := tx.Exec(ctx, `
			INSERT INTO dataset (workspace_id, version_id, dataset, definition, sha256, columns, row_count, truncated, refreshed_at, said)
			SELECT workspace_id, $3, dataset, definition, sha256, columns, row_count, truncated, refreshed_at, said FROM dataset
			 WHERE workspace_id = $1 AND version_id = $2 AND dataset = $4 AND definition = $5`,
			m.workspace, before.VersionID, version.id, id, hash); err != nil {
			return err
		}
	}
	if err := giveColors(ctx, tx, m.workspace, after.ID, p.Colors); err != nil {
		return err
	}
	if err := s.countActivity(ctx, tx, m.workspace, after.ID, Activity{Event: EventPublish, Bytes: len(p.Content)}); err != nil {
		return err
	}
	return s.finishVersion(ctx, tx, m, version, out, map[string]any{"created": out.Created, "version": version.id, "kind": version.kind})
}

// findPrevious returns the current version of d and its author.
func findPrevious(ctx context.Context, tx pgx.Tx, m Member, d Dashboard) (Previous, error) {
	if d.VersionID == uuid.Nil {
		return Previous{}, nil
	}
	p := Previous{ID: d.VersionID}
	err := tx.QueryRow(ctx, `
		SELECT coalesce(a.email, ''), coalesce(v.created_by = $3, false)
		  FROM version v LEFT JOIN account a ON a.id = v.created_by WHERE v.workspace_id = $1 AND v.id = $2`,
		m.workspace, d.VersionID, m.account).Scan(&p.Author, &p.Own)
	return p, err
}

// allowed refuses a publication whose IfVersion is not the current version. before is the dashboard,
// which is locked.
func (p Publication) allowed(before Dashboard, now Previous) error {
	if p.IfVersion == nil || *p.IfVersion == now.ID {
		return nil
	}
	by := "a deleted account"
	switch {
	case now.Own:
		by = "you"
	case now.Author != "":
		by = now.Author
	}
	switch {
	case now.ID == uuid.Nil:
		return message.Refuse(`Dashboard "%s" has no version %s: there is no such dashboard. Without if_version it is made.`, p.Slug, p.IfVersion)
	case *p.IfVersion == uuid.Nil:
		return message.Refuse(`Dashboard "%s" exists already, at version %s, published by %s. Another slug makes a new one; if_version with `+
			`that id replaces it.`,
			before.Slug, now.ID, by)
	}
	return message.Refuse(`Dashboard "%s" is at version %s, published by %s, not at %s. get_dashboard_spec shows it; if_version with its `+
		`id replaces it.`,
		before.Slug, now.ID, by, p.IfVersion)
}
