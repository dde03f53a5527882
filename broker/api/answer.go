package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/forms"
)

// What keeps a session's question from being answered. These become answers in the table of
// respond.go. Some of them share a code there, since a program can do nothing else about one than
// about the other.
var (
	errNoQuestion  = errors.New("no question waits in this session")
	errElsewhere   = errors.New("this session's agent asks in its own terminal")
	errWhich       = errors.New("several questions wait in this session")
	errNotAsked    = errors.New("this call is no question to the user")
	errUnreadable  = errors.New("this question cannot be answered from here")
	errNoSuchReply = errors.New("these answers do not fit")
)

// answerBody answers the question that waits in a session, or declines to.
type answerBody struct {
	RequestID string                `json:"request_id"` // needed where several wait
	Answers   map[string]answerText `json:"answers"`    // by the question's text or header
	Decline   *string               `json:"decline"`    // why nobody answers; may be empty
}

// answerText is one label or text, or a list of them.
type answerText []string

// UnmarshalJSON takes a string or a list of strings. A null inside the list is an error and not
// an empty answer, since an answer is written into the input of a tool.
func (t *answerText) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		*t = answerText{s}
		return nil
	}
	var list []*string
	if err := json.Unmarshal(raw, &list); err != nil {
		return errors.New("an answer is a text or a list of texts")
	}
	*t = answerText{}
	for _, s := range list {
		if s == nil {
			return errors.New("an answer is a text or a list of texts")
		}
		*t = append(*t, *s)
	}
	return nil
}

// postAnswer answers the question that waits in a session. It takes an operator's token;
// declining is refusing, and open.
func (rt callRoutes) postAnswer(w http.ResponseWriter, r *http.Request) {
	var body answerBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	if err := body.check(); err != nil {
		fail(w, err)
		return
	}
	// A declined question is a refused call, so an agent's process that shows an operator's token
	// may still decline. A token that is none is an error either way.
	by, about, err := rt.decider(r, body.RequestID)
	body.RequestID = cmp.Or(about.ID, body.RequestID)
	if err != nil && (body.Decline == nil || !errors.Is(err, broker.ErrForbidden)) {
		fail(w, err)
		return
	}
	s, err := rt.o.Records.Session(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	if body.Decline == nil && by.Kind != broker.ByOperator {
		rt.refused(r, broker.NoOperator, "only the person at the console can answer an agent's question")
		writeError(w, http.StatusForbidden, "operator_required", "only the person at the console can answer an agent's question",
			`answer it in aoctl, or use an operator token (there: r, then t); over the socket it can be declined`)
		return
	}
	req, err := rt.answer(r.Context(), s, body, by)
	if err != nil {
		failWith(w, onceError(by, err), req)
		return
	}
	writeJSON(w, http.StatusOK, decisionView(req))
}

// check refuses a body that says two things, or nothing. An empty set of answers is not taken as
// "no answer": that is what decline is for.
func (body answerBody) check() error {
	switch {
	case body.Decline != nil && len(body.Answers) > 0:
		return fmt.Errorf("%w: send answers, or decline", broker.ErrInvalid)
	case body.Decline == nil && len(body.Answers) == 0:
		return fmt.Errorf("%w: answers is missing; send {\"answers\": {\"<question>\": \"<label or text>\"}}, or decline", broker.ErrInvalid)
	case body.Decline != nil && len(*body.Decline) > broker.MaxReason:
		return fmt.Errorf("%w: decline is longer than %d bytes", broker.ErrInvalid, broker.MaxReason)
	}
	return broker.CheckName("request_id", body.RequestID)
}

// answer ends the question that waits in s as body says. Errors: ErrNotFound,
// ErrAlreadyDecided, ErrInvalid, errNoQuestion and what is declared beside it, and those of
// Decide.
//
// The engine decides by id, so a question that was answered meanwhile is ErrAlreadyDecided, with
// the answer that it got. What is filled in keeps every other member of the input as the agent
// sent it.
func (rt callRoutes) answer(ctx context.Context, s broker.Session, body answerBody, by broker.Actor) (broker.Request, error) {
	req, err := rt.questionOf(ctx, s, body.RequestID)
	if err != nil {
		return req, broker.While(err, "answer")
	}
	d := broker.Decision{Verdict: broker.Deny, By: by, Digest: req.Digest}
	if body.Decline != nil {
		d.Reason = *body.Decline
	} else {
		d.Verdict = broker.Allow
		if d.UpdatedInput, err = filled(req, body.Answers); err != nil {
			return req, broker.While(err, "answer")
		}
	}
	return rt.o.Calls.Decide(ctx, req.ID, d)
}

// questionOf is the question that is meant: request id's, or the only one that waits in s. A
// request that is named must be one of this session: a token holder that mixes up two sessions
// would answer the wrong agent.
func (rt callRoutes) questionOf(ctx context.Context, s broker.Session, id string) (broker.Request, error) {
	if id != "" {
		req, err := rt.o.Records.Request(ctx, id)
		switch {
		case err != nil:
			return broker.Request{}, err
		case req.SessionID != s.ID:
			return broker.Request{}, fmt.Errorf("%w: it is another session's", broker.ErrNotFound)
		case broker.DialogOf(req) != agents.AskUserQuestion:
			return broker.Request{}, errNotAsked
		case req.State.Terminal():
			return req, broker.ErrAlreadyDecided
		}
		return req, nil
	}
	var found []broker.Request
	for _, r := range rt.o.Records.Pending(s.ID) {
		if broker.DialogOf(r) == agents.AskUserQuestion {
			found = append(found, r)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		// The error lists ids and first lines, so that the caller can name one without another
		// request.
		err := errWhich
		for _, r := range found {
			err = fmt.Errorf("%w; %s: %s", err, r.ID, broker.Clip(forms.Gist(r.ToolInput)))
		}
		return broker.Request{}, err
	// The agent asks in its own terminal, where this console cannot answer. That is another thing
	// than no question at all.
	case s.Asks != nil:
		return broker.Request{}, errElsewhere
	}
	return broker.Request{}, errNoQuestion
}

// filled is req's input with the answers in it. It is errUnreadable when the agent takes no
// answers from a hook or its form is not one that aoctl knows, and errNoSuchReply when the
// answers do not fit the form. A program that uses the plain API takes any form.
func filled(req broker.Request, said map[string]answerText) (json.RawMessage, error) {
	t := agents.TraitsOf(req.Agent)
	if req.Event != "" && (!t.Answers || !t.Edit) {
		return nil, fmt.Errorf("%w: %s takes answers only in its own terminal", errUnreadable, t.Title)
	}
	_, input := req.Call()
	f, err := forms.Read(input)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	words := make(map[string][]string, len(said))
	for question, texts := range said {
		words[question] = texts
	}
	answers, err := f.Reply(words)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoSuchReply, err)
	}
	out, err := f.Fill(answers)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoSuchReply, err)
	}
	return out, nil
}
