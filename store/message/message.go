package message

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Refusal is an error written for the caller. Its text is part of the
// interface: changing it is a breaking change.
type Refusal struct{ text string }

func (r *Refusal) Error() string { return r.text }

// Refuse returns a refusal whose text the specification leaves open. The text must contain neither driver texts nor secrets.
func Refuse(format string, args ...any) *Refusal {
	return &Refusal{fmt.Sprintf(format, args...)}
}

// As returns the refusal in err's chain, if there is one.
func As(err error) (*Refusal, bool) {
	return errors.AsType[*Refusal](err)
}

// MaxBytes is the cap of a published body, a spec and an uploaded file: 5 MiB
// (specification, "Limits").
const MaxBytes = 5242880

// Transport and protocol (specification, "Errors").

// TooManyRegistrations is the error_description of a throttled POST /register.
const TooManyRegistrations = "Too many client registrations from this address. Wait about 60 seconds and try again."

// DeclinedAuthorization is the error_description of a cancelled consent.
const DeclinedAuthorization = "The user declined the authorization request."

// Internal is the message of error -32000. The cause stays in the log under
// the request id.
func Internal(requestID string) string {
	return fmt.Sprintf("Internal error: the request could not be completed (request %s)", requestID)
}

// Unavailable is the message of error -32000 while the database is unreachable or overloaded: it suggests repeating the call.
func Unavailable(requestID string) string {
	return fmt.Sprintf("Internal error: the service has too much to do, or its database does not answer. "+
		"Try again in a moment (request %s)", requestID)
}

// StorageFull is the message of error -32000 while the storage is full.
func StorageFull(requestID string) string {
	return fmt.Sprintf("Internal error: the storage is full. "+
		"Nothing can be saved until the operator of the service makes room (request %s)", requestID)
}

// MethodNotFound is the message of error -32601.
func MethodNotFound(method string) string { return "Method not found: " + method }

// UnknownTool refuses a tools/call for a name outside the registry.
func UnknownTool(name string) *Refusal { return Refuse(`Unknown tool: %s`, name) }

// PayloadTooLarge refuses a body or file of n bytes, over [MaxBytes].
func PayloadTooLarge(n int) *Refusal {
	return Refuse("413 payload too large: %d bytes, over the %d-byte limit", n, MaxBytes)
}

// QuotaReached refuses content for a workspace that stores used bytes of its quota.
func QuotaReached(used, quota int) *Refusal {
	return Refuse("the workspace has no room for this: it stores %d MiB of the %d MiB that its plan allows. "+
		"Delete dashboards, versions or files; what they hold counts for an hour or two after", used>>20, quota>>20)
}

// Path and input validation messages.

// SlugCharset refuses a slug with a character outside [a-z0-9-].
func SlugCharset(slug string) *Refusal { return Refuse(`slug "%s" must match [a-z0-9-]`, slug) }

// SlugTooLong refuses a slug of n characters, over 64.
func SlugTooLong(n int) *Refusal { return Refuse(`slug exceeds 64-char limit (got %d)`, n) }

// SlugEmpty refuses the empty slug.
func SlugEmpty() *Refusal { return Refuse(`slug must not be empty`) }

// SlugReserved refuses a slug that the application itself would shadow.
func SlugReserved(slug string) *Refusal { return Refuse(`slug "%s" is reserved`, slug) }

// FilenameCharset refuses a filename with a character outside [a-z0-9._-].
func FilenameCharset(name string) *Refusal {
	return Refuse(`filename "%s" must match [a-z0-9._-]`, name)
}

// PathSegments refuses a path that is neither <slug> nor <slug>/<filename>.
func PathSegments(path string) *Refusal {
	return Refuse(`path "%s": must be <slug>/<filename> (exactly two segments)`, path)
}

// PathEmpty refuses the empty path.
func PathEmpty() *Refusal { return Refuse(`path must not be empty`) }

// VersionIDInvalid refuses a version_id that is not a UUID in the 36-character form.
func VersionIDInvalid() *Refusal { return Refuse(`version_id must be a valid uuid`) }

// SpecTooLarge refuses a spec of n bytes, over [MaxBytes].
func SpecTooLarge(n int) *Refusal {
	return Refuse("spec is %d bytes, over the %d-byte limit: narrow the datasets' SQL or split the dashboard", n, MaxBytes)
}

