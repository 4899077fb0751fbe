package web

import (
	"fmt"
	"strings"

	"service/store"
)

// Here is every sentence that the app's Go code says. What stands on a page is in
// its template; refusals come from the store in their own words, and those that the
// specification gives from package message. So a translation has three places to
// look, and a test keeps others from appearing.

// What a page is called, beside a name of a person's own.
const (
	titleAccount       = "Account"
	titleAccountDelete = "Delete your account"
	titleSignIn        = "Sign in"
	titleWorkspace     = "New workspace"
	titleFirst         = "Create your workspace"
	titleNotFound      = "Not found"
	titleSignedOut     = "You are signed out"
	titleFailed        = "Something went wrong"
	titleRefused       = "Refused"
	titleNo            = "That did not work"
	titleTooMuch       = "That was too much"
	titleIllegible     = "That could not be read"
	titleMethod        = "Not like this"
	titleExpired       = "This request expired"
	titleUndecided     = "Nothing was decided"
	titleTabDone       = "You can close this tab"
	titleLinkEnded     = "This invitation has ended"
	titleMember        = "You are a member already"
)

// The tabs of a workspace.
const (
	tabDashboards  = "Dashboards"
	tabConnections = "Connections"
	tabUploads     = "Uploads"
	tabAudit       = "Audit log"
	tabSettings    = "Settings"
	tabConnect     = "Connect your AI client"
	tabClients     = "Connected clients"
	tabMembers     = "Members"
)

func titleDelete(dashboard string) string { return "Delete " + dashboard }
func titleJoin(workspace string) string   { return "Join " + workspace }
func titleAllow(client string) string     { return "Allow " + client + "?" }
func titleNewConnection(k string) string  { return "New " + k + " connection" }

// What is wrong, above a page.
const (
	saidAtField    = "Nothing was changed. The reason is at the field."
	saidUndecided  = "Nothing was decided yet. See below."
	versionGone    = "That version is gone: unnamed versions are kept for a while only."
	nothingStatic  = "This dashboard is static: there is nothing to refresh."
	notFoundText   = "There is nothing here, or nothing that your account can open."
	signedOutText  = "Nothing was changed. Sign in, and send the form again."
	failedText     = "This is our fault, and it is in the log. Try again in a moment."
	tooMuchText    = "The form was larger than this page accepts."
	illegibleText  = "The address or the form holds something that is not text. Nothing was changed."
	methodText     = "This address is there, and does something else. Start from the home page."
	elsewhereText  = "This request came from another site, so nothing was changed. Open the page here and try again."
	expiredText    = "This request expired. Start again in your client. If you have just answered it, do so only if your client does not go on by itself."
	undecidedText  = "The answer could not be stored, and the request is still open. Go back and try again."
	linkEndedText  = "It was used, replaced, or is older than 7 days. If it was meant for the address you have signed in with, you are a member already: start from the home page."
	connectionGone = "The connection is gone. Publish again with another one."
)

// What is wrong, at a field.
const (
	needsName      = "Give the workspace a name."
	needsFile      = "Choose a file first."
	needsWorkspace = "Choose a workspace, or none."
	anotherAccount = "You have signed in with another account since this page was shown. Choose again."
	notYours       = "You are not a member of that workspace. Choose another."
	needsDate      = "Write a date as year-month-day, such as 2026-03-01."
	needsOrder     = "The first day is after the last one."
)

func needsSlug(slug string) string    { return `Type "` + slug + `" to delete the workspace.` }
func needsConfirm(word string) string { return `Type "` + word + `" to delete your account.` }
func needsValue(field string) string  { return field + " must not be empty" }

// What was done.
const (
	doneClientGone     = "That client had no access any more."
	doneSignedOutThere = "That browser is signed out."
	doneShortcutsOff   = "The keyboard does nothing by a single key."
	doneShortcutsOn    = "The key / goes to the search."
	doneSignedOutAll   = "You are signed out everywhere."
	doneAccountDeleted = "Your account is deleted, and you are signed out everywhere."
	doneTested         = "The test succeeded: the connection is active."
	doneTestFailed     = "The test failed, so it cannot be used yet. The reason is below."
	doneSaved          = "The connection is saved."
	doneSwitchedOff    = "The connection is switched off. A test switches it on."
	doneConnectionGone = "The connection is deleted."
	doneDeleted        = "The dashboard is deleted."
	doneDetails        = "Name and tags are saved."
	doneRefreshing     = "A refresh is queued. Reload this page to see how it goes."
	doneRefreshAlready = "A refresh is under way already."
	doneScheduleOff    = "The schedule is off."
	doneRestored       = "The version is restored. The current version is kept: it is the one below."
	doneUnnamed        = "The version has no name now. Unnamed versions are pruned, the oldest first."
	doneRenamed        = "The workspace has its new name."
)

