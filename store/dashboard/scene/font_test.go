package scene

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/go-text/typesetting/fontscan"
)

// foreign are letters of scripts of which no font among the usual families has any: Tai Tham and Balinese.
var foreign = []rune{'\u1a20', '\u1b05'}

// foreignFonts adds fonts as Noto's are: of families that are not among the usual ones, with letters of one script
// alone. Tests use these and no font of the machine, which may have any.
func foreignFonts(m *fontscan.FontMap) error {
	for _, r := range foreign {
		name := fmt.Sprintf("%x.ttf", r)
		if err := m.AddFont(bytes.NewReader(fontOf(r)), name, ""); err != nil {
			return err
		}
	}
	return nil
}

// noFonts adds no font: letters that ours lack are missing.
func noFonts(*fontscan.FontMap) error { return nil }

// fontOf is our regular font by another name, with the letter א for r and no others.
func fontOf(r rune) []byte {
	file := bytes.Clone(fontFiles[Regular])
	const family = "Liberation"
	other := fmt.Sprintf("Only %5x", r)
	wide := func(s string) (out []byte) {
		for _, u := range utf16.Encode([]rune(s)) {
			out = binary.BigEndian.AppendUint16(out, u)
		}
		return out
	}
	file = bytes.ReplaceAll(file, []byte(family), []byte(other))
	file = bytes.ReplaceAll(file, wide(family), wide(other))
	id, _ := NewTypesetter().ours[Regular].NominalGlyph('א')
	letters := []byte{0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12, 0, 12, 0, 0} // a table of one part, which is of format 12
	for _, n := range []uint32{28, 0, 1, uint32(r), uint32(r), uint32(id)} {
		letters = binary.BigEndian.AppendUint32(letters, n)
	}
	record := file[bytes.Index(file[:1000], []byte("cmap")):]
	binary.BigEndian.PutUint32(record[8:], uint32(len(file)))
	binary.BigEndian.PutUint32(record[12:], uint32(len(letters)))
	return append(file, letters...)
}

// TestScriptOfOneFont: a script that only one font of the system has is drawn after any other script.
func TestScriptOfOneFont(t *testing.T) {
	t.Parallel()
	for _, face := range []Face{Regular, Bold} {
		ts := newTypesetter(foreignFonts)
		style := Style{face, 100}
		for _, before := range []string{"", "日本", "שלום "} {
			for _, r := range foreign {
				want := ts.Width(before, style) + ts.Width("א", Style{Regular, 100})
				if got := ts.Width(before+string(r), style); got < want-1 || got > want+1 || slices.Contains(ts.Missing, r) {
					t.Errorf("%c of face %d, after %q: %g wide, want %g; missing: %q", r, face, before, got, want, ts.Missing)
				}
			}
		}
	}
}

// TestMissingLettersOfKeptLines: a picture reports the letters that no font has also where the line was shaped for an
// earlier picture.
func TestMissingLettersOfKeptLines(t *testing.T) {
	t.Parallel()
	const none, other = "\U0010fffd", "\U0010fffc" // for private use
	w := newTypesetter(noFonts)
	for range 3 {
		w.Missing = nil // as NewTypesetter returns it
		w.Width("a "+none, Style{Size: 10})
		if string(w.Missing) != none {
			t.Errorf("%q is missing, want %q", string(w.Missing), none)
		}
		w.Width(strings.Repeat(none, 2*mostMissing)+other, Style{Size: 10}) // each letter counts once
		if string(w.Missing) != none+other {
			t.Errorf("%q is missing, want %q", string(w.Missing), none+other)
		}
	}
}
