// Package devidp is an OpenID Connect provider for development and tests: it
// lets anybody in as anybody. It serves discovery, keys, and the authorization
// code flow with mandatory PKCE, and refuses to be made for an issuer that is not
// on this machine.
package devidp
