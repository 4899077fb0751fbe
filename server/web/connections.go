package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"service/store"
	"service/store/message"
	"service/store/warehouse"
)

// connectionsPage lists the person's connections in a workspace.
type connectionsPage struct {
	Connections []connectionRow
	Pages       pages
	Kinds       []kindName // that can be added; none: this installation reaches no warehouse
	Paid        bool
}

type connectionRow struct {
	store.Connection
	KindName, Tone string
}

// A kindName is a kind of warehouse and what people call it.
type kindName struct{ Kind, Name string }

// connectionPage is one connection, or the form of a new one.
type connectionPage struct {
	connectionRow
	New      bool
	Paid     bool
	Base     string
	Form     connectionForm
	Bindings []store.Binding
}

// connectionForm is a warehouse's address as it was typed, without the password,
// and what was wrong at each field, by its name.
type connectionForm struct {
	Kind, Label, Host, Port, Database, User, TLS string
	Problems                                     map[string]string
}

func nameOfKind(kind string) string {
	switch kind {
	case "postgres":
		return "PostgreSQL"
	case "mysql":
		return "MySQL or MariaDB"
	case "clickhouse":
		return "ClickHouse"
	case store.KindUpload:
		return "Uploaded files"
	}
	return kind
}

// portOfKind is the port that a kind of warehouse listens on, over TLS.
func portOfKind(kind string) string {
	switch kind {
	case "postgres":
		return "5432"
	case "mysql":
		return "3306"
	case "clickhouse":
		return "9440"
	}
	return ""
}

func connectionRowOf(c store.Connection) connectionRow {
	tones := map[string]string{
		store.StatusActive: "good", store.StatusFailing: "bad", store.StatusUntested: "warn", store.StatusDisabled: "plain",
	}
	return connectionRow{c, nameOfKind(c.Kind), tones[c.Status]}
}

func (a *App) connections(v *visit) error {
	all, err := a.Store.Connections(v.r.Context(), *v.in)
	if err != nil {
		return err
	}
	page := connectionsPage{Paid: v.in.Plan() == "paid"}
	all, page.Pages = cut(v, connectionsURL(v), all, func(c store.Connection) string { return c.ID.String() })
	for _, c := range all {
		page.Connections = append(page.Connections, connectionRowOf(c))
	}
	for _, kind := range a.Store.Kinds() {
		page.Kinds = append(page.Kinds, kindName{kind, nameOfKind(kind)})
	}
	return a.render(v, http.StatusOK, screen{name: "connections", title: "Connections", tab: tabConnections, data: page})
}

func (a *App) newConnection(v *visit) error {
	kind := v.r.URL.Query().Get("kind")
	if !slices.Contains(a.Store.Kinds(), kind) {
		return store.ErrNotFound
	}
	return a.showNewConnection(v, http.StatusOK, connectionForm{Kind: kind, Port: portOfKind(kind), TLS: warehouse.TLSVerify})
}

func (a *App) showNewConnection(v *visit, status int, f connectionForm) error {
	page := connectionPage{
		New: true, Paid: v.in.Plan() == "paid", Base: connectionsURL(v), Form: f,
		connectionRow: connectionRow{KindName: nameOfKind(f.Kind)},
	}
	s := screen{name: "connection", title: "New " + page.KindName + " connection", tab: tabConnections, narrow: true, data: page}
	if status != http.StatusOK {
		s.err = "The connection was not added. See the fields below."
	}
	return a.render(v, status, s)
}

// typedConnection reads the form. The password is in the target alone, so that
// no page can show it again.
func typedConnection(v *visit) (connectionForm, warehouse.Target) {
	field := func(name string) string { return strings.TrimSpace(v.r.PostForm.Get(name)) }
	f := connectionForm{
		Kind: field("kind"), Label: field("label"), Host: field("host"), Port: field("port"), Database: field("database"), User: field("user"),
		TLS: field("tls"), Problems: map[string]string{},
	}
	port, err := strconv.Atoi(f.Port)
	if err != nil {
		port = 0 // refused below, with the other numbers that are no ports
	}
	t := warehouse.Target{Host: f.Host, Port: port, Database: f.Database, User: f.User, Password: v.r.PostForm.Get("password"), TLS: f.TLS}
	return f, t
}

