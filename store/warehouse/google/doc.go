// Package google signs in to services of Google, without Google's libraries: with the key of a service account, or without a key by
// workload identity federation.
//
// A federation needs no key of Google's. The connection has a key pair of its own, whose public half Google is given once, as the keys of
// an OpenID provider. The private half signs a token, Google's Security Token Service exchanges it, and the result may act for a service
// account. The identity belongs to the connection, not to the machine, so that connections of different workspaces cannot use each
// other's.
//
// Callers dial, and choose what the tokens are for.
package google