// Metadata rules.

// NameEmpty refuses an empty or blank name.
func NameEmpty() *Refusal { return Refuse(`name must be a non-empty string`) }

// ChartEmpty refuses an empty chart.
func ChartEmpty() *Refusal { return Refuse(`chart must be a non-empty string`) }

// TagsNotArray refuses tags that are not an array.
func TagsNotArray() *Refusal { return Refuse(`tags must be an array of strings`) }

// TagNotString refuses entry i of tags; typeof is JavaScript's name of its type.
func TagNotString(i int, typeof string) *Refusal {
	return Refuse(`tags[%d] must be a string (got %s)`, i, typeof)
}

// VisibilityRemoved refuses the retired visibility argument, in any form.
func VisibilityRemoved() *Refusal {
	return Refuse(`visibility is no longer accepted: public dashboards were removed, ` +
		`and every dashboard is open to the members of its workspace only. Omit the argument.`)
}

// Connection resolution.

// ConnectionNotString refuses a connection argument that is not a string.
func ConnectionNotString() *Refusal { return Refuse(`connection must be a string`) }

// ConnectionShape refuses a connection that is neither self nor a UUID.
func ConnectionShape(value string) *Refusal {
	return Refuse(`connection "%s" is not a valid connection; pass "self" or a connection id from list_connections. `+
		`The uploaded-file source also needs an "upload" id. Warehouses are connected in the web application.`, value)
}

// ConnectionUnverified reports that the look-up itself failed; reason is a safe sentence, never driver text.
func ConnectionUnverified(reason string) *Refusal {
	return Refuse(`Could not verify the connection: %s`, reason)
}

// ConnectionNotFound is the one sentence for an unknown connection, someone
// else's, one of another scope, and one that is not a warehouse.
func ConnectionNotFound(id string) *Refusal {
	return Refuse(`Connection "%s" was not found among your connections. Manage warehouses in the web application, `+
		`and use an active connection id or "self".`, id)
}

// ConnectionNotActive refuses a connection whose status is not active.
func ConnectionNotActive(labelOrID, status string) *Refusal {
	return Refuse(`Connection "%s" is not active (status: %s). Test it in the web application and retry once it is active.`, labelOrID, status)
}

// NoWarehouseConnections is the answer of list_connections for a live grant
// with no connection added (specification, "Authentication").
const NoWarehouseConnections = "You have no warehouse connections."

// Scope refusals.

// LockedToNone refuses a dashboard tool under a grant locked to no workspace.
func LockedToNone() *Refusal {
	return Refuse(`Dashboards outside a workspace are retired. This connection is authorized for the personal account, ` +
		`so nothing can be published or acted on. Re-authorize and choose a workspace.`)
}

// LegacyWithoutWorkspace refuses a dashboard tool under a legacy grant when the
// call names no workspace.
func LegacyWithoutWorkspace() *Refusal {
	return Refuse(`Dashboards outside a workspace are retired. This connection names no workspace. ` +
		`Pass "workspace" with the slug of a workspace you belong to, or re-authorize and choose one.`)
}

// LockedElsewhere refuses a workspace argument that differs from the lock.
func LockedElsewhere(locked, arg string) *Refusal {
	return Refuse(`This connection is authorized for the "%s" workspace and cannot act on "%s". `+
		`Re-authorize and choose that workspace.`, locked, arg)
}

// NotReady is check_readiness's refusal under a grant without a workspace lock.
func NotReady() *Refusal {
	return Refuse(`This connection is not authorized for any workspace, so it cannot publish a dashboard anywhere. ` +
		`Re-authorize and choose a workspace.`)
}

// NoConnectionScope is the connection tools' refusal under a grant without a
// workspace lock.
func NoConnectionScope() *Refusal {
	return Refuse(`Data sources belong to a workspace. This connection is authorized for none, so there is nothing to list. ` +
		`Re-authorize and choose a workspace.`)
}

// WorkspaceArgument refuses a workspace argument that is not a slug.
func WorkspaceArgument() *Refusal { return Refuse(`workspace must be a non-empty slug string`) }

