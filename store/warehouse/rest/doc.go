// Package rest queries warehouses by HTTP and JSON: it submits a statement, waits for it, reads its rows page by page, and cancels it if
// its caller has left. An [Engine] implements the differences between vendors: requests, errors and types.
//
// A warehouse is not trusted. Every request is dialled through [warehouse.Dialer], so that no private address is reached. Redirects are not
// followed. Bodies, headers, columns and waits are bounded, and a body is only decoded when it has arrived completely. A call takes the
// memory of one or two bodies, whatever the warehouse sends.
package rest
