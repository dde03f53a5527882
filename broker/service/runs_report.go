package service

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
)

// reported takes in what the runner of session id saw or did. agent is the process that
// rep.PID names, as far as that is the runner's.
//
// Errors: ErrNotFound, ErrNotManaged, errNotRunner, ErrSessionEnded, ErrInvalid, ErrTooFast,
// ErrNotRecorded.
func (b *Broker) reported(ctx context.Context, runner broker.Process, id string, rep wire.RunReport, agent broker.Process) error {
	if err := broker.CheckReport(rep); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	se, err := b.recall(ctx, id)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	ended := false
	s, err := b.changeRun(ctx, id, false, func(s *broker.Session) ([]*broker.Event, error) {
		if err := broker.MayReport(s, runner, rep); err != nil {
			return nil, err
		}
		if record, err := b.admitReport(se, rep); err != nil || !record {
			return nil, cmp.Or(err, broker.ErrNoChange)
		}
		ended = rep.Kind == wire.ReportEnded
		return broker.ApplyReport(now(), s, rep, agent), nil
	})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	b.mu.Lock()
	if rep.Kind == wire.ReportDone && s.State.UnderStop() {
		se.run.doneOf(rep.OrderID)
	}
	if rep.Kind == wire.ReportAgent {
		b.remember(agent, id)
	}
	b.mu.Unlock()
	if rep.Kind == wire.ReportIdle { // what the turn asked nobody waits for, though its runner lives
		b.cancelPending(context.WithoutCancel(ctx), id, "the turn ended", func(r broker.Request) bool {
			return r.SubagentID == "" && r.Checkpoint == nil
		}, broker.Cancelled)
	}
	if ended {
		b.cancelOfRun(ctx, id, "the agent's process is over")
		b.resumeSoon(id)
	}
	return nil
}

// doneOf keeps in mind that an order which the session's state asks for was carried out.
func (e *runEntry) doneOf(order string) {
	if e.done == nil {
		e.done = map[string]bool{}
	}
	if len(e.done) < 16 {
		e.done[order] = true
	}
}

// admitReport says whether rep is recorded. What an agent says, and what its runner merely
// notes, is not, once there is very much of it; a runner that changes its session's state
// too often is told to wait, so that no change is lost.
func (b *Broker) admitReport(se *sessionEntry, rep wire.RunReport) (record bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rate := float64(eventsPerCall * b.opts.Rate)
	switch rep.Kind {
	case wire.ReportSaid:
		se.run.said++
		return se.run.said <= broker.MaxSaid && se.tells.take(time.Now(), rate, burstSeconds*rate), nil
	case wire.ReportNote, wire.ReportStep:
		se.run.notes++
		return se.run.notes <= broker.MaxNotes && se.tells.take(time.Now(), rate, burstSeconds*rate), nil
	}
	if se.run.reports.take(time.Now(), rate, burstSeconds*rate) {
		return true, nil
	}
	return false, broker.TooMuch(broker.ErrTooFast, fmt.Sprintf("the runner of session %s reports more than %d a second", named(se), eventsPerCall*b.opts.Rate), "wait 1 s, then report it again")
}
