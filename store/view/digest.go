package view

import (
	"context"
	"errors"
	"fmt"

	"service/store/dashboard/export"
	"service/store/dashboard/page"
)

// MailWidth is the width of a picture that fits into a mail, in CSS pixels.
const MailWidth = page.MailWidth

// A File is a download of one panel, or of all panels.
type File struct {
	Name        string
	ContentType string
	Body        []byte
}

// Digest returns the page as text.
func (v View) Digest() page.Digest { return page.Digested(v.View) }

// Files returns the page's panels as files: a CSV for each panel with numbers, or a workbook with a sheet for each. It returns no files for
// a page without such panels. Their names begin with name. Together they have at most most bytes; left is the number of files that did not
// fit, which are not kept in memory. After a file that does not fit, later ones may still fit. The error is that of ctx if it ends between
// two panels.
func (v View) Files(ctx context.Context, format, name string, most int) (files []File, left int, err error) {
	switch format {
	case "xlsx":
		body, err := page.Workbook(ctx, v.View)
		switch {
		case errors.Is(err, export.ErrNoPanel):
		case errors.Is(err, export.ErrTooLarge), err == nil && len(body) > most:
			left++
		case err != nil:
			return nil, 0, err
		default:
			files = append(files, File{name + ".xlsx", downloads[format].contentType, body})
		}
	case "csv":
		var all []export.File
		if all, left, err = page.CSVs(ctx, v.View, most); err != nil {
			return nil, 0, err
		}
		for _, f := range all {
			files = append(files, File{fmt.Sprintf("%s-%d.csv", name, f.Panel), downloads[format].contentType, f.Body})
		}
	}
	return files, left, nil
}
