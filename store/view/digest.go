package view

import (
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
// for each. There are none for a page without such panels. name begins their names.
func (v View) Files(format, name string) ([]File, error) {
	switch format {
	case "xlsx":
		body, err := page.Workbook(v.View)
		if errors.Is(err, page.ErrNoPanel) {
			return nil, nil
		}
		return []File{{name + ".xlsx", downloads["xlsx"].contentType, body}}, err
	case "csv":
		var out []File
		for i := range v.Spec.Panels {
			body, err := page.CSV(v.View, i)
			if errors.Is(err, page.ErrNoPanel) {
				continue
			}
			if err != nil {
				return nil, err
			}
			out = append(out, File{fmt.Sprintf("%s-%d.csv", name, i), downloads["csv"].contentType, body})
		}
		return out, nil
	}
	return nil, nil
}
