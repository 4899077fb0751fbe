// Package archive writes the database of an installation to a file, and puts it back.
//
// A backup is what pg_dump writes in its custom format, of our schema alone, so that PostgreSQL's own programs read
// it too, and so that dumps which somebody made by hand can be restored. Beside it lies its SHA-256 in the form of
// sha256sum. The file does not contain the secret key, only the key's fingerprint.
//
// [Restore] has pg_restore turn the file into SQL and runs that on a connection of its own, in one transaction:
// what was there is dropped, tables are made and filled, and then the transaction checks that what it holds is ours,
// of this release or an older one, and sealed with a key that we have. Only then does anything change for others.
// It refuses a database that a process of this program uses.
//
// Passwords reach the programs in their environment, never on a command line, which other accounts can read.
package archive
