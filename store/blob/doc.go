// Package blob encodes stored content: it compresses the content with gzip, and its key is the SHA-256 of the
// bytes before compression. The table belongs to package store.
package blob
