// Package google signs in to services of Google, without Google's libraries: with the key of a service account, or without a key by
// workload identity federation.
//
// A federation needs no key from Google. The connection has its own key pair. An administrator uploads the public half to Google once, as
// the key of an OpenID provider. The private half signs a token, Google's Security Token Service exchanges it, and the result may act for a
// service account. The identity belongs to the connection, not to the machine, so that connections of different workspaces cannot use each
// other's.
//
// Callers send the requests (see [Do]), and choose the scope of the tokens.
package google
