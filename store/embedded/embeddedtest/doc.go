// Package embeddedtest keeps clusters of [embedded] servers for tests. Without it, each test binary would run initdb and all migrations,
// which takes ten times as long as a copy of their result.
//
// The clusters are in the user's cache directory, as <cache>/service/clusters/<kind>-<hash>. The hash changes with everything that
// determines their content. Test binaries that begin at once wait for the first of them, which makes the cluster.
package embeddedtest
