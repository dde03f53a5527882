package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"sync"

	"github.com/aoctl/aoctl/broker/wire"
)

// versions are the revisions of the protocol that are spoken here, the newest first. They differ in
// nothing that these two tools use.
//
// Source: https://modelcontextprotocol.io/specification, revision 2025-11-25, its pages on
// lifecycle, tools, cancellation and progress.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// agreed is the version for a client that asks for one: its own where that is spoken, else the
// newest, and the client may leave.
func agreed(asked string) string {
	if slices.Contains(versions, asked) {
		return asked
	}
	return versions[0]
}

// The protocol's codes for a request that cannot be answered.
const (
	codeNotJSON       = -32700
	codeNotARequest   = -32600
	codeNoSuchMethod  = -32601
	codeInvalidParams = -32602
)

const (
	maxLine  = wire.MaxHookBody  // bytes of one message; the console takes no larger call
	maxDepth = wire.MaxDepth + 8 // levels of one message: a call's input lies some levels deep in it
)

// message is a request or a notification of the client. A notification has no id and gets no answer.
type message struct {
	id     json.RawMessage // a string or a number, as it came
	method string          // empty: it is an answer, and nothing was asked of the client
	params json.RawMessage
}

// protocolError is why a message has no result.
type protocolError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// readMessage reads one line. Its own fields are read strictly, and each tool reads its arguments
// so: a tool refuses in a form of its own. With an error, id is there where it can be told.
func readMessage(line []byte) (message, *protocolError) {
	fields, err := wire.Rules{MaxDepth: maxDepth, Loose: []string{"params", "result", "error"}}.Fields(line)
	if err != nil {
		var m struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(line, &m) // it is an error already
		return message{id: plainID(m.ID)}, &protocolError{codeNotJSON, "the message is no plain JSON object: " + err.Error()}
	}
	var m message
	ok := true
	for _, f := range fields {
		switch f.Key {
		case "id":
			m.id = plainID(f.Value)
			ok = ok && m.id != nil
		case "method":
			ok = json.Unmarshal(f.Value, &m.method) == nil && ok
		case "params":
			m.params = f.Value
		}
	}
	if !ok {
		return m, &protocolError{codeNotARequest, "id must be a string or a number, and method a string"}
	}
	return m, nil
}

// plainID is raw if it is a string or a number, else nil.
func plainID(raw json.RawMessage) json.RawMessage {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	switch v.(type) {
	case string, float64:
		return raw
	}
	return nil
}

// toolCall is what a client calls a tool with.
type toolCall struct {
	name     string
	args     json.RawMessage
	progress json.RawMessage // the client's token for news of this call; nil: it wants none
}

// readToolCall reads the params of tools/call.
func readToolCall(params json.RawMessage) (c toolCall, ok bool) {
	fields, err := wire.Rules{MaxDepth: maxDepth, Loose: []string{"arguments", "_meta"}}.Fields(params)
	if err != nil {
		return toolCall{}, false
	}
	for _, f := range fields {
		switch f.Key {
		case "name":
			ok = json.Unmarshal(f.Value, &c.name) == nil
		case "arguments":
			c.args = f.Value
		case "_meta":
			var meta struct {
				ProgressToken json.RawMessage `json:"progressToken"`
			}
			_ = json.Unmarshal(f.Value, &meta) // without a token nothing is told
			c.progress = plainID(meta.ProgressToken)
		}
	}
	return c, ok
}

// result is what a tool returns.
type result struct {
	Content    []content `json:"content"`
	Structured any       `json:"structuredContent,omitempty"`
	IsError    bool      `json:"isError,omitempty"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// text is a result of one text.
func text(s string) result { return result{Content: []content{{"text", s}}} }

// failed is the result of a call that could not be done.
func failed(s string) result {
	r := text(s)
	r.IsError = true
	return r
}

// answer is what the client is sent: about a request, or of its own accord with a method.
type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *protocolError  `json:"error,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
}

// sender writes messages, each a line. It may be used by many goroutines at once.
type sender struct {
	mu   sync.Mutex
	out  io.Writer
	lost func() // hears that a message could not be sent
	err  error  // of the first such message; nothing is sent after it
}

// send writes one message whole, or none after an error.
func (s *sender) send(a answer) error {
	a.Version = "2.0"
	line, err := plainJSON(a)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if _, s.err = s.out.Write(append(line, '\n')); s.err != nil {
		s.lost()
	}
	return s.err
}

// plainJSON is v on one line, with angle brackets as they are: a person may read it in a log.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
