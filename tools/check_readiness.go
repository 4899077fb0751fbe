package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"service/store"
	"service/store/channel"
	"service/store/dashboard"
	"service/store/message"
)

var checkReadiness = tool[checkReadinessArgs]{
	name:  "check_readiness",
	title: "Check readiness",
	description: `Reports whether this connection can publish: its workspace, the user's role, the plan, the usable connections, ` +
		`limits and the calls left, keys of panels by type, and checks with a fix for each that does not pass.`,
	hints:   hints{readOnly: true, idempotent: true},
	meta:    alwaysLoad,
	output:  readiness{},
	scope:   readinessScope,
	viewers: true,
	run:     runCheckReadiness,
}

type checkReadinessArgs struct{}

type readiness struct {
	answer
	Ready         bool              `json:"ready"`
	Workspace     string            `json:"workspace"`
	WorkspaceName string            `json:"workspace_name"`
	Role          string            `json:"role"`
	Plan          string            `json:"plan"`
	Checks        []check           `json:"checks"`
	Connections   []readyConnection `json:"connections"`
	Channels      []readyChannel    `json:"channels"` // that alerts and deliveries can name, and "me"
	Limits        map[string]int    `json:"limits"`
	PanelKeys     map[string]string `json:"panel_keys,omitempty"` // of a spec, by type; not for viewers, who publish none
	NextStep      string            `json:"next_step"`
}

// A check is the result of one check. Fix is empty if it passed.
type check struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// text returns the message and the fix as sentences. A message that an error of SQL ends has no full stop.
func (k check) text() string {
	message := k.Message
	if !strings.HasSuffix(message, ".") {
		message += "."
	}
	return message + " " + k.Fix
}

// The statuses of a check.
const (
	checkOK   = "ok"
	checkWarn = "warning" // works, with a limitation
	checkFail = "failed"
)

type readyConnection struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Kind   string `json:"kind"`
	Status string `json:"status"`
	Usable bool   `json:"usable"`
}

// A readyChannel is a name that alerts and deliveries accept in to.
type readyChannel struct {
	Slug string `json:"slug"`
	Kind string `json:"kind"`
	You  bool   `json:"you"` // the user gets its messages
}

// channels lists "me" and the channels of the workspace.
func (c call) channels(ctx context.Context) ([]readyChannel, error) {
	out := []readyChannel{{dashboard.Me, channel.Mail, true}}
	all, err := c.Store.Messages.Channels(ctx, c.Member)
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		you := one.Kind == channel.Mail && slices.Contains(one.Members, c.Account())
		out = append(out, readyChannel{one.Slug, one.Kind, you})
	}
	return out, nil
}

// viewerReadiness is the answer for a viewer, who publishes nothing and sees no data sources.
func (c call) viewerReadiness(ctx context.Context, left []int) (*reply, error) {
	owners, err := c.Store.Members.Owners(ctx, c.Member)
	if err != nil {
		return nil, err
	}
	out := readiness{
		answer: answer{URL: c.url("")}, Workspace: c.Workspace(), WorkspaceName: c.WorkspaceName(), Role: c.Role(), Plan: c.Plan(),
		Connections: []readyConnection{}, Channels: []readyChannel{}, Limits: c.limits(left),
		Checks: []check{
			c.authorizationCheck(),
			{
				"membership", checkFail, fmt.Sprintf("The user is a member with the role %s, which reads and does not publish.", c.Role()),
				message.AskForEditor(owners),
			},
		},
	}
	out.NextStep = out.Checks[1].Fix + " Until then list_dashboards, get_dashboard, list_dashboard_versions and get_refresh_status work."
	return replyWith(&out, `Not ready to publish in workspace "%s" (%s). %s`, c.Workspace(), out.URL, out.NextStep).structure(), nil
}

func runCheckReadiness(ctx context.Context, c call, _ checkReadinessArgs) (*reply, error) {
	stands, err := c.Store.Dashboards.Standing(ctx, c.Member, store.RatePublish, store.RateValidate, store.RateTrigger,
		c.Store.Rates.RefreshBudget())
	if err != nil {
		return nil, err
	}
	if !c.Edits() {
		return c.viewerReadiness(ctx, stands.Left)
	}
	all := stands.Connections
	out := readiness{
		answer: answer{URL: c.url("")}, Workspace: c.Workspace(), WorkspaceName: c.WorkspaceName(), Role: c.Role(), Plan: c.Plan(),
		Connections: []readyConnection{{self, selfConnection.Label, self, store.StatusActive, true}},
		Limits:      c.limits(stands.Left),
		PanelKeys:   dashboard.PanelKeys(),
	}
	warehouses, usable := 0, 0
	for _, found := range all {
		if found.Kind != store.KindUpload {
			warehouses++
		}
		if found.Status == store.StatusActive {
			usable++
		}
		out.Connections = append(out.Connections, readyConnection{
			found.ID.String(), found.Label, found.Kind, found.Status, found.Status == store.StatusActive,
		})
	}
	channels, err := c.channels(ctx)
	if err != nil {
		return nil, err
	}
	space := room / 4
	out.Channels, _ = fit(channels, &space)
	space = room / 2
	out.Connections, _ = fit(out.Connections, &space)
	out.Checks = append(c.readinessChecks(out.Limits, len(all), warehouses, usable), storageCheck(stands.Storage), mailCheck(c.Mail))
	if !c.Seals {
		out.Checks = append(out.Checks, unsealed)
	}
	out.Ready, out.NextStep = true, nextStep(usable)
	for _, k := range out.Checks {
		if k.Status == checkFail {
			out.Ready, out.NextStep = false, k.Fix
		}
	}
	if !out.Ready {
		return replyWith(&out, `Not ready to publish in workspace "%s" (%s). %s`, c.Workspace(), out.URL, out.NextStep).structure(), nil
	}
	return replyWith(&out, `Ready to publish in workspace "%s" (%s) with "self" and %s. %s`,
		c.Workspace(), out.URL, count(usable, "usable connection"), out.NextStep).structure(), nil
}

