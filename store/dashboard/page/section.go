package page

import (
	"strings"

	"service/store/dashboard/canvas"
)

var sectionFigure = figure{
	summarise: func(p *panel) content {
		p.summary = p.spec.Subtitle
		return &sectionPanel{p}
	},
	frame: unframed,
}

// A sectionPanel is the heading of what follows, as wide as the page.
type sectionPanel struct{ *panel }

func (p *sectionPanel) Draw(c canvas.Canvas) {
	c.Section(p.title, strings.TrimSpace(p.spec.Subtitle+" "+p.spec.Description))
}

func (p *sectionPanel) sketch() []string { return nil }
