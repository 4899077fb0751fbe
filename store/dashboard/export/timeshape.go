package export

import (
	"time"

	"service/store/dashboard/cube"
	"service/store/dashboard/panel"
)

// A timeShape is the format in which the times of a column are written for programs: the same for all, so that a program that reads one can
// read the others. The zero value is that of a column without times.
type timeShape struct {
	layout string         // of package time
	cell   string         // number format of a cell in a workbook
	zone   *time.Location // zone of instants; nil for times without an offset
}

// timeShapes returns the formats of the columns of a panel's grid. They depend on all rows of the dataset, so that no filter changes them.
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
			s.cell += ".000" // workbooks show no more digits
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

// text formats a time. It uses UTC for times that RFC 3339 cannot express: those with an offset that is not a whole number of minutes, as
// local solar time had, and years of five digits.
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

// twofold reports whether a workbook has two columns for the times: the cell is in UTC, because it cannot have an offset, and the next one
// has the local time as text.
func (s timeShape) twofold() bool { return s.zone != nil && s.zone.String() != time.UTC.String() }
