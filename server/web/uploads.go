package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard/cube"
	"service/store/message"
	"service/store/warehouse"
)

// maxUploadBody is the most that the form of an upload may send, in bytes: what is
// over the cap is counted up to here, so that the page can say how large it was.
const maxUploadBody = 32 << 20

// uploadsPage lists the person's files in a workspace, and shows what the one that
// was just sent was understood as.
type uploadsPage struct {
	Base    string
	Max     int // bytes
	Files   []uploadRow
	Pages   pages
	Added   *addedFile
	Problem string
	Replace uuid.UUID // of the file that Problem is about; zero: a new one
}

type uploadRow struct {
	store.Upload
	Bindings []store.Binding
}

type addedFile struct {
	store.Upload
	Report    warehouse.Report
	Preview   [][]string
	Replaced  bool
	Refreshes int // dashboards that refresh now
}

func (a *App) uploads(v *visit) error {
	return a.showUploads(v, http.StatusOK, uploadsPage{})
}

func (a *App) showUploads(v *visit, status int, page uploadsPage) error {
	ctx := v.r.Context()
	page.Base, page.Max = uploadsURL(v), message.MaxBytes
	all, err := a.Store.Connections(ctx, *v.in)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Kind != store.KindUpload {
			continue
		}
		bound, err := a.Store.Bindings(ctx, *v.in, c.ID)
		if err != nil {
			return err
		}
		for _, u := range c.Uploads {
			row := uploadRow{Upload: u}
			for _, b := range bound {
				if b.Upload == u.ID {
					row.Bindings = append(row.Bindings, b)
				}
			}
			page.Files = append(page.Files, row)
		}
	}
	if page.Added != nil {
		if i := slices.IndexFunc(page.Files, func(f uploadRow) bool { return f.ID == page.Added.ID }); i >= 0 {
			page.Added.Refreshes = len(page.Files[i].Bindings)
		}
	}
	page.Files, page.Pages = cut(v, page.Base, page.Files, func(f uploadRow) string { return f.ID.String() })
	return a.render(v, status, screen{name: "uploads", title: "Uploads", tab: tabUploads, err: page.Problem, data: page})
}

// errNoFile is returned for a form without a file.
var errNoFile = errors.New("no file")

// fileOf reads the one file of a form. One over the cap is a *message.Refusal that
// says how large it was.
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
			rest, err := io.Copy(io.Discard, part)
			if err != nil {
				return "", nil, unreadable(err)
			}
			return "", nil, message.PayloadTooLarge(len(data) + int(rest))
		}
		return strings.ToValidUTF8(part.FileName(), "\uFFFD"), data, nil // some name files in other encodings
	}
}

// unreadable is the error of a form that is broken, or still too large to be
// counted.
func unreadable(err error) error {
	if isTooLarge(err) {
		return message.PayloadTooLarge(maxUploadBody)
	}
	return errNoFile
}

// upload stores a new file, or one in place of the file that the address names.
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
		return a.showUploads(v, status, uploadsPage{Problem: text, Replace: replace})
	}
	name, data, err := fileOf(v.r)
	if refusal, ok := message.As(err); ok {
		return refused(http.StatusRequestEntityTooLarge, refusal.Error())
	}
	if err != nil {
		return refused(http.StatusUnprocessableEntity, "Choose a file first.")
	}
	var added store.Added
	if replace != uuid.Nil {
		added, err = a.Store.ReplaceUpload(v.r.Context(), *v.in, replace, name, data)
	} else {
		added, err = a.Store.AddUpload(v.r.Context(), *v.in, name, data)
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
	return a.showUploads(v, http.StatusCreated, uploadsPage{Added: &addedFile{
		Upload: added.Upload, Report: added.Report, Preview: cells(added.Upload.Columns, added.Preview), Replaced: replace != uuid.Nil,
	}})
}

// cells writes the values of rows as a person reads them; NULL is empty.
func cells(columns []cube.Column, rows [][]any) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		for c, value := range row {
			text := ""
			switch value := value.(type) {
			case nil:
			case time.Time:
				if text = value.UTC().Format(time.DateTime); columns[c].Type == cube.Date {
					text = value.Format(time.DateOnly)
				}
			default:
				text = fmt.Sprint(value)
			}
			out[i] = append(out[i], text)
		}
	}
	return out
}

// bytes is n bytes in words.
func bytesOf(n int) string {
	switch {
	case n < 1<<10:
		return count(n, "byte")
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func uploadsURL(v *visit) string { return "/w/" + v.in.Workspace() + "/uploads" }

// columnNames lists the columns of a file with their types, in words.
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
