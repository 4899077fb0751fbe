package panel

import (
	"strings"

	"service/store/dashboard/canvas"
)

var sectionFigure = Figure{
	Summarise: func(p *Panel) Content {
		p.Summary = p.Spec.Subtitle
		return &sectionPanel{p}
	},
	Frame: Unframed,
}

// A sectionPanel is the heading of the panels below it. It is as wide as the page.
type sectionPanel struct{ *Panel }

func (p *sectionPanel) Draw(c canvas.Canvas) {
	c.Section(p.Title, strings.TrimSpace(p.Spec.Subtitle+" "+p.Spec.Description))
}

func (p *sectionPanel) sketch() []string { return nil }
