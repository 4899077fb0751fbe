// Package resources implements the MCP resources: the dashboards that a grant can see,
// listed and read by URI (specification, "Resources" and "JSON-RPC methods").
//
// A grant that is locked to a workspace can see the dashboards of that workspace. A
// legacy grant can see the dashboards of all workspaces of its person. Any other grant
// can see no dashboards. Reading a dashboard that the grant cannot see returns the same
// error as reading one that does not exist.
package resources
