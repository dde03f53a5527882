package hookclient

import (
	"context"
	"encoding/json"
	"strconv"
	"time"
)

// Request is a call that a program of one's own wants a person to allow. Zero fields take the
// defaults named. Ask does not keep it, and does not change ToolInput.
type Request struct {
	SessionID string          // required: groups calls in the console, and is what a stop acts on
	ToolName  string          // required: what would be done, such as "Bash"
	ToolInput json.RawMessage // required: a JSON object, shown and recorded byte for byte
	ToolUseID string          // the program's own id of this call
	CWD       string          // working directory of the call
	Agent     string          // who asks, such as "deploy-bot"; empty means "api"

	Timeout time.Duration // how long a person has to answer; 0 means 10 minutes, at most 24 hours
	AtMost  time.Duration // how long they can have it wait by giving the call more time; 0 means no longer than Timeout
	Socket  string        // the console's socket; empty means where AOCTL_URL says, else the usual place

	id string // of the request at the console; empty: a new UUIDv7
}

// Decision is the answer to a Request. Its zero value is a refusal.
type Decision struct {
	Allowed      bool            // the call may run, once
	Reason       string          // why not, or a word that came with the permission
	UpdatedInput json.RawMessage // when set: run this input instead of the one that was asked
	RequestID    string          // UUIDv7 of the request, as the console's log has it
	Status       string          // "allowed", "denied", "expired", "cancelled" or "answered"
	DecidedAt    time.Time       //

	by string // the kind of who decided, in the console's word
}

// Ask puts req before the person at the console and waits for the answer. A
// console that restarts meanwhile finds the same request again.
//
// The call may run only when the error is nil and Decision.Allowed is true. Every
// error means that it must not: ErrNoConsole, ErrSocket, ErrSilent, ErrAnswer,
// ErrTimeout, ErrRefused, ErrObserving and ErrInput tell the causes apart (errors.Is). When ctx
// ends first, its error is returned, and the question is taken back: its card closes
// at once, unless the console cannot be told so within a second. An answer that it
// gives nevertheless allows nothing.
//
// Ask may be called by many goroutines at once.
func Ask(ctx context.Context, req Request) (Decision, error) {
	return ask(ctx, req, defaultLimits())
}

// ask is Ask with the limits l. The id of the question is made here and sent along, so that a
// question whose connection broke is found again and not asked twice.
//
// Everything that can be checked is checked before the console hears of the call.
func ask(ctx context.Context, req Request, l limits) (Decision, error) {
	begun := time.Now()
	if req.Timeout == 0 {
		req.Timeout = defaultTimeout
	}
	if req.Timeout < 0 || req.Timeout > maxTimeout {
		return Decision{}, &refusalError{kind: ErrInput, text: "a timeout of " + req.Timeout.String() + " is not between 0 and 24h"}
	}
	if req.AtMost < 0 || req.AtMost > maxTimeout {
		return Decision{}, &refusalError{kind: ErrInput, text: "a time of at most " + req.AtMost.String() + " is not between 0 and 24h"}
	}
	console, err := whereTo(req.Socket)
	if err != nil {
		return Decision{}, err
	}
	id := req.id
	if id == "" {
		id = newUUID(begun)
	}
	body, err := req.encode(id)
	if err != nil {
		return Decision{}, err
	}
	var decision Decision
	c := conversation{
		console: console, caller: newCaller(console), limits: l,
		question: question{
			path: "/create-approval-request", body: body,
			poll:   func(id string) string { return "/approval-requests/" + id + "/decision?timeout=" + holdSeconds },
			opens:  func(got string) error { return sameRequest(got, id) },
			usable: func(r response) (err error) { decision, err = parseDecision(r, id); return err },
		},
		deadline: within(begun, req.Timeout, req.AtMost), id: id,
	}
	if err = c.run(ctx); err != nil {
		if ctx.Err() != nil {
			_ = c.withdraw(reasonCancelled) // the answer is no either way
		}
		return Decision{}, err
	}
	return decision, nil
}

// reasonCancelled is what the console shows of a question whose context ended.
const reasonCancelled = "the program that asked took its question back"

// holdSeconds is how long the broker may hold one poll. It lies below limits.silence, so that a
// console that holds a poll is not taken for one that hangs.
const holdSeconds = "25"

// encode writes the body with ToolInput as it is: the encoder would drop its blanks
// and escape its angle brackets, and then other bytes would be shown and recorded
// than the program is about to use.
func (r Request) encode(id string) ([]byte, error) {
	if !json.Valid(r.ToolInput) || looksLikeObject(r.ToolInput) != nil {
		return nil, notAnObject()
	}
	body, err := json.Marshal(struct {
		RequestID string  `json:"request_id"`
		SessionID string  `json:"session_id"`
		ToolName  string  `json:"tool_name"`
		ToolUseID string  `json:"tool_use_id,omitempty"`
		CWD       string  `json:"cwd,omitempty"`
		Agent     string  `json:"agent,omitempty"`
		Timeout   float64 `json:"timeout"`           // seconds
		AtMost    float64 `json:"at_most,omitempty"` // seconds
	}{id, r.SessionID, r.ToolName, r.ToolUseID, r.CWD, r.Agent, r.Timeout.Seconds(), r.AtMost.Seconds()})
	if err != nil {
		return nil, &refusalError{kind: ErrInput, text: "the request cannot be written as JSON: " + err.Error(), cause: err}
	}
	body = append(body[:len(body)-1], `,"tool_input":`...)
	body = append(body, r.ToolInput...)
	return append(body, '}'), nil
}

// sameRequest refuses an answer to another question, which must never allow this one.
func sameRequest(got, want string) error {
	if got != want {
		return unreadable("it is for another request")
	}
	return nil
}

// parseDecision reads the final answer to request id. Only an allow that says so
// twice, in decision and in status, is one.
func parseDecision(resp response, id string) (Decision, error) {
	raw, err := checkAnswer(resp)
	if err != nil {
		return Decision{}, err
	}
	var d struct {
		RequestID    string          `json:"request_id"`
		Status       string          `json:"status"`
		Decision     string          `json:"decision"`
		Reason       string          `json:"reason"`
		DecidedAt    time.Time       `json:"decided_at"`
		UpdatedInput json.RawMessage `json:"updated_input"`
		By           struct {
			Kind string `json:"kind"`
		} `json:"by"`
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return Decision{}, unreadable("a field of it has the wrong type: " + err.Error())
	}
	if err := sameRequest(d.RequestID, id); err != nil {
		return Decision{}, err
	}
	allowed := d.Decision == "allow"
	// The console says allow because nothing is held; nobody and no rule has allowed this call.
	if allowed && d.Status == "answered" && d.By.Kind == "observe" {
		return Decision{}, &refusalError{
			kind: ErrObserving, text: "the console only observes, so nobody can allow or answer anything there",
			hint: "to have calls held again, press O on this session in the console",
		}
	}
	if allowed != (d.Status == "allowed") || !allowed && d.Decision != "deny" {
		return Decision{}, unreadable("it says " + strconv.Quote(d.Decision) + " and " + strconv.Quote(d.Status))
	}
	if string(d.UpdatedInput) == "null" {
		d.UpdatedInput = nil
	}
	return Decision{
		Allowed: allowed, Reason: d.Reason, UpdatedInput: d.UpdatedInput,
		RequestID: d.RequestID, Status: d.Status, DecidedAt: d.DecidedAt, by: d.By.Kind,
	}, nil
}
