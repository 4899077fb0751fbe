package scene

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-fonts/liberation/liberationmonoregular"
	"github.com/go-fonts/liberation/liberationsansbold"
	"github.com/go-fonts/liberation/liberationsansitalic"
	"github.com/go-fonts/liberation/liberationsansregular"
	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/fontscan"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
)

// fontFiles are the fonts that are part of the program.
var fontFiles = [faces][]byte{
	Regular: liberationsansregular.TTF, Bold: liberationsansbold.TTF, Italic: liberationsansitalic.TTF, Mono: liberationmonoregular.TTF,
}

// ourFonts are these fonts, parsed once.
var ourFonts = sync.OnceValue(func() (out [faces]*font.Font) {
	for i, file := range fontFiles {
		face, err := font.ParseTTF(bytes.NewReader(file))
		if err != nil {
			panic("scene: a font of the program: " + err.Error())
		}
		out[i] = face.Font
	}
	return out
})

// sameAs replaces characters that our fonts lack by equivalent ones.
var sameAs = strings.NewReplacer(
	"\u202f", "\u00a0", "\u2009", "\u00a0", "\u200a", "\u00a0", "\u2007", "\u00a0", "\u2011", "-", "＝", "=", "＋", "+",
)

// currencies are signs that many fonts lack, ours too, with the text that is written if no font has them.
var currencies = map[rune]string{'₹': "INR", '₽': "RUB", '₺': "TRY", '₿': "BTC", '₴': "UAH", '₸': "KZT", '₾': "GEL", '₵': "GHS"}

// A Typesetter measures and shapes texts. It is not safe for concurrent use.
type Typesetter struct {
	ours    [faces]*font.Face
	lines   map[lineKey]*shaped
	kept    int // approximate bytes of lines
	glyphs  map[glyphKey]*glyphMask
	paths   map[outlineKey]*Path
	load    func(*fontscan.FontMap) error // adds the fonts that are used if ours lack a letter
	system  [2]*fontscan.FontMap          // of regular and bold letters; nil until they are needed, or without fonts
	script  [2]language.Script            // the scripts that were set last
	looked  bool
	shaper  shaping.HarfbuzzShaper
	split   shaping.Segmenter
	drawing Item   // see [Typesetter.Drawing]
	Missing []rune // the first few letters that no font has
}

// Drawing returns the item at which [Scene.PNG] or [Scene.PDF] panicked with this typesetter, or nil.
func (t *Typesetter) Drawing() Item { return t.drawing }

type lineKey struct {
	text string
	face Face
}

// A shaped is a shaped line of text, in units of its font size.
type shaped struct {
	width   float64
	runs    []run
	missing []rune // that no font has
}

// bytes returns the approximate memory of the line of a text.
func (l *shaped) bytes(s string) int {
	n := 200 + len(s)
	for i := range l.runs {
		n += 100 + 24*len(l.runs[i].glyphs)
	}
	return n
}

// A run is a part of a line in one font.
type run struct {
	x      float64
	face   *font.Face
	ours   bool   // in one of our fonts, with a glyph for each rune
	text   string // in reading order; from left to right if ours
	width  float64
	glyphs []glyph
}

type glyph struct {
	id   font.GID
	x, y float64 // from the beginning of the line, y upwards
}

// The caches are emptied when they reach these sizes. They hold texts and letters that are drawn repeatedly.
const (
	maxLines  = 8 << 20 // approximate bytes of all lines; twice as many while they are in use
	maxKept   = 500     // bytes of a line
	maxGlyphs = 8_000

	mostMissing = 8 // letters that no font has are reported
)

// typesetters are the unused typesetters, with warm caches.
var typesetters sync.Pool

// NewTypesetter returns a typesetter. The caller should release it by [Typesetter.Free].
func NewTypesetter() *Typesetter {
	if t, ok := typesetters.Get().(*Typesetter); ok {
		t.Missing = nil
		return t
	}
	return newTypesetter(func(m *fontscan.FontMap) error { return m.UseSystemFonts(fontIndexFolder()) })
}

// newTypesetter returns a typesetter with empty caches. It uses the fonts that load adds for letters that our fonts lack.
func newTypesetter(load func(*fontscan.FontMap) error) *Typesetter {
	t := &Typesetter{load: load, lines: map[lineKey]*shaped{}, glyphs: map[glyphKey]*glyphMask{}, paths: map[outlineKey]*Path{}}
	for i, f := range ourFonts() {
		t.ours[i] = font.NewFace(f)
	}
	return t
}

// Free releases the typesetter for reuse.
func (t *Typesetter) Free() {
	if t.kept > maxLines {
		t.forget()
	}
	if len(t.glyphs) > maxGlyphs {
		clear(t.glyphs)
	}
	if len(t.paths) > maxGlyphs {
		clear(t.paths)
	}
	typesetters.Put(t)
}

// forget empties the cache of lines.
func (t *Typesetter) forget() {
	clear(t.lines)
	t.kept = 0
}

