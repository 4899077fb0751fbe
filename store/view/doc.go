// Package view is what a reader sees of a dashboard: the page drawn from the
// stored rows, or what a model reads of it. It reads package store, draws with
// package dashboard/page, and keeps decoded rows and drawn pages in bounded
// caches.
//
// What the caches hold is named by all that it depends on and never changes, so
// nothing is ever invalidated. Reading a dashboard runs no query on a warehouse.
package view
