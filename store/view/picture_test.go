package view

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/page"
)

// Few pictures are drawn at once. Others wait, but not for long, and not too many of them.
func TestStudio(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(picturesWaiting)
		var leaves []func()
		for range picturesAtOnce {
			leave, err := s.enter(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			leaves = append(leaves, leave)
		}
		start := time.Now()
		if _, err := s.enter(t.Context()); !errors.Is(err, ErrBusy) || time.Since(start) != pictureWait {
			t.Errorf("with all places taken: %v after %s", err, time.Since(start))
		}
		gone, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := s.enter(gone)
			left <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who does not wait any longer: %v", err)
		}
		got := make(chan error, picturesWaiting)
		for range picturesWaiting {
			go func() {
				leave, err := s.enter(t.Context())
				if err == nil {
					defer leave()
				}
				got <- err
			}()
		}
		synctest.Wait()
		start = time.Now()
		if _, err := s.enter(t.Context()); !errors.Is(err, ErrBusy) || time.Since(start) != 0 {
			t.Errorf("with all places to wait taken: %v after %s", err, time.Since(start))
		}
		for _, leave := range leaves {
			leave()
		}
		for range picturesWaiting {
			if err := <-got; err != nil {
				t.Errorf("who waited: %v", err)
			}
		}
	})
}

// What a picture lacks for want of fonts is logged once, by its scripts and without its words.
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
