package tools

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/store"
	"service/store/view"
)

// Config is the configuration of the tools.
type Config struct {
	Store *store.Store
	Views *view.Renderer
	Log   *slog.Logger                        // for calls, and for errors that do not fail a call; slog.Default by default
	Now   func() time.Time                    // time.Now by default
	URL   func(workspace, slug string) string // canonical URL of a dashboard; if slug is empty, of the workspace's site
	Mail  bool                                // this installation can send mail
	Seals bool                                // its query workers have all layers of the sandbox

	// Called is called at the end of each call. outcome is ok, refused, throttled,
	// over_budget or error. Optional.
	Called func(ctx context.Context, tool, outcome string, took time.Duration)

	// Delay waits before the refusal of a call that is over its rate. Optional.
	Delay func(context.Context)
}

// all lists the tools, in the order of their use in a dashboard's life.
func all() []registrable {
	return []registrable{
		checkReadiness,
		listDashboards,
		getDashboard,
		publishDashboard,
		updateDashboard,
		deleteDashboard,

		listDashboardVersions,
		restoreDashboardVersion,
		updateDashboardVersion,

		getDashboardSpec,
		deriveDashboardSpec,
		getSourceConfig,
		verifyDashboard,

		setRefreshSchedule,
		getRefreshStatus,
		triggerRefresh,

		listConnections,
		introspectSchema,
		validateCubeSQL,
		exploreData,
	}
}

// Register adds every tool to srv. It panics on a tool whose schema cannot be made, which is
// a mistake in this package.
func Register(srv *mcp.Server, c Config) {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Called == nil {
		c.Called = func(context.Context, string, string, time.Duration) {}
	}
	if c.Delay == nil {
		c.Delay = func(context.Context) {}
	}
	for _, t := range all() {
		srv.AddTool(t.definition(), t.handler(c))
	}
}

// OpenWorld returns the names of the tools that wait for external sources.
func OpenWorld() []string {
	var names []string
	for _, t := range Definitions() {
		if *t.Annotations.OpenWorldHint {
			names = append(names, t.Name)
		}
	}
	return names
}

// Definitions returns the definitions of all tools, in the order of the documentation.
func Definitions() []*mcp.Tool {
	var list []*mcp.Tool
	for _, t := range all() {
		list = append(list, t.definition())
	}
	return list
}
