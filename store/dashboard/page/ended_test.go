package page

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"service/store/dashboard"
)

// A waiter is a context that ends after it was asked a number of times whether it has ended; -1 is never.
type waiter struct {
	context.Context
	times, end int
}

func (c *waiter) Err() error {
	c.times++
	if c.end >= 0 && c.times > c.end {
		return context.Canceled
	}
	return c.Context.Err()
}

// TestDrawingEndsWithItsContext: before each panel is computed and drawn, the page checks whether its context has ended. Then it returns
// the error of the context, and no part of the page.
func TestDrawingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	rows := make([][]any, 30)
	for i := range rows {
		rows[i] = []any{fmt.Sprintf("row %d", i), int64(i)}
	}
	const panels = 6
	bar := dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}}
	v := tiny(times(panels, bar), []string{"name text", "n integer sum"}, rows...)
	picture := func(p *Picture, err error) (bool, error) { return p != nil, err }
	for name, c := range map[string]struct {
		draw  func(ctx context.Context) (some bool, err error)
		least int // the minimum number of checks
	}{
		"page":      {func(ctx context.Context) (bool, error) { b, err := Render(ctx, v); return b != nil, err }, 2 * panels},
		"picture":   {func(ctx context.Context) (bool, error) { return picture(PNG(ctx, v, Shot{Scale: 0.1})) }, 3 * panels},
		"document":  {func(ctx context.Context) (bool, error) { return picture(PDF(ctx, v)) }, 3 * panels},
		"thumbnail": {func(ctx context.Context) (bool, error) { return picture(Thumbnail(ctx, v, false)) }, 3 * panels},
		"workbook":  {func(ctx context.Context) (bool, error) { b, err := Workbook(ctx, v); return b != nil, err }, panels},
	} {
		whole := &waiter{Context: t.Context(), end: -1}
		if some, err := c.draw(whole); !some || err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if whole.times < c.least {
			t.Errorf("%s: it asks %d times, of %d panels", name, whole.times, panels)
		}
		for end := range whole.times {
			ctx := &waiter{Context: t.Context(), end: end}
			if some, err := c.draw(ctx); some || !errors.Is(err, context.Canceled) {
				t.Errorf("%s: ended after %d of %d questions, it has drawn: %t (%v)", name, end, whole.times, some, err)
			}
			if ctx.times > end+3 { // the error may be read again by callers
				t.Errorf("%s: it goes on for %d panels after its end", name, ctx.times-end)
			}
		}
	}
	p := open(v)
	if err := p.workOutIn(&waiter{Context: t.Context(), end: 2}); !errors.Is(err, context.Canceled) || len(p.panels) != 2 {
		t.Errorf("%d panels are worked out after the end (%v)", len(p.panels)-2, err)
	}
}
