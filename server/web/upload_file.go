package web

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"service/store"
	"service/store/impact"
)

// maxChanges is the limit of columns in a comparison of two files.
const maxChanges = 100

// uploadFilePage compares another file of an upload with the current one, and asks whether to use it.
type uploadFilePage struct {
	Uploads, Base     string // addresses of all uploads and of this one
	Upload            store.UploadDetail
	File              store.UploadFileDetail
	Waiting           bool // the file is new; otherwise it is an earlier file
	Readers           int
	Broken, Unchecked int
	Dashboards        []impactRow
	Columns           []impact.Column
	Sheets            []impact.Sheet
	Values            []impact.Values
	More, Same        int // differing columns that are not listed, and equal columns
	Instead           string
	Read              reading
}

type impactRow struct {
	Slug, Name string
	Problems   []string
}

func (a *App) uploadFile(v *visit) error { return a.showUploadFile(v, "") }

func (a *App) showUploadFile(v *visit, problem string) error {
	ctx := v.r.Context()
	d, f, err := a.filesIn(v)
	if err != nil {
		return err
	}
	c, err := impact.Compare(ctx, a.Store, *v.in, d, f, a.Now())
	if err != nil {
		return err
	}
	page := uploadFilePage{
		Uploads: uploadsURL(v), Base: uploadsURL(v) + "/" + d.ID.String(), Upload: d, File: f, Waiting: f.ReplacedAt == nil,
		Readers: c.Readers, Columns: c.Columns[:min(len(c.Columns), maxChanges)], Same: c.Same, Instead: hex.EncodeToString(d.Identity),
		Sheets: c.Sheets, Values: c.Values[:min(len(c.Values), maxChanges)],
		Read: reading{a.readerOf(v), f.Filename, f.Columns, f.Preview, f.Report},
	}
	page.More = len(c.Columns) - len(page.Columns)
	page.Broken, page.Unchecked = c.Broken()
	for _, dashboard := range c.Dashboards {
		row := impactRow{Slug: dashboard.Slug, Name: dashboard.Name}
		for _, p := range dashboard.Problems {
			row.Problems = append(row.Problems, problemText(v, p))
		}
		page.Dashboards = append(page.Dashboards, row)
	}
	return a.renderForm(v, form{}, screen{name: "upload_file", title: f.Filename, tab: tabUploads, err: problem, data: page})
}

// filesIn returns the upload and the file in the address.
func (a *App) filesIn(v *visit) (d store.UploadDetail, f store.UploadFileDetail, err error) {
	upload, err := idIn(v, "upload")
	if err != nil {
		return d, f, err
	}
	file, err := idIn(v, "file")
	if err != nil {
		return d, f, err
	}
	if d, err = a.Store.Uploads.Upload(v.r.Context(), *v.in, upload); err != nil {
		return d, f, err
	}
	f, err = a.Store.Uploads.UploadFile(v.r.Context(), *v.in, upload, file)
	return d, f, err
}

// problemText describes a problem that a dashboard would have. Errors of a source or of a check of panels are in
// their own words.
func problemText(v *visit, p impact.Problem) string {
	text := p.Text
	switch p.Kind {
	case impact.Missing:
		text = v.Count(len(p.Columns), "%d column is missing: %s", "%d columns are missing: %s", strings.Join(p.Columns, ", "))
		if p.Nearest != "" {
			text += " " + v.Text("(the nearest is %s)", p.Nearest)
		}
	case impact.NoSheet:
		text = v.Text("the file has no sheet %s with rows", p.Text)
	case impact.Retyped:
		text = v.Text("column %s would be %s in place of %s", p.Columns[0], string(p.After), string(p.Before))
	case impact.Empty:
		text = v.Text("its SQL returns no rows any more")
	case impact.Unchecked:
		text = v.Text("there was no time to try it")
	}
	if p.Dataset == "" {
		return text
	}
	return v.Text("Dataset %s", p.Dataset) + ": " + text
}

// useFile makes the file the current file of the upload, after the confirmation on the
// page of showUploadFile.
func (a *App) useFile(v *visit) error {
	d, f, err := a.filesIn(v)
	if err != nil {
		return err
	}
	if err := v.r.ParseForm(); err != nil {
		return err
	}
	var use store.Use
	if use.Instead, err = hex.DecodeString(v.r.PostForm.Get("instead")); err != nil {
		return store.ErrNotFound // not a form of the app
	}
	if use.Despite, err = strconv.Atoi(v.r.PostForm.Get("despite")); err != nil || use.Despite < 0 {
		return store.ErrNotFound
	}
	added, err := a.Store.Uploads.UseFile(v.r.Context(), *v.in, d.ID, f.ID, use)
	if errors.Is(err, store.ErrFileChanged) {
		return a.showUploadFile(v, v.Text(
			"The upload has received another file in the meantime, so nothing was replaced. This is what would change now."))
	}
	if err != nil {
		return err
	}
	said := doneReplaced(v, f.Filename, added.Refreshes)
	switch {
	case f.Reread:
		said = v.Text("The dates of %s are read in the other order now.", f.Filename)
	case f.ReplacedAt != nil:
		said = doneBack(v, f.Filename, added.Refreshes)
	}
	return a.redirect(v, uploadsURL(v)+"/"+d.ID.String(), said)
}

// doneBack returns the message after going back to an earlier file, with the number of
// refreshed dashboards.
func doneBack(v *visit, filename string, dashboards int) string {
	if dashboards == 0 {
		return v.Text("%s is the file again. No dashboard reads it.", filename)
	}
	return v.Count(dashboards, "%s is the file again. %d dashboard that reads it refreshes now.",
		"%s is the file again. %d dashboards that read it refresh now.", filename)
}

// dropFile deletes a waiting file.
func (a *App) dropFile(v *visit) error {
	d, f, err := a.filesIn(v)
	if err != nil {
		return err
	}
	name, err := a.Store.Uploads.DropFile(v.r.Context(), *v.in, d.ID, f.ID)
	if err != nil {
		return err
	}
	return a.redirect(v, uploadsURL(v)+"/"+d.ID.String(), v.Text("Nothing was replaced, and %s is deleted.", name))
}
