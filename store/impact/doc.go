// Package impact determines the effect of a new file of an upload on the dashboards that read it, before the file is replaced: it runs the
// SQL of their datasets over the new file, in query workers, and compares the results with those of the current file. It writes nothing,
// and leaves files and rows to package store.
package impact
