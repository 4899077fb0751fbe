package dashboard

import (
	"slices"
	"strings"

	"service/store/message"
)

// DefaultFile is the filename of a path that is a bare slug.
const DefaultFile = "index.html"

// maxSlug is the longest slug, in characters.
const maxSlug = 64

// reserved are slugs that collide with the application's own addresses.
var reserved = []string{
	"api", "app", "assets", "authorize", "favicon-ico", "healthz", "login", "logout", "mcp", "metrics",
	"register", "robots-txt", "service", "session", "sign-in", "sign-out", "signin", "signout", "static", "token", "well-known",
}

// CheckSlug returns the refusal of slug, or nil if it is well formed: ^[a-z0-9-]{1,64}$. It does not check whether it is reserved, because
// a reserved slug can be looked up (and is not found) like any other.
func CheckSlug(slug string) error {
	switch {
	case slug == "":
		return message.SlugEmpty()
	case strings.Trim(slug, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		return message.SlugCharset(slug)
	case len(slug) > maxSlug:
		return message.SlugTooLong(len(slug))
	}
	return nil
}

// CheckNewSlug is [CheckSlug] for a slug that a dashboard is about to take:
// reserved ones are refused by name.
func CheckNewSlug(slug string) error {
	if err := CheckSlug(slug); err != nil {
		return err
	}
	if slices.Contains(reserved, slug) {
		return message.SlugReserved(slug)
	}
	return nil
}

// CheckFilename returns the refusal of name, or nil: ^[a-z0-9._-]+$. The names "." and ".." match the pattern but are not names of files,
// so they are refused as well.
func CheckFilename(name string) error {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") != "" || name == "" || name == "." || name == ".." {
		return message.FilenameCharset(name)
	}
	return nil
}

// ParsePath splits <slug> or <slug>/<filename>. A bare slug means
// <slug>/index.html.
func ParsePath(path string) (slug, filename string, err error) {
	if path == "" {
		return "", "", message.PathEmpty()
	}
	slug, filename, two := strings.Cut(path, "/")
	if !two {
		return slug, DefaultFile, CheckSlug(slug)
	}
	if filename == "" || strings.Contains(filename, "/") {
		return "", "", message.PathSegments(path)
	}
	if err := CheckSlug(slug); err != nil {
		return "", "", err
	}
	return slug, filename, CheckFilename(filename)
}

// The content types of bodies from which a page is drawn. Any other body is a data file.
const (
	TypeMarkdown = "text/markdown; charset=utf-8"
	TypeReport   = "application/json"
)
