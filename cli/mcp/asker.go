package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/hookclient"
	"github.com/aoctl/aoctl/hookclient/profile"
)

const (
	// atMost is how long a call may wait when the operator gives it more time. A client that does
	// not wait as long cancels its call, and the question is taken back then.
	atMost = broker.MaxTimeout
	// tellTime is how long a question beside the call, and the end of the session, may take.
	tellTime = 2 * time.Second
)

// identity says in whose name calls are asked.
type identity struct {
	session string
	agent   string
	own     bool // the session is a new one, of this process alone
	found   bool // the environment told of it
}

// identify takes the session of the agent that started this process, where the environment tells
// one. Its calls then stand beside those that its hooks ask about, and a stop holds for both. Where
// it tells none, or several, the session is a new one.
func identify(env func(string) string) identity {
	var found []identity
	for _, p := range profile.All() {
		if p.Session == "" {
			continue
		}
		if id := env(p.Session); id != "" && broker.CheckName("session", id) == nil {
			found = append(found, identity{session: id, agent: p.Name, found: true})
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return identity{session: "mcp-" + uuid.NewString(), agent: "mcp", own: true}
}

// asker puts calls before the console. It may be used by many goroutines at once.
type asker struct {
	identity

	cwd           string
	socket        string // empty: where hookclient finds the console
	timeout       time.Duration
	progressEvery time.Duration
	log           *slog.Logger

	asked atomic.Bool // the console may know the session
	began atomic.Bool // the agent's session was not open there before this process asked
}

// ask waits for the operator's decision about one call. The call may run only when the error is nil
// and Decision.Allowed is true. Every question is a new one: an answer that was given before, also
// to a hook about the same call, is not taken for it.
func (a *asker) ask(ctx context.Context, tool string, input json.RawMessage, toolUseID string) (hookclient.Decision, error) {
	if a.found && !a.asked.Load() && !a.open(ctx) {
		a.began.Store(true)
	}
	d, err := hookclient.Ask(ctx, hookclient.Request{
		SessionID: a.session, ToolName: tool, ToolInput: input, ToolUseID: toolUseID,
		CWD: a.cwd, Agent: a.agent, Timeout: a.timeout, AtMost: atMost, Socket: a.socket,
	})
	if !errors.Is(err, hookclient.ErrNoConsole) {
		a.asked.Store(true)
	}
	if err != nil {
		a.log.Warn("the call is refused without an answer", "session_id", a.session, "err", err)
		return hookclient.Decision{}, err
	}
	a.log.Info("the call is decided", "session_id", a.session, "request_id", d.RequestID, "status", d.Status)
	return d, nil
}

// stopped reports whether the operator has stopped the session. A console that cannot be asked says
// no: the call is refused either way, and this only tells the client to end its turn.
func (a *asker) stopped(ctx context.Context) bool {
	answer, err := hookclient.Call(ctx, "/check-stop/"+url.PathEscape(a.session), nil, hookclient.CallOptions{Socket: a.socket, Timeout: tellTime})
	var stop struct {
		Requested bool `json:"stop_requested"`
	}
	return err == nil && json.Unmarshal(answer, &stop) == nil && stop.Requested
}

// open reports whether the session is open at the console, as it is when the agent's hooks speak of
// it. When the console cannot be asked, it may be.
func (a *asker) open(ctx context.Context) bool {
	answer, err := hookclient.Call(ctx, "/sessions/"+url.PathEscape(a.session), nil, hookclient.CallOptions{Socket: a.socket, Timeout: tellTime})
	if status, ok := errors.AsType[*hookclient.StatusError](err); ok {
		return status.Status != http.StatusNotFound
	}
	var s broker.Session
	return err != nil || json.Unmarshal(answer, &s) != nil || !s.State.Ended()
}

// end tells the console that the session is over, if it began with this process and the console may
// know it. A session that hooks speak of is the agent's to end, and one that a flag names may have
// other askers.
func (a *asker) end() {
	if !a.own && !a.began.Load() || !a.asked.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), tellTime)
	defer cancel()
	body, err := json.Marshal(map[string]string{"event_type": broker.EventSessionStop, "session_id": a.session, "agent": a.agent, "reason": "the MCP client left"})
	if err == nil {
		_, err = hookclient.Call(ctx, "/events", body, hookclient.CallOptions{Socket: a.socket, Timeout: tellTime})
	}
	if err != nil {
		a.log.Warn("the console did not hear that the session is over", "session_id", a.session, "err", err)
	}
}
