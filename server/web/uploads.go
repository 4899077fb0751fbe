package web

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard/cube"
	"service/store/impact"
	"service/store/message"
	"service/store/warehouse"
)

// maxUploadBody is the largest body of an upload form, in bytes. It is larger than the
// limit of files, so that the page can show the size of a refused file.
const maxUploadBody = 32 << 20

// uploadsPage lists the person's files in a workspace.
type uploadsPage struct {
	Base  string
	Max   int // bytes
	Form  form
	Files []uploadRow
	Pages pages
}

type uploadRow struct {
	store.Upload
	Bindings []store.Binding
}

// uploadPage shows one file and the result of reading it.
type uploadPage struct {
	store.UploadDetail
	Base   string
	Max    int // bytes
	Form   form
	Read   reading
	Sheets []sheetRow // of a workbook with several

	DateColumns string // columns that fit both orders of day and month, as a list
	Original    bool   // whether these columns are known
}

// A sheetRow is a sheet of a workbook.
type sheetRow struct {
	store.SheetDetail
	Table bool   // the table of the file
	Why   string // it has no rows
	Read  reading
}

// A reading is the result of reading a file.
type reading struct {
	reader
	Of      string // name of the file; empty if there is only one
	Columns []cube.Column
	Preview [][]*string
	Report  warehouse.Report
}

func (a *App) uploads(v *visit) error { return a.showUploads(v, http.StatusOK, form{}) }

func (a *App) showUploads(v *visit, status int, f form) error {
	ctx := v.r.Context()
	page := uploadsPage{Base: uploadsURL(v), Max: message.MaxBytes, Form: f}
	all, err := a.Store.Connections.Connections(ctx, *v.in)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Kind != store.KindUpload {
			continue
		}
		bound, err := a.Store.Connections.Bindings(ctx, *v.in, c.ID)
		if err != nil {
			return err
		}
		for _, u := range c.Uploads {
			row := uploadRow{Upload: u}
			for _, b := range bound {
				if b.Files.Has(u.ID) {
					row.Bindings = append(row.Bindings, b)
				}
			}
			page.Files = append(page.Files, row)
		}
	}
	page.Files, page.Pages = cut(v, a.readerOf(v), page.Base, page.Files, func(f uploadRow) string { return f.ID.String() })
	return a.renderRefused(v, status, f, screen{name: "uploads", title: v.Text(tabUploads), tab: tabUploads, data: page})
}

func (a *App) uploaded(v *visit) error { return a.showUpload(v, http.StatusOK, form{}) }

func (a *App) showUpload(v *visit, status int, f form) error {
	id, err := idIn(v, "upload")
	if err != nil {
		return err
	}
	d, err := a.Store.Uploads.Upload(v.r.Context(), *v.in, id)
	if err != nil {
		return err
	}
	page := uploadPage{
		UploadDetail: d, Base: uploadsURL(v), Max: message.MaxBytes, Form: f,
		Read: reading{a.readerOf(v), "", d.Columns, d.Preview, d.Report},
	}
	page.DateColumns, page.Original = dateColumns(d), d.Dated != nil
	if len(d.Workbook) > 1 {
		page.Sheets = a.sheetRows(v, d.Workbook)
	}
	return a.renderRefused(v, status, f, screen{name: "upload", title: d.Filename, tab: tabUploads, data: page})
}

// maxDateColumns is how many columns of dates are named.
const maxDateColumns = 10

// dateColumns lists the columns that fit both orders of day and month; those of other sheets with the sheet's name. It is "" if there is no
// such column, or if the file cannot be read again.
func dateColumns(d store.UploadDetail) string {
	if d.Dated == nil || !*d.Dated {
		return ""
	}
	var out []string
	for _, c := range d.Report.Dates {
		out = append(out, c.Column)
	}
	first := true
	for _, s := range d.Workbook {
		for _, c := range s.Report.Dates {
			if !first {
				out = append(out, s.Name+" · "+c.Column)
			}
		}
		first = first && s.State != warehouse.SheetRead
	}
	if more := len(out) - maxDateColumns; more > 0 {
		out = append(out[:maxDateColumns], "…")
	}
	return strings.Join(out, ", ")
}

