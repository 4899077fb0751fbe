package export

import (
	"time"

	"service/store/dashboard/cube"
	"service/store/dashboard/panel"
)

// A timeShape is how the times of a column are written for machines: all in one way, so that a program that has read one
// can read the others. Its zero value is that of a column without times.
type timeShape struct {
	layout string         // of package time
	cell   string         // the number format of a workbook's cell
	zone   *time.Location // by whose clock instants are shown; nil for times that have no offset
}

// timeShapes are the shapes of the columns of a panel's grid. They depend on all rows of the dataset, so that a filter
// changes none.
func timeShapes(p *panel.Panel) []timeShape {
	out := make([]timeShape, len(p.Grid.Columns))
	for j := range p.Grid.Columns {
		if c := &p.Grid.Columns[j]; c.Type.IsTime() {
			out[j] = shapeOf(p, c)
		}
	}
	return out
}

func shapeOf(p *panel.Panel, c *panel.Column) timeShape {
	date := timeShape{layout: time.DateOnly, cell: "yyyy-mm-dd"}
	if c.Grain.Size() >= cube.Daily.Size() || c.Type == cube.Date {
		return date
	}
	finest, digits := p.Data.Cube.Finest(c.Name, p.Env.Zone)
	if finest == cube.Daily {
		return date
	}
	s := timeShape{layout: "2006-01-02T15:04:05", cell: "yyyy-mm-dd hh:mm"}
	if c.Grain == cube.Exact && finest == cube.Exact {
		s.cell += ":ss"
		s.layout += [...]string{0: "", 3: ".000", 6: ".000000"}[digits]
		if digits > 0 {
			s.cell += ".000" // more than that no workbook shows
		}
	}
	if c.Type == cube.Instant {
		s.layout += "Z07:00"
		s.zone = p.Env.Zone
	}
	return s
}

// lastYear is the last year that RFC 3339 can write.
const lastYear = 9999

// text writes a time. An offset that is no whole number of minutes, as clocks of the sun had, cannot be written, nor a
// year of five digits: such a time is in UTC.
func (s timeShape) text(t time.Time) string {
	if s.layout == "" {
		return panel.LinkTime(t)
	}
	if s.zone != nil {
		t = t.In(s.zone)
		if _, offset := t.Zone(); offset%60 != 0 || t.Year() > lastYear {
			t = t.UTC()
		}
	}
	return t.Format(s.layout)
}

// twofold reports whether a workbook has two columns of the times: a cell has no offset, so that it shows UTC, and a text
// beside it shows the clock of the zone.
func (s timeShape) twofold() bool { return s.zone != nil && s.zone.String() != time.UTC.String() }
