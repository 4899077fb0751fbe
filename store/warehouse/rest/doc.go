// Package rest speaks to warehouses that are reached by HTTP and JSON: it submits a statement, waits for it, reads its rows page by page,
// and cancels it if nobody waits for it any more. An [Engine] holds the differences between vendors: requests, errors and types.
//
// A warehouse is not believed. Every request is dialled through [warehouse.Dialer], so that no private address is reached. Redirects are
// not followed. Bodies, headers, columns and waits are bounded, and a body is only decoded when it has arrived as a whole.
// A call takes the memory of a body or two, whatever the warehouse sends.
package rest
