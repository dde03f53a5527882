package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/feed"
	"github.com/aoctl/aoctl/broker/hooks"
	"github.com/aoctl/aoctl/broker/proctree"
	"github.com/aoctl/aoctl/broker/wire"
)

// apiError is why a request was refused. Code is for programs and never changes its meaning;
// Message and Hint are for people and may be worded anew.
type apiError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// bodyError is a request that could not be read.
type bodyError struct {
	status        int
	code, message string
}

func (e *bodyError) Error() string { return e.message }

// statuses is the one table of error and answer. Already decided is 409, so that a
// caller reads the outcome instead of trying again.
//
// The order matters: errors.Is takes the first that fits, so an error in words of its own
// (broker.ErrLift, broker.ErrTaken) stands before the wider one that it also is.
var statuses = []struct {
	err    error
	status int
	code   string
	hint   string
}{
	{broker.ErrAlreadyDecided, http.StatusConflict, "already_decided", "the first answer counts"},
	{broker.ErrNotFound, http.StatusNotFound, "not_found", `"aoctl sessions" and "aoctl pending" list what there is`},
	{broker.ErrNotManaged, http.StatusConflict, "not_managed", `it was not started with "aoctl run"; "aoctl stop" stops any session`},
	{broker.ErrOtherProcess, http.StatusConflict, "held", "end that one first"},
	{broker.ErrNotRunner, http.StatusConflict, "not_the_runner", "say POST /runs first"},
	{broker.ErrStopped, http.StatusConflict, "stopped", "what the person says to it in the console (m) lifts the stop, and starts it again"},
	{broker.ErrTaken, http.StatusConflict, "conflict", `"aoctl sessions" shows what it does`},
	{broker.ErrPutOff, http.StatusConflict, "put_off", "allow or deny it"},
	{broker.ErrVersion, http.StatusConflict, "conflict", "read the rule again"},
	{broker.ErrConflict, http.StatusConflict, "conflict", "use a new id for another call"},
	{broker.ErrAnsweredBefore, http.StatusConflict, "answered_before", "an allowed call passes once; make a new call, with an id of its own"},
	{broker.ErrStale, http.StatusConflict, "stale", "read the call again"},
	{broker.ErrReadAnew, http.StatusConflict, "changed", "look at the call again"},
	{broker.ErrChanged, http.StatusConflict, "changed", "look at the call again"},
	{errBadToken, http.StatusUnauthorized, "bad_token", "mint another one in the console: r, then t"},
	{errAskToken, http.StatusForbidden, "ask_token", "an operator token decides; keep it away from agents"},
	{errOnceOnly, http.StatusForbidden, "once_token", "an operator token does more; or do it in the console"},
	{errOnceRisky, http.StatusConflict, "dangerous", "look at it in the console"},
	// An agent that holds the operator's token is told where a person could do it, and nothing
	// about tokens.
	{errAgents, http.StatusForbidden, "operator_required", "do it in the console, or from a terminal in which no agent runs"},
	{broker.ErrDangerous, http.StatusConflict, "dangerous", `look at it again; then send its whole digest and "dangerous": true`},
	{broker.ErrTwo, http.StatusConflict, "two_operators", "another operator allows it too; anybody may deny it"},
	{broker.ErrRefused, http.StatusConflict, "refused_by_rule", "change the rule first, or deny the call"},
	{errNoQuestion, http.StatusConflict, "no_question", `"aoctl pending" lists what waits; a plan is approved or denied`},
	{errElsewhere, http.StatusConflict, "no_question", "answer it there"},
	{errWhich, http.StatusConflict, "several_questions", "name one of them in request_id"},
	{errNotAsked, http.StatusConflict, "no_question", "allow or deny it"},
	{errUnreadable, http.StatusConflict, "no_form", "answer it in the agent's own terminal, or decline"},
	{errNoSuchReply, http.StatusBadRequest, "bad_answer", "answers go by the question's text or header; labels are taken word for word"},
	{broker.ErrLift, http.StatusForbidden, "operator_required", "say it in the console (m), or with an operator token from there (r, then t) in AOCTL_TOKEN"},
	{errNotOpened, http.StatusForbidden, "operator_required", "press R on the session in the console, then run this again (it is good for 10 minutes); or set AOCTL_TOKEN to an operator token (in the console: r, then t, then n)"},
	{broker.ErrResume, http.StatusForbidden, "operator_required", "press R on the session in the console, and run this in a terminal in which no agent runs; or set AOCTL_TOKEN to an operator token (in the console: r, then t, then n)"},
	{broker.ErrForbidden, http.StatusForbidden, "operator_required", "do it in the console (r opens the rules), or mint an operator token there (r, then t) and set AOCTL_TOKEN"},
	{hooks.ErrSettings, http.StatusForbidden, "settings_refused", ""},
	{hooks.ErrTooLong, http.StatusRequestEntityTooLarge, "too_large", ""},
	{broker.ErrNotNow, http.StatusTooManyRequests, "not_now", "in the console, p on a call of the project opens the form"},
	{broker.ErrInvalid, http.StatusBadRequest, "bad_request", ""},
	{broker.ErrFrozen, http.StatusConflict, "frozen", `lift it first: "aoctl unfreeze" with an operator token, or f in the console (F for one session)`},
	{broker.ErrCannotDefer, http.StatusConflict, "cannot_defer", "answer it, or let it wait"},
	{broker.ErrCannotAsk, http.StatusConflict, "cannot_ask", "allow or deny it; only Claude Code's own prompt holds a call in every mode"},
	{broker.ErrUnknownStart, http.StatusConflict, "cannot_resume", "resume it by hand, in its folder, with the options that it had"},
	{broker.ErrTooMany, http.StatusTooManyRequests, "too_many", ""},
	{broker.ErrTooFast, http.StatusTooManyRequests, "too_fast", ""},
	{broker.ErrTooManySessions, http.StatusTooManyRequests, "too_many_sessions", ""},
	{broker.ErrSessionLives, http.StatusConflict, "session_lives", `end its agent first ("aoctl stop --kill"); "archived" puts a living one away`},
	{broker.ErrSessionEnded, http.StatusConflict, "session_ended", "nothing of it runs any more"},
	{broker.ErrNotRecorded, http.StatusInternalServerError, "not_recorded", "nothing is allowed that cannot be recorded; check the disk, and aoctl.log"},
	{broker.ErrTampered, http.StatusInternalServerError, "tampered", `see "aoctl log verify"`},
	{proctree.ErrUnsupported, http.StatusNotImplemented, "unsupported", "the session can be stopped without ending its processes"},
	{feed.ErrReaders, http.StatusServiceUnavailable, "too_many_readers", "close one of those that follow /events/stream or /ws"},
	{broker.ErrFleetOut, http.StatusServiceUnavailable, "fleet_out", `ask again: nothing is asked under an id that another machine may ask; "aoctl status" shows the link`},
	{broker.ErrElsewhere, http.StatusConflict, "elsewhere", "ask at that machine, or as a new call under another id"},
	{broker.ErrClosed, http.StatusServiceUnavailable, "shutting_down", "the console is being closed"},
	{agents.ErrUnknownAgent, http.StatusNotFound, "unknown_agent", ""},
	{agents.ErrOtherAgent, http.StatusBadRequest, "other_agent", ""},
	{agents.ErrPayload, http.StatusBadRequest, "bad_payload", ""},
}

