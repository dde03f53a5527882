package standin

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// heard is what is read of a host's message.
type heard struct {
	Type    string `json:"type"`
	Message struct {
		Content content `json:"content"`
	} `json:"message"`
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype  string                 `json:"subtype"`
		Mode     string                 `json:"mode"`
		Model    string                 `json:"model"`
		Settings json.RawMessage        `json:"settings"`
		Hooks    map[string][]hookGroup `json:"hooks"`
	} `json:"request"`
	Response reply `json:"response"`
}

type hookGroup struct {
	Callbacks []string `json:"hookCallbackIds"`
	OnFailure string   `json:"onFailure"`
}

// reply is a host's answer to a question of the agent.
type reply struct {
	Subtype   string          `json:"subtype"`
	RequestID string          `json:"request_id"`
	Response  json.RawMessage `json:"response"`
	Error     string          `json:"error"`
}

// content is a message's text, or a list of blocks with text.
type content string

func (c *content) UnmarshalJSON(text []byte) error {
	var blocks []struct{ Text string }
	if json.Unmarshal(text, &blocks) != nil {
		return json.Unmarshal(text, (*string)(c))
	}
	for _, b := range blocks {
		*c += content(b.Text)
	}
	return nil
}

// hear takes one line of the host. Like the real agent it ends at one that is no message.
func (a *agent) hear(line []byte) error {
	var h heard
	if err := json.Unmarshal(line, &h); err != nil {
		return fmt.Errorf("a line of the host: %w: %.200q", err, line)
	}
	switch h.Type {
	case "user":
		text := string(h.Message.Content)
		a.note("heard %.200s", strings.ReplaceAll(text, "\n", " / "))
		a.messages <- text
	case "control_response":
		switch answer, expected := a.answered(h.Response); {
		case answer != nil:
			answer <- h.Response
		case expected:
			a.note("late answer to %s", h.Response.RequestID)
		default:
			a.note("UNASKED answer to %s", h.Response.RequestID)
		}
	case "control_request":
		a.obey(h)
	}
	return nil
}

// obey carries out a request of the host.
func (a *agent) obey(h heard) {
	answer := map[string]any{}
	switch h.Request.Subtype {
	case "initialize":
		a.mu.Lock()
		for event, groups := range h.Request.Hooks {
			for _, g := range groups {
				for _, id := range g.Callbacks {
					a.hooks[event] = callback{id, g.OnFailure == "block"}
				}
			}
		}
		a.hooks[""] = callback{}
		a.mu.Unlock()
		answer = map[string]any{"hooks_applied": true, "hook_on_failure_supported": true, "pid": pid(), "commands": []any{}, "models": []any{}}
	case "interrupt":
		if a.isDeaf() {
			a.note("does not hear an interrupt")
			return
		}
		a.note("interrupted")
		a.interrupt()
		answer["still_queued"] = []any{}
	case "set_permission_mode":
		a.note("mode %s", h.Request.Mode)
		answer["mode"] = h.Request.Mode
	case "apply_flag_settings":
		a.note("settings %s", h.Request.Settings)
	case "set_model":
		a.note("model %s", h.Request.Model)
		answer["model"] = h.Request.Model
	default:
		a.send(map[string]any{"type": "control_response", "response": map[string]any{
			"subtype": "error", "request_id": h.RequestID, "error": "Unsupported control request subtype: " + h.Request.Subtype, "error_code": "unsupported_request",
		}})
		return
	}
	a.send(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": h.RequestID, "response": answer}})
}

func (a *agent) initialized() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, is := a.hooks[""]
	return is
}

func (a *agent) interrupt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.endTurn != nil {
		a.endTurn()
	}
}

// say is a message of the assistant.
func (a *agent) say(text string) {
	a.send(map[string]any{"type": "assistant", "session_id": a.session, "parent_tool_use_id": nil, "message": map[string]any{
		"id": fmt.Sprintf("msg_%d", time.Now().UnixNano()), "type": "message", "role": "assistant", "model": "standin",
		"content": []any{map[string]any{"type": "text", "text": text}},
	}})
}

// result ends a turn. Like the real agent's, its usage is the turn's, its cost and the use by
// model are the process's, and what is new by model is told beside.
func (a *agent) result(reason string, failed bool, more map[string]any) {
	a.turns++
	subtype := "success"
	if failed {
		subtype = "error_during_execution"
	}
	used := func(turns int) map[string]any {
		return map[string]any{"standin": map[string]any{
			"inputTokens": 1000 * turns, "outputTokens": 100 * turns, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "costUSD": 0.25 * float64(turns),
		}}
	}
	m := map[string]any{
		"type": "result", "subtype": subtype, "is_error": failed, "session_id": a.session, "terminal_reason": reason,
		"num_turns": a.turns, "result": reason, "total_cost_usd": 0.25 * float64(a.turns),
		"usage":      map[string]any{"input_tokens": 1000, "output_tokens": 100, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0},
		"modelUsage": used(a.turns), "model_usage_since_last_result": used(1),
	}
	for k, v := range more {
		m[k] = v
	}
	a.send(m)
	a.note("result %s", reason)
}