// Width returns the width of a text.
func (t *Typesetter) Width(s string, style Style) float64 {
	return t.line(s, style.Face).width * style.Size
}

// simple reports whether a text is written from left to right with a glyph for each rune.
func simple(s string) bool {
	for _, r := range s {
		switch {
		case r < 0x300:
		case r < 0x370: // marks that join
			return false
		case r < 0x483, r > 0x489 && r < 0x590:
		case r >= 0x1e00 && r < 0x2000, r >= 0x2010 && r < 0x2028, r >= 0x202f && r < 0x2060, r >= 0x2070 && r < 0x20d0:
		case r >= 0x2100 && r < 0x2c00:
		default:
			return false
		}
	}
	return true
}

// line shapes a text, or returns it from the cache.
func (t *Typesetter) line(s string, f Face) *shaped {
	key := lineKey{text: s, face: f}
	if out, ok := t.lines[key]; ok {
		t.miss(out)
		return out
	}
	if t.kept > 2*maxLines {
		t.forget()
	}
	out := t.simpleLine(s, f)
	if out == nil {
		out = t.hardLine(s, f)
	}
	if len(s) <= maxKept {
		t.lines[key] = out
		t.kept += out.bytes(s)
	}
	t.miss(out)
	return out
}

// miss records the missing letters of a line, including a line shaped for another picture.
func (t *Typesetter) miss(line *shaped) {
	for _, r := range line.missing {
		if len(t.Missing) < mostMissing && !slices.Contains(t.Missing, r) {
			t.Missing = append(t.Missing, r)
		}
	}
}

// simpleLine shapes a text if our font has all its letters, and otherwise returns nil.
func (t *Typesetter) simpleLine(s string, f Face) *shaped {
	if strings.ContainsFunc(s, func(r rune) bool { return r >= 0x2007 }) {
		s = sameAs.Replace(s)
	}
	if !simple(s) {
		return nil
	}
	face := t.ours[f]
	upem := float64(face.Upem())
	r := run{face: face, ours: true, text: s, glyphs: make([]glyph, 0, len(s))}
	x := 0.0
	for _, c := range s {
		if c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 {
			c = ' '
		}
		id, ok := face.NominalGlyph(c)
		if !ok {
			return nil
		}
		r.glyphs = append(r.glyphs, glyph{id: id, x: x})
		x += float64(face.HorizontalAdvance(id)) / upem
	}
	r.width = x
	return &shaped{width: x, runs: []run{r}}
}

// A faceFinder finds a font that has a rune.
type faceFinder struct {
	*Typesetter
	face Face
	own  *font.Face
}

func (f *faceFinder) SetScript(s language.Script) {
	if i := heavy(f.face); f.system[i] != nil {
		f.setScript(i, s)
	}
}

func (f *faceFinder) ResolveFace(r rune) *font.Face {
	if _, ok := f.own.NominalGlyph(r); ok {
		return f.own
	}
	if face := f.systemFace(r, f.face); face != nil {
		return face
	}
	return f.own
}

// quiet discards the log of a library, which contains names of files of the machine.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

// heavy returns the index in Typesetter.system of the weight of a face.
func heavy(f Face) int {
	if f == Bold {
		return 1
	}
	return 0
}

// fontIndexFolder returns the folder of the index of the system's fonts. Without a writable folder the system's fonts cannot be used. It is
// created once, because the index is read once.
var fontIndexFolder = sync.OnceValue(func() string {
	if cache, err := os.UserCacheDir(); err == nil {
		own := filepath.Join(cache, "service", "fonts")
		if os.MkdirAll(own, 0o700) == nil {
			if try, err := os.CreateTemp(own, "try-"); err == nil {
				_ = try.Close()
				_ = os.Remove(try.Name())
				return own
			}
		}
	}
	own, _ := os.MkdirTemp("", "service-fonts-") // private to this process
	return own
})

// setScript sets the script of the runes for which a font of the system is looked up. Fonts of uncommon families, such as most of Noto's,
// are found only by their scripts.
func (t *Typesetter) setScript(i int, s language.Script) {
	t.system[i].SetScript(s)
	t.script[i] = s
}

// systemFace returns a font of the system that has a rune, or nil.
func (t *Typesetter) systemFace(r rune, f Face) *font.Face {
	if !t.looked {
		t.looked = true
		for i, weight := range []font.Weight{font.WeightNormal, font.WeightBold} {
			m := fontscan.NewFontMap(quiet{})
			if t.load(m) == nil {
				m.SetQuery(fontscan.Query{Families: []string{fontscan.SansSerif}, Aspect: font.Aspect{Weight: weight}})
				t.system[i] = m
			}
		}
	}
	script := language.LookupScript(r)
	for i := heavy(f); i >= 0; i-- { // the regular weight is better than no font
		m := t.system[i]
		if m == nil {
			continue
		}
		if script.Strong() && script != t.script[i] {
			t.setScript(i, script)
		}
		face := m.ResolveFace(r) // any face, if no face has the rune
		if face == nil {
			continue
		}
		id, ok := face.NominalGlyph(r)
		if !ok {
			continue
		}
		// A glyph that is not an outline is a picture, such as an emoji.
		if outline, ok := face.GlyphData(id).(font.GlyphOutline); ok && (len(outline.Segments) > 0 || blank(r)) {
			return face
		}
	}
	return nil
}

