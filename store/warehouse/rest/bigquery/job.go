package bigquery

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// A job holds the fields of a Job of the reference that are sent.
type job struct {
	Reference     *reference    `json:"jobReference,omitempty"`
	Configuration configuration `json:"configuration"`
}

type reference struct {
	ProjectID string `json:"projectId"`
	JobID     string `json:"jobId"`
	Location  string `json:"location,omitempty"`
}

type configuration struct {
	DryRun       bool              `json:"dryRun,omitempty"`
	JobTimeoutMs string            `json:"jobTimeoutMs,omitempty"`
	Labels       map[string]string `json:"labels"`
	Query        query             `json:"query"`
}

type query struct {
	Query                string      `json:"query"`
	UseLegacySQL         bool        `json:"useLegacySql"`
	DefaultDataset       dataset     `json:"defaultDataset"`
	MaximumBytesBilled   string      `json:"maximumBytesBilled,omitempty"`
	ParameterMode        string      `json:"parameterMode"`
	QueryParameters      []parameter `json:"queryParameters"`
	ConnectionProperties []property  `json:"connectionProperties"`
}

type dataset struct {
	ProjectID string `json:"projectId"`
	DatasetID string `json:"datasetId"`
}

type property struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// job converts a statement to a job.
func (e *engine) job(st rest.Statement) (job, error) {
	q := query{
		Query: st.SQL, DefaultDataset: dataset{e.project, e.dataset}, ParameterMode: "NAMED",
		QueryParameters: []parameter{}, ConnectionProperties: []property{{"time_zone", st.Zone}},
	}
	for i, arg := range st.Args {
		p, err := encode(i+1, arg)
		if err != nil {
			return job{}, err
		}
		q.QueryParameters = append(q.QueryParameters, p)
	}
	labels := map[string]string{}
	for name, value := range st.Tags {
		labels[label(name)] = label(value)
	}
	return job{Configuration: configuration{Labels: labels, Query: q}}, nil
}

// label converts a text to the form of a label: lower-case letters, digits, dashes and underscores, at most 63.
func label(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, strings.ToLower(text[:min(len(text), 63)]))
}

// path returns the path of a part of the project.
func (e *engine) path(parts ...string) string {
	path := "/bigquery/v2/projects/" + url.PathEscape(e.project)
	for _, part := range parts {
		path += "/" + url.PathEscape(part)
	}
	return path
}

// Describe makes a dry run.
func (e *engine) Describe(s *rest.Session, st rest.Statement) (rest.Plan, error) {
	j, err := e.job(st)
	if err != nil {
		return rest.Plan{}, err
	}
	j.Configuration.DryRun = true
	a, err := s.Post(e.path("jobs"), nil, j, st)
	if err != nil {
		return rest.Plan{}, err
	}
	if bad := e.ended(a.Body, st); bad != nil {
		return rest.Plan{}, bad
	}
	told := rest.Pick(a.Body, "statistics", "query")
	switch kind := rest.PickText(told, "statementType"); {
	case kind == "":
		return rest.Plan{}, rest.ErrForm
	case kind != "SELECT":
		return rest.Plan{}, warehouse.Errorf(warehouse.Refused, warehouse.SayOneSelect)
	}
	for range rawjson.Elements(rest.Pick(told, "undeclaredQueryParameters")) {
		return rest.Plan{}, warehouse.Errorf(warehouse.Refused, "The SQL uses a parameter that has no value.")
	}
	cols, err := columnsOf(rest.Pick(told, "schema"))
	if err != nil {
		return rest.Plan{}, rest.ErrForm
	}
	p := rest.Plan{Columns: cols, Bytes: -1, Place: rest.PickText(a.Body, "jobReference", "location")}
	if n, err := strconv.ParseInt(rest.PickText(told, "totalBytesProcessed"), 10, 64); err == nil {
		p.Bytes = n
	}
	return p, nil
}

// A run is a job that was inserted.
type run struct {
	engine    *engine
	st        rest.Statement
	id, place string
	token     string // of the next page
	complete  bool   // the job has ended
	read      int64  // bytes; -1 before it has ended
}

// Start inserts a job under a name of ours.
func (e *engine) Start(s *rest.Session, st rest.Statement, p rest.Plan) (rest.Run, error) {
	j, err := e.job(st)
	if err != nil {
		return nil, err
	}
	r := &run{engine: e, st: st, id: "service_" + uuid.NewString(), place: p.Place, read: -1}
	j.Reference = &reference{e.project, r.id, p.Place}
	j.Configuration.JobTimeoutMs = strconv.FormatInt(max(1, s.Left().Milliseconds()), 10)
	j.Configuration.Query.MaximumBytesBilled = strconv.FormatInt(st.Scan, 10)
	a, err := s.Post(e.path("jobs"), nil, j, st)
	if err != nil && a.Status != http.StatusConflict { // a conflict: it was sent twice, and has arrived twice
		return r, err
	}
	if err == nil {
		if bad := e.ended(a.Body, st); bad != nil {
			return nil, bad
		}
		if place := rest.PickText(a.Body, "jobReference", "location"); place != "" {
			r.place = place
		}
	}
	return r, nil
}

// longest is the time that one request waits for a job.
const longest = 30 * time.Second

// Next waits for the job, or reads a page.
func (r *run) Next(s *rest.Session, most int) (rest.Page, error) {
	query := url.Values{
		"maxResults": {strconv.Itoa(most)}, "timeoutMs": {strconv.FormatInt(min(longest, s.Left()).Milliseconds(), 10)},
		"formatOptions.useInt64Timestamp": {"true"},
	}
	if r.place != "" {
		query.Set("location", r.place)
	}
	if r.token != "" {
		query.Set("pageToken", r.token)
	}
	a, err := s.Get(r.engine.path("queries", r.id), query, r.st)
	if err != nil {
		return rest.Page{}, err
	}
	if string(rest.Pick(a.Body, "jobComplete")) != "true" {
		return rest.Page{}, nil
	}
	r.complete = true
	if n, err := strconv.ParseInt(rest.PickText(a.Body, "totalBytesProcessed"), 10, 64); err == nil && n >= 0 && r.read < 0 {
		r.read = n
	}
	r.token = rest.PickText(a.Body, "pageToken")
	page := rest.Page{Rows: rest.Pick(a.Body, "rows"), Cells: cells, Last: r.token == ""}
	if schema := rest.Pick(a.Body, "schema"); schema != nil {
		if page.Columns, err = columnsOf(schema); err != nil {
			return page, rest.ErrForm
		}
	}
	return page, nil
}

// Read returns the number of bytes that the job has processed: totalBytesProcessed of getQueryResults, which is 0 for cached results.
func (r *run) Read() int64 { return r.read }

// cells returns the values of a row, which is {"f": [{"v": …}, …]}.
func cells(row []byte, all [][]byte) ([][]byte, error) {
	return rest.CellsOf(rest.Pick(row, "f"), all, func(cell []byte) []byte { return rest.Pick(cell, "v") })
}

// Cancel cancels the job.
func (r *run) Cancel(s *rest.Session) error {
	if r.complete {
		return nil
	}
	query := url.Values{}
	if r.place != "" {
		query.Set("location", r.place)
	}
	_, err := s.Post(r.engine.path("jobs", r.id, "cancel"), query, nil, r.st)
	return err
}
