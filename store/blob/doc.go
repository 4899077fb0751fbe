// Package blob is the form of stored content: compressed with gzip, under the SHA-256 of its bytes. The table is
// package store's.
package blob
