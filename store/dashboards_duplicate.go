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

// A Copy is the slug and the name of a copy.
type Copy struct {
	Slug string // no dashboard of its workspace has it
	Name string
}

// Duplicate makes a new dashboard in to's workspace from the current version of the dashboard called slug in from's. from and to are the
// same account. The copy reads the account's own connection of the same kind and label there, and files of the same names; it is refused if
// one is missing, and the refusal names it. It has no schedule and no deliveries. Rows are copied if the source is the same; otherwise the
// first refresh reads them.
func (s Dashboards) Duplicate(ctx context.Context, from Member, slug string, to Member, c Copy) (Published, error) {
	var out Published
	if from.account != to.account {
		return out, ErrNotMember
	}
	for _, m := range []Member{from, to} { // a copy shows the SQL of the original
		if !m.Edits() {
			return out, Members(s).RefuseViewer(ctx, m)
		}
	}
	if err := cmp.Or(dashboard.CheckNewSlug(c.Slug), dashboard.CheckName(c.Name)); err != nil {
		return out, err
	}
	d, err := s.Dashboard(ctx, from, slug)
	if err != nil {
		return out, err
	}
	if !from.Cut(d).All { // the first publisher of a copy may loosen its rules
		return out, message.Refuse(`You see some of the rows of dashboard "%s", so you cannot copy it: ask an owner of its workspace.`, d.Slug)
	}
	content, err := s.Content(ctx, from, d)
	if err != nil {
		return out, err
	}
	spec, err := s.specOfCopy(ctx, d, content, to)
	if err != nil {
		return out, err
	}
	source, err := s.sourceOfCopy(ctx, d, to)
	if err != nil {
		return out, err
	}
	made := duplication{Copy: c, of: d, from: from, to: to, source: source, content: source.put(content), spec: spec}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		out = Published{Created: true}
		return s.duplicate(ctx, tx, made, &out)
	})
	if errors.Is(plain(err), ErrTaken) {
		err = message.Refuse(`slug "%s" is taken: workspace "%s" has a dashboard or a redirect with it`, c.Slug, to.slug)
	}
	return out, err
}

// A duplication is a copy to be made of the current version of a dashboard.
type duplication struct {
	Copy
	of       Dashboard
	from, to Member // of the workspaces of the two
	source   copySource
	content  []byte          // with the ids of the original's source
	spec     *dashboard.Spec // of the copied version, whose alerts and deliveries are the copy's; nil for a document
}

// A copySource is the connection and files that a copy reads.
type copySource struct {
	connection uuid.UUID
	files      Files
	ids        []replaced
}

// A replaced is the id of a connection or an upload, and the id that replaces it in a copy.
type replaced struct{ old, by uuid.UUID }

// put replaces the uploads in the content of the copied dashboard by those of the source.
func (s copySource) put(content []byte) []byte {
	for _, id := range s.ids {
		content = bytes.ReplaceAll(content, []byte(id.old.String()), []byte(id.by.String()))
	}
	return content
}

// specOfCopy parses the spec of d, nil for a document. It refuses one with alerts for channels that to's workspace lacks.
func (s *core) specOfCopy(ctx context.Context, d Dashboard, content []byte, to Member) (*dashboard.Spec, error) {
	if d.Kind != KindSpec {
		return nil, nil
	}
	spec, err := dashboard.ParseStored(content)
	if err != nil {
		return nil, fmt.Errorf("version %s: %w", d.VersionID, err)
	}
	channels, err := Messages{s}.Channels(ctx, to)
	if err != nil {
		return nil, err
	}
	var slugs []string
	for _, c := range channels {
		slugs = append(slugs, c.Slug)
	}
	if err := spec.CheckChannels(slugs); err != nil {
		return nil, message.Refuse("%s", err)
	}
	return spec, nil
}

// sourceOfCopy finds the source that a copy of d in to's workspace reads. It is zero if d reads nothing.
func (s *core) sourceOfCopy(ctx context.Context, d Dashboard, to Member) (copySource, error) {
	var out copySource
	if d.Connection == uuid.Nil {
		return out, nil
	}
	bound, err := s.connection(ctx, `b.id = $1`, d.Connection)
	if errors.Is(err, ErrNotFound) || err == nil && bound.WorkspaceID != d.WorkspaceID {
		return out, message.Refuse(`The connection of dashboard "%s" is gone, so there is nothing that a copy could read.`, d.Slug)
	}
	if err != nil {
		return out, err
	}
	own, err := Connections{s}.Connections(ctx, to)
	if err != nil {
		return out, err
	}
	i := connectionLike(bound, own)
	if i < 0 && bound.Kind == KindUpload {
		return out, lacking(to, filesLacking(to.account, bound, Connection{}, d.Files))
	}
	if i < 0 {
		return out, lacking(to, []string{fmt.Sprintf(`connection called "%s" (%s)`, bound.Label, bound.Kind)})
	}
	if missing := filesLacking(to.account, bound, own[i], d.Files); len(missing) > 0 {
		return out, lacking(to, missing)
	}
	out.connection, out.ids = own[i].ID, []replaced{{old: bound.ID, by: own[i].ID}}
	for _, f := range d.Files {
		there := fileLike(bound, own[i], f.Upload)
		out.ids = append(out.ids, replaced{old: f.Upload, by: there})
		f.Upload = there
		out.files = append(out.files, f)
	}
	return out, Usable(own[i], out.files)
}

