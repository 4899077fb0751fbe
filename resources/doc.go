// Package resources is the MCP resources: the dashboards that a grant can see,
// listed and read by URI (specification, "Resources" and "JSON-RPC methods").
//
// A grant locked to a workspace sees that workspace's dashboards; a legacy grant
// those of all its person's workspaces; any other grant none. What cannot be
// seen is missing: the two look the same.
package resources
