package archive

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// The end of the rows is a line, not a part of one that a buffer begins with.
func TestCopyRowsEnd(t *testing.T) {
	t.Parallel()
	const rows = "123456789012345\\\\.\nlast\n"
	script := bufio.NewReaderSize(strings.NewReader(rows+"\\.\nSELECT 1;\n"), 16) // the first backslash fills it
	got, err := io.ReadAll(&copyRows{script: script, start: true})
	if err != nil || string(got) != rows {
		t.Errorf("%q, %v", got, err)
	}
	if rest, err := io.ReadAll(script); err != nil || string(rest) != "SELECT 1;\n" {
		t.Errorf("%q is left, %v", rest, err)
	}
	if _, err := io.ReadAll(&copyRows{script: bufio.NewReader(strings.NewReader("a\n")), start: true}); err == nil {
		t.Error("rows without an end are taken")
	}
}
