package tools

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"service/store/dashboard"
	"service/store/message"
)

// The parameter types below check themselves while they are bound, so a tool
// never sees a bad argument and no rule is written twice. Values are taken as
// they are given: nothing is trimmed or lower-cased.

// target names the dashboard that a call is about, and where.
type target struct {
	Slug slug `json:"slug" arg:"required"`
	inWorkspace
}

// inWorkspace is the target workspace that every dashboard tool takes.
type inWorkspace struct {
	Workspace workspaceArg `json:"workspace"`
}

// workspaceArg takes any value: the scope has read and judged it already.
type workspaceArg struct{}

func (*workspaceArg) set(string, json.RawMessage) error { return nil }

func (workspaceArg) jsonType() (string, string) { return "string", "" }

func (workspaceArg) describe() (doc, example string) {
	return "Workspace slug. Default: that of the authorization.", "acme"
}

// slug is the slug of an existing dashboard, or one of its aliases.
type slug string

func (s *slug) set(name string, raw json.RawMessage) error {
	if err := setString(name, raw, (*string)(s)); err != nil {
		return err
	}
	return dashboard.CheckSlug(string(*s))
}

func (*slug) absent(string, json.RawMessage) error { return message.SlugEmpty() }

func (slug) describe() (doc, example string) {
	return "Dashboard slug or alias: 1 to 64 of a-z, 0-9, -. No default.", "sales"
}

// newSlug is a slug that a dashboard is to take.
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

func (*path) absent(string, json.RawMessage) error { return message.PathEmpty() }

func (path) jsonType() (string, string) { return "string", "" }

func (path) describe() (doc, example string) {
	return "<slug> or <slug>/<filename>. Slug: 1 to 64 of a-z, 0-9, -. Filename: a-z, 0-9, ., _, -. Default filename: index.html.", "sales"
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
	return "Version id: a UUID from list_dashboard_versions. No default.", "0198c0de-5b1e-7c3a-9d2f-3f5a1c7e9b10"
}

// requiredVersion is a versionID that cannot be left out.
type requiredVersion struct{ versionID }

func (*requiredVersion) absent(string, json.RawMessage) error { return message.VersionIDInvalid() }

// parseUUID takes the 36-character form alone.
func parseUUID(s string) (uuid.UUID, bool) {
	id, err := uuid.Parse(s)
	return id, err == nil && len(s) == 36
}

// metadata is what publish_dashboard and update_dashboard may both set
// (specification, "Metadata rules"). A nil field keeps what is stored.
type metadata struct {
	Name       displayName `json:"name"`
	Tags       tags        `json:"tags"`
	Chart      chart       `json:"chart"`
	Visibility visibility  `json:"visibility"`
}

// Limits of metadata, in characters; the specification gives none.
const (
	maxName  = 300
	maxChart = 100
	maxTag   = 100
	maxTags  = 50
)

type displayName struct{ *string }

func (n *displayName) set(_ string, raw json.RawMessage) error {
	s, err := label("name", raw, message.NameEmpty(), maxName)
	n.string = &s
	return err
}

func (displayName) jsonType() (string, string) { return "string", "" }

func (displayName) describe() (doc, example string) {
	return "Display name, not blank, at most 300 characters. Default: what is stored; at first the spec's title, else the first heading, else the slug.", "Sales overview"
}

type chart struct{ *string }

func (c *chart) set(_ string, raw json.RawMessage) error {
	s, err := label("chart", raw, message.ChartEmpty(), maxChart)
	c.string = &s
	return err
}

func (chart) jsonType() (string, string) { return "string", "" }

func (chart) describe() (doc, example string) {
	return "The kind of chart that leads, in a word. Default: what is stored; at first the first panel's type, else document.", "line"
}

// label decodes a non-empty string of one line.
func label(name string, raw json.RawMessage, empty *message.Refusal, most int) (string, error) {
	var s string
	switch {
	case setString(name, raw, &s) != nil && raw[0] != '"', s == "" && raw[0] == '"', name == "name" && strings.TrimSpace(s) == "":
		return "", empty
	case strings.ContainsFunc(s, unicode.IsControl):
		return "", message.Refuse("%s must not contain control characters", name)
	case utf8.RuneCountInString(s) > most:
		return "", message.Refuse("%s exceeds %d-char limit (got %d)", name, most, utf8.RuneCountInString(s))
	}
	return s, nil
}

// tags is nil to keep what is stored; empty, it clears.
type tags []string

func (t *tags) set(_ string, raw json.RawMessage) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return message.TagsNotArray()
	}
	*t = make(tags, len(items))
	for i, item := range items {
		if item[0] != '"' {
			return message.TagNotString(i, typeof(item))
		}
		(*t)[i] = text(item)
		switch {
		case strings.ContainsFunc((*t)[i], unicode.IsControl):
			return message.Refuse("tags[%d] must not contain control characters", i)
		case utf8.RuneCountInString((*t)[i]) > maxTag:
			return message.Refuse("tags[%d] exceeds %d-char limit (got %d)", i, maxTag, utf8.RuneCountInString((*t)[i]))
		}
	}
	if len(items) > maxTags {
		return message.Refuse("tags exceeds %d-entry limit (got %d)", maxTags, len(items))
	}
	return nil
}

func (tags) jsonType() (string, string) { return "array", "string" }

func (tags) describe() (doc, example string) {
	return "Tags: at most 50 strings of at most 100 characters; [] clears them. Default: what is stored.", `["sales", "weekly"]`
}

// visibility is the retired argument: refused in any form, null included, and
// not advertised.
type visibility struct{}

func (*visibility) set(string, json.RawMessage) error { return message.VisibilityRemoved() }

func (*visibility) absent(_ string, raw json.RawMessage) error {
	if raw != nil {
		return message.VisibilityRemoved()
	}
	return nil
}

func (visibility) jsonType() (string, string) { return "string", "" }
