package broker

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// How much of what runners tell is kept.
const (
	maxSteps    = 20  // of ending a process, on the session
	maxStepText = 300 // bytes
	maxSaid     = 5000
	maxNotes    = 500
	resultTool  = "tool_deferred" // the agent's word for a turn that ended because a call was put off
)

// reported takes in what the runner of session id saw or did. agent is the process that
// rep.PID names, as far as that is the runner's.
//
// Errors: ErrNotFound, ErrNotManaged, errNotRunner, ErrSessionEnded, ErrInvalid, ErrTooFast,
// ErrNotRecorded.
func (b *Broker) reported(ctx context.Context, runner Process, id string, rep wire.RunReport, agent Process) error {
	if err := checkReport(rep); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	se, err := b.recall(ctx, id)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	ended := false
	s, err := b.changeRun(ctx, id, false, func(s *Session) ([]*Event, error) {
		if err := mayReport(s, runner, rep); err != nil {
			return nil, err
		}
		if record, err := b.admitReport(se, rep); err != nil || !record {
			return nil, cmp.Or(err, errSame)
		}
		ended = rep.Kind == wire.ReportEnded
		return heard(s, rep, agent), nil
	})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	b.mu.Lock()
	if rep.Kind == wire.ReportDone && s.State.underStop() {
		se.run.doneOf(rep.OrderID)
	}
	if rep.Kind == wire.ReportAgent {
		b.remember(agent, id)
	}
	b.mu.Unlock()
	if rep.Kind == wire.ReportIdle { // what the turn asked nobody waits for, though its runner lives
		b.cancelPending(context.WithoutCancel(ctx), id, "the turn ended", func(r Request) bool {
			return r.SubagentID == "" && r.Checkpoint == nil
		}, Cancelled)
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

func checkReport(rep wire.RunReport) error {
	for name, v := range map[string]string{"order_id": rep.OrderID, "result": rep.Result} {
		if err := checkName(name, v); err != nil {
			return err
		}
	}
	u := rep.Usage
	switch rep.Kind {
	case wire.ReportAgent, wire.ReportWorking, wire.ReportSaid, wire.ReportIdle, wire.ReportDone, wire.ReportStep, wire.ReportNote, wire.ReportEnded:
	default:
		return fmt.Errorf("%w: kind %q", ErrInvalid, clip(rep.Kind))
	}
	if !(rep.Cost >= 0 && rep.Cost < 1e9) || rep.Turns < 0 || min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0 {
		return fmt.Errorf("%w: cost_usd, turns and usage must not be negative", ErrInvalid)
	}
	return nil
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
		return se.run.said <= maxSaid && se.tells.take(time.Now(), rate, burstSeconds*rate), nil
	case wire.ReportNote, wire.ReportStep:
		se.run.notes++
		return se.run.notes <= maxNotes && se.tells.take(time.Now(), rate, burstSeconds*rate), nil
	}
	if se.run.reports.take(time.Now(), rate, burstSeconds*rate) {
		return true, nil
	}
	return false, &limitError{ErrTooFast, fmt.Sprintf("the runner of session %s reports more than %d a second", named(se), eventsPerCall*b.opts.Rate), "wait 1 s, then report it again"}
}

// mayReport says why the report of runner is not taken; nil when it is.
func mayReport(s *Session, runner Process, rep wire.RunReport) error {
	r := s.Run
	switch {
	case r == nil:
		return ErrNotManaged
	case r.Runner != runner:
		return errNotRunner
	case r.running():
		return nil
	case rep.Kind == wire.ReportEnded:
		return errSame // said again because the answer was lost
	case rep.Kind == wire.ReportDone && s.Message != nil && s.Message.ID == rep.OrderID:
		return nil // the message was told after all
	}
	return ErrSessionEnded
}

// heard is what rep makes of a session, and of the log.
func heard(s *Session, rep wire.RunReport, agent Process) []*Event {
	r := s.Run
	r.count(rep)
	if rep.Error != "" {
		rep.Error = excerpt(rep.Error)
		r.Error = rep.Error
		sayGivenUp(s)
	}
	switch rep.Kind {
	case wire.ReportAgent:
		if s.Process = agent; agent.PID == 0 {
			rep.Error = fmt.Sprintf("process %d is not one of the runner's, or has ended", rep.PID)
		}
		if r.Turn == TurnStarting && !r.Prompted && s.Deferred == 0 {
			r.Turn = TurnIdle // nobody said anything yet
		}
	case wire.ReportWorking:
		workingNow(s)
		return nil
	case wire.ReportSaid:
		return []*Event{sessionEvent(EventMessage, *s, map[string]string{"text": excerpt(rep.Text)})}
	case wire.ReportIdle:
		r.Turn, r.Result, r.Error = TurnIdle, rep.Result, rep.Error
		if strings.HasPrefix(rep.Result, "aborted") {
			r.Error = "" // somebody interrupted it; what the agent says of that is in the log
		}
		sayGivenUp(s)
		r.Orders = slices.DeleteFunc(r.Orders, func(o wire.RunOrder) bool { return o.Kind == wire.OrderInterrupt })
		return append([]*Event{noted(s, rep)}, endTurn(s)...)
	case wire.ReportDone:
		return orderDone(s, rep)
	case wire.ReportStep:
		r.Steps = append(r.Steps, cut(rep.Text, maxStepText))
		r.Steps = r.Steps[max(0, len(r.Steps)-maxSteps):]
	case wire.ReportEnded:
		return runEnded(s, rep)
	}
	return []*Event{noted(s, rep)}
}

// workingNow is the transition when a turn begins. It lifts no stop.
func workingNow(s *Session) {
	s.Run.Turn, s.Run.Error = TurnWorking, ""
	if s.State == SessionIdle {
		s.State = SessionActive
	}
}

// noted is rep in the log.
func noted(s *Session, rep wire.RunReport) *Event {
	rep.Text = excerpt(rep.Text)
	return sessionEvent(EventRunNoted, *s, rep)
}

// count adds what the present process used to what the earlier ones did.
func (r *Run) count(rep wire.RunReport) {
	e, u := r.Earlier, rep.Usage
	r.Cost, r.Turns = max(r.Cost, e.Cost+rep.Cost), max(r.Turns, e.Turns+rep.Turns)
	r.Usage = wire.RunUsage{
		Input: max(r.Usage.Input, e.Usage.Input+u.Input), Output: max(r.Usage.Output, e.Usage.Output+u.Output),
		CacheRead: max(r.Usage.CacheRead, e.Usage.CacheRead+u.CacheRead), CacheWrite: max(r.Usage.CacheWrite, e.Usage.CacheWrite+u.CacheWrite),
	}
}

// orderDone is the transition when the runner says that it carried out an order, or why
// not. A message that the agent did not get goes back to the queue.
func orderDone(s *Session, rep wire.RunReport) []*Event {
	r := s.Run
	for _, m := range []**Message{&r.Told, &s.Message} {
		if *m == nil || (*m).ID != rep.OrderID {
			continue
		}
		if rep.Error != "" {
			return append(notTold(s), noted(s, rep))
		}
		*m = nil
		if r.running() { // a turn begins with it
			workingNow(s)
		}
		return []*Event{sessionEvent(EventMessageSent, *s, map[string]string{"id": rep.OrderID})}
	}
	i := slices.IndexFunc(r.Orders, func(o wire.RunOrder) bool { return o.ID == rep.OrderID })
	if i < 0 {
		return []*Event{noted(s, rep)}
	}
	o := r.Orders[i]
	r.Orders = slices.Delete(r.Orders, i, i+1)
	switch {
	case rep.Error != "":
	case o.Kind == wire.OrderMode:
		s.Mode = o.Text
	case o.Kind == wire.OrderModel:
		r.Model = o.Text
	}
	return []*Event{noted(s, rep)}
}

// runEnded is the transition when the agent's process is over, as its runner says.
func runEnded(s *Session, rep wire.RunReport) []*Event {
	r := s.Run
	if rep.Result != "" {
		r.Result = rep.Result
	}
	r.Turn = TurnEnded
	if r.Result == resultTool && rep.Error == "" && s.Deferred > 0 { // it may be denied for good by now
		r.Turn = TurnDeferred
	}
	r.Orders = nil
	rep.Text = excerpt(rep.Text)
	events := append([]*Event{sessionEvent(EventRunEnded, *s, rep)}, endSession(s, SessionFinished, rep.ExitCode, cmp.Or(rep.Result, "ended"))...)
	return append(events, notTold(s)...)
}

// runnerGone is the transition when a session's runner died without a word.
func runnerGone(s *Session) []*Event {
	r := s.Run
	text := fmt.Sprintf("its runner (process %d) is gone", r.Runner.PID)
	r.Turn, r.Error, r.Orders = TurnEnded, text, nil
	events := append([]*Event{sessionEvent(EventRunEnded, *s, wire.RunReport{Kind: wire.ReportEnded, Error: text})}, endSession(s, SessionGone, nil, "gone")...)
	return append(events, notTold(s)...)
}

// notTold is the transition when the message that was to be told was not: it waits for the
// next time, unless a later one took its place or the session is stopped.
func notTold(s *Session) []*Event {
	r := s.Run
	told := r.Told
	r.Told = nil
	switch {
	case told == nil && s.Message == nil:
		return nil
	case told == nil || s.Message != nil && s.Message.ID == told.ID:
	case s.Message != nil:
		return []*Event{dropped(s, told, "a later one took its place; whether it was told is not known")}
	case s.State.underStop():
		return []*Event{dropped(s, told, "the session was stopped; whether it was told is not known")}
	default:
		s.Message = told
	}
	m := *s.Message
	m.Failures++
	s.Message = &m
	sayGivenUp(s)
	return nil
}

// sayGivenUp adds to what went wrong last that the message waits for its user, if it does and
// that is not said yet.
func sayGivenUp(s *Session) {
	if m, r := s.Message, s.Run; m != nil && m.Failures >= maxFailures {
		note := fmt.Sprintf(" (after %d tries the message waits until you send it again)", maxFailures)
		r.Error = strings.TrimSuffix(cmp.Or(r.Error, "the message could not be told"), note) + note
	}
}

func dropped(s *Session, m *Message, why string) *Event {
	return sessionEvent(EventMessageDropped, *s, map[string]string{"id": m.ID, "why": why})
}
