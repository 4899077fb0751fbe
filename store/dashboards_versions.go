package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
	"service/store/message"
)

// Retention of versions (specification, "Limits"). A list of MaxListed shows all of them.
const (
	MaxAutomatic = 20
	MaxNamed     = 30
	MaxListed    = MaxAutomatic + MaxNamed
)

// newVersion is a version that will become the current one.
type newVersion struct {
	id                          uuid.UUID
	dashboard                   Dashboard // with the metadata that it will have
	before                      uuid.UUID // the version it replaces
	created                     bool      // the dashboard is new
	cause                       string
	kind, filename, contentType string
	sha256                      []byte
	spec                        *dashboard.Spec // nil: of a body, or of a stored spec that does not parse any more
	size, panels, datasets      int
	connection                  uuid.UUID
	files                       Files
	changes                     []string
	tables                      []string
	code                        *Code
	me                          stand  // the members whom "me" in it means
	access                      []byte // its row rules, as JSON; nil for none
	feeds                       []feed // the datasets whose rows it reads; see [core.link]
	revived                     bool   // its dashboard was in the bin: nothing is sent until a person turns it on again
}

// addVersion stores v and makes it the current version of its dashboard.
func (s *core) addVersion(ctx context.Context, tx pgx.Tx, m Member, v *newVersion) error {
	v.id = newID()
	d, now := v.dashboard, s.now()
	if v.created {
		if _, err := tx.Exec(ctx, `
			INSERT INTO dashboard (workspace_id, id, slug, name, tags, chart, version_id, created_by, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
			m.workspace, d.ID, d.Slug, d.Name, d.Tags, d.Chart, v.id, m.account, now); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
				INSERT INTO slug (workspace_id, slug, dashboard_id) VALUES ($1, $2, $3)`, m.workspace, d.Slug, d.ID); err != nil {
			return err
		}
	} else if _, err := tx.Exec(ctx, `
		UPDATE dashboard SET name = $3, tags = $4, chart = $5, version_id = $6, updated_at = $7, failing_since = NULL
		 WHERE workspace_id = $1 AND id = $2`, m.workspace, d.ID, d.Name, d.Tags, d.Chart, v.id, now); err != nil {
		return err
	}
	meta, err := json.Marshal(versionMeta{d.Name, d.Tags, d.Chart})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO version (workspace_id, id, dashboard_id, cause, kind, filename, content_type, sha256, size, panels, datasets, meta,
		                     connection_id, upload_id, uploads, changes, tables, created_by, created_at, me, code, access, offers)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
		m.workspace, v.id, d.ID, v.cause, v.kind, v.filename, v.contentType, v.sha256, v.size, v.panels, v.datasets, meta,
		optional(v.connection), optional(v.files.Plain()), v.files.named(), v.changes, v.tables, m.account, now,
		v.me.stored(), v.code, v.access, v.spec.Offers())
	if err != nil {
		return err
	}
	return addFeeds(ctx, tx, m.workspace, v.id, v.feeds)
}

// keepDetails makes sure that the state of d before a publish is stored as a version with d's present
// name, tags and chart, because [Dashboards.UpdateDashboard] changes these without adding a version. It
// returns that version. A named version keeps the details from when it was named, so it is copied if
// they differ now.
func (s *core) keepDetails(ctx context.Context, tx pgx.Tx, m Member, d Dashboard) (uuid.UUID, error) {
	if d.VersionID == uuid.Nil {
		return uuid.Nil, nil
	}
	v, err := findVersion(ctx, tx, m.workspace, d.Slug, d.VersionID)
	if err != nil {
		return uuid.Nil, err
	}
	var changes []string
	if changes = detailChanges(v.details(), d); len(changes) == 0 {
		return v.ID, nil
	}
	if v.Name == nil {
		return v.ID, setDetails(ctx, tx, m.workspace, d)
	}
	id := newID()
	meta, err := json.Marshal(versionMeta{d.Name, d.Tags, d.Chart})
	if err != nil {
		return uuid.Nil, err
	}
	if _, err := tx.Exec(ctx, `
		INSERT INTO version (workspace_id, id, dashboard_id, cause, kind, filename, content_type, sha256, size, panels, datasets, meta,
		                     connection_id, upload_id, uploads, changes, tables, created_by, created_at, me, code, access, offers)
		SELECT workspace_id, $3, dashboard_id, cause, kind, filename, content_type, sha256, size, panels, datasets, $4,
		       connection_id, upload_id, uploads, $5, tables, created_by, $6, me, code, access, offers
		  FROM version WHERE workspace_id = $1 AND id = $2`,
		m.workspace, v.ID, id, meta, changes, s.now()); err != nil {
		return uuid.Nil, err
	}
	feeds, err := findFeeds(ctx, tx, m.workspace, v.ID)
	if err != nil {
		return uuid.Nil, err
	}
	if err := addFeeds(ctx, tx, m.workspace, id, feeds); err != nil {
		return uuid.Nil, err
	}
	return id, copyRows(ctx, tx, m.workspace, v.ID, id)
}

