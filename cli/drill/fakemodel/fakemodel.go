// Package fakemodel plays a model from a script, so that a real coding agent runs its
// real tool loop and its real hooks and touches real files, without network or
// account.
//
// A Script is a list of Steps, each of which is one reply: calls of tools, or words
// that end the turn. Start opens a server on a loopback port, and the agent is told
// that its model's API is there. A request holds the whole conversation so far, so the
// number of the model's replies in it says which step comes next: nothing is
// remembered between requests. What the agent reports about its calls is kept
// (Results), and so is what its user said (Heard).
//
// It speaks the Anthropic Messages API (Claude Code), OpenAI Responses (Codex), OpenAI
// chat completions (Qwen Code, Copilot CLI, opencode), Gemini's generateContent
// (Gemini CLI) and what Cursor's servers say to its agents, each streaming and each in
// a file of its own. Only what the agents need of these protocols is here.
//
// A side question, such as one for a title, has no tools and gets "ok". Everything
// that an agent asks for and that is not known is answered with an empty object, so
// that it goes on. Open fakemodel.go first; ServeHTTP says which path is whose.
package fakemodel

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Step is one reply of the model: tool calls, or words that end the turn. With Calls
// the Text is not said. Text is what the agent shows its user.
type Step struct {
	Calls []Call
	Text  string
}

// Call is one use of a tool. Tool and Input are the agent's own names.
type Call struct {
	Tool  string
	Input map[string]any
	Text  string // in place of Input, for a custom tool of OpenAI Responses, such as Codex's apply_patch
}

// UseTool is a step with one call.
func UseTool(tool string, input map[string]any) Step {
	return Step{Calls: []Call{{Tool: tool, Input: input}}}
}

// Script is what the model does in one conversation: step n is the answer to a
// conversation in which the model has spoken n times. After the last step it says
// that it is done.
type Script []Step

// at is the step of a turn, counted from 0.
func (s Script) at(turn int) Step {
	if turn < len(s) {
		return s[turn]
	}
	return Step{Text: "done"}
}

// Model is the API's server. Conversations, such as a sub-agent's, are told apart by a
// word in their first message; "" is the script of all others. All methods may be
// called from any goroutine.
type Model struct {
	URL string // where its API is

	InputTokens int // what each reply of the Messages API is said to have read; 12 when zero

	server  http.Server
	scripts map[string]Script

	mu      sync.Mutex
	told    map[string]string // by call id: what the agent said became of the call
	heard   string            // what users said
	ids     int
	inboxes map[string]*cursorInbox // by run of Cursor
}

// Start starts a model on a loopback port; End ends it. ctx is for listening alone.
// Any program of this machine can talk to it; it has nothing to tell but the script.
func Start(ctx context.Context, scripts map[string]Script) (*Model, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the scripted model: %w", err)
	}
	m := &Model{URL: "http://" + l.Addr().String(), scripts: scripts, told: map[string]string{}, inboxes: map[string]*cursorInbox{}}
	m.server = http.Server{Handler: m, ReadHeaderTimeout: time.Minute}
	go func() { _ = m.server.Serve(l) }() // until End
	return m, nil
}

// Play takes the scripts, where they could not be written before the model's address
// was known; before its first conversation.
func (m *Model) Play(scripts map[string]Script) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts = scripts
}

// End hangs up on agents that are still talking and ends the server.
func (m *Model) End() { _ = m.server.Close() } // nothing is left to be done about an error

// Results are the texts of all tool results that the agents sent, joined, in no order.
// A result that is sent again with the next request counts once.
func (m *Model) Results() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []string
	for _, text := range m.told {
		all = append(all, text)
	}
	return strings.Join(all, "\n")
}

// Heard is what the users of conversations with tools have said, as their agents told
// it in each request: one that is made beside another may know less. Only of the
// Messages API.
func (m *Model) Heard() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heard
}

// hear notes what users said. Each request says all of it again.
func (m *Model) hear(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !strings.Contains(m.heard, text) {
		m.heard += text + "\n"
	}
}

// tell notes what came of a call.
func (m *Model) tell(call, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told[call] = text
}

// newID makes an id that no other reply has, in the form that agents expect of its
// kind.
func (m *Model) newID(kind string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids++
	// The fixed part makes these ids easy to find in a log.
	return fmt.Sprintf("%s_%s%06d", kind, "0e2e", m.ids)
}

// ServeHTTP answers a request of whichever API it belongs to. Paths are matched by a
// part of them, as agents put a version, a project or a model around it.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	path := r.URL.Path
	ours, err := m.cursor(w, r)
	switch {
	case ours:
	case r.Method != http.MethodPost:
		fmt.Fprint(w, `{}`)
	// The letter that differs in case between the APIs is left out.
	case strings.Contains(path, "ount_tokens"), strings.Contains(path, "ountTokens"):
		// Both APIs are answered at once; each agent reads its own member.
		fmt.Fprint(w, `{"input_tokens":10,"totalTokens":10}`)
	case strings.Contains(path, "/messages"):
		err = m.anthropic(w, r.Body)
	case strings.HasSuffix(path, "/responses"):
		err = m.openAI(w, r.Body)
	case strings.HasSuffix(path, "/chat/completions"):
		err = m.chat(w, r.Body)
	case strings.Contains(path, "enerateContent"):
		err = m.gemini(w, r.Body, strings.Contains(path, "stream"))
	default:
		fmt.Fprint(w, `{}`)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// read reads what is known of a request; members that are not known are ignored.
func read(body io.Reader, into any) error {
	if err := json.NewDecoder(body).Decode(into); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	return nil
}

// step picks the reply. A request without tools is a side question, such as for a
// title. Words of the scripts must not occur in one another's conversations, as a map
// has no order.
func (m *Model) step(tools bool, first string, turn int) Step {
	if !tools {
		return Step{Text: "ok"}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for word, s := range m.scripts {
		if word != "" && strings.Contains(first, word) {
			return s.at(turn)
		}
	}
	return m.scripts[""].at(turn)
}

// sendEvent sends one event of a stream (server-sent events, WHATWG HTML), with its
// name in the data too, where some agents look for it.
func sendEvent(w http.ResponseWriter, name string, data map[string]any) {
	data["type"] = name
	fmt.Fprintf(w, "event: %s\ndata: ", name)
	writeJSON(w, data)
	fmt.Fprint(w, "\n")
}

// writeJSON writes v and a newline. A client that is gone has no use for an error.
func writeJSON(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }
