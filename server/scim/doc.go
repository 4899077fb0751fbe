// Package scim serves SCIM 2.0 (RFC 7643, RFC 7644) on the app host, below /scim/v2: an identity provider
// provisions people and groups with a token of the operator.
//
// The library (elimity-com/scim) checks requests against the schemas, and returns the documents that describe the service. This package
// applies changes to attributes, and maps them to the people and groups of package store, which ends sessions, grants
// and memberships in the transaction of each change.
package scim
