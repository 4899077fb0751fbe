package tools

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
)

var getDashboardSpec = tool[getDashboardSpecArgs]{
	name:  "get_dashboard_spec",
	title: "Get dashboard spec",
	description: `Returns the spec of a refreshable dashboard as it was published, or one part of it (pointer). version_id reads an ` +
		`earlier version's spec. If it is too long for one response, the response lists the pointers and sizes of its parts. ` +
		`spec_sha256 shows whether a spec has changed. A static dashboard has no spec.`,
	hints: hints{readOnly: true, idempotent: true},
	meta:  longResult,
	scope: dashboardScope,
	run:   runGetDashboardSpec,
}

type getDashboardSpecArgs struct {
	Slug    slug      `json:"slug" arg:"required"`
	Version versionID `json:"version_id"`
	Pointer string    `json:"pointer" doc:"JSON Pointer (RFC 6901) of the part to return. Default: the whole." eg:"/datasets/0/sql"`
	inWorkspace
}

func (getDashboardSpecArgs) explain(name string) (doc, example string) {
	if name == "version_id" {
		return "UUID of a stored version. Default: the current version.",
			"0198c0de-…"
	}
	return "", ""
}

type dashboardSpec struct {
	answer
	Workspace  string          `json:"workspace"`
	Slug       string          `json:"slug"`
	VersionID  string          `json:"version_id"`
	Pointer    string          `json:"pointer"`
	SpecSHA256 string          `json:"spec_sha256"`
	Code       *store.Code     `json:"from_code,omitempty"` // the file from which it was published
	Bytes      int             `json:"bytes"`               // of the whole spec
	Spec       json.RawMessage `json:"spec,omitempty"`
	Cut        bool            `json:"cut,omitempty"`     // spec is the beginning of a long string
	Outline    []outlinePart   `json:"outline,omitempty"` // instead of spec, when that is too long
	Left       int             `json:"outline_left,omitempty"`
	NextStep   string          `json:"next_step"`
}

type outlinePart struct {
	Pointer string `json:"pointer"`
	Type    string `json:"type"`
	Bytes   int    `json:"bytes"`
}

func runGetDashboardSpec(ctx context.Context, c call, in getDashboardSpecArgs) (*reply, error) {
	if in.Pointer != "" && in.Pointer[0] != '/' {
		return nil, message.Refuse(`pointer must be empty or start with "/", as in /datasets/0/sql (got %s)`, quoted(clip(in.Pointer, 80)))
	}
	d, err := c.Store.Dashboards.Dashboard(ctx, c.Member, string(in.Slug))
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.NoDashboardNamed(string(in.Slug))
	}
	if err != nil {
		return nil, err
	}
	raw, v, err := c.storedSpec(ctx, d, in)
	if err != nil {
		return nil, err
	}
	part, err := at(raw, in.Pointer)
	if err != nil {
		return nil, err
	}
	out := dashboardSpec{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, VersionID: v.ID.String(), Pointer: in.Pointer,
		SpecSHA256: hex.EncodeToString(v.SHA256), Bytes: v.Size, Code: v.Code,
		NextStep: "publish_dashboard edits parts of the current spec with patch, or replaces it with spec; dry_run shows what would change.",
	}
	of := fmt.Sprintf(`the spec of "%s"`, d.Slug)
	if in.Pointer != "" {
		of = fmt.Sprintf(`the part %s of the spec of "%s"`, quoted(in.Pointer), d.Slug)
	}
	if len(part) <= room {
		out.Spec = part
		return replyWith(&out, `Here is %s, version %s: %s`, of, out.VersionID, out.URL), nil
	}
	out.Outline, out.Left = outline(part, in.Pointer)
	if len(out.Outline) == 0 { // the value is one long string
		whole := text(part)
		cut := whole[:boundary(whole, room)]
		for len(encode(cut)) > room { // JSON escapes count too
			cut = cut[:boundary(cut, len(cut)/2)]
		}
		out.Spec, out.Cut = encode(cut), true
		return replyWith(&out, `Here is %s, version %s, cut after %d of its %d bytes: %s`, of, out.VersionID, len(cut), len(whole), out.URL), nil
	}
	more := ""
	if out.Left > 0 {
		more = fmt.Sprintf(" %d more parts are not listed; their pointers go on in the same way.", out.Left)
	}
	return replyWith(&out, `%s, version %s, has %d bytes, too long for an answer: outline has its parts, which pointer reads one by one. %s%s`,
		strings.ToUpper(of[:1])+of[1:], out.VersionID, len(part), out.URL, more), nil
}

// storedSpec returns the spec of the requested version, on one line.
func (c call) storedSpec(ctx context.Context, d store.Dashboard, in getDashboardSpecArgs) (json.RawMessage, store.Version, error) {
	id := in.Version.UUID
	if id == uuid.Nil {
		if err := noVersion(d); err != nil {
			return nil, store.Version{}, err
		}
		id = d.VersionID
	}
	v, err := c.Store.Dashboards.Version(ctx, c.Member, d.Slug, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, v, message.NoDashboardNamed(string(in.Slug))
	}
	if err != nil {
		return nil, v, versionRefusal(err, d.Slug, id)
	}
	if v.Kind != store.KindSpec {
		return nil, v, message.Refuse(`Version %s of dashboard "%s" is static and has no spec. get_dashboard has its contents; `+
			`derive_dashboard_spec drafts a spec for it.`, v.ID, d.Slug)
	}
	raw, err := c.Store.Dashboards.VersionContent(ctx, c.Member, v)
	if err != nil {
		return nil, v, err
	}
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		return nil, v, fmt.Errorf("stored spec of version %s: %w", v.ID, err)
	}
	return line.Bytes(), v, nil
}

// at returns the part of doc that a JSON Pointer names (RFC 6901).
func at(doc json.RawMessage, pointer string) (json.RawMessage, error) {
	found, err := treeOf(doc).at(pointer)
	if err != nil {
		return nil, err
	}
	return found.text(), nil
}

// outline lists the parts of a value by pointer, two levels deep. It returns as many as
// fit, and the number of parts that were left out.
func outline(doc json.RawMessage, pointer string) ([]outlinePart, int) {
	var parts []outlinePart
	for _, p := range children(doc, pointer) {
		parts = append(parts, p.outlinePart)
		if p.Bytes > room {
			for _, q := range children(p.raw, p.Pointer) {
				parts = append(parts, q.outlinePart)
			}
		}
	}
	space := room
	return fit(parts, &space)
}

type child struct {
	outlinePart
	raw json.RawMessage
}

func children(doc json.RawMessage, pointer string) []child {
	var members map[string]json.RawMessage
	var items []json.RawMessage
	var out []child
	add := func(token string, raw json.RawMessage) {
		token = strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
		out = append(out, child{outlinePart{pointer + "/" + token, kindOf(raw), len(raw)}, raw})
	}
	switch doc[0] {
	case '{':
		_ = json.Unmarshal(doc, &members)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			add(name, members[name])
		}
	case '[':
		_ = json.Unmarshal(doc, &items)
		for i, item := range items {
			add(strconv.Itoa(i), item)
		}
	}
	return out
}
