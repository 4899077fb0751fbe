package server

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"service/store/rawjson"
)

// codeInternal is the error code of an internal failure of a handler (specification,
// "Errors"). The SDK has only JSON-RPC's own -32603.
const codeInternal = -32000

// methods are all methods of the interface, each with the parameters that are passed on to the SDK. Others are dropped, because the SDK
// could interpret them as a newer revision of the protocol. The members of _meta in [ownMeta] are passed on too.
var methods = map[string][]string{
	"initialize":               {"protocolVersion"},
	"ping":                     nil,
	"tools/list":               {"cursor"},
	"tools/call":               {"name", "_meta"}, // the arguments bypass the SDK
	"prompts/list":             {"cursor"},
	"prompts/get":              {"name", "arguments"},
	"resources/list":           {"cursor"},
	"resources/templates/list": {"cursor"},
	"resources/read":           {"uri"},
}

// metaCode is the only key of _meta that a tool reads.
const metaCode = "service/from_code"

// maxMeta is the limit of its value, in bytes.
const maxMeta = 4096

// ownMeta returns the _meta of a call without the keys of others, or nil. raw is valid JSON, or nil.
func ownMeta(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return nil
	}
	all, err := rawjson.Object(raw)
	value := all[metaCode]
	if err != nil || value == nil || len(value) > maxMeta {
		return nil
	}
	return slices.Concat([]byte(`{"`+metaCode+`":`), value, []byte{'}'})
}

// notifications never get a reply, even if they have an id.
var notifications = map[string]bool{
	"notifications/initialized": true,
	"notifications/cancelled":   true,
}

// kind is the way in which a message is handled.
type kind int

const (
	invalid kind = iota // is answered with Invalid Request
	calling             // is run and answered
	silent              // a notification or a response: neither run nor answered
)

// msg is one JSON-RPC message. Only a call has all its fields.
type msg struct {
	kind   kind
	id     json.RawMessage // as sent, because it is only sent back
	method string
	params json.RawMessage
}

// body is the content of one HTTP request: a message, or a batch of messages.
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
			break // the batch is refused for its length
		}
		b.messages = append(b.messages, parseMessage(member))
	}
	return b, true
}

// parseMessage reads one message, which is valid JSON.
func parseMessage(raw []byte) msg {
	// Not a struct, because encoding/json ignores the case of names of a struct.
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
			return msg{kind: silent} // a response: the server sends no requests, so it expects no responses
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
// and which make a page up to six times larger.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// envelope returns the beginning of the reply to the call id, up to the value of name: result or error.
func envelope(id json.RawMessage, name string) []byte {
	b := make([]byte, 0, len(id)+len(name)+32)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"`...)
	b = append(b, name...)
	return append(b, `":`...)
}

// success returns the reply to the call id.
func success(id json.RawMessage, result pieces) pieces {
	if len(result) == 1 && len(id)+len(result[0].json) <= smallAnswer { // in one piece, so that its length is known before it is written
		return plain(slices.Concat(envelope(id, "result"), result[0].json, []byte{'}'}))
	}
	return slices.Concat(plain(envelope(id, "result")), result, plain([]byte{'}'}))
}

// failure returns the error reply to the call id; a nil id becomes null.
func failure(id json.RawMessage, cause *jsonrpc.Error) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	value, err := encode(cause)
	if err != nil { // its data is not JSON; code and message can always be encoded
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
