// Package blob says how content is kept: under the SHA-256 of its bytes, and
// compressed with gzip. It keeps nothing itself; package store has the table.
package blob
