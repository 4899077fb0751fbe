package channel

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Hostile texts are inert in Slack, and no message is larger than it takes.
func TestSlackTextsAreInert(t *testing.T) {
	t.Parallel()
	body, err := slack(hostile())
	if err != nil || strings.Contains(strings.ReplaceAll(string(body), `\u003c`, "<"), "<!channel") {
		t.Errorf("%s %v", body, err)
	}
	var message struct{ Blocks []slackBlock }
	if err := json.Unmarshal(body, &message); err != nil || len(message.Blocks) > 50 {
		t.Fatal(len(message.Blocks), err)
	}
	total := 0
	for _, block := range message.Blocks {
		for _, text := range append(block.Fields, block.Elements...) {
			total += utf8.RuneCountInString(text.Text)
		}
		if block.Text == nil {
			continue
		}
		n := utf8.RuneCountInString(block.Text.Text)
		if total += n; n > 3000 || block.Type == "header" && n > 150 {
			t.Errorf("a %s of %d characters", block.Type, n)
		}
		if links := strings.Count(block.Text.Text, "<"); block.Text.Type == "plain_text" && links > 0 || links > 1 {
			t.Errorf("markup: %s", block.Text.Text)
		}
	}
	if total > 12_000 {
		t.Errorf("blocks of %d characters", total)
	}
}
