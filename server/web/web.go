package web

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"

	"service/auth"
	"service/store"
	"service/store/dashboard/locale"
	"service/store/view"
)

// Config is the configuration of the web app. Log and Now are optional.
type Config struct {
	Store *store.Store
	Views *view.Renderer // draws thumbnails
	Auth  *auth.Server

	AppURL string                                   // origin of the app, no trailing slash
	MCPURL string                                   // address for AI clients, ending in /mcp
	URL    func(workspace, dashboard string) string // canonical address of a dashboard

	// Acquire waits for a slot for an account's request. AcquireSlow is the same for requests that wait for other systems: warehouses,
	// receivers of messages, query workers, or the rest of an uploaded file. AcquireDraw is for pictures. All are optional.
	Acquire, AcquireSlow, AcquireDraw acquire
	// AcquireBody reserves memory for the body of a request until release. It does not wait. Reading the body fails with
	// [store.ErrOverloaded] if it arrives too slowly while others need the memory. Optional.
	AcquireBody func(w http.ResponseWriter, r *http.Request, account uuid.UUID) (release func(), err error)

	// Kept is called with the size of an answer in memory, in bytes, and with the context of its request. Optional.
	Kept func(ctx context.Context, bytes int)

	// TestChannel sends a test. An empty reason means that it arrived.
	TestChannel func(ctx context.Context, m store.Member, slug string) (reason string, err error)

	Mail   bool // this installation can send mail
	Groups bool // groups of the identity provider can make members

	// Invite sends a mail to a person who was added to a workspace, with a link to it or, if once is true, an invitation's link. An empty
	// reason means that the mail was accepted. Invite is nil if no mail can be sent.
	Invite func(ctx context.Context, l *locale.Locale, in store.Invitation, link string, once bool) (reason string, err error)

	Log *slog.Logger
	Now func() time.Time
}

// acquire waits for a slot for an account; release returns the slot.
type acquire = func(ctx context.Context, account uuid.UUID) (release func(), err error)

// App is the web app. It serves one host, app.<dashboard domain>.
type App struct {
	Config
	assets  map[string]asset
	parsed  sync.Map // screenKey: *template.Template
	handler http.Handler
}

// New returns the web app.
func New(c Config) *App {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	unlimited := func(context.Context, uuid.UUID) (func(), error) { return func() {}, nil }
	if c.Acquire == nil {
		c.Acquire = unlimited
	}
	if c.AcquireSlow == nil {
		c.AcquireSlow = unlimited
	}
	if c.AcquireDraw == nil {
		c.AcquireDraw = unlimited
	}
	if c.Kept == nil {
		c.Kept = func(context.Context, int) {}
	}
	if c.AcquireBody == nil {
		c.AcquireBody = func(http.ResponseWriter, *http.Request, uuid.UUID) (func(), error) { return func() {}, nil }
	}
	a := &App{Config: c, assets: newAssets()}

	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(a.anyone(a.crossOrigin))
	guard.AddInsecureBypassPattern("POST /revoke") // for clients, also in browsers; it reads no cookies
	packed := middleware.Compress(5, "text/html", "text/css", "text/javascript", "text/csv", "image/svg+xml")
	a.handler = packed(a.recovered(guard.Handler(a.routes())))
	return a
}

func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", csp("'self'"))
	w.Header().Set("Cache-Control", "no-store")
	limit := int64(maxForm)
	if strings.HasPrefix(r.URL.Path, "/w/") && strings.Contains(r.URL.Path, "/uploads") {
		limit = maxUploadBody
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	a.handler.ServeHTTP(w, r)
}

// maxForm is the largest body of a form, in bytes.
const maxForm = 64 << 10

// csp is the Content-Security-Policy of every page. Chromium also applies formAction
// to redirects after a form was sent.
func csp(formAction string) string {
	return "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
		"form-action " + formAction + "; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types answers"
}

