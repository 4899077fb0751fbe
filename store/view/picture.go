package view

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/blob"
	"service/store/dashboard"
	"service/store/dashboard/page"
	"service/store/limit"
)

// A Picture selects the format of a page for sending or printing. The zero value selects no picture.
type Picture struct {
	Format string // png or pdf
	Panel  int    // of a png: the panel, from 1; 0 for the whole page
	Width  int    // of a png: the width of the page in CSS pixels; 0 for a desktop
}

// ErrBusy is returned if a picture waited too long for others, or too many were waiting.
var ErrBusy = errors.New("view: too many pictures at once")

// Pictures take much more time and memory than pages, so a process draws few at once.
const (
	picturesAtOnce  = 2
	picturesWaiting = 16
	pictureWait     = 5 * time.Second
	pictureTime     = 20 * time.Second

	// Thumbnails take a tenth of that, and a list needs many.
	thumbnailsWaiting = 128
)

// Picture is [Renderer.Page] for a picture of the current version, such as one for a mail: see [page.MailWidth]. The error is
// [store.ErrNotFound] for a missing panel and for a data file, and [ErrBusy] if too many are drawn.
func (r *Renderer) Picture(ctx context.Context, m store.Member, d store.Dashboard, query url.Values, p Picture) (*Page, error) {
	return r.Page(ctx, m, d, Request{File: dashboard.DefaultFile, Query: query, Picture: p})
}

// Thumbnail returns a small picture of the top of the page of d: see [page.Thumbnail]. The error is [store.ErrNotFound] for a data file and
// without stored rows, and [ErrBusy] if too many are drawn. A thumbnail is drawn again for new rows, and once a day.
func (r *Renderer) Thumbnail(ctx context.Context, m store.Member, d store.Dashboard, dark bool) (*Page, error) {
	key := fmt.Sprintf("%s thumbnail %s %s %t %d %s", m.WorkspaceID(), d.VersionID, d.RowsTag, dark, r.now().Unix()/86400, m.Cut(d).Key())
	if p, ok := r.pages.get(key); ok {
		return p, nil
	}
	v, err := r.View(ctx, m, d, uuid.Nil, nil)
	if errors.Is(err, store.ErrNoVersion) {
		return nil, store.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	p, err := r.render(ctx, r.thumbnails, func(ctx context.Context) (*page.Picture, error) {
		switch v.kind {
		case contentFile:
			return nil, page.ErrNoFigure
		case contentMarkdown:
			return page.MarkdownThumbnail(ctx, v.Header, v.Content, dark)
		}
		return page.Thumbnail(ctx, v.View, dark)
	})
	if err != nil {
		return nil, err
	}
	drawn := newPage(p.Bytes, "image/png", "", blob.Hash(p.Bytes))
	r.pages.put(key, drawn, len(drawn.Body))
	return drawn, nil
}

// render draws a picture when queue has a slot for it.
func (r *Renderer) render(
	ctx context.Context, queue *limit.Fair[struct{}], draw func(context.Context) (*page.Picture, error),
) (*page.Picture, error) {
	release, err := queue.Acquire(ctx, limit.Request[struct{}]{Within: pictureWait})
	if errors.Is(err, limit.ErrFull) || errors.Is(err, limit.ErrLate) {
		return nil, ErrBusy
	}
	if err != nil {
		return nil, err
	}
	defer release()
	inTime, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	out, err := draw(inTime)
	switch {
	case errors.Is(err, page.ErrNoFigure):
		return nil, store.ErrNotFound
	case err != nil && ctx.Err() == nil && inTime.Err() != nil:
		return nil, fmt.Errorf("a picture took longer than %s: %w", pictureTime, err)
	case err != nil:
		return nil, err
	}
	if out.Missing != "" && r.hinted.CompareAndSwap(false, true) {
		r.Log.WarnContext(ctx, "letters of some scripts are missing in pictures: install fonts that have them, such as Noto",
			"scripts", page.Scripts(out.Missing))
	}
	return out, nil
}

// drawPicture draws a picture of a view.
func (r *Renderer) drawPicture(ctx context.Context, v View, p Picture) (*Page, error) {
	if v.kind == contentFile || p.Format != "png" && (p.Format != "pdf" || p.Panel > 0) {
		return nil, store.ErrNotFound
	}
	contentType, shot := "image/png", page.Shot{Panel: p.Panel, Width: p.Width}
	if p.Format == "pdf" {
		contentType = "application/pdf"
	}
	out, err := r.render(ctx, r.pictures, func(ctx context.Context) (*page.Picture, error) {
		switch {
		case p.Format == "pdf" && v.kind == contentMarkdown:
			return page.MarkdownPDF(ctx, v.Header, v.Content)
		case p.Format == "pdf":
			return page.PDF(ctx, v.View)
		case v.kind == contentMarkdown:
			return page.MarkdownPNG(ctx, v.Header, v.Content, shot)
		}
		return page.PNG(ctx, v.View, shot)
	})
	if err != nil {
		return nil, err
	}
	return newPage(out.Bytes, contentType, "", blob.Hash(out.Bytes)), nil
}
