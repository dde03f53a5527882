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
func (sv *Server) whenAnswered(w http.ResponseWriter, r *http.Request, req broker.Request, hold time.Duration, say func(broker.Request) reply) {
	req, err := sv.o.Calls.Tellable(r.Context(), req)
	if err != nil {
		fail(w, err)
		return
	}
	if req.State.Terminal() || req.Checkpoint != nil && req.Event != "" || hold <= 0 {
		write(w, say(req))
		return
	}
	correlation, proof, id := w.Header().Get(wire.HeaderCorrelation), proofOf(w), req.ID
	asker, polls := patienceOf(r), r.Pattern == decisionRoute && r.Header.Get(wire.HeaderCorrelation) == ""
	sv.park(w, func(p *Parked) {
		p.Patience, p.Polls = asker, polls
		if sv.HoldCall(p, id, hold) {
			sv.answerParked(p, id, correlation, proof, say)
		}
	})
}

// answerParked sends what say makes of request id.
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
	case got.State.Terminal() || got.Checkpoint != nil || !sv.draining.Load():
		answer = say(got)
	}
	answer.correlation, answer.proof = correlation, proof
	p.send(answer)
}
