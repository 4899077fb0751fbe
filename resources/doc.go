// Package resources is the MCP resources: the dashboards that a grant can see,
// listed and read by URI (specification, "Resources" and "JSON-RPC methods").
//
// A grant locked to a workspace sees that workspace's dashboards, a legacy grant those of
// all its person's workspaces, and any other grant none. A dashboard that the grant cannot
// see is answered like one that does not exist.
package resources
