// Package web is the web app at app.<dashboard domain>.
//
// It contains the screens and nothing else. A screen is one .go file (its route's handlers) and one .html file (its markup, a block called
// "main" inside layout.html); web.go holds the one table of routes. This package does not decide on access: package auth identifies the
// person, and every store method about a workspace takes a store.Member, which only a membership check creates.
//
// A handler returns an error, and the function answer turns it into a page: a *message.Refusal is shown with its own text,
// store.ErrNotFound and store.ErrNotMember are both the 404 page, and any other error is logged and shown as a 500 page that names the
// request. Every change is a POST that passed http.CrossOriginProtection, and is answered with 303 and a flash, or with 422 and the form,
// which has the values that the person typed and each problem next to its field.
//
// A page is in the browser's first language that has a catalogue, see [locale.Negotiate]. Type reader formats times in the time zone of the
// person. The texts of a page are in its template, {{t "…"}}, or {{n count "…" "…"}} if they depend on a number; texts that a handler adds
// are in the handler, v.Text("…"). All are in English. Texts of the specification (package message) and of the store are shown unchanged.
//
// Everything works without JavaScript. app.js adds copy buttons, keyboard shortcuts, menus that close, a check and the progress of an
// upload, a guard against double submits, and the state of a client that is being connected. It also sends the browser's time zone if the
// person has not chosen one.
package web
