package scene

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"
)

// An indexed picture counts its colours while it is painted, with two bytes a pixel. At the end it is reduced to a palette of 256 colours.
type indexed struct {
	rect   image.Rectangle
	pixels []uint16
	colors []uint32          // by number
	number map[uint32]uint16 // of a colour
	count  []int
	small  []uint8 // number to index in the palette
	kept   color.Palette
}

func newIndexed(width, height int) *indexed {
	return &indexed{
		rect: image.Rect(0, 0, width, height), pixels: make([]uint16, width*height), number: map[uint32]uint16{},
	}
}

// maxColors is how many colours are counted; further ones are replaced by similar colours.
const maxColors = 1 << 15

// take copies the rows of a strip, which is opaque.
func (p *indexed) take(strip *image.RGBA, top int) {
	width := p.rect.Dx()
	last, lastNumber, run := uint32(1), uint16(0), 0
	for y := range strip.Rect.Dy() {
		row := strip.Pix[y*strip.Stride:][:width*4]
		out := p.pixels[(top+y)*width:][:width]
		for x := range out {
			i := x * 4
			c := uint32(row[i])<<24 | uint32(row[i+1])<<16 | uint32(row[i+2])<<8
			if c == last {
				run++
				out[x] = lastNumber
				continue
			}
			if last != 1 {
				p.count[lastNumber] += run
			}
			last, lastNumber, run = c, p.of(c), 1
			out[x] = lastNumber
		}
	}
	if last != 1 {
		p.count[lastNumber] += run
	}
}

func (p *indexed) of(c uint32) uint16 {
	n, ok := p.number[c]
	if ok {
		return n
	}
	if len(p.colors) >= maxColors {
		c &= 0xf8f8f800
		if n, ok = p.number[c]; ok {
			return n
		}
		if len(p.colors) >= 2*maxColors-1 {
			return 0
		}
	}
	n = uint16(len(p.colors))
	p.colors, p.count = append(p.colors, c), append(p.count, 0)
	p.number[c] = n
	return n
}

// sure is how many colours of the palette are the most frequent ones; the others are those that would change most without their own entry.
const sure = 208

// reduce chooses the palette, and maps each colour to the closest entry.
func (p *indexed) reduce() image.Image {
	order := make([]int, len(p.colors))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.count[b], p.count[a]), cmp.Compare(p.colors[a], p.colors[b]))
	})
	p.small = make([]uint8, len(p.colors))
	off := make([]int, len(p.colors)) // distance of each from its entry in the palette
	for i := range off {
		off[i] = math.MaxInt
	}
	keep := func(n int) {
		c := p.colors[n]
		at := uint8(len(p.kept))
		p.kept = append(p.kept, color.RGBA{uint8(c >> 24), uint8(c >> 16), uint8(c >> 8), 255})
		for i, o := range p.colors {
			if off[i] == 0 {
				continue
			}
			if d := distance(c, o); d < off[i] {
				off[i], p.small[i] = d, at
			}
		}
	}
	first := len(order)
	if first > 256 {
		first = sure
	}
	for _, n := range order[:first] {
		keep(n)
	}
	for len(p.kept) < min(len(order), 256) {
		farthest := 0
		for _, n := range order {
			if off[n] > off[farthest] {
				farthest = n
			}
		}
		keep(farthest)
	}
	return p
}

// distance returns the perceived difference of two colours.
func distance(a, b uint32) int {
	red, green, blue := int(a>>24)-int(b>>24), int(a>>16&0xff)-int(b>>16&0xff), int(a>>8&0xff)-int(b>>8&0xff)
	return 2*red*red + 4*green*green + 3*blue*blue
}

func (p *indexed) ColorModel() color.Model     { return p.kept }
func (p *indexed) Bounds() image.Rectangle     { return p.rect }
func (p *indexed) At(x, y int) color.Color     { return p.kept[p.ColorIndexAt(x, y)] }
func (p *indexed) ColorIndexAt(x, y int) uint8 { return p.small[p.pixels[y*p.rect.Dx()+x]] }
