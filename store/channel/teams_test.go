package channel

import (
	"strings"
	"testing"
)

// Texts are runs in Teams, where Markdown means nothing, and no card is larger than it takes.
func TestTeamsTextsAreInert(t *testing.T) {
	t.Parallel()
	if body, err := teams(hostile()); err != nil || len(body) > 28_000 || strings.Contains(string(body), `"TextBlock"`) {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}
