// Package cube holds a dataset's rows as panels see them: column-wise,
// immutable, and cheap to filter, group and aggregate.
//
// It owns the value types that a warehouse's types are mapped to, the encoding
// in which rows are stored, and the arithmetic of panels. What the columns mean
// (roles, formats, labels) is package dashboard's business, and drawing is package
// page's.
package cube
