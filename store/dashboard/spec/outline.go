package spec

// An Outline is a spec without its SQL and texts, for answers that have no
// room for all of it. The order is that of the spec, so that a part can be asked
// for by its JSON Pointer, such as /datasets/0/sql.
type Outline struct {
	Title      string           `json:"title,omitempty"`
	Connection string           `json:"connection,omitempty"`
	Upload     string           `json:"upload,omitempty"`
	Timezone   string           `json:"timezone"`
	Params     []string         `json:"params,omitempty"` // ids
	Datasets   []OutlineDataset `json:"datasets"`
	Filters    []string         `json:"filters,omitempty"` // columns
	Panels     []OutlinePanel   `json:"panels"`
}

// An OutlineDataset is a dataset of an [Outline].
type OutlineDataset struct {
	ID       string `json:"id"`
	SQLBytes int    `json:"sql_bytes"`
	Columns  int    `json:"columns"` // that the spec says something of
}

// An OutlinePanel is a panel of an [Outline].
type OutlinePanel struct {
	Type  string `json:"type"`
	Title string `json:"title,omitempty"`
	Data  string `json:"data,omitempty"`
}

// Outline returns the outline of the spec: ids, titles and types. It is short
// whatever the spec's length.
func (s *Spec) Outline() Outline {
	o := Outline{
		Title: s.Title, Connection: s.Connection, Upload: s.Upload, Timezone: s.Timezone,
		Datasets: []OutlineDataset{}, Panels: []OutlinePanel{},
	}
	for _, p := range s.Params {
		o.Params = append(o.Params, p.ID)
	}
	for _, d := range s.Datasets {
		o.Datasets = append(o.Datasets, OutlineDataset{d.ID, len(d.SQL), len(d.Columns)})
	}
	for _, f := range s.Filters {
		o.Filters = append(o.Filters, f.Column)
	}
	for _, p := range s.Panels {
		o.Panels = append(o.Panels, OutlinePanel{p.Type, p.Title, p.Data})
	}
	return o
}
