package service

import (
	"context"
	"errors"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
)

// Stop denies the pending calls of a session at once and its later ones until its user speaks
// again. Stopping a session that is stopping or stopped changes nothing.
//
// Errors: ErrNotFound, ErrSessionEnded, ErrNotRecorded (the stop holds in memory: calls are
// denied, but a restart would forget it).
func (b *Broker) Stop(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, error) {
	in := engine.Stop{SessionID: sessionID, By: by}
	r := b.loop.Do(in)
	if errors.Is(r.Err, broker.ErrNotFound) { // it was recorded this moment, or was silent for long
		s, err := b.Session(ctx, sessionID)
		if err == nil && !s.State.Ended() {
			s, err = b.Recall(ctx, sessionID)
		}
		switch {
		case err != nil:
			return broker.Session{}, broker.While(err, "stop")
		case s.State.Ended():
			r.Err = broker.ErrSessionEnded
		default:
			r = b.loop.Do(in)
		}
	}
	if r.Err != nil {
		return r.Session, broker.While(r.Err, "stop %s", sessionID)
	}
	return r.Session, nil
}

// ChangeSession names a session, puts it away, or removes one that is over from the list. The log keeps
// all of it. Errors: ErrNotFound, ErrInvalid, ErrSessionLives, ErrPutOff, ErrNotRecorded.
func (b *Broker) ChangeSession(ctx context.Context, sessionID string, c broker.SessionChange, by broker.Actor) (broker.Session, error) {
	if err := c.Check(); err != nil {
		return broker.Session{}, err
	}
	if _, err := b.Recall(ctx, sessionID); err != nil {
		return broker.Session{}, broker.While(err, "change a session")
	}
	r := b.loop.Do(engine.ChangeSession{SessionID: sessionID, Change: c, By: by})
	if r.Err != nil {
		return r.Session, broker.While(r.Err, "change %s", broker.Clip(sessionID))
	}
	return r.Session, nil
}

// StopAll stops every session that has not ended: all of them in one transaction. It returns how
// many sessions it stopped and how many pending calls it denied. Sessions that begin in the same
// moment may come after it. They are not under the stop.
func (b *Broker) StopAll(_ context.Context, by broker.Actor) (sessions, denied int, err error) {
	r := b.loop.Do(engine.Stop{All: true, By: by})
	return r.Sessions, len(r.Calls), r.Err
}

// TurnStopped is called when an answer that ends a turn has been delivered: to the main agent
// for subagentID "", else to that sub-agent. No event of the agent's own tells of such an end.
func (b *Broker) TurnStopped(ctx context.Context, sessionID, subagentID string) {
	if err := b.loop.Do(engine.TurnStopped{SessionID: sessionID, SubagentID: subagentID}).Err; err != nil {
		b.opts.Log.ErrorContext(ctx, "end of a stopped turn not recorded", "session_id", sessionID, "err", err)
	}
}

// Observe switches observing on or off, of one session or, for "", of all: calls are recorded with
// what the rules would have said, and nothing is held. Errors: ErrForbidden, ErrNotFound.
func (b *Broker) Observe(_ context.Context, sessionID string, on bool, by broker.Actor) error {
	r := b.loop.Do(engine.Observe{SessionID: sessionID, On: on, By: by})
	if errors.Is(r.Err, broker.ErrForbidden) {
		b.NoteRefusal(broker.Request{SessionID: sessionID}, broker.RefusedData{Wanted: "observe", Kind: broker.NoOperator, Detail: broker.ErrForbidden.Error(), By: by})
	}
	if r.Err != nil {
		return broker.While(r.Err, "observe")
	}
	return nil
}

// Acknowledge takes note of the alarm in Session.Alarm, so that rules may allow again in that
// session. Errors: ErrNotFound (there is none), ErrForbidden, ErrNotRecorded.
func (b *Broker) Acknowledge(_ context.Context, sessionID string, by broker.Actor) error {
	if err := b.loop.Do(engine.Acknowledge{SessionID: sessionID, By: by}).Err; err != nil {
		return broker.While(err, "acknowledge %s", broker.Clip(sessionID))
	}
	return nil
}
