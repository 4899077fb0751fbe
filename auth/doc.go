// Package auth says who is asking and what they may reach: an OAuth 2.1
// authorization server for AI clients, sign-in for people, and the gate in front
// of the MCP endpoint. Unclear means no.
//
// It owns the endpoints and the rules of the protocols; rows, lifetimes and
// transactions are the store's, and the consent screen is the web app's, which
// calls [Server.Approve] and [Server.Deny].
//
// A client gets in like this:
//
//	Register ─► Authorize ─► (request, 30 min) ─► consent ─► Approve ─► (code, 1 min) ─► Token
//	                                                └─► Deny
//	Token ─► (access, 50 min; refresh) ─► Bearer ─► [GrantFrom]
//
// A person gets in like this, and is handed on to workspace hosts by tickets,
// because no cookie is shared between hosts:
//
//	SignIn ─► identity provider ─► SignInCallback ─► session on the app host
//	workspace host: StartVisit ─► app host: Visit ─► (ticket, 1 min) ─► FinishVisit ─► session on that host
//
// Codes, tokens, handles, tickets and session ids are 256 random bits of which
// only hashes are stored.
package auth