// sheetRows returns the sheets of a workbook.
func (a *App) sheetRows(v *visit, sheets []store.SheetDetail) []sheetRow {
	var out []sheetRow
	first := true
	for _, s := range sheets {
		row := sheetRow{SheetDetail: s, Read: reading{a.readerOf(v), s.Name, s.Columns, s.Preview, s.Report}}
		switch s.State {
		case warehouse.SheetRead:
			row.Table, first = first, false
		case warehouse.SheetHidden:
			row.Why = v.Text("hidden in the workbook, so it is not read")
		case warehouse.SheetEmpty:
			row.Why = v.Text("empty")
		case warehouse.SheetChart:
			row.Why = v.Text("a chart, without rows")
		default:
			row.Why = v.Text("not read: %s", s.Reason)
		}
		out = append(out, row)
	}
	return out
}

// setDates sets the order of day and month. If it changes the rows, the effect is shown first, on the page of the waiting file.
func (a *App) setDates(v *visit) error {
	id, err := idIn(v, "upload")
	if err != nil {
		return err
	}
	if err := v.r.ParseForm(); err != nil {
		return err
	}
	dates := warehouse.Dates(v.r.PostForm.Get("dates"))
	if dates != warehouse.DatesAuto && dates != warehouse.DayFirst && dates != warehouse.MonthFirst {
		return store.ErrNotFound // not a form of the app
	}
	page := uploadsURL(v) + "/" + id.String()
	file, err := a.Store.Uploads.OfferDates(v.r.Context(), *v.in, id, dates)
	switch bad, isBad := errors.AsType[*warehouse.Error](err); {
	case isBad:
		return message.Refuse("%s", bad.Message)
	case err != nil:
		return err
	case file == uuid.Nil:
		return a.redirect(v, page, v.Text("The order is kept for the next file."))
	}
	return a.redirect(v, page+"/files/"+file.String(), "")
}

// renderRefused is [App.renderForm] with the given status.
func (a *App) renderRefused(v *visit, status int, f form, s screen) error {
	if f.Refused() {
		s.err = v.Text(saidAtField)
	}
	return a.render(v, status, s)
}

// Errors of forms: without a file, and with one of more than [message.MaxBytes].
var (
	errNoFile   = errors.New("no file")
	errTooLarge = errors.New("file too large")
)

// fileOf reads the file of a form. It returns errNoFile if the form has no file, and errTooLarge if the file is too large.
func fileOf(r *http.Request) (name string, data []byte, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return "", nil, errNoFile
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return "", nil, errNoFile
		}
		if err != nil {
			return "", nil, unreadable(err)
		}
		if part.FormName() != "file" {
			continue
		}
		if part.FileName() == "" {
			return "", nil, errNoFile
		}
		data, err := io.ReadAll(io.LimitReader(part, message.MaxBytes+1))
		if err != nil {
			return "", nil, unreadable(err)
		}
		if len(data) > message.MaxBytes {
			if _, err := io.Copy(io.Discard, part); err != nil {
				return "", nil, unreadable(err)
			}
			return "", nil, errTooLarge
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil { // read to its end, so that its memory can be reserved for others
			return "", nil, unreadable(err)
		}
		return strings.ToValidUTF8(part.FileName(), "\uFFFD"), data, nil // some browsers send names in other encodings
	}
}

// unreadable returns the error for a form that is malformed, larger than maxUploadBody, or has lost its memory to
// other requests.
func unreadable(err error) error {
	if errors.Is(err, store.ErrOverloaded) {
		return err
	}
	if isTooLarge(err) {
		return errTooLarge
	}
	return errNoFile
}

