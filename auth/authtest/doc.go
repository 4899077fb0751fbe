// Package authtest gives tests a site at which people can sign in, and browsers to
// visit it.
//
// Its authorization server, identity provider and store are real. The test provides
// the other handlers.
package authtest
