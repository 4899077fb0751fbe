package code

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"
)

// decodeJSON parses JSON to the nodes that YAML has, with their lines and columns.
func decodeJSON(data []byte) (*yaml.Node, error) {
	r := &jsonReader{data: data, d: json.NewDecoder(bytes.NewReader(data))}
	r.d.UseNumber()
	n, err := r.value()
	wrong := "the document ends too early"
	if err == nil {
		if _, err = r.d.Token(); err == nil {
			err, wrong = errMore, errMore.Error()
		} else if err == io.EOF {
			err = nil
		}
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		line, column := r.at(max(0, int(syntax.Offset)-1))
		return nil, &Mistake{Line: line, Column: column, Text: "not JSON: " + syntax.Error()}
	}
	if err != nil {
		line, column := r.at(len(data))
		return nil, &Mistake{Line: line, Column: column, Text: "not JSON: " + wrong}
	}
	left := maxNodes
	return n, checkNode(n, &left)
}

var errMore = errors.New("there is more after the document's end")

type jsonReader struct {
	data []byte
	d    *json.Decoder

	// The position of the last call.
	offset, line, start int
}

// at returns the line and column of an offset, which never decreases between calls.
func (r *jsonReader) at(offset int) (line, column int) {
	for ; r.offset < offset && r.offset < len(r.data); r.offset++ {
		if r.data[r.offset] == '\n' {
			r.line++
			r.start = r.offset + 1
		}
	}
	return r.line + 1, utf8.RuneCount(r.data[r.start:min(offset, len(r.data))]) + 1
}

// next returns the offset of the next token.
func (r *jsonReader) next() int {
	i := int(r.d.InputOffset())
	for i < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[i]) >= 0 {
		i++
	}
	return i
}

func (r *jsonReader) value() (*yaml.Node, error) {
	line, column := r.at(r.next())
	token, err := r.d.Token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: line, Column: column}
	switch t := token.(type) {
	case json.Delim:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		if t == '[' {
			n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		}
		for r.d.More() {
			item, err := r.value()
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, item)
			if n.Kind == yaml.MappingNode { // item is the key
				if item, err = r.value(); err != nil {
					return nil, err
				}
				n.Content = append(n.Content, item)
			}
		}
		_, err = r.d.Token() // the closing one
	case string:
		n.SetString(t)
	case json.Number:
		n.Value = t.String() // its tag follows from it
	case bool:
		n.Tag, n.Value = "!!bool", "false"
		if t {
			n.Value = "true"
		}
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, err
}
