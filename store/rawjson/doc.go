// Package rawjson reads JSON without decoding it: it checks a document in one pass, and takes valid documents apart into values that
// are parts of the document itself. encoding/json looks at a value twice at each level of nesting, which for a document of 5 MiB that
// is carried as text in a text is most of what it costs.
//
// What is valid, and what a string says, is what encoding/json makes of it.
package rawjson
