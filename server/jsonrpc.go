package server

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"service/store/rawjson"
)

// codeInternal is the code of an internal error of a handler (specification, "Errors").
// The SDK has only JSON-RPC's own -32603.
const codeInternal = -32000

// methods are all methods of the interface, each with the parameters that are passed on
// to the SDK. Others, such as _meta, are dropped, because the SDK could take them for a
// newer revision of the protocol.
var methods = map[string][]string{
	"initialize":               {"protocolVersion"},
	"ping":                     nil,
	"tools/list":               {"cursor"},
	"tools/call":               {"name"}, // the arguments travel beside the SDK
	"prompts/list":             {"cursor"},
	"prompts/get":              {"name", "arguments"},
	"resources/list":           {"cursor"},
	"resources/templates/list": {"cursor"},
	"resources/read":           {"uri"},
}

// notifications never get a reply, even one that carries an id.
var notifications = map[string]bool{
	"notifications/initialized": true,
	"notifications/cancelled":   true,
}

// kind says what to do with a message.
type kind int

const (
	invalid kind = iota // is answered, with Invalid Request
	calling             // is run and answered
	silent              // a notification or a response: neither run nor answered
)

// msg is one JSON-RPC message. Only a call has all its fields.
type msg struct {
	kind   kind
	id     json.RawMessage // as sent: it is only ever sent back
	method string
	params json.RawMessage
}

// body is what one HTTP request carries: a message, or a batch of them.
type body struct {
	messages []msg
	batch    bool
}

// parseBody reads a body. It reports false if raw is not JSON.
func parseBody(raw []byte) (b body, ok bool) {
	if !rawjson.Valid(raw) {
		return body{}, false
	}
	if trimmed := bytes.TrimLeft(raw, " \t\r\n"); trimmed[0] != '[' {
		return body{messages: []msg{parseMessage(raw)}}, true
	}
	b.batch = true
	for member := range rawjson.Elements(raw) {
		if len(b.messages) > maxBatch {
			break // is refused by its length alone
		}
		b.messages = append(b.messages, parseMessage(member))
	}
	return b, true
}

// parseMessage reads one message, which is valid JSON.
func parseMessage(raw []byte) msg {
	// A map and not a struct: encoding/json would match a struct's names in any case.
	fields, err := rawjson.Object(raw)
	if err != nil {
		return msg{}
	}
	version, _ := text(fields["jsonrpc"])
	id, identified := fields["id"]
	if version != "2.0" || identified && !identifies(id) {
		return msg{}
	}
	raw, named := fields["method"]
	if !named {
		if identified && (fields["result"] != nil || fields["error"] != nil) {
			return msg{kind: silent} // the server asks nothing, so it answers no question
		}
		return msg{}
	}
	method, ok := text(raw)
	switch {
	case !ok:
		return msg{}
	case !identified || notifications[method]:
		return msg{kind: silent}
	}
	return msg{kind: calling, id: id, method: method, params: fields["params"]}
}

// text decodes a JSON string, and reports whether raw, which is valid or nil, is one.
func text(raw json.RawMessage) (s string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return rawjson.String(raw), true
}

// identifies reports whether raw is an id: a string or an integer.
func identifies(raw json.RawMessage) bool {
	return raw[0] == '"' || raw[0] != 'n' && raw[0] != 't' && raw[0] != 'f' && raw[0] != '{' && raw[0] != '[' && !bytes.ContainsAny(raw, ".eE")
}

// encode is json.Marshal without the escapes of <, > and &, which programs do not need,
// and which make a page up to six times as large.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// envelope begins the reply to the call id, up to its result or error, whose name it is given.
func envelope(id json.RawMessage, name string) []byte {
	b := make([]byte, 0, len(id)+len(name)+32)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"`...)
	b = append(b, name...)
	return append(b, `":`...)
}

// success is the reply to the call id.
func success(id json.RawMessage, result pieces) pieces {
	if len(result) == 1 && len(id)+len(result[0].json) <= smallAnswer { // in one piece, whose length is known before it is written
		return plain(slices.Concat(envelope(id, "result"), result[0].json, []byte{'}'}))
	}
	return slices.Concat(plain(envelope(id, "result")), result, plain([]byte{'}'}))
}

// failure is the error reply to the call id; a nil id is null.
func failure(id json.RawMessage, cause *jsonrpc.Error) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	value, err := encode(cause)
	if err != nil { // its data is not JSON; code and message always are
		value, _ = encode(&jsonrpc.Error{Code: cause.Code, Message: cause.Message})
	}
	return slices.Concat(envelope(id, "error"), value, []byte{'}'})
}

func parseError() []byte {
	return failure(nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error"})
}

func invalidRequest() []byte {
	return failure(nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid Request"})
}

func invalidParams() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid params"}
}