// setDetails gives the current version of d the name, tags and chart of d.
func setDetails(ctx context.Context, tx pgx.Tx, workspace uuid.UUID, d Dashboard) error {
	meta, err := json.Marshal(versionMeta{d.Name, d.Tags, d.Chart})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE version SET meta = $3 WHERE workspace_id = $1 AND id = $2`, workspace, d.VersionID, meta)
	return err
}

// copyRows gives a version the stored rows of another.
func copyRows(ctx context.Context, tx pgx.Tx, workspace, from, to uuid.UUID) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO dataset (workspace_id, version_id, dataset, definition, sha256, columns, row_count, truncated, refreshed_at, said)
		SELECT workspace_id, $3, dataset, definition, sha256, columns, row_count, truncated, refreshed_at, said FROM dataset
		 WHERE workspace_id = $1 AND version_id = $2`, workspace, from, to)
	return err
}

type versionMeta struct {
	Name  string   `json:"name"`
	Tags  []string `json:"tags"`
	Chart string   `json:"chart"`
}

// finishVersion completes a new version: it cancels runs of earlier versions, prunes old versions, and queues a refresh if the version has
// a spec.
func (s *core) finishVersion(ctx context.Context, tx pgx.Tx, m Member, v newVersion, out *Published, detail map[string]any) (err error) {
	d := v.dashboard
	if _, err := tx.Exec(ctx, `
		UPDATE refresh_run SET state = 'cancelled', finished_at = $4, error = 'A newer version replaced the one to refresh.'
		 WHERE workspace_id = $1 AND dashboard_id = $2 AND version_id <> $3 AND state = 'queued'`,
		m.workspace, d.ID, v.id, s.now()); err != nil {
		return err
	}
	if err := prune(ctx, tx, m.workspace, d.ID); err != nil {
		return err
	}
	if err := s.syncAlerts(ctx, tx, m.workspace, v); err != nil {
		return err
	}
	if v.revived {
		if _, err := tx.Exec(ctx, `
			UPDATE alert SET muted_until = $3, muted_by = $4 WHERE workspace_id = $1 AND dashboard_id = $2`,
			m.workspace, d.ID, Forever, m.account); err != nil {
			return err
		}
	}
	if out.Waiting, err = s.renewSubscriptions(ctx, tx, m, v); err != nil {
		return err
	}
	if v.kind == KindSpec {
		if err := s.passRules(ctx, tx, m.workspace, d.ID); err != nil {
			return err
		}
		id, _, err := s.enqueue(ctx, tx, m.workspace, d.ID, v.id, m.account, v.cause)
		if err != nil {
			return err
		}
		if out.Run, err = findRun(ctx, tx, m.workspace, id); err != nil {
			return err
		}
	} else if _, err := tx.Exec(ctx, `DELETE FROM schedule WHERE workspace_id = $1 AND dashboard_id = $2`, m.workspace, d.ID); err != nil {
		return err
	}
	if err := s.audit(ctx, tx, Event{
		Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "dashboard." + v.cause, Subject: d.Slug, Detail: detail,
	}); err != nil {
		return err
	}
	if out.Told, err = told(ctx, tx, m.workspace, d.ID); err != nil {
		return err
	}
	out.Dashboard, err = findDashboard(ctx, tx, m.workspace, d.Slug)
	return err
}

// prune deletes the oldest unnamed versions beyond [MaxAutomatic]. It never deletes the current
// version, which is the newest, or a named one.
func prune(ctx context.Context, tx pgx.Tx, workspace, dashboard uuid.UUID) error {
	_, err := tx.Exec(ctx, `
		DELETE FROM version v
		 WHERE v.workspace_id = $1 AND v.id IN (
		       SELECT id FROM version WHERE workspace_id = $1 AND dashboard_id = $2 AND name IS NULL ORDER BY id DESC OFFSET $3)
		   AND NOT EXISTS (SELECT FROM dashboard d WHERE d.workspace_id = $1 AND d.version_id = v.id)`, workspace, dashboard, MaxAutomatic)
	return err
}

// lockDashboard is [findDashboard] with a lock against other publishes until the transaction ends.
func lockDashboard(ctx context.Context, tx pgx.Tx, workspace uuid.UUID, slug string) (Dashboard, error) {
	return lockedDashboard(ctx, tx, workspace, slug, "NO KEY UPDATE")
}