func doneRevoked(client string) string   { return "Access of " + client + " is revoked." }
func doneTimezone(zone string) string    { return "Your time zone is " + zone + "." }
func doneJoined(workspace string) string { return "You are in: this is " + workspace + "." }
func doneLeft(workspace string) string   { return "You have left " + workspace + "." }
func doneWithdrawn(email string) string {
	return "The invitation of " + email + " is withdrawn. Its link opens nothing any more."
}

func doneVersionNamed(name string) string {
	return "The version is called " + name + " now, and is kept."
}
func doneWorkspace(name string) string        { return "Workspace " + name + " is ready." }
func doneWorkspaceDeleted(name string) string { return "Workspace " + name + " is deleted." }
func doneScheduled(c store.Schedule) string {
	return "The schedule is set: " + c.Expression + " (" + c.Timezone + ")."
}

func doneRole(who, role, workspace string) string {
	return who + " is now " + aRole(role) + " of " + workspace + "."
}

func doneWaits(email, role string) string {
	return email + " becomes " + aRole(role) + " with the first sign-in. Or make an invitation link for them below."
}

func doneRemoved(who, workspace string) string {
	return who + " was removed. Their grants to AI clients and their sessions on its dashboards have ended in " + workspace + "."
}

func doneUploaded(filename string) string { return filename + " is uploaded." }

func doneFileDeleted(filename string) string { return filename + " is deleted." }

func doneReplaced(r reader, filename string, dashboards int) string {
	switch dashboards {
	case 0:
		return filename + " is in its place. No dashboard reads it."
	case 1:
		return filename + " is in its place. 1 dashboard that reads it refreshes now."
	}
	return filename + " is in its place. " + r.Count(dashboards, "dashboard") + " that read it refresh now."
}

func aRole(role string) string {
	if role == store.RoleOwner {
		return "an owner"
	}
	return "a member"
}

// What things are called.
const (
	noEmail       = "No e-mail"
	noClientName  = "A client without a name"
	theOperator   = "The operator"
	theService    = "The service"
	deletedPerson = "A deleted account"
)

// kindNames are what people call the kinds of connections.
var kindNames = map[string]string{
	"postgres": "PostgreSQL", "mysql": "MySQL or MariaDB", "clickhouse": "ClickHouse", store.KindUpload: "Uploaded files",
}

// sortNames are the orders of the list of dashboards, in the order of the form.
var sortNames = []sortOption{
	{store.SortNewest, "Newest first"},
	{store.SortUpdated, "Updated last"},
	{store.SortName, "By name"},
	{store.SortStale, "Stale first"},
}

// How current a dashboard is, in a word.
const (
	freshStatic  = "Static"
	freshRunning = "Refreshing"
	freshPartly  = "Partly refreshed"
	freshFailing = "Failing"
	freshNever   = "Not refreshed yet"
	freshGood    = "Up to date"
)

// browser names a browser and its system by its user agent, roughly: enough to
// tell one's own apart.
func browser(agent string) string {
	find := func(fallback string, marks ...string) string {
		for _, mark := range marks {
			mark, name, _ := strings.Cut(mark, "=")
			if strings.Contains(agent, mark) {
				return name
			}
		}
		return fallback
	}
	name := find("A browser", "Edg/=Edge", "OPR/=Opera", "Firefox/=Firefox", "Chrome/=Chrome", "Safari/=Safari", "curl/=curl")
	if system := find("", "Android=Android", "iPhone=iPhone", "iPad=iPad", "Windows=Windows", "Mac OS X=macOS", "CrOS=ChromeOS", "Linux=Linux"); system != "" {
		return name + " on " + system
	}
	return name
}

