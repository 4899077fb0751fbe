package web

import (
	"html/template"
	"slices"
	"strings"
)

// A form has the values typed into an HTML form, except secrets, and their problems. A
// refused form is shown again with its values, each problem at its field, and the focus
// on the first problem.
type form struct {
	suffix   string // suffix of the fields' ids, for a page that has the form more than once
	typed    map[string]string
	problems map[string]string
	first    string
}

// filled returns a form with values. Its arguments are alternating names and values.
func filled(pairs ...string) form {
	f := form{typed: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		f.typed[pairs[i]] = pairs[i+1]
	}
	return f
}

// typedIn reads the named fields of the posted form, and trims spaces around them.
func typedIn(v *visit, names ...string) form {
	f := form{typed: map[string]string{}}
	for _, name := range names {
		f.typed[name] = strings.TrimSpace(v.r.PostForm.Get(name))
	}
	return f
}

// refuse records a problem with a field. The first problem of a field is kept.
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

// Refused reports whether a field has a problem.
func (f form) Refused() bool { return f.first != "" }

// Typed returns the value of a field.
func (f form) Typed(name string) string { return f.typed[name] }

// Field returns a field for a template.
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

// Attrs returns the attributes that link the field to its problem and its hints. The id
// of a hint is the field's id, a dash and one of hints.
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