// lockedDashboard is [findDashboard] with a lock of a strength that PostgreSQL has.
func lockedDashboard(ctx context.Context, tx pgx.Tx, workspace uuid.UUID, slug, strength string) (Dashboard, error) {
	if _, err := tx.Exec(ctx, `
		SELECT FROM dashboard d JOIN slug s ON s.workspace_id = d.workspace_id AND s.dashboard_id = d.id
		 WHERE s.workspace_id = $1 AND s.slug = $2 FOR `+strength+` OF d`, workspace, slug); err != nil {
		return Dashboard{}, err
	}
	return findDashboard(ctx, tx, workspace, slug)
}

// A Version is a stored state of a dashboard.
type Version struct {
	ID          uuid.UUID
	Name        *string // named versions are kept
	Cause       string  // publish or restore
	Kind        string
	Filename    string
	ContentType string
	SHA256      []byte
	Size        int
	Panels      int
	Datasets    int
	Title       string   // the dashboard's name when the version was last current, or was named
	Tags        []string // and its tags
	Chart       string   // and its chart
	Connection  uuid.UUID
	Files       Files
	Tables      []string // that the SQL of its spec reads; nil: not known
	Changes     []string // from the version it replaced, in words
	Author      string   // e-mail of its author; empty if the account was deleted
	CreatedAt   time.Time
	Current     bool
	Code        *Code  // from which file it was published; nil: from none
	Access      []byte // the row rules of its spec, as JSON; nil for none
}

// details are the name, tags and chart of the dashboard at the version.
func (v Version) details() Dashboard { return Dashboard{Name: v.Title, Tags: v.Tags, Chart: v.Chart} }

const selectVersion = `
	SELECT v.id, v.name, v.cause, v.kind, v.filename, v.content_type, v.sha256, v.size, v.panels, v.datasets,
	       v.meta->>'name', ARRAY(SELECT jsonb_array_elements_text(v.meta->'tags')), v.meta->>'chart',
	       coalesce(v.connection_id, '00000000-0000-0000-0000-000000000000'), ` + filesOf + `,
	       v.tables, v.changes, coalesce(a.email, ''), v.created_at, coalesce(v.id = d.version_id, false), v.code, v.access
	  FROM slug s
	  JOIN dashboard d ON d.workspace_id = s.workspace_id AND d.id = s.dashboard_id
	  JOIN version v ON v.workspace_id = d.workspace_id AND v.dashboard_id = d.id
	  LEFT JOIN account a ON a.id = v.created_by`

// Versions lists the versions of the dashboard called slug, newest first, at
// most [MaxListed].
func (s Dashboards) Versions(ctx context.Context, m Member, slug string) ([]Version, error) {
	rows, _ := s.pool.Query(ctx, selectVersion+`
		 WHERE s.workspace_id = $1 AND s.slug = $2 ORDER BY v.id DESC LIMIT $3`, m.workspace, slug, MaxListed)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Version])
	if err == nil && len(all) == 0 {
		_, err = s.Dashboard(ctx, m, slug)
	}
	return all, err
}

// ErrNoVersion is returned for a version that the dashboard does not have.
var ErrNoVersion = errors.New("no such version of the dashboard")

// Version returns one version of the dashboard called slug: [ErrNotFound] if there is no such dashboard, [ErrNoVersion] if it has no such
// version.
func (s Dashboards) Version(ctx context.Context, m Member, slug string, id uuid.UUID) (Version, error) {
	v, err := findVersion(ctx, s.pool, m.workspace, slug, id)
	if errors.Is(err, ErrNoVersion) {
		if _, missing := s.Dashboard(ctx, m, slug); missing != nil {
			err = missing
		}
	}
	return v, err
}

func findVersion(ctx context.Context, q querier, workspace uuid.UUID, slug string, id uuid.UUID) (Version, error) {
	rows, _ := q.Query(ctx, selectVersion+` WHERE s.workspace_id = $1 AND s.slug = $2 AND v.id = $3`, workspace, slug, id)
	v, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Version])
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrNoVersion
	}
	return v, err
}

// VersionContent is the spec or the body of v.
func (s Dashboards) VersionContent(ctx context.Context, m Member, v Version) ([]byte, error) {
	return s.blob(ctx, s.pool, m.workspace, v.SHA256)
}

// RestoreVersion adds a version with the content, metadata and rows of an earlier one. The state that it
// replaces is stored as a version with its metadata, so that nothing is lost.
func (s Dashboards) RestoreVersion(ctx context.Context, m Member, slug string, id uuid.UUID) (Published, error) {
	var out Published
	err := s.tx(ctx, func(tx pgx.Tx) error {
		out = Published{}
		if err := lockFeeds(ctx, tx, m.workspace); err != nil {
			return err
		}
		d, err := lockDashboard(ctx, tx, m.workspace, slug)
		if err != nil {
			return err
		}
		return s.restore(ctx, tx, m, d, id, false, &out)
	})
	return out, err
}