func nextStep(usable int) string {
	if usable == 0 {
		return `introspect_schema shows the tables of "self"; validate_cube_sql then tries SQL, and publish_dashboard publishes a spec.`
	}
	return `list_connections and introspect_schema show the data; validate_cube_sql then tries SQL, and publish_dashboard publishes a spec.`
}

// limits returns the specification's limits, with the calls that are left for publishing, validating,
// triggering, and the workspace's refreshes.
func (c call) limits(left []int) map[string]int {
	return map[string]int{
		"spec_bytes": message.MaxBytes, "body_bytes": message.MaxBytes, "upload_bytes": message.MaxBytes, "slug_characters": 64,
		"datasets": dashboard.MaxDatasets, "panels": dashboard.MaxPanels, "rows_per_dataset": dashboard.MaxRows,
		"unnamed_versions": store.MaxAutomatic, "named_versions": store.MaxNamed,
		"publish_per_minute": store.RatePublish.Ceiling, "publish_left": left[0],
		"validate_per_minute": store.RateValidate.Ceiling, "validate_left": left[1],
		"trigger_per_minute": store.RateTrigger.Ceiling, "trigger_left": left[2],
		"workspace_refreshes_per_minute": c.Store.Rates.RefreshBudget().Ceiling, "workspace_refreshes_left": left[3],
	}
}

// storageCheck reports how much of its quota the workspace has used.
func storageCheck(s store.Storage) check {
	out := check{"storage", checkOK, fmt.Sprintf("The workspace stores %d MiB.", s.Used>>20), ""}
	if s.Quota == 0 {
		return out
	}
	out.Message = fmt.Sprintf("The workspace stores %d MiB of the %d MiB that its plan allows.", s.Used>>20, s.Quota>>20)
	if s.Scarce() {
		out.Status, out.Fix = checkWarn, "Delete dashboards, versions or files that nobody needs; their storage counts for another hour or two."
	}
	if s.Full(1) {
		out.Status = checkFail
	}
	return out
}

// mailCheck reports whether alerts and deliveries can be sent by mail. Everything else works
// without mail.
func mailCheck(ready bool) check {
	if ready {
		return check{"mail", checkOK, "Alerts and deliveries can be sent by mail.", ""}
	}
	return check{
		"mail", checkWarn, "This installation is not set up to send mail. Other channels work without it.",
		"The operator of the installation sets SERVICE_SMTP_URL.",
	}
}

// unsealed is a check that only the operator can fix.
var unsealed = check{
	"sandbox", checkWarn, "The processes that read files and run SQL over them are not sealed in all ways, or do not start.",
	"The operator of the installation finds the missing layers in its log.",
}

func (c call) authorizationCheck() check {
	return check{"authorization", checkOK, fmt.Sprintf(`This connection is authorized for the workspace "%s".`, c.Workspace()), ""}
}

func (c call) readinessChecks(l map[string]int, all, warehouses, usable int) []check {
	checks := []check{
		c.authorizationCheck(),
		{"membership", checkOK, fmt.Sprintf("The user is a member with the role %s.", c.Role()), ""},
		{"self", checkOK, `The built-in metrics view "self" can be queried.`, ""},
	}
	plan := check{"plan", checkOK, "The plan allows warehouse connections.", ""}
	if c.Plan() != "paid" {
		plan = check{
			"plan", checkWarn, `The workspace is not on a paid plan, which warehouse connections need. "self" and uploaded files work without.`,
			"An owner changes the plan of the workspace.",
		}
	}
	sources := check{
		"connections", checkOK, fmt.Sprintf("%s, %d usable, %d of them to a warehouse.", count(all, "connection"), usable, warehouses), "",
	}
	switch {
	case all == 0:
		sources = check{
			"connections", checkWarn, `No connection has been added; only "self" has data.`,
			"Connect a warehouse or upload a file in the web application.",
		}
	case usable < all:
		sources = check{
			"connections", checkWarn, fmt.Sprintf("%d of %s cannot be used.", all-usable, count(all, "connection")),
			"list_connections shows why; testing a connection in the web application makes it active again.",
		}
	}
	publish := check{
		"publish_rate", checkOK, fmt.Sprintf("%d of %d publishes are left this minute.", l["publish_left"], l["publish_per_minute"]), "",
	}
	if l["publish_left"] == 0 {
		publish.Status, publish.Fix = checkWarn, "Publishing is possible again in about 60 seconds."
	}
	return append(checks, plan, sources, publish)
}
