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
	add := func(name string, body []byte, err error) error {
		switch {
		case errors.Is(err, page.ErrNoPanel):
			return nil
		case errors.Is(err, page.ErrTooLarge), err == nil && len(body) > most:
			left++
			return nil
		case err != nil:
			return err
		}
		most -= len(body)
		files = append(files, File{name + "." + format, downloads[format].contentType, body})
		return nil
	}
	switch format {
	case "xlsx":
		body, err := page.Workbook(ctx, v.View)
		if err := add(name, body, err); err != nil {
			return nil, 0, err
		}
	case "csv":
		for i := range v.Spec.Panels {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
			body, err := page.CSVUpTo(v.View, i, most)
			if err := add(fmt.Sprintf("%s-%d", name, i), body, err); err != nil {
				return nil, 0, err
			}
		}
	}
	return files, left, nil
}
