// Package auth identifies callers and their rights: it is an OAuth 2.1 authorization server for AI
// clients, the sign-in for people, and the gate in front of the MCP endpoint. When in doubt, it refuses.
//
// It owns the endpoints and the rules of the protocols. Package store owns rows, lifetimes and
// transactions, and package web owns the consent screen, which calls [Server.Approve] and [Server.Deny].
//
// A client gets access like this:
//
//	Register ─► Authorize ─► (request, 30 min) ─► consent ─► Approve ─► (code, 1 min) ─► Token
//	                                                └─► Deny
//	Token ─► (access, 50 min; refresh) ─► Bearer ─► [GrantFrom]
//
// A person signs in like this. Hosts share no cookies, so tickets carry the sign-in to the workspace
// hosts:
//
//	SignIn ─► identity provider ─► SignInCallback ─► session on the app host
//	workspace host: StartVisit ─► app host: Visit ─► (ticket, 1 min) ─► FinishVisit ─► session on that host
//
// Codes, tokens, handles, tickets and session ids are 256 random bits; only their hashes are stored.
package auth
