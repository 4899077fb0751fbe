// Package rawjson reads JSON without decoding it: it checks a document in one pass, and splits valid documents into values that are slices
// of the document itself. encoding/json reads a value twice at each level of nesting. For a document of 5 MiB that is a JSON string inside
// a JSON string, this is most of the cost.
//
// It accepts the same documents as encoding/json, and decodes strings to the same texts.
package rawjson
