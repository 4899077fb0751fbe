package page

import (
	"context"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas/picture"
	"service/store/dashboard/locale"
	"service/store/dashboard/scene"
)

// A thumbnail is the beginning of a page as on a phone or a tablet, with figures that can be told apart at half its size.
const (
	thumbnailWidth  = 640.0
	thumbnailHeight = 400.0
	thumbnailPanels = 6 // to compute: a thumbnail has space for no more
	thumbnailKPIs   = 2 // pages often have so many that figures would be hidden
)

// telling returns the panels by which people recognize a page: its figures and a few of its numbers, or its first panels if it has no
// figures.
func telling(all []dashboard.Panel) []dashboard.Panel {
	var out []dashboard.Panel
	kpis, figures := 0, 0
	for _, p := range all {
		switch p.Type {
		case "section", "text":
			continue
		case "kpi":
			if kpis++; kpis > thumbnailKPIs {
				continue
			}
		default:
			figures++
		}
		if out = append(out, p); len(out) == thumbnailPanels {
			break
		}
	}
	if figures == 0 {
		return all[:min(len(all), thumbnailPanels)]
	}
	return out
}

// Thumbnail draws the beginning of the page of a view, without its head and its filters, 640 by 400 pixels, in the light or the dark theme.
// The error is [ErrNoFigure] if no rows are stored.
func Thumbnail(ctx context.Context, v View, dark bool) (*Picture, error) {
	if v.Spec == nil || !slices.ContainsFunc(v.Spec.Datasets, func(d dashboard.Dataset) bool { return v.Cubes[d.ID] != nil }) &&
		len(v.Spec.Datasets) > 0 {
		return nil, ErrNoFigure
	}
	begin := *v.Spec
	begin.Panels = telling(begin.Panels)
	v.Spec, v.Alerts = &begin, nil
	w, err := painterOf(v, Shot{})
	if err != nil {
		return nil, err
	}
	if err := w.of.workOutIn(ctx); err != nil {
		return nil, err
	}
	return w.thumbnail(ctx, dark, func() error { return w.beginning(ctx) })
}

// beginning lays out the panels of a thumbnail.
func (w *pagePainter) beginning(ctx context.Context) error {
	p := w.of
	w.Texts, w.Rtl, w.Lang = p.Locale, p.Dir == "rtl", p.Lang
	w.Fit = slices.Contains(needs(p.Spec), "fit")
	w.Width, w.Back, w.Y = thumbnailWidth, picture.Ink("bg"), pageSide
	if p.Spec.Article() {
		w.Back = picture.Ink("card")
	}
	w.X, w.Wide = pageSide, w.Width-2*pageSide
	return w.cards(ctx, p, false)
}

// MarkdownThumbnail is [Thumbnail] of a published document.
func MarkdownThumbnail(ctx context.Context, hd Header, text []byte, dark bool) (*Picture, error) {
	w := newPagePainter(locale.For(""))
	return w.thumbnail(ctx, dark, func() error {
		w.Width, w.Back, w.Y, w.Most = thumbnailWidth, picture.Ink("card"), pageSide, thumbnailHeight
		w.X, w.Wide = pageSide, w.Width-2*pageSide
		w.Markup(string(hd.document(text)), 15, 1.6)
		return nil
	})
}

// thumbnail paints the beginning of a layout.
func (w *pagePainter) thumbnail(ctx context.Context, dark bool, layOut func() error) (*Picture, error) {
	return w.paint(func() error {
		if err := layOut(); err != nil {
			return err
		}
		w.Height = thumbnailHeight
		w.Items = slices.DeleteFunc(w.Items, func(i scene.Item) bool { return i.Bounds().Y > thumbnailHeight })
		if dark {
			w.Darken()
		}
		return nil
	}, func() (*Picture, error) { return w.png(ctx, Shot{Scale: 1}) })
}
