// Package text paints figures in characters, as tools show charts to a model.
package text
