// Package host serves dashboards at <workspace>.<dashboard domain>.
//
// It answers GET and HEAD only. Visitors who are not signed in are redirected to the app
// host to sign in, and return to the same path and query. Members get the page that
// package view draws. Everybody else gets a 404 page, which is the same, byte for byte,
// for a dashboard that does not exist, a workspace that does not exist, and a dashboard
// of another workspace.
//
// People and their AI clients write the published pages, so a page must not be able to
// attack the app: its cookies are for this host only, forms change nothing, and the
// page's Content-Security-Policy prevents sending data to other hosts.
package host
