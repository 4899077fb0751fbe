package view

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/page"
)

// Few pictures are drawn at once. Others wait, but not for long, and not too many of them. A picture that panics leaves its slot.
func TestPicturesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := New(Config{})
		render := func(ctx context.Context, draw func()) error {
			_, err := r.render(ctx, r.pictures, func(context.Context) (*page.Picture, error) {
				draw()
				return &page.Picture{}, nil
			})
			return err
		}
		end := make(chan struct{})
		var drawn sync.WaitGroup
		for range picturesAtOnce {
			drawn.Go(func() {
				if err := render(t.Context(), func() { <-end }); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		start := time.Now()
		if err := render(t.Context(), func() {}); !errors.Is(err, ErrBusy) || time.Since(start) != pictureWait {
			t.Errorf("while as many are drawn as may be: %v after %s", err, time.Since(start))
		}
		gone, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() { left <- render(gone, func() {}) }()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that has left: %v", err)
		}
		for i := range picturesWaiting {
			drawn.Go(func() {
				defer func() {
					if p := recover(); (p != nil) != (i < picturesAtOnce) {
						t.Error(p)
					}
				}()
				if err := render(t.Context(), func() {
					if i < picturesAtOnce {
						panic("a picture")
					}
				}); err != nil {
					t.Errorf("a caller that waited: %v", err)
				}
			})
		}
		synctest.Wait()
		start = time.Now()
		if err := render(t.Context(), func() {}); !errors.Is(err, ErrBusy) || time.Since(start) != 0 {
			t.Errorf("while as many wait as may: %v after %s", err, time.Since(start))
		}
		close(end)
		drawn.Wait()
		if q := r.pictures.Stats(); q.Held+q.Waiting != 0 {
			t.Errorf("%+v are left", q)
		}
	})
}

// TestMissingLettersAreLoggedOnce: letters for which a picture has no font are logged once, by script and without the text.
func TestMissingLettersAreLoggedOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := New(Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	v := View{Filename: dashboard.DefaultFile, kind: contentMarkdown, Content: []byte("secret \U00011f04\U00011f05 words")}
	v.Header = page.Header{Workspace: "Acme", Slug: "doc", Name: "Doc", State: "static"}
	for _, p := range []Picture{{Format: "png"}, {Format: "pdf"}, {Format: "png", Width: 700}} {
		if _, err := r.drawPicture(t.Context(), v, p); err != nil {
			t.Fatal(err)
		}
	}
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "scripts=Kawi") || strings.Contains(got, "secret") {
		t.Errorf("logged:\n%s", got)
	}
	for _, p := range []Picture{{Format: "gif"}, {Format: "pdf", Panel: 1}, {Format: "png", Panel: 1}} {
		if _, err := r.drawPicture(t.Context(), v, p); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}
