package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
	"service/store/rawjson"
)

// copyOf is the slug of the dashboard whose spec a publish copies; empty if it copies none.
type copyOf string

func (s *copyOf) set(name string, raw json.RawMessage) error {
	if err := setString(name, raw, (*string)(s)); err != nil {
		return err
	}
	return dashboard.CheckSlug(string(*s))
}

func (copyOf) describe() (doc, example string) {
	return "Slug whose spec, patched, becomes a new dashboard; alerts and deliver are copied only if patch names them. " +
		"Default: none.", "sales"
}

// checkCopy checks copy_of against the other arguments.
func (a publishDashboardArgs) checkCopy() error {
	switch {
	case a.CopyOf == "":
		return nil
	case a.Spec != nil || a.Body.string != nil:
		return message.Refuse("copy_of takes the spec of another dashboard, so pass it with patch or alone, not with spec or body")
	case a.IfVersion.UUID != nil && *a.IfVersion.UUID != uuid.Nil:
		return message.Refuse(`copy_of makes a new dashboard, so if_version can only be "none"`)
	}
	return nil
}

// copied describes where the spec of a publish was copied from.
type copied struct {
	Of      string   `json:"copy_of,omitempty"`
	LeftOut []string `json:"left_out,omitempty"` // keys of that spec
}

// copy sets the spec of in to that of the dashboard that copy_of names, with the patch applied, and returns that dashboard. The copy has no
// alerts and deliveries, unless the patch changes them, so that the recipients of the original get no messages of the copy. before is the
// dashboard at the path, which must not exist.
func (c call) copy(ctx context.Context, in *publishDashboardArgs, before store.Dashboard) (store.Dashboard, copied, error) {
	slug := string(in.CopyOf)
	of, err := c.before(ctx, slug)
	switch {
	case err != nil:
		return of, copied{}, err
	case of.ID == uuid.Nil:
		return of, copied{}, message.Refuse(`There is no dashboard "%s" to copy. list_dashboards finds slugs.`, slug)
	case !of.Refreshable():
		return of, copied{}, message.Refuse(`Dashboard "%s" is static: it has no spec to copy. body publishes its contents again.`, of.Slug)
	case before.ID != uuid.Nil:
		return of, copied{}, message.Refuse(`Dashboard "%s" exists already, and copy_of makes a new one: choose another slug.`, before.Slug)
	}
	content, err := c.Store.Dashboards.Content(ctx, c.Member, of)
	if err != nil {
		return of, copied{}, err
	}
	from := copied{Of: of.Slug}
	var left patchArg
	members, err := rawjson.Object(content)
	if err != nil {
		return of, from, err
	}
	for _, key := range []string{"alerts", "deliver"} {
		if members[key] != nil && !in.Patch.changes(key) {
			from.LeftOut = append(from.LeftOut, key)
			left = append(left, operation{Op: "remove", Path: "/" + key})
		}
	}
	for _, patch := range []patchArg{left, in.Patch} {
		if len(patch) == 0 {
			continue
		}
		if content, err = patch.apply(content); err != nil {
			return of, from, err
		}
	}
	in.Spec, in.basis = specArg(content), new(uuid.Nil)
	if in.Tags == nil {
		in.Tags = slices.Clone(of.Tags)
	}
	return of, from, nil
}

// changes reports whether an operation of p changes, copies or moves contents of a member of the document.
func (p patchArg) changes(member string) bool {
	within := func(pointer string) bool { return pointer == "/"+member || strings.HasPrefix(pointer, "/"+member+"/") }
	return slices.ContainsFunc(p, func(o operation) bool {
		return within(o.Path) || (o.Op == "copy" || o.Op == "move") && within(o.From)
	})
}

// words names the original of a copy, for the end of an answer.
func (f copied) words() string {
	switch {
	case f.Of == "":
		return ""
	case len(f.LeftOut) == 0:
		return fmt.Sprintf(` It is a copy of "%s" and has no schedule.`, f.Of)
	}
	left := strings.Replace(strings.Join(f.LeftOut, " and "), "deliver", "deliveries", 1)
	return fmt.Sprintf(` It is a copy of "%s" without its %s, and has no schedule.`, f.Of, left)
}
