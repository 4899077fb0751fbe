package web

import (
	"fmt"
	"html/template"
	"strings"

	"service/store"
	"service/store/dashboard/locale"
)

// textFuncs are the functions with which templates say fixed texts in a language.
// Translations are texts and never markup: what a text says about an element, it
// takes as an argument.
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

// put says a text with arguments, of which those of type template.HTML stay what
// they are.
func put(say func(args ...string) string, args []any) template.HTML {
	places := make([]string, len(args))
	var replace []string
	for i, arg := range args {
		places[i] = string(rune('\uE000' + i)) // of private use, so in no text of ours
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

// element is an element without attributes around a text.
func element(name string, text any) template.HTML {
	return template.HTML("<" + name + ">" + escaped(text) + "</" + name + ">")
}

// link is a link to an address of the app.
func link(path string, text any) template.HTML {
	return template.HTML(`<a href="` + template.HTMLEscapeString(path) + `">` + escaped(text) + "</a>")
}

// readers links to the dashboards that read something of a workspace.
func readers(workspace string, bindings []store.Binding) template.HTML {
	links := make([]string, len(bindings))
	for i, b := range bindings {
		links[i] = string(link("/w/"+workspace+"/d/"+b.Slug, b.Name))
	}
	return template.HTML(strings.Join(links, ", "))
}

// words are what the database stores in a word, as people read it.
var words = []locale.Key{
	"owner", "member", "free plan", "paid plan",
	"untested", "active", "failing", "disabled",
	"queued", "running", "succeeded", "partial", "failed", "cancelled",
	"publish", "restore", "trigger", "schedule", "upload",
	"name", "tags", "chart",
	"auto", "light", "dark",
}

// word is a stored word in a language, or the word itself if it is none of [words].
func word(l *locale.Locale, value string) string {
	for _, w := range words {
		if string(w) == value {
			return l.Text(w)
		}
	}
	return value
}

// byRole is one of two texts, for owners or for members.
func byRole(role string, owner, member locale.Key) locale.Key {
	if role == store.RoleOwner {
		return owner
	}
	return member
}
