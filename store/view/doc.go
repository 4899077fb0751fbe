// Package view makes the page of a dashboard from the stored rows, or the same content as text for a model. It reads package store, draws
// with package dashboard/page, and keeps decoded rows and drawn pages in bounded caches.
//
// The key of a cached value contains everything that the value depends on, so values are never invalidated. Reading a dashboard runs no
// query on a warehouse.
package view
