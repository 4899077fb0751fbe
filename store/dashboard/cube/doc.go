// Package cube holds a dataset's rows as panels see them: column-wise,
// immutable, and cheap to filter, group and aggregate.
//
// It owns the types to which warehouses' types are mapped, the encoding of stored rows, and the
// arithmetic of panels. Package dashboard knows what the columns mean (roles, formats, labels),
// and package page draws.
package cube
