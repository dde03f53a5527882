package hookclient

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"
)

// Ask finds out whether c may run: by the policy, or by asking. c may run only when the
// error is nil and Decision.Allowed is true; Decision.UpdatedInput, when set, is the input to run.
//
// The same ToolCall.ID finds the same question again, also in another process: its card
// is there once, and a refusal is given again. An allow that was given before this very
// Ask began is not taken, because nobody knows whether the call ran: ask under a new id.
//
// The errors are those of the function Ask. When ctx ends, or the session is stopped, the
// question is taken back and its card closes.
func (s *Session) Ask(ctx context.Context, c ToolCall) (Decision, error) {
	if c.ID == "" {
		c.ID = newUUID(time.Now())
	}
	return s.ask(ctx, c)
}

// ask decides about c: a stop refuses it, then the policy may decide, and else a person does. A
// stop comes before the policy: nothing of a stopped session runs, whatever the program itself
// would allow.
func (s *Session) ask(ctx context.Context, c ToolCall) (Decision, error) {
	if s.Stopped() {
		return stopDecision(), nil
	}
	if err := ctx.Err(); err != nil {
		return Decision{}, err
	}
	switch r := s.agent.Policy.rule(c); r.verdict {
	case allowed:
		return s.allowedByPolicy(ctx, c)
	case denied:
		return s.deniedByPolicy(ctx, c, r.reason), nil
	case askPerson:
	}
	return s.askPerson(ctx, c)
}

// stopDecision is the refusal of every call of a stopped session.
func stopDecision() Decision {
	return Decision{Status: "denied", Reason: "The operator has stopped this session. Do not go on.", DecidedAt: time.Now()}
}

// allowedByPolicy allows c once the console has it on record and says that the session
// may go on.
//
// The order matters. A call that is not on record does not run, and a stop that came while it was
// being recorded counts.
func (s *Session) allowedByPolicy(ctx context.Context, c ToolCall) (Decision, error) {
	if !json.Valid(c.Input) || looksLikeObject(c.Input) != nil {
		return Decision{}, notAnObject()
	}
	err := s.tell(ctx, s.preTool(c, "allow", ""))
	if err == nil {
		err = s.askStopped(ctx)
	}
	switch {
	case err != nil:
		return Decision{}, err
	case s.Stopped():
		return stopDecision(), nil
	}
	return Decision{Allowed: true, Status: "allowed", Reason: "Allowed by the program's own policy.", DecidedAt: time.Now()}, nil
}

// deniedByPolicy refuses c and lets the console know, which shows it among the session's events.
func (s *Session) deniedByPolicy(ctx context.Context, c ToolCall, reason string) Decision {
	if reason == "" {
		reason = "The program's own policy refuses this call."
	}
	_ = s.tell(ctx, s.preTool(c, "deny", reason)) // it is refused whether or not anybody hears of it
	return Decision{Status: "denied", Reason: reason, DecidedAt: time.Now()}
}

// preTool is the event of a call that nobody was asked about, with the policy's word in its data.
func (s *Session) preTool(c ToolCall, policy, reason string) event {
	return event{Type: "pre_tool", ToolName: c.Tool, ToolInput: c.Input, ToolUseID: c.ID, Reason: reason, Data: map[string]string{"policy": policy}}
}

// askPerson puts c before the console's rules and its person.
//
// An allow that is older than this asking is a recorded one. The call may have run on it in
// another process, so it is an error and not a yes.
func (s *Session) askPerson(ctx context.Context, c ToolCall) (Decision, error) {
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer s.whenStopped(asking, cancel)()
	begun := time.Now().Truncate(time.Millisecond) // the console's clock is this one, in milliseconds
	// Over TCP the console may run on another machine. Its clock may be late, and an answer of
	// this very moment must not look old.
	if s.console.remote() {
		begun = begun.Add(-otherClock)
	}
	timeout := c.Timeout
	if timeout == 0 {
		timeout = s.agent.Timeout
	}
	d, err := ask(asking, Request{
		SessionID: s.agent.SessionID, ToolName: c.Tool, ToolInput: c.Input, ToolUseID: c.ID,
		CWD: s.agent.CWD, Agent: s.agent.Program, Timeout: timeout, AtMost: s.agent.AtMost, Socket: s.agent.Socket, id: s.requestID(c),
	}, s.limits)
	switch {
	// The wait was ended by the stop. To the caller that is a refusal and not a failure.
	case err != nil && errors.Is(context.Cause(asking), ErrSessionStopped):
		return stopDecision(), nil
	case err != nil:
		return Decision{}, err
	case d.by == "stop":
		s.noteStop()
	case d.Allowed && d.DecidedAt.Before(begun):
		return Decision{}, &refusalError{
			kind: ErrRefused, text: "this call was allowed before it was asked now, and nobody knows whether it ran",
			hint: "ask for it again under a new id",
		}
	}
	return d, nil
}