// errorReply is what err means over HTTP. An error that is not in the table is
// ours, and its text stays in the log. The message says what is wrong, and not what was being
// done: who asked knows that. A LimitError has a hint of its own, since what helps
// depends on which limit was reached.
func errorReply(err error) reply {
	var be *bodyError
	if errors.As(err, &be) {
		return problem(be.status, be.code, be.message, "")
	}
	var limit *broker.LimitError
	for _, s := range statuses {
		if errors.Is(err, s.err) {
			hint := s.hint
			if errors.As(err, &limit) {
				hint = limit.Hint
			}
			return problem(s.status, s.code, broker.Plain(err), hint)
		}
	}
	return problem(http.StatusInternalServerError, "internal", "the broker failed on this request", "see aoctl.log")
}

// problem is the one shape of every error: {"error": {"code", "message", "hint"}}.
func problem(status int, code, message, hint string) reply {
	return jsonReply(status, map[string]apiError{"error": {code, message, hint}})
}

func fail(w http.ResponseWriter, err error) { write(w, errorReply(err)) }

// writeError answers with an error in words of the caller's. It is for refusals that no error
// value stands for.
func writeError(w http.ResponseWriter, status int, code, message, hint string) {
	write(w, problem(status, code, message, hint))
}

// writeList writes a JSON array: [] when there is nothing.
func writeList[T any](w http.ResponseWriter, list []T, err error) {
	if err != nil {
		fail(w, err)
		return
	}
	if list == nil {
		list = []T{}
	}
	writeJSON(w, http.StatusOK, list)
}

func writeJSON(w http.ResponseWriter, status int, v any) { write(w, jsonReply(status, v)) }

// jsonReply is an answer with v as its JSON. A newline follows the JSON, for those who read it in
// a terminal.
func jsonReply(status int, v any) reply {
	raw, err := json.Marshal(v)
	if err != nil {
		status, raw = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","message":"the answer could not be written"}}`)
	}
	return reply{status: status, body: append(raw, '\n')}
}

// write sends a with its length, by which the hook client tells a complete answer
// from a cut one.
func write(w http.ResponseWriter, a reply) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	h.Set("Cache-Control", "no-store")
	if a.requestID != "" {
		h.Set(wire.HeaderRequestID, a.requestID)
	}
	// The proof covers what the client acts upon: status, ids and body. It comes last, when the
	// other headers are set.
	if p := proofOf(w); p != nil {
		h.Set(wire.HeaderProof, p.of(a.status, h.Get(wire.HeaderCorrelation), h.Get(wire.HeaderRequestID), a.body))
	}
	limitWrite(w)
	w.WriteHeader(a.status)
	if _, err := w.Write(a.body); err != nil {
		return
	}
	// Without the flush the bytes might still lie in our own buffer when the peer's hearing is
	// noted.
	if a.sent != nil && http.NewResponseController(w).Flush() == nil {
		a.sent()
	}
}
