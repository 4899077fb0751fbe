// Package cube stores a dataset's rows for panels: column-wise, immutable, and cheap to filter, group and aggregate.
//
// It owns the types to which warehouses' types are mapped, the encoding of stored rows, and the arithmetic of panels. The meaning of
// columns (roles, formats, labels) is in package dashboard, and drawing is in package panel.
package cube
