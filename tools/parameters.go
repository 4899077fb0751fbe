package tools

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"service/store/dashboard"
	"service/store/message"
	"service/store/rawjson"
)

// The parameter types below check themselves while they are bound, so a tool never gets
// a bad argument and each rule is in one place. Values are kept as sent: they are not
// trimmed or lower-cased.

// target names the dashboard of a call, and its workspace.
type target struct {
	Slug slug `json:"slug" arg:"required"`
	inWorkspace
}

// inWorkspace is the target workspace that every dashboard tool takes.
type inWorkspace struct {
	Workspace workspaceArg `json:"workspace"`
}

// workspaceArg accepts any value, because the scope has checked it already.
type workspaceArg struct{}

func (*workspaceArg) set(string, json.RawMessage) error { return nil }

func (workspaceArg) jsonType() (string, string) { return "string", "" }

func (workspaceArg) describe() (doc, example string) {
	return "Default: the authorized one.", "acme"
}

// slug is the slug of an existing dashboard, or one of its aliases.
type slug string

func (s *slug) set(name string, raw json.RawMessage) error {
	if err := setString(name, raw, (*string)(s)); err != nil {
		return err
	}
	return dashboard.CheckSlug(string(*s))
}

func (slug) alias() string { return "path" }

func (*slug) absent(string, json.RawMessage) error { return message.SlugEmpty() }

func (slug) describe() (doc, example string) {
	return "Slug or alias. No default.", "sales"
}

// newSlug is the new slug for a dashboard.
type newSlug struct{ *string }

func (s *newSlug) set(name string, raw json.RawMessage) error {
	s.string = new(string)
	if err := setString(name, raw, s.string); err != nil {
		return err
	}
	return dashboard.CheckNewSlug(*s.string)
}

func (newSlug) jsonType() (string, string) { return "string", "" }

// path names a dashboard and its file.
type path struct{ slug, file string }

func (p *path) set(name string, raw json.RawMessage) (err error) {
	var s string
	if err := setString(name, raw, &s); err != nil {
		return err
	}
	p.slug, p.file, err = dashboard.ParsePath(s)
	return err
}

func (path) alias() string { return "slug" }

func (*path) absent(string, json.RawMessage) error { return message.PathEmpty() }

func (path) jsonType() (string, string) { return "string", "" }

func (path) describe() (doc, example string) {
	return "<slug> or <slug>/<filename>. Slug: 1 to 64 of a-z, 0-9, -; filename: also . and _. Default filename: index.html.", "sales"
}

// versionID is the id of a stored version.
type versionID struct{ uuid.UUID }

func (v *versionID) set(_ string, raw json.RawMessage) error {
	id, ok := parseUUID(text(raw))
	if !ok {
		return message.VersionIDInvalid()
	}
	v.UUID = id
	return nil
}

func (versionID) jsonType() (string, string) { return "string", "" }

func (versionID) describe() (doc, example string) {
	return "UUID of a stored version. No default.", "0198c0de-…"
}

// requiredVersion is a versionID that is required.
type requiredVersion struct{ versionID }

func (*requiredVersion) absent(string, json.RawMessage) error { return message.VersionIDInvalid() }

// parseUUID accepts only the 36-character form.
func parseUUID(s string) (uuid.UUID, bool) {
	id, err := uuid.Parse(s)
	return id, err == nil && len(s) == 36
}

// metadata has the fields that both publish_dashboard and update_dashboard can set
// (specification, "Metadata rules"). A nil field keeps the stored value.
type metadata struct {
	Name       displayName `json:"name"`
	Tags       tags        `json:"tags"`
	Chart      chart       `json:"chart"`
	Visibility visibility  `json:"visibility"`
}

type displayName struct{ *string }

func (n *displayName) set(_ string, raw json.RawMessage) error {
	return setLabel(&n.string, raw, message.NameEmpty(), dashboard.CheckName)
}

func (displayName) jsonType() (string, string) { return "string", "" }

func (displayName) describe() (doc, example string) {
	return "Display name, at most 300 characters. Default: the stored name; at first the spec's title or the first heading.", "Sales overview"
}

type chart struct{ *string }

func (c *chart) set(_ string, raw json.RawMessage) error {
	return setLabel(&c.string, raw, message.ChartEmpty(), dashboard.CheckChart)
}

func (chart) jsonType() (string, string) { return "string", "" }

func (chart) describe() (doc, example string) {
	return "Main chart type, for lists. Default: the stored one; at first, the first panel's.", "line"
}

// setLabel decodes a string and checks it. For other types it returns empty.
func setLabel(to **string, raw json.RawMessage, empty *message.Refusal, check func(string) error) error {
	if raw[0] != '"' {
		return empty
	}
	*to = new(text(raw))
	return check(**to)
}

// tags are a dashboard's tags: nil keeps the stored tags, an empty list clears them.
type tags []string

func (t *tags) set(_ string, raw json.RawMessage) error {
	items, n := rawjson.List(raw, maxItems)
	if n < 0 {
		return message.TagsNotArray()
	}
	if n > maxItems {
		return dashboard.CheckTagCount(n)
	}
	*t = make(tags, n)
	for i, item := range items {
		if item[0] != '"' {
			return message.TagNotString(i, typeof(item))
		}
		(*t)[i] = text(item)
	}
	return dashboard.CheckTags(*t)
}

func (tags) jsonType() (string, string) { return "array", "string" }

func (tags) describe() (doc, example string) {
	return "Tags: at most 50 strings of at most 100 characters; [] clears them. Default: the stored tags.", `["sales", "weekly"]`
}

// visibility is a retired argument. It is refused in any form, including null, and is not
// in the schema.
type visibility struct{}

func (*visibility) set(string, json.RawMessage) error { return message.VisibilityRemoved() }

func (*visibility) absent(_ string, raw json.RawMessage) error {
	if raw != nil {
		return message.VisibilityRemoved()
	}
	return nil
}

func (visibility) jsonType() (string, string) { return "string", "" }

// zone is a time zone; the zero zone is UTC.
type zone struct{ location *time.Location }

func (z zone) in() *time.Location { return cmp.Or(z.location, time.UTC) }

func (z *zone) set(name string, raw json.RawMessage) error {
	var tz string
	if err := setString(name, raw, &tz); err != nil {
		return err
	}
	l, ok := dashboard.Zone(tz)
	if !ok {
		return message.Refuse(`%s "%s" is not an IANA time zone, such as "Europe/Berlin" or "UTC"`, name, clip(tz, 100))
	}
	z.location = l
	return nil
}

func (zone) jsonType() (string, string) { return "string", "" }

func (zone) describe() (doc, example string) {
	return "IANA time zone in which the SQL runs. Default: UTC.", "Europe/Berlin"
}
