package web

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard/locale"
	"service/store/message"
	"service/store/warehouse"
)

// connectionsPage lists the person's connections in a workspace.
type connectionsPage struct {
	Connections []connectionRow
	Pages       pages
	Kinds       []kindName // the kinds that can be added; empty if this installation may not connect to warehouses
	Paid        bool
}

type connectionRow struct {
	store.Connection
	KindName locale.Key
	Tone     string
}

// A kindName is a kind of warehouse with its name on screens.
type kindName struct {
	Kind string
	Name locale.Key
}

// connectionPage is one connection, or the form of a new one.
type connectionPage struct {
	connectionRow
	New        bool
	Paid       bool
	Base       string
	Form       form      // the fields in [connectionFields], so without the password
	Inputs     [][]input // for the kind, row by row
	Guide      kind
	StandIn    bool   // the kind was tested only against a stand-in
	Unreadable string // reason why the stored values are not shown
	Bindings   []store.Binding
	Usage      []usageRow // newest first
	KeySteps   string     // what gives the public half of a key pair to the vendor; empty without one
}

// A usageRow is the bytes that queries have read in a month.
type usageRow struct {
	Month, Read string
	Runs        int
}

// connectionFields are the form's fields, in order. They do not include the password,
// because no page shows it again.
var connectionFields = []string{"kind", "label", "host", "port", "database", "place", "user", "role", "limit", "month", "renew", "tls"}

// nameOfKind returns the name of a kind on screens.
func nameOfKind(kind string) locale.Key { return cmp.Or(kinds[kind].Name, locale.Key(kind)) }

// blank returns the empty form of a kind. more are alternating names and values.
func blank(kind string, more ...string) form {
	k := warehouse.Kinds[kind]
	pairs := []string{"kind", kind, "host", k.Host, "tls", warehouse.TLSVerify}
	if k.Port > 0 {
		pairs = append(pairs, "port", strconv.Itoa(k.Port))
	}
	if k.Metered {
		pairs = append(pairs, "limit", gigabytes(warehouse.Target{}.Most(kind)))
	}
	return filled(append(pairs, more...)...)
}

// gigabytes returns a limit of bytes as the form shows it. No limit is empty.
func gigabytes(bytes int64) string {
	if bytes == 0 || bytes == math.MaxInt64 {
		return ""
	}
	return strconv.FormatFloat(float64(bytes)/1e9, 'f', -1, 64)
}

// bytesOf returns the bytes of a typed limit in gigabytes: 0 for an empty one, and -1, which the store refuses, if it is not a limit.
func bytesOf(typed string) int64 {
	if typed == "" {
		return 0
	}
	n, err := strconv.ParseFloat(typed, 64)
	if err != nil || !(n > 0 && n <= 1e6) {
		return -1
	}
	return int64(n * 1e9)
}

func connectionRowOf(c store.Connection) connectionRow {
	tones := map[string]string{
		store.StatusActive: "good", store.StatusFailing: "bad", store.StatusUntested: "warn", store.StatusDisabled: "plain",
	}
	return connectionRow{c, nameOfKind(c.Kind), tones[c.Status]}
}

func (a *App) connections(v *visit) error {
	all, err := a.Store.Connections.Connections(v.r.Context(), *v.in)
	if err != nil {
		return err
	}
	page := connectionsPage{Paid: v.in.Plan() == "paid"}
	all, page.Pages = cut(v, a.readerOf(v), connectionsURL(v), all, func(c store.Connection) string { return c.ID.String() })
	for _, c := range all {
		page.Connections = append(page.Connections, connectionRowOf(c))
	}
	for _, kind := range a.Store.Connections.Kinds() {
		page.Kinds = append(page.Kinds, kindName{kind, nameOfKind(kind)})
	}
	return a.render(v, http.StatusOK, screen{name: "connections", title: v.Text(tabConnections), tab: tabConnections, data: page})
}

func (a *App) newConnection(v *visit) error {
	kind := v.r.URL.Query().Get("kind")
	if !slices.Contains(a.Store.Connections.Kinds(), kind) {
		return store.ErrNotFound
	}
	return a.showNewConnection(v, blank(kind), "")
}

func (a *App) showNewConnection(v *visit, f form, problem string) error {
	page := connectionPage{
		New: true, Paid: v.in.Plan() == "paid", Base: connectionsURL(v), Form: f, Inputs: inputsOf(f.Typed("kind")),
		Guide: kinds[f.Typed("kind")], StandIn: warehouse.Kinds[f.Typed("kind")].StandIn,
		connectionRow: connectionRow{KindName: nameOfKind(f.Typed("kind"))},
	}
	return a.renderForm(v, f, screen{
		name: "connection", title: v.Text("New %s connection", v.Text(page.KindName)), tab: tabConnections,
		narrow: true, err: problem, data: page,
	})
}