// connectionLike returns the index in own of the connection bound, or else of a connection of the same kind and label; uploads need no
// label. It is -1 if there is no such connection.
func connectionLike(bound Connection, own []Connection) int {
	if i := slices.IndexFunc(own, func(c Connection) bool { return c.ID == bound.ID }); i >= 0 {
		return i
	}
	return slices.IndexFunc(own, func(c Connection) bool {
		return c.Kind == bound.Kind && (c.Kind == KindUpload || c.Label == bound.Label)
	})
}

// lacking refuses a copy because the person lacks connections or files in to's workspace.
func lacking(to Member, what []string) error {
	return message.Refuse(`Workspace "%s" lacks what the copy would read: you have no %s there. Add it under the same name, and try again.`,
		to.slug, strings.Join(what, ", no "))
}

// fileLike returns the upload of connection to that replaces an upload of connection from: the upload itself if to has it, otherwise the
// newest file with the same name. It is zero if there is no such file.
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

// filesLacking names the files of connection from that the connection to lacks. owner owns to.
func filesLacking(owner uuid.UUID, from, to Connection, files Files) (missing []string) {
	for _, f := range files {
		if fileLike(from, to, f.Upload) != uuid.Nil {
			continue
		}
		name := f.Upload.String()
		if u, ok := uploadOf(from, f.Upload); ok && from.Owner == owner { // only its owner may see the name of a file
			name = u.Filename
		}
		if name = fmt.Sprintf(`file called "%s"`, name); !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	return missing
}

// duplicate makes the copy.
func (s *core) duplicate(ctx context.Context, tx pgx.Tx, c duplication, out *Published) error {
	if err := lockFeeds(ctx, tx, c.to.workspace); err != nil {
		return err
	}
	if _, err := findDashboard(ctx, tx, c.to.workspace, c.Slug); !errors.Is(err, ErrNotFound) {
		if err == nil {
			err = ErrTaken
		}
		return err
	}
	version, err := findVersion(ctx, tx, c.from.workspace, c.of.Slug, c.of.VersionID)
	if err != nil {
		return err
	}
	v := newVersion{
		dashboard: Dashboard{ID: newID(), Slug: c.Slug, Name: c.Name, Chart: c.of.Chart, Tags: c.of.Tags}, created: true, cause: CausePublish,
		kind: version.Kind, filename: version.Filename, contentType: version.ContentType, spec: c.spec, size: len(c.content),
		panels: version.Panels, datasets: version.Datasets, connection: c.source.connection, files: c.source.files, changes: []string{},
		tables: version.Tables, access: version.Access,
	}
	if v.me, err = s.standFor(ctx, tx, c.to, c.spec, uuid.Nil, false); err != nil {
		return err
	}
	if v.sha256, err = s.putBlob(ctx, tx, c.to.workspace, c.content); err != nil {
		return err
	}
	if err := s.link(ctx, tx, c.to, &v, nil); err != nil {
		return err
	}
	if err := s.addVersion(ctx, tx, c.to, &v); err != nil {
		return err
	}
	feeds, err := findFeeds(ctx, tx, c.from.workspace, version.ID)
	if err != nil {
		return err
	}
	sameRows := !slices.ContainsFunc(feeds, func(f feed) bool { return !sameFeeds(feeds, v.feeds, f.Dataset) })
	if sameRows && c.from.workspace == c.to.workspace && version.Connection == c.source.connection && version.Files.Same(c.source.files) {
		if err := copyRows(ctx, tx, c.to.workspace, version.ID, v.id); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `
		UPDATE dashboard SET colors = (SELECT colors FROM dashboard WHERE workspace_id = $3 AND id = $4) WHERE workspace_id = $1 AND id = $2`,
		c.to.workspace, v.dashboard.ID, c.from.workspace, c.of.ID); err != nil {
		return err
	}
	if err := s.countActivity(ctx, tx, c.to.workspace, v.dashboard.ID, Activity{Event: EventPublish, Bytes: len(c.content)}); err != nil {
		return err
	}
	if err := s.audit(ctx, tx, Event{
		Workspace: c.from.workspace, Account: c.from.account, ClientID: c.from.client, Action: "dashboard.duplicate", Subject: c.of.Slug,
		Detail: map[string]any{"workspace": c.to.slug, "slug": c.Slug},
	}); err != nil {
		return err
	}
	return s.finishVersion(ctx, tx, c.to, v, out, map[string]any{"created": true, "version": v.id, "kind": v.kind})
}
