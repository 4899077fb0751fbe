// Package impact says what another file of an upload would do to the dashboards that read it, before anything
// is replaced: it runs the SQL of their datasets over the file, in query workers, and compares what returns with what
// the file that the upload has returns now. It writes nothing, and leaves files and rows to package store.
package impact
