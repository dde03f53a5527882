package hookclient

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// Agent is a program that lets a model call tools: who it is, and what its tools may do
// without a person. Open makes a session of it. It is a value to fill in and to copy; nothing in
// it changes when it is used. The zero Agent is one that asks about every call as "api".
type Agent struct {
	Program   string // who asks, such as "deploy-bot"; empty means "api"
	SessionID string // of the conversation, such as a thread's id; empty: a new one
	Name      string // what the console calls the session; empty: the folder's name
	CWD       string // working directory of the calls

	Policy  Policy        // nil: every call asks
	Timeout time.Duration // how long a person has to answer; 0 means 10 minutes, at most 24 hours
	AtMost  time.Duration // how long they can have a call wait by giving it more time; 0 means no longer than Timeout
	Socket  string        // the console's socket; empty means where AOCTL_URL says, else the usual place
}

// Session is one conversation of an Agent, which the console shows, and can stop. It may
// be used by many goroutines at once. It has one goroutine of its own, which looks for a stop
// until Close.
type Session struct {
	agent   Agent
	console address
	limits  limits

	stopped  chan struct{}
	stopOnce sync.Once
	end      context.CancelFunc // of the looking for a stop
	watcher  sync.WaitGroup
}

// ErrSessionStopped is why a call of a stopped session does not run, and the cause with
// which the contexts of running ones end.
var ErrSessionStopped = errors.New("the operator has stopped this session")

// ErrDenied is wrapped by every DeniedError.
var ErrDenied = errors.New("the call was refused")

// DeniedError is a call that was refused by a person, a rule, the policy or a stop. Its
// text is for the model.
type DeniedError struct {
	Decision Decision // how it was refused; RequestID is empty when the console was not asked
}

// Error is what the model is told: the reason alone where there is one.
func (e *DeniedError) Error() string {
	if e.Decision.Reason == "" {
		return ErrDenied.Error()
	}
	return e.Decision.Reason
}

// Unwrap makes it an ErrDenied.
func (e *DeniedError) Unwrap() error { return ErrDenied }

// Open begins a session at the console. Its errors are those of Ask: without a console
// there is no session. ctx ends the looking for a stop; Close ends it too.
func (a Agent) Open(ctx context.Context) (*Session, error) {
	return a.open(ctx, defaultLimits())
}

// open is Open with the limits l. It asks once whether the session is stopped before it returns:
// a session that was stopped earlier must not begin with a call.
func (a Agent) open(ctx context.Context, l limits) (*Session, error) {
	console, err := whereTo(a.Socket)
	if err != nil {
		return nil, err
	}
	if a.SessionID == "" {
		a.SessionID = newUUID(time.Now())
	}
	s := &Session{agent: a, console: console, limits: l, stopped: make(chan struct{})}
	// The console hears of the session before its first call, so that it has a name on its card.
	if err = s.tell(ctx, event{Type: "session_start", Name: a.Name}); err != nil {
		return nil, err
	}
	if err = s.askStopped(ctx); err != nil {
		return nil, err
	}
	ctx, s.end = context.WithCancel(ctx)
	s.watcher.Go(func() { s.watch(ctx) })
	return s, nil
}

// ID is the session's id at the console.
func (s *Session) ID() string { return s.agent.SessionID }

// Close tells the console that the session is over; reason says why in a few words. What it still
// asks is closed there. An error means that the console did not hear it. It waits for the
// goroutine that looks for a stop.
func (s *Session) Close(reason string) error {
	s.end()
	s.watcher.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), s.limits.tell)
	defer cancel()
	return s.tell(ctx, event{Type: "session_stop", Reason: reason})
}

// User tells the console what the session's user said: what a person reads beside the
// calls that follow.
func (s *Session) User(ctx context.Context, text string) error {
	return s.tell(ctx, event{Type: "user", Message: headAndTail(text, maxMessage)})
}

// Said tells the console what the model said.
func (s *Session) Said(ctx context.Context, text string) error {
	return s.tell(ctx, event{Type: "message", Message: headAndTail(text, maxMessage)})
}

// event is the body of POST /events. Members are those of docs/api.md. An empty one is left out,
// as the console takes only what goes with the event's type.
type event struct {
	Type      string          `json:"event_type"`
	SessionID string          `json:"session_id"`
	Agent     string          `json:"agent,omitempty"`
	Name      string          `json:"name,omitempty"`
	CWD       string          `json:"cwd,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Message   string          `json:"message,omitempty"`
	RequestID string          `json:"request_id,omitempty"`
	ToolName  string          `json:"tool_name,omitempty"`
	ToolInput json.RawMessage `json:"tool_input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Result    string          `json:"result,omitempty"`
	Error     string          `json:"error,omitempty"`
	Duration  int64           `json:"duration_ms,omitempty"`
	Data      any             `json:"data,omitempty"`
}

// What is longer keeps its beginning and its end: an error stands in the end more often than not.
const (
	maxMessage = 16 << 10  // bytes of what was said that are told
	maxResult  = 64 << 10  // bytes of a result that are told; the console keeps fewer
	maxRan     = 256 << 10 // bytes of an input that ran that are told
)

// tell records e at the console.
func (s *Session) tell(ctx context.Context, e event) error {
	e.SessionID, e.Agent, e.CWD = s.agent.SessionID, s.agent.Program, s.agent.CWD
	body, err := json.Marshal(e)
	if err != nil {
		return &refusalError{kind: ErrInput, text: "the event cannot be written as JSON: " + err.Error(), cause: err}
	}
	_, err = s.request(ctx, "/events", body)
	return err
}

// request sends one request and returns the JSON object that answers it. A console that is
// just starting is waited for, no longer than limits.tell.
func (s *Session) request(ctx context.Context, path string, body []byte) (answer []byte, err error) {
	// The console answers these at once, so poll is there only to be complete.
	c := conversation{
		console: s.console, caller: newCaller(s.console), limits: s.limits,
		question: question{
			path: path, body: body,
			poll:   func(string) string { return path },
			usable: func(r response) (err error) { answer, err = checkAnswer(r); return err },
		},
		deadline: within(time.Now(), s.limits.tell, 0),
	}
	if err = c.run(ctx); err != nil {
		return nil, err
	}
	return answer, nil
}

// headAndTail is the beginning and the end of s, n bytes in all, cut between characters. A cut
// costs up to three bytes on each side and adds a mark between two lines.
func headAndTail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head, tail := n/2, len(s)-n/2
	for head > 0 && s[head]&0xC0 == 0x80 {
		head--
	}
	for tail < len(s) && s[tail]&0xC0 == 0x80 {
		tail++
	}
	return s[:head] + "\n…\n" + s[tail:]
}
