package html

import "testing"

// TestWholeCells: on a phone, these texts of a table are not broken into lines.
func TestWholeCells(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Nov 19, 2026": true, "19. Nov. 2026": true, "ORD-10799": true, "Q4 2026": true,
		"United States": false, "Desk Lamp": false, "2026": false, "": false, "12 monkeys and a half": false,
	} {
		if got := whole(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
