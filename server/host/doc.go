// Package host serves dashboards at <workspace>.<dashboard domain>.
//
// It answers GET and HEAD only. Somebody who is not signed in is sent to the
// app host to sign in and comes back to the same path and query; a member gets
// the page that package store drew; everybody else gets one 404 page, the same
// to the last byte for a dashboard that does not exist, one of a workspace that
// is not theirs, and a workspace that does not exist.
//
// What is published is written by people (and their AI clients), so nothing of
// the app is in reach here: cookies are this host's own, no form changes
// anything, and the policy of the page lets nothing out.
package host