// event tells an event of the audit log in words.
func event(e store.AuditEntry) string {
	detail := func(key string) string {
		if value, ok := e.Detail[key]; ok && value != nil {
			return fmt.Sprint(value)
		}
		return ""
	}
	own := e.Detail["self"] == true // what was ended was of who ended it
	client := clientName(detail("client"))
	var changed []string
	list, _ := e.Detail["changed"].([]any)
	for _, what := range list {
		changed = append(changed, fmt.Sprint(what))
	}
	did := map[string]string{
		"account.delete":     "deleted the account of " + e.Subject,
		"dashboard.publish":  "published dashboard " + e.Subject,
		"dashboard.restore":  "restored a version of dashboard " + e.Subject,
		"dashboard.update":   "changed dashboard " + e.Subject + ": " + strings.Join(changed, ", "),
		"dashboard.rename":   "renamed dashboard " + e.Subject + " to " + detail("slug"),
		"dashboard.delete":   "deleted dashboard " + e.Subject,
		"dashboard.schedule": "set the schedule of dashboard " + e.Subject + ": " + detail("schedule") + " (" + detail("timezone") + ")",
		"connection.add":     "added connection " + detail("label"),
		"connection.update":  "changed connection " + detail("label"),
		"connection.test":    "tested connection " + detail("label") + ": " + detail("status"),
		"connection.disable": "switched connection " + detail("label") + " off",
		"connection.delete":  "deleted connection " + detail("label"),
		"upload.add":         "uploaded " + detail("filename"),
		"upload.delete":      "deleted the file " + detail("filename"),
		"upload.replace":     "replaced " + detail("before") + " by " + detail("filename"),
		"member.add":         "added " + e.Subject + " as " + detail("role"),
		"member.role":        "made " + e.Subject + " " + aRole(detail("role")),
		"member.remove":      "removed " + e.Subject,
		"member.link":        "made an invitation link for " + e.Subject + ": whoever opens it can become " + aRole(detail("role")),
		"member.withdraw":    "withdrew the invitation of " + e.Subject,
		"grant.create":       "allowed the client " + client,
		"grant.revoke":       "ended the access of " + client + " for " + detail("person"),
		"workspace.create":   "created the workspace",
		"workspace.rename":   "renamed the workspace to " + detail("name"),
		"workspace.plan":     "set the plan to " + detail("plan"),
	}[e.Action]
	switch {
	// Of these the subject did it, whose name the log keeps when the account goes.
	case e.Action == "account.delete" && !e.Operator:
		return e.Subject + " deleted their account"
	case e.Action == "member.remove" && own:
		return e.Subject + " left the workspace"
	case e.Action == "member.join":
		did = "joined"
		if role := detail("role"); role != "" {
			did += " as " + role
		}
		if e.Who != e.Subject {
			did += " (invited as " + e.Subject + ")"
		}
	case e.Action == "grant.revoke" && detail("reason") == store.LeftWorkspace && own:
		did = "ended the access of " + client + " by leaving the workspace"
	case e.Action == "grant.revoke" && detail("reason") == store.LeftWorkspace:
		did += ", who left the workspace"
	case e.Action == "grant.revoke" && own:
		did = "ended the access of " + client
	case e.Action == "grant.revoke" && detail("reason") != store.AskedFor:
		did += ": " + detail("reason")
	case e.Action == "connection.update" && detail("before") != detail("label"):
		did = "renamed connection " + detail("before") + " to " + detail("label")
		if e.Detail["target"] == true {
			did += " and changed it"
		}
	case e.Action == "dashboard.rename" && len(changed) > 1: // the slug is the first
		did += " and changed its " + strings.Join(changed[1:], ", ")
	case e.Action == "dashboard.schedule" && detail("schedule") == "off":
		did = "switched the schedule of dashboard " + e.Subject + " off"
	case e.Action == "version.name" && detail("name") == "":
		did = "took the name of a version of dashboard " + e.Subject + " away"
	case e.Action == "version.name":
		did = `named a version of dashboard ` + e.Subject + ` "` + detail("name") + `"`
	case did == "":
		did = e.Action + " " + e.Subject
	}
	return who(e) + " " + did
}

// who did it. What the service does on its own is found with what the operator did.
func who(e store.AuditEntry) string {
	switch reason := e.Detail["reason"]; {
	case e.Operator && e.Action == "grant.revoke" && reason != store.AskedFor && reason != store.LeftWorkspace:
		return theService
	case e.Operator:
		return theOperator
	case e.Who == "":
		return deletedPerson
	}
	return e.Who
}
