package page

import (
	"bytes"
	"sync"
	"testing"
)

// TestConcurrency draws one view for several readers at once: everything that drawings share, such as fonts and formats, yields the same
// page.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	v := commerce(400)
	picture, err := PNG(t.Context(), v, Shot{Width: MailWidth})
	if err != nil {
		t.Fatal(err)
	}
	page := render(t, v)
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			if again, err := Render(t.Context(), v); err != nil || !bytes.Equal(again, page) {
				t.Errorf("a page that is drawn beside others differs, %v", err)
			}
			if again, err := PNG(t.Context(), v, Shot{Width: MailWidth}); err != nil || !bytes.Equal(again.Bytes, picture.Bytes) {
				t.Errorf("a picture that is drawn beside others differs, %v", err)
			}
		})
	}
	readers.Wait()
}