// restore makes version id of d, which is locked, the current one by a new version. If revived, d was brought back from the bin: its
// current version is then made current again as it is.
func (s *core) restore(ctx context.Context, tx pgx.Tx, m Member, d Dashboard, id uuid.UUID, revived bool, out *Published) error {
	from, err := findVersion(ctx, tx, m.workspace, d.Slug, id)
	if err != nil {
		return err
	}
	before := d
	same := revived && id == d.VersionID
	if !same {
		if out.Previous, err = findPrevious(ctx, tx, m, d); err != nil {
			return err
		}
		if out.Previous.ID, err = s.keepDetails(ctx, tx, m, d); err != nil {
			return err
		}
		out.Changed = changedDetails(before, from.details())
		d.Name, d.Tags, d.Chart = from.Title, from.Tags, from.Chart
	}
	v := newVersion{
		id: id, dashboard: d, before: d.VersionID, cause: CauseRestore, kind: from.Kind, filename: from.Filename, contentType: from.ContentType,
		sha256: from.SHA256, size: from.Size, panels: from.Panels, datasets: from.Datasets, connection: from.Connection, files: from.Files,
		tables: from.Tables, revived: revived, access: from.Access,
	}
	if err := mayLoosen(ctx, tx, m, before, v.access); err != nil {
		return err
	}
	content, err := s.blob(ctx, tx, m.workspace, from.SHA256)
	if err != nil {
		return err
	}
	if v.kind == KindSpec {
		v.spec = parseStored(content)
	}
	if v.me, err = findStand(ctx, tx, m.workspace, id); err != nil {
		return err
	}
	feeds, err := findFeeds(ctx, tx, m.workspace, id)
	if err != nil {
		return err
	}
	if len(feeds) > 0 {
		if err := s.link(ctx, tx, m, &v, feeds); err != nil {
			return err
		}
	}
	if same && len(feeds) > 0 { // the rules may have changed
		if _, err := tx.Exec(ctx, `UPDATE version SET access = $3 WHERE workspace_id = $1 AND id = $2`, m.workspace, id, v.access); err != nil {
			return err
		}
	}
	if !same {
		if v.changes, err = s.changes(ctx, tx, m.workspace, before, v, SeenSpec{}); err != nil {
			return err
		}
		if err := s.addVersion(ctx, tx, m, &v); err != nil {
			return err
		}
		if err := copyRows(ctx, tx, m.workspace, id, v.id); err != nil {
			return err
		}
	}
	detail := map[string]any{"from": id, "version": v.id}
	if revived {
		detail["deleted"] = true
	}
	return s.finishVersion(ctx, tx, m, v, out, detail)
}

// A Named is the result of naming a version.
type Named struct {
	Version Version
	Named   int // named versions of the dashboard now
}

// NameVersion names a version, which protects it from pruning, or removes its name if name is nil. At
// most [MaxNamed] versions have a name. Naming the current version also stores the dashboard's present
// name, tags and chart with it.
func (s Dashboards) NameVersion(ctx context.Context, m Member, slug string, id uuid.UUID, name *string) (Named, error) {
	var out Named
	err := s.tx(ctx, func(tx pgx.Tx) error {
		d, err := lockDashboard(ctx, tx, m.workspace, slug)
		if err != nil {
			return err
		}
		if out.Version, err = findVersion(ctx, tx, m.workspace, slug, id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE version SET name = $3 WHERE workspace_id = $1 AND id = $2`, m.workspace, id, name); err != nil {
			return err
		}
		out.Version.Name = name
		if name != nil && id == d.VersionID { // store the dashboard's present details with it
			if err := setDetails(ctx, tx, m.workspace, d); err != nil {
				return err
			}
			out.Version.Title, out.Version.Tags, out.Version.Chart = d.Name, d.Tags, d.Chart
		}
		if err := tx.QueryRow(ctx, `
			SELECT count(*) FROM version
			 WHERE workspace_id = $1 AND dashboard_id = $2 AND name IS NOT NULL`, m.workspace, d.ID).Scan(&out.Named); err != nil {
			return err
		}
		if out.Named > MaxNamed {
			return message.Refuse(`dashboard "%s" has %d named versions already, the most there can be. `+
				`Take the name of another version away first.`, d.Slug, MaxNamed)
		}
		if err := prune(ctx, tx, m.workspace, d.ID); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "version.name", Subject: d.Slug,
			Detail: map[string]any{"version": id, "name": name},
		})
	})
	return out, err
}

// SetTables stores which tables the spec of d's current version reads, if that was not yet stored.
func (s Dashboards) SetTables(ctx context.Context, m Member, d Dashboard, tables []string) error {
	_, err := s.pool.Exec(ctx, `UPDATE version SET tables = $3 WHERE workspace_id = $1 AND id = $2 AND tables IS NULL`,
		m.workspace, d.VersionID, tables)
	return err
}
