package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/once"
	"github.com/aoctl/aoctl/broker/peers"
)

// decideBody is a decision. digest and dangerous are of interest to one that allows.
// updated_input replaces the whole input of an allowed call; without it the call runs as it was
// asked.
type decideBody struct {
	Decision     string          `json:"decision"`
	Reason       string          `json:"reason"`
	UpdatedInput json.RawMessage `json:"updated_input"`
	Digest       string          `json:"digest"`    // of the call that was looked at, or how it begins
	Dangerous    bool            `json:"dangerous"` // it is known that the call is dangerous
	End          bool            `json:"end"`       // deny: the session of a call that is put off is not resumed to hear of it
}

// postDecide takes a decision. Deny is open to every process of the user; allow takes
// an operator's token.
//
// There is no default: a body without a decision, or with a word that is not known, decides
// nothing.
func (rt callRoutes) postDecide(w http.ResponseWriter, r *http.Request) {
	var body decideBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	switch {
	case allows(body.Decision), body.Decision == string(broker.Ask):
		rt.allow(w, r, body)
	case denies(body.Decision):
		rt.deny(w, r, body.Reason, body.End)
	case body.Decision == "":
		fail(w, fmt.Errorf("%w: decision is missing; send \"deny\", \"allow\" or \"ask\"", broker.ErrInvalid))
	default:
		fail(w, fmt.Errorf("%w: decision %q is none of \"allow\", \"deny\" and \"ask\"", broker.ErrInvalid, broker.Clip(body.Decision)))
	}
}

// allows and denies know the words of other brokers of this kind, too.
func allows(decision string) bool {
	return slices.Contains([]string{"allow", "allowed", "approve", "approved"}, decision)
}

// denies is allows for refusing. A word for refusing that is missing here is an error for the
// caller, and the call waits on. So an unknown word never allows.
func denies(decision string) bool {
	return slices.Contains([]string{"deny", "denied", "reject", "block"}, decision)
}

// postApprove is decide for programs that only ever allow: a body that says otherwise is a
// mistake, and nothing is decided.
func (rt callRoutes) postApprove(w http.ResponseWriter, r *http.Request) {
	var body decideBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	if body.Decision != "" && !allows(body.Decision) {
		fail(w, fmt.Errorf("%w: this route allows; leave decision out", broker.ErrInvalid))
		return
	}
	rt.allow(w, r, body)
}

// postDeny is decide for programs that only ever refuse; a reason is all that they may add.
func (rt callRoutes) postDeny(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Reason string `json:"reason"`
		End    bool   `json:"end"`
	}
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	rt.deny(w, r, body.Reason, body.End)
}

// deny needs no token, since refusing is open to everybody. A token for one call alone that is none
// is refused all the same: who shows one should learn that it is over. end ends a call that was put off for
// good. When the call was decided before, the error comes with that decision.
func (rt callRoutes) deny(w http.ResponseWriter, r *http.Request, reason string, end bool) {
	if len(reason) > broker.MaxReason {
		fail(w, fmt.Errorf("%w: reason is longer than %d bytes", broker.ErrInvalid, broker.MaxReason))
		return
	}
	by := peers.ActorOf(r)
	if token, _ := tokenIn(r); strings.HasPrefix(token, once.Prefix) {
		operator, _, err := rt.decider(r, r.PathValue("id"))
		if err == nil {
			by = operator
		} else if !errors.Is(err, broker.ErrForbidden) { // an agent's process may refuse, too
			fail(w, err)
			return
		}
	}
	req, err := rt.o.Calls.Decide(r.Context(), r.PathValue("id"), broker.Decision{Verdict: broker.Deny, By: by, Reason: reason, End: end})
	if err != nil {
		failWith(w, err, req)
		return
	}
	writeJSON(w, http.StatusOK, decisionView(req))
}

// getApprovalRequests lists what waits from memory, which has it as it is now, and everything
// else from the log. An unknown status is an error and not an empty list: a script that misspells
// it would believe that nothing waits.
func (rt callRoutes) getApprovalRequests(w http.ResponseWriter, r *http.Request) {
	f := broker.RequestFilter{State: broker.State(r.URL.Query().Get("status")), SessionID: r.URL.Query().Get("session_id")}
	if f.State != "" && !f.State.Valid() {
		fail(w, fmt.Errorf("%w: status %q; use pending, allowed, denied, expired, cancelled or answered", broker.ErrInvalid, broker.Clip(string(f.State))))
		return
	}
	var err error
	if f.Limit, err = limitParam(r); err != nil {
		fail(w, err)
		return
	}
	if f.State == broker.Pending {
		writeList(w, rt.o.Records.Pending(f.SessionID), nil)
		return
	}
	list, err := rt.o.Log.Requests(r.Context(), f)
	writeList(w, list, err)
}

// limitParam reads how many rows are wanted; 0, when nothing is said, is the store's own limit.
func limitParam(r *http.Request) (int, error) {
	s := r.URL.Query().Get("limit")
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 10000 {
		return 0, fmt.Errorf("%w: limit must be a whole number from 1 to 10000", broker.ErrInvalid)
	}
	return n, nil
}

// getApprovalRequest answers with all that is known of a call, the assessment and the whole input
// included. Its texts are the agent's: whoever shows them makes them safe.
func (rt callRoutes) getApprovalRequest(w http.ResponseWriter, r *http.Request) {
	req, err := rt.o.Records.Request(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, req)
}

// getSessionPending lists what waits in one session. An unknown session is 404, since an empty
// list would say that all is well.
func (rt callRoutes) getSessionPending(w http.ResponseWriter, r *http.Request) {
	s, err := rt.o.Records.Session(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	writeList(w, rt.o.Records.Pending(s.ID), nil)
}

// failWith adds to an already-decided error how the request ended. The program learns in one
// answer that it came too late and what holds, so it need not ask again and cannot misread its
// own refusal.
func failWith(w http.ResponseWriter, err error, req broker.Request) {
	if errors.Is(err, broker.ErrAlreadyDecided) && req.State.Terminal() {
		writeJSON(w, http.StatusConflict, struct {
			Error   apiError `json:"error"`
			Outcome decision `json:"outcome"`
		}{apiError{"already_decided", "this call was already " + string(req.State), "the first answer counts"}, decisionView(req)})
		return
	}
	fail(w, err)
}

// postCancel takes a question back. It can only refuse, so every process of the user may, as with
// deny.
func (rt callRoutes) postCancel(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Reason string `json:"reason"`
	}
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	rt.withdraw(w, r, r.PathValue("id"), body.Reason)
}

// withdraw is the end of both routes that take a question back: for programs by id, for hooks by
// their payload.
func (sv *Server) withdraw(w http.ResponseWriter, r *http.Request, id, reason string) {
	req, err := sv.o.Calls.Withdraw(r.Context(), id, reason, peers.ActorOf(r))
	if err != nil {
		failWith(w, err, req)
		return
	}
	writeJSON(w, http.StatusOK, decisionView(req))
}
