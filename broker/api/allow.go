package api

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
)

// leastDigest is how much of a digest names a call, in hexadecimal digits; a dangerous
// one is named by all of it. Eight digits are what a person reads off a card; a shorter beginning
// would fit too many calls.
const leastDigest = 8

// allow takes a decision that allows, or leaves the call to its agent's own prompt. It takes an operator's token; who has none is on record.
//
// The order of the checks tells a stranger as little as possible: who has no operator's token
// hears so, and does not learn from the answer whether the digest was right. Only that there is
// no such call is said to everybody.
func (rt callRoutes) allow(w http.ResponseWriter, r *http.Request, body decideBody) {
	by, about, err := rt.decider(r, r.PathValue("id"))
	if err == nil && by.Once() {
		err = body.asItIs(about)
	}
	if err != nil {
		fail(w, err)
		return
	}
	req, err := rt.o.Records.Request(r.Context(), r.PathValue("id"))
	if err == nil {
		err = body.fits(req)
	}
	switch {
	case by.Kind != broker.ByOperator && !errors.Is(err, broker.ErrNotFound):
		rt.refused(r, broker.NoOperator, "only the person at the console can allow a call")
		writeError(w, http.StatusForbidden, "operator_required", "only the person at the console can allow a call",
			`press "a" on its card in aoctl, or use an operator token (there: r, then t); over the socket a call can be denied`)
		return
	case err == nil && !body.asks(): // whom the prompt asks reads the call there
		err = onceError(by, rt.dangerKnown(req, body))
	}
	if err != nil {
		fail(w, err)
		return
	}
	// A call that is over cannot run any more; allowing it leaves a grant for its next try.
	late := req.State.Terminal()
	d := broker.Decision{
		Verdict: broker.Allow, By: by, Reason: body.Reason, UpdatedInput: body.UpdatedInput, Digest: req.Digest,
		// The digest is the stored call's, not the body's: the body may name it by its beginning
		// alone.
		Dangerous: body.knowsDanger(req),
	}
	if body.asks() {
		d.Verdict, late = broker.Ask, false
	}
	req, err = rt.o.Calls.Decide(r.Context(), req.ID, d)
	if err != nil {
		failWith(w, onceError(by, err), req)
		return
	}
	writeJSON(w, http.StatusOK, struct {
		decision
		Granted bool `json:"granted,omitempty"` // the call was over; its retry passes once
	}{decisionView(req), late || d.Verdict == broker.Allow && req.State != broker.Allowed})
}

// asItIs makes of the body what a token for this call alone can say: it allows the call as it was
// asked, and takes no danger upon itself.
func (body *decideBody) asItIs(about broker.Request) error {
	if len(body.UpdatedInput) > 0 || body.asks() {
		return errOnceOnly
	}
	body.Digest, body.Dangerous = cmp.Or(body.Digest, about.Digest), false
	return nil
}

// asks reports whether the call is to be left to its agent's own prompt.
func (body decideBody) asks() bool { return body.Decision == string(broker.Ask) }

// fits checks what can be said of the body beside req. A body without a digest fits every call:
// it names none, and what is dangerous is refused later. An input of the caller's own must be an
// object, as every tool's is.
func (body decideBody) fits(req broker.Request) error {
	digest := strings.ToLower(body.Digest)
	switch {
	case len(body.Reason) > broker.MaxReason:
		return fmt.Errorf("%w: reason is longer than %d bytes", broker.ErrInvalid, broker.MaxReason)
	case len(body.UpdatedInput) > 0 && body.UpdatedInput[0] != '{':
		return fmt.Errorf("%w: updated_input must be an object", broker.ErrInvalid)
	case len(body.UpdatedInput) > 0 && body.asks():
		return fmt.Errorf("%w: a call is left to its agent's prompt as it is", broker.ErrInvalid)
	case digest != "" && len(digest) < leastDigest:
		return fmt.Errorf("%w: digest must have at least its first %d digits", broker.ErrInvalid, leastDigest)
	case !strings.HasPrefix(req.Digest, digest):
		return broker.ErrStale
	}
	return nil
}

// knowsDanger reports whether the body says of req, named whole, that it is dangerous. A
// beginning of the digest is not enough here. Who allows a dangerous call must have its whole
// digest, which is to say that they have read that very call.
func (body decideBody) knowsDanger(req broker.Request) bool {
	return body.Dangerous && len(body.Digest) == len(req.Digest)
}

// dangerKnown refuses to allow a dangerous call, or one that becomes dangerous by its
// new input, unless the body says that this is known and names the call whole.
func (rt callRoutes) dangerKnown(req broker.Request, body decideBody) error {
	if body.knowsDanger(req) {
		return nil
	}
	asked := req
	if len(body.UpdatedInput) > 0 {
		asked.ToolInput = body.UpdatedInput
	}
	// The call is judged anew: the rules, the files that it names, or its input may be others
	// than when it was shown.
	project := rt.o.View.Look(&req).Project
	a := rt.o.Judge.AssessRequest(asked, project, req.Vouched())
	shown := req.Assessment
	if a.Class < risk.Dangerous && (shown == nil || shown.Class < risk.Dangerous) {
		return nil
	}
	// What was shown counts as well. A call that looked dangerous on the card does not become
	// harmless because a file has gone since.
	why := a.Why
	if shown != nil && shown.Class >= risk.Dangerous {
		why = shown.Why
	}
	if why == "" {
		return broker.ErrDangerous
	}
	return fmt.Errorf("%w: %s", broker.ErrDangerous, why)
}