// otherClock is how far the clock of a console behind a forwarded port may be behind ours. It is
// the price of a clock that is not ours: an allow up to a minute old is taken there.
const otherClock = time.Minute

// requestID names c at the console, the same for everybody in this session who asks for it. Two
// programs, or two sessions, have no name in common. Parts are written as JSON first, so that no
// two lists of them give the same bytes.
func (s *Session) requestID(c ToolCall) string {
	raw, _ := json.Marshal([]string{s.agent.Program, s.agent.SessionID, c.ID})
	sum := sha256.Sum256(raw)
	return "call-" + hex.EncodeToString(sum[:16])
}

// whenStopped has cancel called if the session is stopped; the returned function ends that. The
// function that it returns must be called, or its goroutine stays until ctx ends.
func (s *Session) whenStopped(ctx context.Context, cancel context.CancelCauseFunc) func() {
	done := make(chan struct{})
	go func() {
		select {
		case <-s.stopped:
			cancel(ErrSessionStopped)
		case <-ctx.Done():
		case <-done:
		}
	}()
	return func() { close(done) }
}

// Do asks for c and, if it is allowed, calls run with the input to use, then tells the
// console what came of it. It returns what run returned.
//
// A refusal is a *DeniedError, whose text is for the model; every other error that is not
// run's own means that the call did not run either. run's context ends when the operator stops the
// session. That the console does not hear of a result is no error: the call has run.
//
// The input is copied twice, for the question and for run, so that neither the caller nor run can
// change what was asked or what is reported.
func (s *Session) Do(ctx context.Context, c ToolCall, run func(ctx context.Context, input json.RawMessage) (result string, err error)) (string, error) {
	if c.ID == "" {
		c.ID = newUUID(time.Now())
	}
	c.Input = bytes.Clone(c.Input) // nobody changes between question and answer what is asked
	d, err := s.ask(ctx, c)
	switch {
	case err != nil:
		return "", err
	case !d.Allowed:
		return "", &DeniedError{Decision: d}
	case s.Stopped():
		return "", &DeniedError{Decision: stopDecision()}
	}
	if run == nil {
		run = noSuchTool
	}
	if d.UpdatedInput != nil {
		c.Input = d.UpdatedInput
	}
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer s.whenStopped(running, cancel)()
	begun := time.Now()
	result, err := run(running, bytes.Clone(c.Input))
	s.report(ctx, c, d.RequestID, result, err, time.Since(begun))
	return result, err
}

// noSuchTool stands in for a tool that the program does not have. The call was allowed, and is
// reported as failed.
func noSuchTool(context.Context, json.RawMessage) (string, error) {
	return "", &refusalError{kind: ErrInput, text: "there is no such tool"}
}

// report tells the console how c ended. A duration of 0 would mean that nobody measured, so the
// least is a millisecond. ctx may be over by now, and the report is sent all the same.
func (s *Session) report(ctx context.Context, c ToolCall, requestID, result string, err error, took time.Duration) {
	e := event{Type: "post_tool", RequestID: requestID, ToolName: c.Tool, ToolUseID: c.ID, Duration: max(took.Milliseconds(), 1)}
	if e.Result = headAndTail(result, maxResult); err != nil {
		e.Error = headAndTail(err.Error(), maxMessage)
	}
	if len(c.Input) <= maxRan {
		e.ToolInput = c.Input
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limits.tell)
	defer cancel()
	_ = s.tell(ctx, e)
}

// notAnObject is the error for an input that no tool takes.
func notAnObject() error {
	return &refusalError{kind: ErrInput, text: "tool_input is not a JSON object"}
}
