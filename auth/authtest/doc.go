// Package authtest gives tests an origin at which people can sign in, and browsers
// that get there.
//
// Its authorization server, its identity provider and the store beneath are real. What
// else the origin serves is the test's own.
package authtest