// refuse puts a refusal of the store at the field that it names, or at the first
// one. Those of the other fields follow, so that all is said at once.
func (f *connectionForm) refuse(refusal *message.Refusal) {
	text := refusal.Error()
	field := "label"
	if first, _, ok := strings.Cut(text, " "); ok && slices.Contains([]string{"host", "port", "user", "tls"}, first) {
		field = first
	}
	f.Problems[field] = text
	for name, value := range map[string]string{"label": f.Label, "host": f.Host, "user": f.User} {
		if value == "" {
			f.Problems[name] = name + " must not be empty"
		}
	}
}

func (a *App) addConnection(v *visit) error {
	f, t := typedConnection(v)
	c, err := a.Store.AddWarehouse(v.r.Context(), *v.in, f.Kind, f.Label, t)
	if refusal, ok := message.As(err); ok {
		f.refuse(refusal)
		return a.showNewConnection(v, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	return a.test(v, c.ID)
}

// test asks the warehouse, and returns to the connection with what it said.
func (a *App) test(v *visit, id uuid.UUID) error {
	c, err := a.Store.TestConnection(v.r.Context(), *v.in, id)
	if err != nil {
		return err
	}
	said := "The test failed, so it cannot be used yet. The reason is below."
	if c.Status == store.StatusActive {
		said = "The test succeeded: the connection is active."
	}
	return a.redirect(v, connectionsURL(v)+"/"+id.String(), said)
}

// idIn is the id in the address, or [store.ErrNotFound].
func idIn(v *visit, name string) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(v.r, name))
	if err != nil {
		return uuid.Nil, store.ErrNotFound
	}
	return id, nil
}

func (a *App) connection(v *visit) error {
	return a.showConnection(v, http.StatusOK, nil)
}

// showConnection shows a connection with its form: as it is stored, or as typed.
func (a *App) showConnection(v *visit, status int, typed *connectionForm) error {
	ctx := v.r.Context()
	id, err := idIn(v, "connection")
	if err != nil {
		return err
	}
	c, err := a.Store.Connection(ctx, *v.in, id)
	if err != nil {
		return err
	}
	page := connectionPage{connectionRow: connectionRowOf(c), Paid: v.in.Plan() == "paid", Base: connectionsURL(v) + "/" + id.String()}
	if page.Bindings, err = a.Store.Bindings(ctx, *v.in, id); err != nil {
		return err
	}
	switch {
	case typed != nil:
		page.Form = *typed
	case c.Kind != store.KindUpload:
		t, err := a.Store.WarehouseTarget(ctx, *v.in, id)
		if err != nil {
			return err
		}
		page.Form = connectionForm{Kind: c.Kind, Label: c.Label, Host: t.Host, Port: strconv.Itoa(t.Port), Database: t.Database, User: t.User, TLS: t.TLS}
	}
	s := screen{name: "connection", title: c.Label, tab: tabConnections, narrow: true, data: page}
	if status != http.StatusOK {
		s.err = "Nothing was changed. See the fields below."
	}
	return a.render(v, status, s)
}

func (a *App) updateConnection(v *visit) error {
	id, err := idIn(v, "connection")
	if err != nil {
		return err
	}
	f, t := typedConnection(v)
	c, err := a.Store.UpdateWarehouse(v.r.Context(), *v.in, id, f.Label, t)
	if refusal, ok := message.As(err); ok {
		f.Kind = c.Kind
		f.refuse(refusal)
		return a.showConnection(v, http.StatusUnprocessableEntity, &f)
	}
	if err != nil {
		return err
	}
	if c.Status == store.StatusUntested {
		return a.test(v, id)
	}
	return a.redirect(v, connectionsURL(v)+"/"+id.String(), "The connection is saved.")
}

func (a *App) testConnection(v *visit) error {
	id, err := idIn(v, "connection")
	if err != nil {
		return err
	}
	return a.test(v, id)
}

func (a *App) disableConnection(v *visit) error {
	id, err := idIn(v, "connection")
	if err != nil {
		return err
	}
	if err := a.Store.DisableConnection(v.r.Context(), *v.in, id); err != nil {
		return err
	}
	return a.redirect(v, connectionsURL(v)+"/"+id.String(), "The connection is switched off. A test switches it on.")
}

func (a *App) deleteConnection(v *visit) error {
	id, err := idIn(v, "connection")
	if err != nil {
		return err
	}
	if err := a.Store.DeleteConnection(v.r.Context(), *v.in, id); err != nil {
		return err
	}
	return a.redirect(v, connectionsURL(v), "The connection is deleted.")
}

func connectionsURL(v *visit) string { return "/w/" + v.in.Workspace() + "/connections" }
