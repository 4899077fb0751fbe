package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
	"service/store/message"
)

// A Copy is what a copy of a dashboard is called.
type Copy struct {
	Slug string // no dashboard of its workspace has it
	Name string
}

// Duplicate makes a new dashboard of to's workspace from the current version of the dashboard called slug of from's, for one
// account that is a member of both. It reads the account's own connection of the same kind and label there, and files of the same
// names; what is missing there is refused by name. It has no schedule and is sent to nobody. Rows are copied where the
// source is the same, and come with the first refresh elsewhere.
func (s *Store) Duplicate(ctx context.Context, from Member, slug string, to Member, c Copy) (Published, error) {
	var out Published
	if from.account != to.account {
		return out, ErrNotMember
	}
	if err := cmp.Or(dashboard.CheckNewSlug(c.Slug), dashboard.CheckName(c.Name)); err != nil {
		return out, err
	}
	d, err := s.Dashboard(ctx, from, slug)
	if err != nil {
		return out, err
	}
	content, err := s.Content(ctx, from, d)
	if err != nil {
		return out, err
	}
	source, content, err := s.sourceOfCopy(ctx, d, content, to)
	if err != nil {
		return out, err
	}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		out = Published{Created: true}
		return s.duplicate(ctx, tx, from, d, to, c, source, content, &out)
	})
	if errors.Is(plain(err), ErrTaken) {
		err = message.Refuse(`slug "%s" is taken: workspace "%s" has a dashboard or a redirect with it`, c.Slug, to.slug)
	}
	return out, err
}

// copySource is what a copy reads.
type copySource struct {
	connection uuid.UUID
	files      Files
}

// sourceOfCopy finds what a copy of d in to's workspace reads, and puts it into the content in place of what d reads.
// It refuses a spec with alerts for channels that the workspace lacks.
func (s *Store) sourceOfCopy(ctx context.Context, d Dashboard, content []byte, to Member) (copySource, []byte, error) {
	var out copySource
	if d.Kind == KindSpec {
		spec, err := dashboard.Parse(content)
		if err != nil {
			return out, nil, err // it was checked when it was published
		}
		channels, err := s.Channels(ctx, to)
		if err != nil {
			return out, nil, err
		}
		var slugs []string
		for _, c := range channels {
			slugs = append(slugs, c.Slug)
		}
		if err := spec.CheckChannels(slugs); err != nil {
			return out, nil, message.Refuse("%s", err)
		}
	}
	if d.Connection == uuid.Nil {
		return out, content, nil
	}
	bound, err := s.connection(ctx, `b.id = $1`, d.Connection)
	if errors.Is(err, ErrNotFound) || err == nil && bound.WorkspaceID != d.WorkspaceID {
		return out, nil, message.Refuse(`The connection of dashboard "%s" is gone, so there is nothing that a copy could read.`, d.Slug)
	}
	if err != nil {
		return out, nil, err
	}
	own, err := s.Connections(ctx, to)
	if err != nil {
		return out, nil, err
	}
	i := slices.IndexFunc(own, func(c Connection) bool { return c.ID == bound.ID })
	if i < 0 {
		i = slices.IndexFunc(own, func(c Connection) bool {
			return c.Kind == bound.Kind && (c.Kind == KindUpload || c.Label == bound.Label)
		})
	}
	files := d.Files
	if i < 0 && bound.Kind == KindUpload {
		return out, nil, lacking(to, filesLacking(to.account, bound, Connection{}, files))
	}
	if i < 0 {
		return out, nil, lacking(to, []string{fmt.Sprintf(`connection called "%s" (%s)`, bound.Label, bound.Kind)})
	}
	if missing := filesLacking(to.account, bound, own[i], files); len(missing) > 0 {
		return out, nil, lacking(to, missing)
	}
	out.connection = own[i].ID
	content = bytes.ReplaceAll(content, []byte(bound.ID.String()), []byte(out.connection.String()))
	for _, f := range files {
		there := fileLike(bound, own[i], f.Upload)
		content = bytes.ReplaceAll(content, []byte(f.Upload.String()), []byte(there.String()))
		f.Upload = there
		out.files = append(out.files, f)
	}
	return out, content, Usable(own[i], out.files)
}

