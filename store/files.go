package store

import (
	"slices"

	"github.com/google/uuid"

	"service/store/dashboard"
)

// A File is an uploaded file under the name of its table in the SQL of a spec.
type File struct {
	Table   string    `json:"table"`
	Dataset string    `json:"dataset,omitempty"` // the only one that reads it; empty for all
	Upload  uuid.UUID `json:"upload"`
	Sheet   string    `json:"sheet,omitempty"` // of a workbook; empty for the first one with rows
}

// Files are the uploaded files that a spec reads; none for a spec over another source.
type Files []File

// OneFile is a single upload without a name of its own, or no files if upload is zero.
func OneFile(upload uuid.UUID) Files {
	if upload == uuid.Nil {
		return nil
	}
	return Files{{Table: dashboard.UploadTable, Upload: upload}}
}

// NewFiles are the files of a spec or a call: upload without a name, zero for none, of which sheet is read, and those with names.
func NewFiles(upload uuid.UUID, sheet string, named []dashboard.Upload) Files {
	out := OneFile(upload)
	if len(out) > 0 {
		out[0].Sheet = sheet
	}
	for _, n := range named {
		out = append(out, File{Table: n.Table, Upload: uuid.MustParse(n.ID), Sheet: n.Sheet}) // which package dashboard has checked
	}
	return out
}

// WithOwn are f and the files of the datasets of s that have one of their own, or a sheet of their own of the file without a name.
func (f Files) WithOwn(s *dashboard.Spec) Files {
	out := slices.Clone(f)
	for _, d := range s.Datasets {
		upload := f.Plain()
		switch {
		case d.Upload != "":
			upload = uuid.MustParse(d.Upload)
		case d.Sheet == "" || upload == uuid.Nil:
			continue
		}
		out = append(out, File{Table: dashboard.UploadTable, Dataset: d.ID, Upload: upload, Sheet: d.Sheet})
	}
	return out
}

// Plain is the file without a name that all datasets read, or zero.
func (f Files) Plain() uuid.UUID {
	for _, file := range f {
		if file.Table == dashboard.UploadTable && file.Dataset == "" {
			return file.Upload
		}
	}
	return uuid.Nil
}

// Of returns the files that a dataset reads. Its own file replaces the one without a name. "" is the dataset of all datasets without a file
// of their own.
func (f Files) Of(dataset string) Files {
	var out Files
	own := dataset != "" && slices.ContainsFunc(f, func(file File) bool { return file.Dataset == dataset })
	for _, file := range f {
		if file.Dataset == dataset || file.Dataset == "" && !(own && file.Table == dashboard.UploadTable) {
			out = append(out, file)
		}
	}
	return out
}

// Has reports whether upload is one of the files.
func (f Files) Has(upload uuid.UUID) bool {
	return slices.ContainsFunc(f, func(file File) bool { return file.Upload == upload })
}

// Same reports whether both are the same files under the same names.
func (f Files) Same(other Files) bool {
	return len(f) == len(other) && !slices.ContainsFunc(f, func(file File) bool { return !slices.Contains(other, file) })
}

// named returns the files in the form of version.uploads: nil, for NULL, if version.upload_id suffices.
func (f Files) named() any {
	if len(f) == 0 || len(f) == 1 && f.Plain() != uuid.Nil && f[0].Sheet == "" {
		return nil
	}
	return []File(f)
}

// filesOf selects the [Files] of version v. Release 0.6.0 stores upload_id alone.
const filesOf = `coalesce(v.uploads, CASE WHEN v.upload_id IS NOT NULL
	       THEN jsonb_build_array(jsonb_build_object('table', 'upload', 'upload', v.upload_id)) END)`

// readsUpload is true of version v if upload $2 is one of its files.
const readsUpload = `(v.upload_id = $2 OR v.uploads @> jsonb_build_array(jsonb_build_object('upload', $2::uuid)))`
