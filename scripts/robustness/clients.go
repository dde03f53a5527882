package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/scripts/internal/ask"
)

// patience is how long one plain exchange with a broker may take. A broker is paused for
// eight seconds at most.
const patience = 12 * time.Second

// answer is what the API says of a request, as an answer, an outcome or a stored request.
type answer struct {
	ID       string `json:"id"`
	ToolUse  string `json:"tool_use_id"`
	Session  string `json:"session_id"`
	Digest   string `json:"digest"`
	Status   status `json:"status"`
	Decision string `json:"decision"`
	Stop     bool   `json:"stop_requested"`
	Shaky    bool   `json:"unrecorded"` // its end may not last
	By       struct {
		Kind string `json:"kind"`
		ID   string `json:"id"`
	} `json:"by"`
	Outcome *answer `json:"outcome"`
	Error   struct {
		Code string `json:"code"`
	} `json:"error"`
}

// seen is how the request stands by what a says, and who ended it.
func (a answer) seen() (status, string) {
	by, id := a.By.Kind, a.By.ID
	if a.Outcome != nil {
		by, id = a.Outcome.By.Kind, a.Outcome.By.ID
	}
	if a.Status == denied && id == broker.AsideID {
		return denied, id // two brokers were killed while it waited
	}
	if a.Status == denied && by == "broker" || a.Shaky || a.Outcome != nil && a.Outcome.Shaky {
		return unrecorded, by
	}
	return a.Status, by
}

// errBroken is an answer that a healthy broker does not give.
var errBroken = errors.New("an answer that makes no sense")

// exchange does o as one HTTP exchange and returns the answer; o is in the history
// afterwards, unless the broker was not reached or the history is closed.
func (w *world) exchange(ctx context.Context, h *history, o *op, method, path string, body any, read func(status int, a answer)) bool {
	if !h.begin(o) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rep, err := w.client.Do(ctx, method, path, body)
	if errors.Is(err, ask.ErrUnreached) {
		h.forget()
		return false
	}
	o.Out = unknown
	if err == nil {
		w.interpret(o, rep, fmt.Sprintf("%s %s", method, path), read)
	}
	h.end(o)
	return o.Out != unknown
}

// interpret sets o's outcome by a reply.
func (w *world) interpret(o *op, rep ask.Reply, what string, read func(status int, a answer)) {
	var a answer
	if len(rep.Body) > 0 && rep.Body[0] == '{' {
		if err := json.Unmarshal(rep.Body, &a); err != nil {
			w.violated(fmt.Errorf("%w: %s: %q", errBroken, what, rep.Body))
			return
		}
	}
	switch code := a.Error.Code; {
	case rep.Status < 300:
		o.Out = done
		read(rep.Status, a)
	case code == "already_decided" && a.Outcome != nil:
		o.Out = already
		o.Seen, o.By = a.Outcome.seen()
	case code == "conflict":
		o.Out = conflict
	case code == "answered_before": // it may not be given again: no answer
		o.Out = none
	case code == "not_found":
		o.Out = missing
	case rep.Status == http.StatusTooManyRequests: // the real broker bounds how fast sessions come and ask
		o.Out = none
	case code == "operator_required":
		o.Out = forbid
	case code == "not_recorded":
		o.Out = failed
	case code == "shutting_down":
	case code == "already_decided": // it is being decided, and the end is not there yet
	default:
		w.violated(fmt.Errorf("%w: %s: %d %s", errBroken, what, rep.Status, rep.Body))
	}
}

// asker asks about one request until it has an answer.
type asker struct {
	w      *world
	h      *history
	r      *request
	digest byte
	dice   *rand.Rand
	hook   bool // by the agents' route, not the plain one
}

func (a asker) command() string {
	if a.digest == digestB {
		return "make something else of " + a.r.call
	}
	return "make " + a.r.call
}

func (a asker) body() map[string]any {
	return map[string]any{
		"session_id": a.h.session, "request_id": a.r.name, "tool_name": "Bash", "cwd": "/",
		"tool_input": map[string]string{"command": a.command()}, "timeout": a.r.timeout.Seconds(),
	}
}

func (a asker) op(kind string) *op {
	return &op{Kind: kind, Call: a.r.call, Slot: a.r.slot, Digest: a.digest}
}

// told notes the answer that o's asker got, in the same span of time.
func (a asker) told(o *op, st status, by string) {
	s := a.op("see")
	s.Seen, s.By, s.Road, s.Inv, s.Ret, s.Out = st, by, "told", o.Inv, o.Ret, done
	a.h.add(s)
}

// left notes that nobody waits any more, from when on: the call may be cancelled.
func (a asker) left(when int64) {
	a.h.add(&op{Kind: "cancel", Call: a.r.call, Slot: a.r.slot, Inv: when, Ret: never})
}

