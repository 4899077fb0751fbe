package web

import (
	"fmt"
	"html/template"
	"strings"

	"service/store"
	"service/store/dashboard/locale"
)

// textFuncs returns the template functions for fixed texts in a language. Translations
// are plain text, never markup: elements inside a text are arguments.
func textFuncs(l *locale.Locale) template.FuncMap {
	return template.FuncMap{
		"t": func(english locale.Key, args ...any) template.HTML {
			return put(func(args ...string) string { return l.Text(english, args...) }, args)
		},
		"n": func(count int, one, other locale.Key, args ...any) template.HTML {
			return put(func(args ...string) string { return l.Count(count, one, other, args...) }, args)
		},
		"word":    func(value string) string { return word(l, value) },
		"element": element,
		"link":    link,
		"list":    func(texts []string) string { return strings.Join(texts, ", ") },
		"readers": readers,
	}
}

// put formats a text with arguments. Arguments of type template.HTML are not escaped.
func put(say func(args ...string) string, args []any) template.HTML {
	places := make([]string, len(args))
	var replace []string
	for i, arg := range args {
		places[i] = string(rune('\uE000' + i)) // private-use characters, which do not occur in the texts
		replace = append(replace, places[i], escaped(arg))
	}
	return template.HTML(strings.NewReplacer(replace...).Replace(template.HTMLEscapeString(say(places...))))
}

func escaped(text any) string {
	if html, ok := text.(template.HTML); ok {
		return string(html)
	}
	return template.HTMLEscapeString(fmt.Sprint(text))
}

// element returns an element without attributes around a text.
func element(name string, text any) template.HTML {
	return template.HTML("<" + name + ">" + escaped(text) + "</" + name + ">")
}

// link returns a link to an address of the app.
func link(path string, text any) template.HTML {
	return template.HTML(`<a href="` + template.HTMLEscapeString(path) + `">` + escaped(text) + "</a>")
}

// readers returns links to the dashboards in bindings.
func readers(workspace string, bindings []store.Binding) template.HTML {
	links := make([]string, len(bindings))
	for i, b := range bindings {
		links[i] = string(link("/w/"+workspace+"/d/"+b.Slug, b.Name))
	}
	return template.HTML(strings.Join(links, ", "))
}

// words are the texts for single words that the database stores.
var words = []locale.Key{
	"owner", "editor", "viewer", "free plan", "paid plan",
	"untested", "active", "failing", "disabled",
	"queued", "running", "succeeded", "partial", "failed", "cancelled",
	"publish", "restore", "trigger", "schedule", "upload", "feed",
	"name", "tags", "chart",
	"auto", "light", "dark",
}

// word returns a stored word in a language, or the word itself if it is not in [words].
func word(l *locale.Locale, value string) string {
	for _, w := range words {
		if string(w) == value {
			return l.Text(w)
		}
	}
	return value
}

// byRole returns one of three texts. Events of release 0.6.0 have the role member, whose people are editors.
func byRole(role string, owner, editor, viewer locale.Key) locale.Key {
	switch role {
	case store.RoleOwner:
		return owner
	case store.RoleViewer:
		return viewer
	}
	return editor
}
