package code

import (
	"context"
	"errors"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/message"
	"service/store/pattern"
)

// previewTag is the tag of previews. Only dashboards that have it are replaced or deleted by this command.
const previewTag = "preview"

// previews reports whether a dashboard whose slug ends in a suffix is a preview with that suffix. Its name ends in the suffix too:
// usage-pr-1 with the name Usage (pr-1) is not a preview with the suffix 1.
func (d listed) previews(suffix string) bool {
	return slices.Contains(d.Tags, previewTag) && (strings.HasSuffix(d.Name, " ("+suffix+")") || !strings.HasSuffix(d.Name, ")"))
}

var suffixForm = pattern.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func checkSuffix(suffix string) error {
	if !suffixForm.MatchString(suffix) {
		return message.Refuse(`--suffix "%s" must be small letters, digits and hyphens, as in pr-12`, suffix)
	}
	return nil
}

// Preview publishes the dashboards of slugs, or those that differ from the server, as additional dashboards: under slug-suffix, without
// alerts, deliveries and schedule.
func (r Run) Preview(ctx context.Context, slugs []string, suffix string) error {
	if err := checkSuffix(suffix); err != nil {
		return err
	}
	f, err := r.gather(ctx, slugs, false)
	if err != nil {
		return err
	}
	all, err := r.list(ctx)
	if err != nil {
		return err
	}
	shown := 0
	for _, p := range f.pairs {
		if len(slugs) == 0 && p.same() {
			continue
		}
		slug := p.slug + "-" + suffix
		if err := dashboard.CheckNewSlug(slug); err != nil {
			return err
		}
		if i := slices.IndexFunc(all, func(d listed) bool { return d.Slug == slug }); i >= 0 && !all[i].previews(suffix) {
			return message.Refuse(`"%s" is on the server, and is not a preview: choose another suffix`, slug)
		}
		page := *p.file
		page.Spec = without(page.Spec, "alerts", "deliver")
		spec, err := specFor(&page, f.known)
		if err != nil {
			return err
		}
		head := p.file.Head
		if head.Tags = append(slices.Clone(head.Tags), previewTag); head.Name != "" {
			head.Name += " (" + suffix + ")"
		}
		done, err := r.publish(ctx, publication{slug: slug, head: &head, spec: spec})
		if no, ok := errors.AsType[*Refused](err); ok {
			return message.Refuse("%s: %s", p.file.File, no.Text)
		}
		if err != nil {
			return err
		}
		shown++
		r.printf("%s: %s", p.file.File, done.URL)
	}
	if shown == 0 {
		r.printf("No dashboard differs from the server: there is nothing to preview.")
	}
	return nil
}

// EndPreview deletes the previews with a suffix, those of slugs or all. Deleted dashboards are in the server's bin for some days.
func (r Run) EndPreview(ctx context.Context, slugs []string, suffix string) error {
	if err := checkSuffix(suffix); err != nil {
		return err
	}
	all, err := r.list(ctx)
	if err != nil {
		return err
	}
	ended := 0
	for _, d := range all {
		slug, is := strings.CutSuffix(d.Slug, "-"+suffix)
		if !is || !d.previews(suffix) || len(slugs) > 0 && !slices.Contains(slugs, slug) {
			continue
		}
		if err := r.call(ctx, "delete_dashboard", r.args(map[string]any{"slug": d.Slug}), nil, nil); err != nil {
			return err
		}
		ended++
		r.printf("%s: deleted", d.Slug)
	}
	if ended == 0 {
		r.printf("There is no preview with the suffix %s.", suffix)
	}
	return nil
}
