package api

import (
	"context"
	"net/http"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
)

// whenAnswered replies to r with what say makes of req: at once if req has ended, else when it
// ends or hold is over. A broker that shuts down replies ErrClosed, so that the asker comes back
// to the next one.
//
// say is called in another goroutine when the call was parked, after r is over, so it must not
// use r or w. What it needs of them is taken before.
func (sv *Server) whenAnswered(w http.ResponseWriter, r *http.Request, req broker.Request, hold time.Duration, say func(broker.Request) reply) {
	req, err := sv.o.Calls.Tellable(r.Context(), req)
	if err != nil {
		fail(w, err)
		return
	}
	// A call that is put off is answered at once as well: its agent is to end, not to wait.
	if req.State.Terminal() || req.Checkpoint != nil && req.Event != "" || hold <= 0 {
		write(w, say(req))
		return
	}
	correlation, proof, id := w.Header().Get(wire.HeaderCorrelation), proofOf(w), req.ID
	// A program that polls may hang up and come back, so its leaving says nothing. A hook that
	// hangs up is gone.
	asker, polls := patienceOf(r), (r.Pattern == decisionRoute || r.Pattern == responseRoute) && r.Header.Get(wire.HeaderCorrelation) == ""
	sv.park(w, func(p *Parked) {
		p.Patience, p.Polls = asker, polls
		if sv.HoldCall(p, id, hold) {
			sv.answerParked(p, id, correlation, proof, say)
		}
	})
}

// answerParked sends what say makes of request id. It reads the request anew: what the caller of
// whenAnswered had in hand is as old as the wait.
func (sv *Server) answerParked(p *Parked, id, correlation string, proof *proof, say func(broker.Request) reply) {
	ctx := context.Background()
	got, err := sv.o.Records.Request(ctx, id)
	if err == nil {
		got, err = sv.o.Calls.Tellable(ctx, got)
	}
	answer := errorReply(broker.ErrClosed)
	switch {
	case err != nil:
		answer = errorReply(err)
	// While the server drains, an answer that is known is still given. Only those who would be
	// told to wait on are sent to the next console.
	case got.State.Terminal() || got.Checkpoint != nil || !sv.draining.Load():
		answer = say(got)
	}
	answer.correlation, answer.proof = correlation, proof
	p.send(answer)
}