// wait asks and blocks until there is an answer. One asker in eight hangs up early.
func (a asker) wait(ctx context.Context) {
	for tries := 0; ctx.Err() == nil && tries < 200; tries++ {
		hangUp := a.dice.IntN(8) == 0
		try, cancel := context.WithTimeout(ctx, a.r.timeout+patience)
		if hangUp {
			cancel()
			try, cancel = context.WithTimeout(ctx, time.Duration(5+a.dice.IntN(500))*time.Millisecond)
		}
		ended := a.once(try)
		cancel()
		if ended || hangUp && a.dice.IntN(2) == 0 {
			return
		}
		pause(ctx, time.Duration(10+a.dice.IntN(60))*time.Millisecond)
	}
}

// once is one try of wait; it reports whether there was an answer.
func (a asker) once(ctx context.Context) bool {
	o := a.op("ask")
	if !a.h.begin(o) {
		return true
	}
	o.Road, o.Out = "waits", unknown
	var st status
	var by string
	var err error
	if a.hook {
		st, err = a.askHook(ctx, o)
	} else {
		st, by, err = a.askPlain(ctx, o)
	}
	if errors.Is(err, ask.ErrUnreached) {
		a.h.forget()
		return false
	}
	lost := a.w.now()
	a.h.end(o)
	if o.Out == unknown {
		a.left(lost - int64(time.Second)) // it may have been lost a while before it was seen
	}
	if st != "" {
		a.told(o, st, by)
	}
	return o.Out != unknown
}

func (a asker) askHook(ctx context.Context, o *op) (status, error) {
	o.Road = "hook"
	got, err := a.w.client.Hook(ctx, ask.Call{
		Session: a.h.session, ToolUse: a.r.name, Tool: "Bash", CWD: "/", Timeout: a.r.timeout,
		Input: map[string]any{"command": a.command()},
	}, uuid.NewString())
	if refusal, ok := errors.AsType[*ask.Error](err); ok {
		a.w.interpret(o, ask.Reply{Status: refusal.Status, Body: []byte(refusal.Body)}, "hook", nil)
		return "", nil
	}
	if err != nil {
		return "", err
	}
	a.h.named(a.r.name, got.RequestID)
	o.Out = done
	return byWords(got.Verdict, got.Reason), nil
}

func (a asker) askPlain(ctx context.Context, o *op) (st status, by string, err error) {
	rep, err := a.w.client.Do(ctx, http.MethodPost, "/request-approval", a.body())
	if err != nil {
		return "", "", err
	}
	a.w.interpret(o, rep, "POST /request-approval", func(_ int, got answer) { st, by = got.seen() })
	return st, by, nil
}

// byWords is the end that the words tell of which an agent gets.
func byWords(verdict, reason string) status {
	if verdict == "allow" {
		return allowed
	}
	if strings.Contains(reason, broker.UnrecordedWords) {
		return unrecorded
	}
	for words, st := range map[string]status{
		"Nobody answered in aoctl": expired, "aoctl closed this call": cancelled, "already answered in the agent": answered,
		"aoctl refused this call because": unrecorded, "denied this call in aoctl": denied, "This call was denied": denied,
		"Stopped by the user": refused, "aoctl crashed twice while this call waited": denied,
	} {
		if strings.Contains(reason, words) {
			return st
		}
	}
	return refused
}

// poll creates the request and asks for its decision now and then.
func (a asker) poll(ctx context.Context) {
	created := false
	for tries := 0; !created && tries < 200; tries++ {
		o := a.op("ask")
		o.Road = "create"
		created = a.w.exchange(ctx, a.h, o, http.MethodPost, "/create-approval-request", a.body(), func(int, answer) {})
		if created && o.Out != done {
			return
		}
		if !created && !pause(ctx, time.Duration(10+a.dice.IntN(60))*time.Millisecond) {
			return
		}
	}
	for ended := false; !ended && ctx.Err() == nil; {
		o := a.op("see")
		o.Road = "told"
		path := "/approval-requests/" + a.r.name + "/decision?timeout=" + []string{"0", "0.05", "1"}[a.dice.IntN(3)]
		a.w.exchange(ctx, a.h, o, http.MethodGet, path, nil, func(code int, got answer) {
			o.Seen, o.By = got.seen()
			if code == http.StatusAccepted {
				o.Digest = 0
			}
		})
		if o.Out == missing {
			o.Seen = absent
		}
		ended = o.Out == missing || o.Out == done && o.Seen != pending || !pause(ctx, time.Duration(a.dice.IntN(40))*time.Millisecond)
	}
}
