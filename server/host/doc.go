// Package host serves dashboards at <workspace>.<dashboard domain>.
//
// It answers GET and HEAD only. Visitors who are not signed in go to the app host
// to sign in, and come back to the same path and query. Members get the page that
// package view draws. Everybody else gets a 404 page, which is the same to the last
// byte for a dashboard that does not exist, a workspace that does not exist, and a
// dashboard of a workspace that is not theirs.
//
// People and their AI clients write what is published, so a page must not be able
// to reach the app: its cookies are for this host only, no form changes anything,
// and the page's Content-Security-Policy lets no data out.
package host
