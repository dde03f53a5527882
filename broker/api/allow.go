package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
)

// leastDigest is how much of a digest names a call, in hexadecimal digits; a dangerous
// one is named by all of it.
const leastDigest = 8

// allow takes a decision that allows. It takes an operator's token, and whoever tries
// without is on record.
func (rt callRoutes) allow(w http.ResponseWriter, r *http.Request, body decideBody) {
	by, err := rt.callerOf(r)
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
	case err == nil:
		err = rt.dangerKnown(req, body)
	}
	if err != nil {
		fail(w, err)
		return
	}
	late := req.State.Terminal()
	d := broker.Decision{
		Verdict: broker.Allow, By: by, Reason: body.Reason, UpdatedInput: body.UpdatedInput, Digest: req.Digest,
		Dangerous: body.knowsDanger(req),
	}
	req, err = rt.o.Calls.Decide(r.Context(), req.ID, d)
	if err != nil {
		failWith(w, err, req)
		return
	}
	writeJSON(w, http.StatusOK, struct {
		decision
		Granted bool `json:"granted,omitempty"` // the call was over; its retry passes once
	}{decisionView(req), late || req.State != broker.Allowed})
}

// fits checks what can be said of the body beside req.
func (body decideBody) fits(req broker.Request) error {
	digest := strings.ToLower(body.Digest)
	switch {
	case len(body.Reason) > broker.MaxReason:
		return fmt.Errorf("%w: reason is longer than %d bytes", broker.ErrInvalid, broker.MaxReason)
	case len(body.UpdatedInput) > 0 && body.UpdatedInput[0] != '{':
		return fmt.Errorf("%w: updated_input must be an object", broker.ErrInvalid)
	case digest != "" && len(digest) < leastDigest:
		return fmt.Errorf("%w: digest must have at least its first %d digits", broker.ErrInvalid, leastDigest)
	case !strings.HasPrefix(req.Digest, digest):
		return broker.ErrStale
	}
	return nil
}

// knowsDanger reports whether the body says of req, named whole, that it is dangerous.
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
	project := rt.o.View.Look(&req).Project
	a := rt.o.Judge.AssessRequest(asked, project, req.Vouched())
	shown := req.Assessment
	if a.Class < risk.Dangerous && (shown == nil || shown.Class < risk.Dangerous) {
		return nil
	}
	why := a.Why
	if shown != nil && shown.Class >= risk.Dangerous {
		why = shown.Why
	}
	if why == "" {
		return broker.ErrDangerous
	}
	return fmt.Errorf("%w: %s", broker.ErrDangerous, why)
}
