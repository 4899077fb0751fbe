// Package devidp is an OpenID Connect provider for development and tests, which lets anybody sign in
// as anybody. It serves discovery, keys, and the authorization code flow with mandatory PKCE. Its
// issuer must be on this machine. At /mail it shows the mails that a mail server would have sent.
package devidp