// WorkspaceNotFound refuses a workspace argument that does not name a workspace.
func WorkspaceNotFound(slug string) *Refusal { return Refuse(`workspace "%s" not found`, slug) }

// NotAMember refuses a workspace argument that names a workspace of others.
func NotAMember(slug string) *Refusal { return Refuse(`not a member of workspace "%s"`, slug) }

// Roles of members.

// RoleRefused refuses a member whose role, viewer, does not allow the request. owners are the people whom the member may ask; there may be
// none.
func RoleRefused(role, workspace string, owners []string) *Refusal {
	return Refuse(`Your role in the workspace "%s" is %s, which opens dashboards, but changes nothing and sees neither SQL nor data sources: `+
		`ask %s for the role editor.`, workspace, role, ownersOr(owners))
}

// AskForEditor is the fix for a viewer who is to publish.
func AskForEditor(owners []string) string { return "Ask " + ownersOr(owners) + " for the role editor." }

// NotFirstPublisher refuses an editor who deletes or renames a dashboard that publisher first published; publisher is empty if that
// account was deleted. Tools put it behind "delete rejected:" and "rename rejected:".
func NotFirstPublisher(slug, publisher string, owners []string) *Refusal {
	if publisher == "" {
		return Refuse(`your role is editor, and dashboard "%s" was first published by an account that is gone: ask %s to do it`,
			slug, ownersOr(owners))
	}
	others := slices.DeleteFunc(slices.Clone(owners), func(owner string) bool { return owner == publisher })
	if len(others) == 0 {
		return Refuse(`your role is editor, and dashboard "%s" was first published by %s: ask them to do it`, slug, publisher)
	}
	return Refuse(`your role is editor, and dashboard "%s" was first published by %s: ask them, or %s, to do it`,
		slug, publisher, ownersOr(others))
}

// ownersOr names owners of a workspace.
func ownersOr(owners []string) string {
	switch len(owners) {
	case 0:
		return "an owner"
	case 1:
		return "the owner " + owners[0]
	}
	return "an owner (" + strings.Join(owners, ", ") + ")"
}

// Dashboard not found: one sentence per group of tools, the same for a
// dashboard that does not exist and for one the caller cannot see.

// NoDashboardNamed is the sentence of get_refresh_status, get_source_config,
// get_dashboard_spec, set_refresh_schedule, verify_dashboard and
// derive_dashboard_spec.
func NoDashboardNamed(slug string) *Refusal {
	return Refuse(`No dashboard named "%s" in that workspace.`, slug)
}

// DashboardNotFound is the sentence of list_dashboard_versions,
// restore_dashboard_version and update_dashboard_version.
func DashboardNotFound() *Refusal { return Refuse(`dashboard not found`) }

// FileNotFound is the sentence of get_dashboard.
func FileNotFound(slug, file, workspace string) *Refusal {
	return Refuse(`404 not found: "%s/%s" under the %s workspace`, slug, file, workspace)
}

// NoDashboardWithSlug is the sentence of trigger_refresh.
func NoDashboardWithSlug(slug string) *Refusal {
	return Refuse(`No dashboard found with slug "%s" in this workspace.`, slug)
}

// NotFoundForSlug is the sentence of update_dashboard's metadata edit.
func NotFoundForSlug(slug string) *Refusal {
	return Refuse(`dashboard not found for slug "%s"`, slug)
}

// DeleteRejected is the sentence of delete_dashboard.
func DeleteRejected(slug string) *Refusal {
	return Refuse(`delete rejected: dashboard not found for slug "%s"`, slug)
}

// DeletionRejected carries another refusal of a deletion.
func DeletionRejected(msg string) *Refusal { return Refuse(`delete rejected: %s`, msg) }

// RenameRejected carries the database's own refusal of a rename.
func RenameRejected(msg string) *Refusal { return Refuse(`rename rejected: %s`, msg) }

// Rate-limit messages.

// Throttled refuses a call over the user's ceiling for a tool.
func Throttled(tool string) *Refusal {
	return Refuse(`Rate limit exceeded for %s: too many requests. Wait about 60 seconds and try again.`, tool)
}

// RefreshBudgetSpent refuses a trigger over the workspace's refresh budget.
func RefreshBudgetSpent() *Refusal {
	return Refuse(`Too many refresh triggers right now. Wait about a minute and try again.`)
}
