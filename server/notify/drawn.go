package notify

import (
	"container/list"
	"context"
	"sync"
	"time"

	"service/store/channel"
)

// Limits of the cache of drawn deliveries: it covers the last minutes, for a dashboard with many recipients.
const (
	mostDrawn  = 64
	drawnBytes = 64 << 20
)

// drawnContents keeps drawings for several recipients. Its contents are shared and must not be changed.
type drawnContents struct {
	mu    sync.Mutex
	size  int
	order list.List // of *drawing, the oldest first
	byKey map[string]*list.Element
}

// A drawing is a content that is drawn, or that is being drawn until done is closed.
type drawing struct {
	key     string
	done    chan struct{}
	content *channel.Content
	asOf    time.Time
	err     error
	size    int
}

// get returns the content called key. draw makes it, unless it was made for another recipient.
func (d *drawnContents) get(
	ctx context.Context, key string, draw func() (*channel.Content, time.Time, error),
) (*channel.Content, time.Time, error) {
	d.mu.Lock()
	if e, ok := d.byKey[key]; ok {
		d.mu.Unlock()
		at := e.Value.(*drawing)
		select {
		case <-at.done:
			return at.content, at.asOf, at.err
		case <-ctx.Done():
			return nil, time.Time{}, ctx.Err()
		}
	}
	at := &drawing{key: key, done: make(chan struct{}), err: errPanic} // until it is drawn
	if d.byKey == nil {
		d.byKey = map[string]*list.Element{}
	}
	d.byKey[key] = d.order.PushBack(at)
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		switch own := d.byKey[key]; {
		case own == nil || own.Value != at: // it was dropped to free memory
		case at.err != nil:
			d.drop(own)
		default:
			at.size = sizeOf(at.content)
			d.size += at.size
		}
		for e := d.order.Front(); e != nil && (d.order.Len() > mostDrawn || d.size > drawnBytes); {
			old := e
			if e = e.Next(); old.Value.(*drawing) != at {
				d.drop(old)
			}
		}
		close(at.done)
	}()
	at.content, at.asOf, at.err = draw()
	return at.content, at.asOf, at.err
}

// drop removes a drawing from the cache; waiters keep their reference.
func (d *drawnContents) drop(e *list.Element) {
	if e == nil {
		return
	}
	old := d.order.Remove(e).(*drawing)
	delete(d.byKey, old.key)
	d.size -= old.size
}

// sizeOf returns the approximate size of a content in bytes.
func sizeOf(c *channel.Content) int {
	n := 16 << 10 // its texts
	if c.Picture != nil {
		n += len(c.Picture.PNG)
	}
	for _, a := range c.Attached {
		n += len(a.Data)
	}
	return n
}
