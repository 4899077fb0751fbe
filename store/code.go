package store

import (
	"unicode"
	"unicode/utf8"

	"service/store/message"
	"service/store/pattern"
)

// A Code is the file from which a version was published. It is not checked: the publishing command reported it.
type Code struct {
	Commit string `json:"commit"` // of Git, as 7 to 64 hexadecimal digits
	Path   string `json:"path"`   // in the repository, at most [maxCodePath] characters
	Hash   string `json:"hash"`   // of the contents of the file, as 8 to 64 hexadecimal digits
}

// maxCodePath is the longest path of a file, in characters.
const maxCodePath = 300

var (
	commitForm = pattern.New(`^[0-9a-f]{7,64}$`)
	hashForm   = pattern.New(`^[0-9a-f]{8,64}$`)
)

// Check returns the refusal of c, or nil.
func (c Code) Check() error {
	switch {
	case !commitForm.MatchString(c.Commit):
		return message.Refuse("commit must be the id of a commit, 7 to 64 hexadecimal digits")
	case !hashForm.MatchString(c.Hash):
		return message.Refuse("hash must be 8 to 64 hexadecimal digits")
	case c.Path == "" || utf8.RuneCountInString(c.Path) > maxCodePath:
		return message.Refuse("path must be the path of a file, at most %d characters", maxCodePath)
	}
	for _, r := range c.Path {
		if !unicode.IsGraphic(r) || r == utf8.RuneError {
			return message.Refuse("path must be of characters that can be shown")
		}
	}
	return nil
}

// Short is the commit as people write it.
func (c Code) Short() string { return c.Commit[:min(len(c.Commit), 7)] }