// Routes returns every address of the app as a method and a pattern, such as "GET /w/{workspace}/audit".
func (a *App) Routes() []string {
	var all []string
	_ = chi.Walk(a.routes(), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error { // never fails
		all = append(all, method+" "+strings.ReplaceAll(route, "/*/", "/"))
		return nil
	})
	return all
}

// routes lists every route of the app. anyone, person, member and editor define who may use a route; slow is the queue for requests that
// wait for other systems, and drawn is the queue for pictures.
func (a *App) routes() chi.Router {
	r := chi.NewRouter()
	r.NotFound(a.anyone(a.notFound))
	r.MethodNotAllowed(func(w http.ResponseWriter, q *http.Request) { a.wrongMethod(r, w, q) })
	r.Use(middleware.GetHead)

	r.Get("/assets/{name}", a.asset)
	r.Get("/favicon.ico", a.favicon)
	r.Get("/robots.txt", robots)

	r.Get("/sign-in", a.Auth.SignIn)
	r.Get("/sign-in/callback", a.Auth.SignInCallback)
	r.Post("/sign-out", a.Auth.SignOut)
	r.Post("/revoke", a.Auth.Revoke)
	r.Options("/revoke", a.Auth.Revoke)
	r.Get("/visit", a.visit)
	r.Get("/consent", a.consenting(a.consent))
	r.Post("/consent", a.consenting(a.decide))

	r.Get("/", a.anyone(a.home))
	r.Post("/theme", a.anyone(a.setTheme))
	r.Get("/connect", a.person(a.connect))
	r.Get("/workspaces/new", a.person(a.newWorkspace))
	r.Post("/workspaces", a.person(a.createWorkspace))

	r.Get("/unsubscribe", a.anyone(a.unsubscribing))
	r.Post("/unsubscribe", a.anyone(a.unsubscribe))
	r.Get("/channels/leave", a.anyone(a.leaveChannel))
	r.Post("/channels/leave", a.anyone(a.leaveChannelNow))
	r.Get("/invitations", a.anyone(a.invitation))
	r.Post("/invitations", a.person(a.acceptInvitation))
	r.Get("/connect/calls", a.person(a.calls))
	r.Get("/clients", a.person(a.clients))
	r.Post("/clients/revoke", a.person(a.revoke))
	r.Get("/account", a.person(a.account))
	r.Get("/account/delete", a.person(a.confirmDeleteAccount))
	r.Post("/account/delete", a.person(a.deleteAccount))
	r.Post("/account/timezone", a.person(a.setTimezone))
	r.Post("/account/shortcuts", a.person(a.setShortcuts))
	r.Post("/account/sessions/end", a.person(a.endSession))
	r.Post("/account/sessions/end-all", a.person(a.endSessions))

	r.Get("/w/{workspace}", a.member(a.toWorkspace))
	r.Route("/w/{workspace}/", func(r chi.Router) {
		slow, drawn := r.With(queue(a.AcquireSlow)), r.With(queue(a.AcquireDraw))
		r.Get("/", a.member(a.dashboards))
		r.Get("/connect", a.member(a.connect))
		r.Get("/clients", a.member(a.clients))
		r.Post("/clients/revoke", a.member(a.revoke))
		r.Get("/members", a.member(a.members))
		slow.Post("/members", a.editor(a.addMember))
		r.Post("/members/link", a.editor(a.linkInvitation))
		r.Post("/members/role", a.editor(a.setRole))
		r.Post("/members/attribute", a.editor(a.setAttribute))
		r.Post("/members/remove", a.member(a.removeMember))
		slow.Post("/members/group", a.editor(a.mapGroup))
		slow.Post("/members/group/remove", a.editor(a.unmapGroup))
		r.Post("/members/withdraw", a.editor(a.withdrawInvitation))
		r.Get("/alerts", a.member(a.alerts))
		r.Post("/alerts/mute", a.editor(a.muteAlert))
		r.Get("/audit", a.editor(a.audit))
		slow.Get("/audit.csv", a.editor(a.auditCSV))
		r.Get("/settings", a.member(a.settings))
		r.Post("/settings/name", a.editor(a.renameWorkspace))
		r.Post("/settings/delete", a.editor(a.deleteWorkspace))

		r.Get("/connections", a.editor(a.connections))
		slow.Post("/connections", a.editor(a.addConnection))
		r.Get("/connections/new", a.editor(a.newConnection))
		r.Get("/connections/{connection}", a.editor(a.connection))
		slow.Post("/connections/{connection}", a.editor(a.updateConnection))
		slow.Post("/connections/{connection}/test", a.editor(a.testConnection))
		r.Post("/connections/{connection}/disable", a.editor(a.disableConnection))
		r.Post("/connections/{connection}/delete", a.editor(a.deleteConnection))
		r.Get("/uploads", a.editor(a.uploads))
		slow.Post("/uploads", a.editor(a.upload))
		r.Get("/uploads/{upload}", a.editor(a.uploaded))
		slow.Post("/uploads/{upload}", a.editor(a.upload))
		slow.Post("/uploads/{upload}/dates", a.editor(a.setDates))
		r.Post("/uploads/{upload}/delete", a.editor(a.deleteUpload))
		slow.Get("/uploads/{upload}/files/{file}", a.editor(a.uploadFile))
		slow.Post("/uploads/{upload}/files/{file}", a.editor(a.useFile))
		r.Post("/uploads/{upload}/files/{file}/drop", a.editor(a.dropFile))

		r.Get("/channels", a.editor(a.channels))
		r.Post("/channels", a.editor(a.addChannel))
		r.Get("/channels/new", a.editor(a.newChannel))
		r.Get("/channels/{channel}", a.editor(a.channel))
		r.Post("/channels/{channel}", a.editor(a.updateChannel))
		slow.Post("/channels/{channel}/test", a.editor(a.testChannel))
		r.Post("/channels/{channel}/mute", a.editor(a.muteChannel))
		r.Post("/channels/{channel}/delete", a.editor(a.deleteChannel))

		r.Get("/bin", a.editor(a.bin))
		r.Post("/bin/{binned}/restore", a.editor(a.reviveDashboard))
		r.Get("/bin/{binned}/erase", a.editor(a.confirmErase))
		r.Post("/bin/{binned}/erase", a.editor(a.eraseDashboard))

		r.Get("/d/{dashboard}", a.member(a.dashboard))
		drawn.Get("/d/{dashboard}/thumbnail.png", a.member(a.thumbnail))
		r.Post("/d/{dashboard}/star", a.member(a.star))
		r.Get("/d/{dashboard}/copy", a.editor(a.askCopy))
		r.Post("/d/{dashboard}/copy", a.editor(a.makeCopy))
		r.Get("/d/{dashboard}/delete", a.editor(a.confirmDelete))
		r.Post("/d/{dashboard}/delete", a.editor(a.deleteDashboard))
		r.Post("/d/{dashboard}/details", a.editor(a.setDetails))
		r.Post("/d/{dashboard}/refresh", a.editor(a.change("refresh", a.refreshNow)))
		r.Post("/d/{dashboard}/schedule", a.editor(a.setSchedule))
		r.Get("/d/{dashboard}/send", a.member(a.send))
		r.Post("/d/{dashboard}/send", a.member(a.subscribe))
		r.Get("/d/{dashboard}/send/{subscription}", a.member(a.changeSend))
		r.Post("/d/{dashboard}/send/{subscription}", a.member(a.changeSubscription))
		r.Post("/d/{dashboard}/send/{subscription}/end", a.member(a.endSubscription))
		r.Post("/d/{dashboard}/send/{subscription}/allow", a.member(a.allowSubscription))
		r.Get("/d/{dashboard}/versions/{version}/compare", a.editor(a.compareVersions))
		r.Post("/d/{dashboard}/versions/{version}/restore", a.editor(a.change("versions", a.restoreVersion)))
		r.Post("/d/{dashboard}/versions/{version}/name", a.editor(a.nameVersion))
	})
	return r
}
