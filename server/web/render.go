package web

import (
	"bytes"
	"cmp"
	"embed"
	"html/template"
	"net/http"

	"service/auth"
	"service/store"
	"service/store/dashboard/locale"
)

//go:embed *.html
var markup embed.FS

// A screenKey is a screen in a language.
type screenKey struct{ lang, name string }

// template returns the template of a screen in a language of [locale.Negotiate]. It is parsed when it is first needed: all screens in
// all languages would be tens of megabytes, which the garbage collector would scan again and again.
func (a *App) template(l *locale.Locale, name string) (*template.Template, error) {
	key := screenKey{l.Lang, name}
	if t, ok := a.parsed.Load(key); ok {
		return t.(*template.Template), nil
	}
	t, err := template.New("layout.html").Funcs(template.FuncMap{
		"asset":   a.assetURL,
		"columns": columnNames,
		"url":     a.URL,
	}).Funcs(textFuncs(l)).ParseFS(markup, "layout.html", name+".html")
	if err != nil {
		return nil, err
	}
	kept, _ := a.parsed.LoadOrStore(key, t)
	return kept.(*template.Template), nil
}

// A screen is the argument of render.
type screen struct {
	name   string // name of the file, without .html
	title  string
	tab    locale.Key // key of its place; empty for a screen without navigation
	narrow bool
	bare   bool   // without links to other screens, for a page with a single decision
	err    string // shown above the page; the details are at the fields
	data   any
}

// A pageView is the data of layout.html and the screens' templates.
type pageView struct {
	reader
	Title, Theme, Path, Flash, Error string
	Themes                           []string
	Shortcuts                        bool // the person has enabled keyboard shortcuts
	AskZone                          bool // the person has not chosen a time zone, so the script sends the browser's
	Narrow, Bare                     bool
	SignedIn                         bool
	Email                            string
	Workspace                        *workspaceView
	Workspaces                       []workspaceView
	Places                           []navLink // places of the workspace
	Screens                          []navLink // screens of the screen's place, if it has several
	Data                             any
}

type workspaceView struct {
	Slug, Name, Role, Plan string
	Edits                  bool // the person is an editor or an owner there
}

func workspaceOf(m store.Member) workspaceView {
	return workspaceView{Slug: m.Workspace(), Name: m.WorkspaceName(), Role: m.Role(), Plan: m.Plan(), Edits: m.Edits()}
}

// renderForm answers with the page of a form: 200, or 422 if the form was refused.
func (a *App) renderForm(v *visit, f form, s screen) error {
	if f.Refused() {
		s.err = cmp.Or(s.err, v.Text(saidAtField))
	}
	if s.err != "" {
		return a.render(v, http.StatusUnprocessableEntity, s)
	}
	return a.render(v, http.StatusOK, s)
}

// render answers with a screen. It writes nothing if the template fails, so that no
// partial page is sent.
func (a *App) render(v *visit, status int, s screen) error {
	view := pageView{
		reader: a.readerOf(v), Title: s.title, Narrow: s.narrow, Bare: s.bare, Error: s.err, Data: s.data,
		Theme: a.theme(v), Themes: themes, AskZone: v.signedIn && v.session.Account.Timezone == "",
		Shortcuts: v.signedIn && v.session.Account.Shortcuts, Path: auth.LocalPath(v.r.RequestURI), Flash: a.takeFlash(v),
		SignedIn: v.signedIn,
	}
	if v.r.Method != http.MethodGet {
		view.Path = "/"
	}
	if v.signedIn {
		view.Email = cmp.Or(v.session.Account.Email, v.session.Account.Name, v.Text("No e-mail"))
	}
	for _, m := range v.memberships {
		view.Workspaces = append(view.Workspaces, workspaceOf(m))
	}
	if v.in != nil {
		w := workspaceOf(*v.in)
		view.Workspace = &w
	}
	view.Places, view.Screens = navigation(v, s.tab)
	t, err := a.template(v.Locale, s.name)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := t.ExecuteTemplate(&page, "layout", view); err != nil {
		return err
	}
	v.release()
	a.Kept(v.r.Context(), page.Len())
	a.header(v)
	if status == http.StatusServiceUnavailable {
		v.w.Header().Set("Retry-After", "5")
	}
	v.w.WriteHeader(status)
	_, _ = page.WriteTo(v.w) // fails only when the client has disconnected
	return nil
}

// header sets the headers of all pages.
func (a *App) header(v *visit) {
	h := v.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", v.Lang)
	h.Add("Vary", "Accept-Language")
}

// saidAtField is shown above a form that was refused.
const saidAtField locale.Key = "Nothing was changed. Correct the marked field and try again."
