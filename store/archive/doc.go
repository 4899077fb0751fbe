// Package archive writes the database of an installation to a file, and restores it.
//
// A backup is a pg_dump file in custom format with our schema only. PostgreSQL's own programs can read it, and dumps that were made by hand
// can be restored too. Its SHA-256 is in a file next to it, in the form of sha256sum. The file does not contain the secret key, only the
// key's fingerprint.
//
// [Restore] converts the file to SQL by pg_restore and runs that on its own connection, in one transaction: it drops the existing objects,
// creates and fills the tables, and then checks in the transaction that the contents are ours, of this release or an older one, and
// encrypted with a key that we have. Others see no change before the commit. It refuses a database that a process of this program uses.
//
// Passwords reach the programs in their environment, never on a command line, which other accounts can read.
package archive