// lacking refuses a copy for which things of the person's own are missing.
func lacking(to Member, what []string) error {
	return message.Refuse(`Workspace "%s" lacks what the copy would read: you have no %s there. Add it under the same name, and try again.`,
		to.slug, strings.Join(what, ", no "))
}

// fileLike finds what stands in connection to for an upload of connection from: the upload itself if to has it, otherwise the
// newest file with the same name. It is zero when there is none.
func fileLike(from, to Connection, upload uuid.UUID) uuid.UUID {
	if _, ok := uploadOf(to, upload); ok {
		return upload
	}
	if u, ok := uploadOf(from, upload); ok {
		for _, there := range to.Uploads {
			if there.Filename == u.Filename {
				return there.ID
			}
		}
	}
	return uuid.Nil
}

// filesLacking names the files of connection from that connection to, which owner has, lacks.
func filesLacking(owner uuid.UUID, from, to Connection, files Files) (missing []string) {
	for _, f := range files {
		if fileLike(from, to, f.Upload) != uuid.Nil {
			continue
		}
		name := f.Upload.String()
		if u, ok := uploadOf(from, f.Upload); ok && from.Owner == owner { // what others call their files is theirs to know
			name = u.Filename
		}
		if name = fmt.Sprintf(`file called "%s"`, name); !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	return missing
}

func (s *Store) duplicate(
	ctx context.Context, tx pgx.Tx, from Member, d Dashboard, to Member, c Copy, source copySource, content []byte, out *Published,
) error {
	if _, err := findDashboard(ctx, tx, to.workspace, c.Slug); !errors.Is(err, ErrNotFound) {
		if err == nil {
			err = ErrTaken
		}
		return err
	}
	of, err := findVersion(ctx, tx, from.workspace, d.Slug, d.VersionID)
	if err != nil {
		return err
	}
	v := newVersion{
		dashboard: Dashboard{ID: newID(), Slug: c.Slug, Name: c.Name, Chart: d.Chart, Tags: d.Tags}, created: true, cause: CausePublish,
		kind: of.Kind, filename: of.Filename, contentType: of.ContentType, content: content, size: len(content),
		panels: of.Panels, datasets: of.Datasets, connection: source.connection, files: source.files, changes: []string{}, tables: of.Tables,
	}
	if v.sha256, err = s.putBlob(ctx, tx, to.workspace, content); err != nil {
		return err
	}
	if err := s.addVersion(ctx, tx, to, &v); err != nil {
		return err
	}
	if from.workspace == to.workspace && of.Connection == source.connection && of.Files.Same(source.files) {
		if err := copyRows(ctx, tx, to.workspace, of.ID, v.id); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `
		UPDATE dashboard SET colors = (SELECT colors FROM dashboard WHERE workspace_id = $3 AND id = $4) WHERE workspace_id = $1 AND id = $2`,
		to.workspace, v.dashboard.ID, from.workspace, d.ID); err != nil {
		return err
	}
	if err := s.countActivity(ctx, tx, to.workspace, v.dashboard.ID, Activity{Event: EventPublish, Bytes: len(content)}); err != nil {
		return err
	}
	if err := s.audit(ctx, tx, Event{
		Workspace: from.workspace, Account: from.account, Client: from.client, Action: "dashboard.duplicate", Subject: d.Slug,
		Detail: map[string]any{"workspace": to.slug, "slug": c.Slug},
	}); err != nil {
		return err
	}
	return s.finishVersion(ctx, tx, to, v, out, map[string]any{"created": true, "version": v.id, "kind": v.kind})
}