// upload stores a new file, or replaces the file that the address names, and redirects
// to the file's page.
func (a *App) upload(v *visit) error {
	var replace uuid.UUID
	if v.param("upload") != "" {
		id, err := idIn(v, "upload")
		if err != nil {
			return err
		}
		replace = id
	}
	refused := func(status int, text string) error {
		var f form
		f.refuse("file", text)
		if replace != uuid.Nil {
			return a.showUpload(v, status, f)
		}
		return a.showUploads(v, status, f)
	}
	release, err := a.AcquireBody(v.w, v.r, v.session.Account.ID)
	if err != nil {
		return err
	}
	defer release()
	name, data, err := fileOf(v.r)
	if errors.Is(err, errTooLarge) {
		return refused(http.StatusRequestEntityTooLarge,
			v.Text("This file is larger than %s, the most that a file may have. Leave out rows or columns.",
				reader{Locale: v.Locale}.Bytes(message.MaxBytes)))
	}
	if errors.Is(err, errNoFile) {
		return refused(http.StatusUnprocessableEntity, v.Text("Choose a file first."))
	}
	if err != nil {
		return err
	}
	var page, said string
	if replace != uuid.Nil {
		page, said, err = a.replaceUpload(v, replace, name, data)
	} else {
		var added store.Added
		added, err = a.Store.Uploads.AddUpload(v.r.Context(), *v.in, name, data)
		page, said = uploadsURL(v)+"/"+added.Upload.ID.String(), v.Text("%s is uploaded.", name)
	}
	if bad, ok := errors.AsType[*warehouse.Error](err); ok {
		return refused(http.StatusUnprocessableEntity, bad.Message)
	}
	if refusal, ok := message.As(err); ok {
		return refused(http.StatusUnprocessableEntity, refusal.Error())
	}
	if err != nil {
		return err
	}
	if v.r.Header.Get("Prefer") == "return=minimal" { // a script sent it, and opens the page itself (RFC 7240)
		a.setFlash(v.w, said)
		v.w.Header().Set("Location", page)
		v.w.WriteHeader(http.StatusCreated)
		return nil
	}
	return a.redirect(v, page, said)
}

// replaceUpload replaces a file, unless that would or might break dashboards. In that case it replaces nothing,
// page is the address of the page that shows the problems, and said is empty.
func (a *App) replaceUpload(v *visit, upload uuid.UUID, name string, data []byte) (page, said string, err error) {
	ctx, at := v.r.Context(), uploadsURL(v)+"/"+upload.String()
	d, err := a.Store.Uploads.Upload(ctx, *v.in, upload)
	if err != nil {
		return "", "", err
	}
	file, err := a.Store.Uploads.OfferFile(ctx, *v.in, upload, name, data)
	if err != nil {
		return "", "", err
	}
	f, err := a.Store.Uploads.UploadFile(ctx, *v.in, upload, file)
	if err != nil {
		return "", "", cameBetween(v, err)
	}
	c, err := impact.Compare(ctx, a.Store, *v.in, d, f, a.Now())
	if err != nil {
		return "", "", err
	}
	if len(c.Dashboards) > 0 {
		return at + "/files/" + file.String(), "", nil
	}
	added, err := a.Store.Uploads.UseFile(ctx, *v.in, upload, file, store.Use{Instead: d.Identity})
	if err != nil {
		return "", "", cameBetween(v, err)
	}
	return at, doneReplaced(v, name, added.Refreshes), nil
}

// cameBetween returns the refusal of a file if the same person has uploaded another one for the
// same upload at the same time.
func cameBetween(v *visit, err error) error {
	if errors.Is(err, store.ErrFileChanged) || errors.Is(err, store.ErrNotFound) {
		return message.Refuse("%s", v.Text("Another file was uploaded at the same time. Look at it, and try again."))
	}
	return err
}

func (a *App) deleteUpload(v *visit) error {
	id, err := idIn(v, "upload")
	if err != nil {
		return err
	}
	name, err := a.Store.Uploads.DeleteUpload(v.r.Context(), *v.in, id)
	if err != nil {
		return err
	}
	return a.redirect(v, uploadsURL(v), v.Text("%s is deleted.", name))
}

func uploadsURL(v *visit) string { return "/w/" + v.in.Workspace() + "/uploads" }

// columnNames lists columns with their types, such as "day (date), n (integer)".
func columnNames(columns []cube.Column) string {
	text := ""
	for i, c := range columns {
		if i > 0 {
			text += ", "
		}
		text += c.Name + " (" + string(c.Type) + ")"
	}
	return text
}

// doneReplaced returns the message after a replacement, with the number of refreshed dashboards.
func doneReplaced(v *visit, filename string, dashboards int) string {
	if dashboards == 0 {
		return v.Text("%s has replaced the file. No dashboard reads it.", filename)
	}
	return v.Count(dashboards, "%s has replaced the file. %d dashboard that reads it refreshes now.",
		"%s has replaced the file. %d dashboards that read it refresh now.", filename)
}
