// Package text paints figures in characters. Tools use it to show charts to a model.
package text
