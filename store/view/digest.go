package view

import (
	"context"
	"errors"
	"fmt"

	"service/store/dashboard/page"
)

// MailWidth is how wide a picture is that fits into a mail, in pixels of CSS.
const MailWidth = page.MailWidth

// A File is what a panel, or all of them, can be downloaded as.
type File struct {
	Name        string
	ContentType string
	Body        []byte
}

// Digest is the page in words.
func (v View) Digest() page.Digest { return page.Digested(v.View) }

// Files are the page's panels as files: a CSV for each panel that has numbers, or a workbook with a sheet
// for each. There are none for a page without such panels. name begins their names. They have at most most
// bytes together; left is how many have no room, and what they are made of is not kept meanwhile. One that
// has no room leaves it to those after it. The error is that of ctx when it ends between two panels.
func (v View) Files(ctx context.Context, format, name string, most int) (files []File, left int, err error) {
	switch format {
	case "xlsx":
		body, err := page.Workbook(ctx, v.View)
		switch {
		case errors.Is(err, page.ErrNoPanel):
		case errors.Is(err, page.ErrTooLarge), err == nil && len(body) > most:
			left++
		case err != nil:
			return nil, 0, err
		default:
			files = append(files, File{name + ".xlsx", downloads[format].contentType, body})
		}
	case "csv":
		var all []page.PanelCSV
		if all, left, err = page.CSVs(ctx, v.View, most); err != nil {
			return nil, 0, err
		}
		for _, f := range all {
			files = append(files, File{fmt.Sprintf("%s-%d.csv", name, f.Panel), downloads[format].contentType, f.Body})
		}
	}
	return files, left, nil
}
