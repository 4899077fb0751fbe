// Package resources implements the MCP resources: the dashboards that a grant can see,
// listed and read by URI (specification, "Resources" and "JSON-RPC methods").
//
// A grant locked to a workspace can see the dashboards of that workspace, a legacy grant
// those of all workspaces of its person; any other grant can see no dashboards. A
// dashboard that the grant cannot see gets the same answer as one that does not exist.
package resources