// blank reports whether a rune is invisible.
func blank(r rune) bool {
	return r <= ' ' || r == 0xa0 || r >= 0x2000 && r <= 0x200f || r >= 0x2028 && r <= 0x202f || r >= 0x205f && r <= 0x206f ||
		r == 0x3000 || r >= 0xfe00 && r <= 0xfe0f || r == 0xfeff || r == 0x61c || r >= 0xe0000 && r <= 0xe01ff
}

// nothing replaces characters that no font has.
const nothing = '\u25a1'

// hardLine shapes a text of any script. Characters that no font has become squares.
func (t *Typesetter) hardLine(s string, f Face) *shaped {
	find := &faceFinder{Typesetter: t, face: f, own: t.ours[f]}
	var text, missing []rune
	for _, r := range sameAs.Replace(s) {
		if r < ' ' || r == 0x7f {
			r = ' '
		}
		if _, ok := find.own.NominalGlyph(r); !ok && !blank(r) && t.systemFace(r, f) == nil {
			if code := currencies[r]; code != "" {
				text = append(text, []rune(code)...)
				continue
			}
			if len(missing) < mostMissing && !slices.Contains(missing, r) {
				missing = append(missing, r)
			}
			if r >= 0x1f000 && len(text) > 0 && text[len(text)-1] == nothing {
				continue // one emoji can be several runes
			}
			r = nothing
		}
		if r == '\u200d' && len(text) > 0 && text[len(text)-1] == nothing {
			continue
		}
		text = append(text, r)
	}
	if plain := string(text); plain != s {
		if out := t.simpleLine(plain, f); out != nil {
			out.missing = missing
			return out
		}
	}
	direction := di.DirectionLTR
	if firstIsRTL(text) {
		direction = di.DirectionRTL
	}
	const size = 1024
	parts := slices.Clone(t.split.Split(shaping.Input{
		Text: text, RunEnd: len(text), Direction: direction, Size: fixed.I(size), Language: "en",
	}, find))
	outputs := make(shaping.Line, len(parts))
	for i, part := range parts {
		if part.Face == nil {
			part.Face = find.own
		}
		outputs[i] = t.shaper.Shape(part)
	}
	order := visual(outputs, direction)
	out := &shaped{missing: missing}
	for _, i := range order {
		o := &outputs[i]
		r := run{x: out.width, face: o.Face, text: string(text[o.Runes.Offset : o.Runes.Offset+o.Runes.Count])}
		r.ours = slices.Contains(t.ours[:], o.Face) && o.Direction == di.DirectionLTR && len(o.Glyphs) == o.Runes.Count && simple(r.text)
		if o.Direction == di.DirectionRTL {
			letters := []rune(r.text)
			slices.Reverse(letters)
			r.text = string(letters)
		}
		x := out.width
		for _, g := range o.Glyphs {
			r.glyphs = append(r.glyphs, glyph{g.GlyphID, x + float64(g.XOffset)/64/size, float64(g.YOffset) / 64 / size})
			x += float64(g.Advance) / 64 / size
		}
		r.width = x - out.width
		out.width = x
		out.runs = append(out.runs, r)
	}
	return out
}

// firstIsRTL reports whether the first letter of a text is of a script that is read from right to left. The whole text is then read in that
// direction.
func firstIsRTL(text []rune) bool {
	for _, r := range text {
		switch {
		case r == 0x200f:
			return true
		case r >= 0x590 && r < 0x900, r >= 0xfb1d && r < 0xfe00, r >= 0xfe70 && r < 0xff00, r >= 0x10800 && r < 0x11000,
			r >= 0x1e800 && r < 0x1f000:
			return r < 0x660 || r > 0x669 // figures are read from left to right
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= 0xaa && r < 0x590, r >= 0x900 && r < 0x2000, r >= 0x2c00 && r < 0xfb1d:
			return false
		}
	}
	return false
}

// visual returns the order of runs from left to right: consecutive runs against the direction of the line are reversed.
func visual(line shaping.Line, direction di.Direction) []int {
	order := make([]int, len(line))
	for i := range order {
		order[i] = i
	}
	reverse := func(against di.Direction) {
		for i := 0; i < len(order); {
			j := i
			for j < len(order) && line[order[j]].Direction == against {
				j++
			}
			slices.Reverse(order[i:j])
			i = max(j, i+1)
		}
	}
	if direction == di.DirectionLTR {
		reverse(di.DirectionRTL)
		return order
	}
	reverse(di.DirectionLTR)
	slices.Reverse(order)
	return order
}