// typedConnection reads the form. Only the target has the password.
func typedConnection(v *visit) (form, warehouse.Target) {
	f := typedIn(v, connectionFields...)
	port, err := strconv.Atoi(f.Typed("port"))
	if err != nil {
		port = 0 // the store refuses it as an invalid port
	}
	t := warehouse.Target{
		Host: f.Typed("host"), Port: port, Database: f.Typed("database"), Place: f.Typed("place"), User: f.Typed("user"), Role: f.Typed("role"),
		Password: v.r.PostForm.Get("password"), TLS: f.Typed("tls"),
	}
	t.MaxBytes, t.MaxMonth = bytesOf(f.Typed("limit")), bytesOf(f.Typed("month"))
	return f, t
}

// refuseConnection marks the field that the store's refusal names first. It also marks
// required fields that are empty, so that all problems are shown at once. It returns the
// text of a refusal that is not about a field.
func refuseConnection(f *form, refusal *message.Refusal) (problem string) {
	text := refusal.Error()
	const empty = "must not be empty"
	first, rest, _ := strings.Cut(text, " ")
	if first == "password" { // checked last, so the other fields are right
		f.refuse(first, text)
		return ""
	}
	if !slices.Contains(connectionFields[1:], first) {
		return text
	}
	for _, name := range connectionFields[1:] {
		kind := f.Typed("kind")
		switch {
		case name == first && rest != empty:
			f.refuse(name, text)
		case name == first, f.Typed(name) == "" && required(kind, name):
			f.refuse(name, named(kind, name)+" "+empty)
		}
	}
	return ""
}

// refuseTest marks the field that a failed test is about. The warehouse's error has the words of its connector.
func refuseTest(f *form, bad *warehouse.Error) {
	switch {
	case bad.Class == warehouse.Auth:
		f.refuse("password", bad.Message)
	case bad.Message == warehouse.SayCert || bad.Message == warehouse.SayInClear || bad.Message == warehouse.SayNoTLS:
		f.refuse("tls", bad.Message)
	case bad.Message == warehouse.SayNoIssuer || bad.Message == warehouse.SayScope:
		f.refuse("place", bad.Message)
	case bad.Message == warehouse.SayNoDatabase:
		f.refuse("database", bad.Message)
	default:
		f.refuse("host", bad.Message)
	}
}

// testFailed is shown above the form of a connection whose test failed. Nothing is stored in that case.
const testFailed locale.Key = "The test failed, so nothing was saved. Correct the marked field and try again."

func (a *App) addConnection(v *visit) error {
	f, t := typedConnection(v)
	ctx, kind, label := v.r.Context(), f.Typed("kind"), f.Typed("label")
	makes := t.NeedsKey(kind) // it can be tested once its user has the public half
	var err error
	if !makes {
		_, err = a.Store.Connections.TryWarehouse(ctx, *v.in, uuid.Nil, kind, label, t)
	}
	if bad, ok := errors.AsType[*warehouse.Error](err); ok {
		refuseTest(&f, bad)
		return a.showNewConnection(v, f, v.Text(testFailed))
	}
	var c store.Connection
	if err == nil {
		c, err = a.Store.Connections.AddWarehouse(ctx, *v.in, kind, label, t)
	}
	if refusal, ok := message.As(err); ok {
		problem := refuseConnection(&f, refusal)
		return a.showNewConnection(v, f, problem)
	}
	if err != nil {
		return err
	}
	if makes {
		return a.redirect(v, connectionsURL(v)+"/"+c.ID.String(), v.Text(keyMade))
	}
	return a.test(v, c.ID)
}

// keyMade is shown once a key pair was made.
const keyMade locale.Key = "A key pair was made here. Run what is shown below, then test the connection."

// test tests the connection, and redirects to its page with the outcome.
func (a *App) test(v *visit, id uuid.UUID) error {
	c, err := a.Store.Connections.TestConnection(v.r.Context(), *v.in, id)
	said := ""                              // the connection's page shows the reason
	if refusal, ok := message.As(err); ok { // the connection is stored and can be tested again
		said = refusal.Error()
	} else if err != nil {
		return err
	} else if c.Status == store.StatusActive {
		said = v.Text("The test succeeded: the connection is active.")
	}
	return a.redirect(v, connectionsURL(v)+"/"+id.String(), said)
}

// idIn returns the id in the address, or [store.ErrNotFound].
func idIn(v *visit, name string) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(v.r, name))
	if err != nil {
		return uuid.Nil, store.ErrNotFound
	}
	return id, nil
}

