// Package rest speaks to warehouses that are reached by HTTP and JSON: it submits a statement, waits for it, reads its rows page by page,
// and cancels what it does not wait for. What differs between vendors is an [Engine]: its requests, its errors and its types.
//
// A warehouse is not believed. Every request is dialled through [warehouse.Dialer], so that no private address is reached. Redirects are
// not followed. Bodies, headers, columns and waits are bounded, and a body is only decoded when it has arrived as a whole.
// What a call costs in memory is a body or two, whatever the warehouse sends.
package rest
