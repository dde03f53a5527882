package visit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/aoctl/aoctl/cli/drill"
)

// acpMessage is one line of the Agent Client Protocol: JSON-RPC.
type acpMessage struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

// editor makes an editor of us, which says one prompt and allows all that it is asked; it
// is to be called once the agent runs. What was said stands in v's output.
func (v *Visit) editor() (func(), error) {
	in, err := v.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	reader, writer := io.Pipe()
	v.cmd.Stdout = io.MultiWriter(&v.out, writer)
	e := &acpEditor{out: json.NewEncoder(in), in: bufio.NewScanner(reader), project: v.Ground.Project}
	e.in.Buffer(nil, 1<<24)
	return func() {
		if err := e.talk(); err != nil {
			fmt.Fprintln(&v.out, "editor:", err)
		}
		_ = in.Close() // the agent may have gone
		_, _ = io.Copy(io.Discard, reader)
	}, nil
}

type acpEditor struct {
	out     *json.Encoder
	in      *bufio.Scanner
	project string
	asked   int
}

func (e *acpEditor) talk() error {
	if _, err := e.ask("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{
		"fs": map[string]any{"readTextFile": false, "writeTextFile": false}, "terminal": false,
	}}); err != nil {
		return err
	}
	result, err := e.ask("session/new", map[string]any{"cwd": e.project, "mcpServers": []any{}})
	if err != nil {
		return err
	}
	var session struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(result, &session); err != nil {
		return fmt.Errorf("read the session: %w", err)
	}
	_, err = e.ask("session/prompt", map[string]any{
		"sessionId": session.SessionID, "prompt": []any{map[string]any{"type": "text", "text": drill.Prompt}},
	})
	return err
}

// ask makes a request and answers the agent's own until the answer is there.
func (e *acpEditor) ask(method string, params any) (json.RawMessage, error) {
	e.asked++
	id := fmt.Sprint(e.asked)
	if err := e.out.Encode(acpMessage{Version: "2.0", ID: json.RawMessage(id), Method: method, Params: params}); err != nil {
		return nil, fmt.Errorf("say %s: %w", method, err)
	}
	for e.in.Scan() {
		var m struct {
			ID            json.RawMessage
			Method        string
			Params        json.RawMessage
			Result, Error json.RawMessage
		}
		switch err := json.Unmarshal(e.in.Bytes(), &m); {
		case err != nil: // a line of log
		case m.Method == "" && string(m.ID) == id && m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		case m.Method == "" && string(m.ID) == id:
			return m.Result, nil
		case m.Method != "" && m.ID != nil:
			if err := e.answer(m.ID, m.Method, m.Params); err != nil {
				return nil, err
			}
		}
	}
	return nil, fmt.Errorf("%s: the agent ended: %w", method, e.in.Err())
}

// answer allows what the agent asks for, and does nothing else for it.
func (e *acpEditor) answer(id json.RawMessage, method string, params json.RawMessage) error {
	m := acpMessage{Version: "2.0", ID: id}
	var p struct {
		Options []struct{ OptionID, Kind string }
	}
	if err := json.Unmarshal(params, &p); method != "session/request_permission" || err != nil {
		m.Error = map[string]any{"code": -32601, "message": "not known to this editor"}
		return e.out.Encode(m)
	}
	for _, o := range p.Options {
		if o.Kind == "allow_once" || o.Kind == "allow_always" {
			m.Result = map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": o.OptionID}}
			break
		}
	}
	return e.out.Encode(m)
}