func (a *App) connection(v *visit) error {
	return a.showConnection(v, nil, "")
}

// showConnection shows a connection and its form, with the stored values or, after a
// refusal, the typed ones.
func (a *App) showConnection(v *visit, typed *form, problem string) error {
	ctx := v.r.Context()
	id, err := idIn(v, "connection")
	if err != nil {
		return err
	}
	c, err := a.Store.Connections.Connection(ctx, *v.in, id)
	if err != nil {
		return err
	}
	page := connectionPage{
		connectionRow: connectionRowOf(c), Paid: v.in.Plan() == "paid", Base: connectionsURL(v) + "/" + id.String(), Inputs: inputsOf(c.Kind),
		Guide: kinds[c.Kind], StandIn: warehouse.Kinds[c.Kind].StandIn,
	}
	if page.Bindings, err = a.Store.Connections.Bindings(ctx, *v.in, id); err != nil {
		return err
	}
	used, err := a.Store.Usage(ctx, *v.in, id)
	if err != nil {
		return err
	}
	for _, u := range used {
		page.Usage = append(page.Usage, usageRow{fmt.Sprintf("%d-%02d", u.Month.Year(), u.Month.Month()), warehouse.Size(u.Bytes), int(u.Runs)})
	}
	page.KeySteps, err = a.Store.Connections.KeySteps(ctx, *v.in, id)
	if err != nil && !errors.Is(err, store.ErrUnreadable) && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	switch {
	case typed != nil:
		page.Form = *typed
	case c.Kind != store.KindUpload:
		t, err := a.Store.Connections.WarehouseTarget(ctx, *v.in, id)
		switch {
		case errors.Is(err, store.ErrUnreadable): // the page must still open, so that the connection can be deleted
			page.Unreadable = store.ErrUnreadable.Message
			page.Form = blank(c.Kind, "label", c.Label)
		case err != nil:
			return err
		default:
			page.Form = filled("kind", c.Kind, "label", c.Label, "host", t.Host, "port", strconv.Itoa(t.Port),
				"database", t.Database, "place", t.Place, "user", t.User, "role", t.Role,
				"limit", gigabytes(t.Most(c.Kind)), "month", gigabytes(t.MaxMonth), "tls", t.TLS)
		}
	}
	return a.renderForm(v, page.Form, screen{name: "connection", title: c.Label, tab: tabConnections, narrow: true, err: problem, data: page})
}

func (a *App) updateConnection(v *visit) error {
	id, err := idIn(v, "connection")
	if err != nil {
		return err
	}
	f, t := typedConnection(v)
	ctx, label := v.r.Context(), f.Typed("label")
	renewed := f.Typed("renew") != "" && t.Password == ""
	if renewed {
		if t.Password, err = warehouse.NewKey(); err != nil {
			return err
		}
	}
	var c store.Connection
	if renewed { // it can be tested once its user has the public half
		c, err = a.Store.Connections.Connection(ctx, *v.in, id)
	} else {
		c, err = a.Store.Connections.TryWarehouse(ctx, *v.in, id, "", label, t)
	}
	if bad, ok := errors.AsType[*warehouse.Error](err); ok {
		f.typed["kind"] = c.Kind
		refuseTest(&f, bad)
		return a.showConnection(v, &f, v.Text(testFailed))
	}
	if err == nil {
		c, err = a.Store.Connections.UpdateWarehouse(ctx, *v.in, id, label, t)
	}
	if refusal, ok := message.As(err); ok {
		f.typed["kind"] = c.Kind
		problem := refuseConnection(&f, refusal)
		return a.showConnection(v, &f, problem)
	}
	if err != nil {
		return err
	}
	if renewed {
		return a.redirect(v, connectionsURL(v)+"/"+id.String(), v.Text(keyMade))
	}
	if c.Status == store.StatusUntested {
		return a.test(v, id)
	}
	return a.redirect(v, connectionsURL(v)+"/"+id.String(), v.Text("The connection is saved."))
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
	if err := a.Store.Connections.DisableConnection(v.r.Context(), *v.in, id); err != nil {
		return err
	}
	return a.redirect(v, connectionsURL(v)+"/"+id.String(), v.Text("The connection is switched off. To switch it on again, test it."))
}

func (a *App) deleteConnection(v *visit) error {
	id, err := idIn(v, "connection")
	if err != nil {
		return err
	}
	if err := a.Store.Connections.DeleteConnection(v.r.Context(), *v.in, id); err != nil {
		return err
	}
	return a.redirect(v, connectionsURL(v), v.Text("The connection is deleted."))
}

func connectionsURL(v *visit) string { return "/w/" + v.in.Workspace() + "/connections" }
