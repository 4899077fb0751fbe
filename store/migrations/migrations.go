// Package migrations holds the schema, as numbered SQL files that goose runs
// in order. Files are forward-only: one that has been released is never edited.
package migrations

import "embed"

// Files are the migrations.
//
//go:embed *.sql
var Files embed.FS
