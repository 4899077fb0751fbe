package server

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// worded turns a result of the SDK into the shape of the specification's two revisions:
// without additions of newer revisions (cache hints, result types, the server's name in
// _meta), and with the false values that the SDK's omitempty drops.
func worded(res any) any {
	switch r := res.(type) {
	case *mcp.InitializeResult:
		who := identity{r.ServerInfo.Name, r.ServerInfo.Version}
		return &initialized{ProtocolVersion: r.ProtocolVersion, ServerInfo: who, Instructions: r.Instructions}
	case *mcp.ListToolsResult:
		return &listing{Tools: r.Tools, NextCursor: r.NextCursor}
	case *mcp.ListPromptsResult:
		return &listing{Prompts: r.Prompts, NextCursor: r.NextCursor}
	case *mcp.ListResourceTemplatesResult:
		return &listing{Templates: r.ResourceTemplates, NextCursor: r.NextCursor}
	case *mcp.GetPromptResult:
		return &prompt{r.Description, r.Messages}
	}
	return res
}

// replyOf encodes a result of the SDK, or of [edge.listResources] and [edge.readResource].
func replyOf(res any) (pieces, error) {
	switch r := res.(type) {
	case *mcp.CallToolResult:
		return whole(encodeCall(r))
	case *mcp.ReadResourceResult:
		return readReply(r.Contents[0])
	}
	return whole(encode(worded(res)))
}

func whole(result json.RawMessage, err error) (pieces, error) { return plain(result), err }

// readReply is the result of resources/read, whose body is encoded as JSON while it is
// written.
func readReply(c *mcp.ResourceContents) (pieces, error) {
	head, err := encode(struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType"`
	}{c.URI, c.MIMEType})
	if err != nil {
		return nil, err
	}
	name, body := `,"text":`, piece{text: c.Text}
	if c.Blob != nil {
		name, body = `,"blob":`, piece{blob: c.Blob}
	} else if c.Text == "" {
		body.json = []byte(`""`)
	}
	start := slices.Concat([]byte(`{"contents":[`), bytes.TrimSuffix(head, []byte{'}'}), []byte(name))
	return pieces{{json: start}, body, {json: []byte(`}]}`)}}, nil
}

// initialized is the result of initialize.
type initialized struct {
	ProtocolVersion string `json:"protocolVersion"`
	Capabilities    struct {
		Tools     capability `json:"tools"`
		Prompts   capability `json:"prompts"`
		Resources capability `json:"resources"`
	} `json:"capabilities"`
	ServerInfo   identity `json:"serverInfo"`
	Instructions string   `json:"instructions"`
}

// capability is a capability whose list never changes.
type capability struct {
	ListChanged bool `json:"listChanged"`
}

type identity struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// listing is the result of the list methods. One of its lists is
// not nil, but may be empty.
type listing struct {
	Tools      []*mcp.Tool             `json:"tools,omitzero"`
	Prompts    []*mcp.Prompt           `json:"prompts,omitzero"`
	Resources  []*mcp.Resource         `json:"resources,omitzero"`
	Templates  []*mcp.ResourceTemplate `json:"resourceTemplates,omitzero"`
	NextCursor string                  `json:"nextCursor,omitempty"`
}

// prompt is the result of prompts/get.
type prompt struct {
	Description string               `json:"description,omitempty"`
	Messages    []*mcp.PromptMessage `json:"messages"`
}

// said is a text content of a tool. The SDK's own type is not used because it escapes
// HTML.
type said struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// encodeCall writes the result of tools/call. It is concatenated, because the encoder would validate the
// structured content again, which the tool has just encoded.
func encodeCall(r *mcp.CallToolResult) (json.RawMessage, error) {
	out := []byte(`{"content":[`)
	for i, part := range r.Content {
		if i > 0 {
			out = append(out, ',')
		}
		var shown any = part
		if text, ok := part.(*mcp.TextContent); ok {
			shown = said{"text", text.Text}
		}
		b, err := encode(shown)
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
	}
	out = append(out, ']')
	if r.StructuredContent != nil {
		data, ok := r.StructuredContent.(json.RawMessage)
		if !ok {
			var err error
			if data, err = encode(r.StructuredContent); err != nil {
				return nil, err
			}
		}
		out = append(out, `,"structuredContent":`...)
		out = append(out, data...)
	}
	if r.IsError {
		out = append(out, `,"isError":true`...)
	}
	return append(out, '}'), nil
}
