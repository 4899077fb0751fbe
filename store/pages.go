package store

// A Page is what a browser is sent for a dashboard.
type Page struct {
	Body        []byte
	ContentType string
	ETag        string
	Attachment  string // file name of a download; empty for a page
}
