// Package storetest gives each test a migrated database of its own, on a real
// PostgreSQL.
//
// One server runs per test binary, started by the first test that needs it and stopped by [Main]. Databases are copies of one template,
// which takes milliseconds. With TEST_DATABASE_URL set, that server is used instead; it may be shared by any number of test binaries, and
// its template is made once per state of the migrations.
package storetest
