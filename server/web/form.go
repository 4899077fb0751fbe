package web

import (
	"html/template"
	"slices"
	"strings"
)

// A form is what was typed into a form, without what is secret, and what was wrong
// with it. What was typed is shown again, and each problem at its field: the first
// that was found has the focus.
type form struct {
	suffix   string // of the fields' ids, where a page has the form more than once
	typed    map[string]string
	problems map[string]string
	first    string
}

// filled is a form with values in its fields: names and values in turn.
func filled(pairs ...string) form {
	f := form{typed: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		f.typed[pairs[i]] = pairs[i+1]
	}
	return f
}

// typedIn reads fields of the form that was sent, without the spaces around them.
func typedIn(v *visit, names ...string) form {
	f := form{typed: map[string]string{}}
	for _, name := range names {
		f.typed[name] = strings.TrimSpace(v.r.PostForm.Get(name))
	}
	return f
}

// refuse says what is wrong with a field. A field has one problem at a time.
func (f *form) refuse(name, problem string) {
	if f.problems == nil {
		f.problems = map[string]string{}
	}
	if f.problems[name] == "" {
		f.problems[name] = problem
	}
	if f.first == "" {
		f.first = name
	}
}

// Refused reports whether there is something to mend.
func (f form) Refused() bool { return f.first != "" }

// Typed is what stands in a field.
func (f form) Typed(name string) string { return f.typed[name] }

// Field is a field as templates write it.
func (f form) Field(name string) field {
	id := name
	if f.suffix != "" {
		id += "-" + f.suffix
	}
	return field{ID: id, Name: name, Value: f.typed[name], Problem: f.problems[name], focus: f.first == name}
}

type field struct {
	ID, Name, Value, Problem string
	focus                    bool
}

// Attrs are the attributes that tie the field to its problem, and to the hints whose
// ids are the field's with a dash and these endings.
func (f field) Attrs(hints ...string) template.HTMLAttr {
	var attrs, ids []string
	if f.Problem != "" {
		attrs = append(attrs, `aria-invalid="true"`)
		ids = append(ids, f.ID+"-problem")
	}
	for _, hint := range hints {
		if id := f.ID + "-" + hint; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		attrs = append(attrs, `aria-describedby="`+template.HTMLEscapeString(strings.Join(ids, " "))+`"`)
	}
	if f.focus {
		attrs = append(attrs, "autofocus")
	}
	return template.HTMLAttr(strings.Join(attrs, " "))
}
