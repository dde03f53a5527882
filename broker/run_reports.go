package broker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// How much of what runners tell is kept.
const (
	MaxSteps    = 20  // of ending a process, on the session
	maxStepText = 300 // bytes
	MaxSaid     = 5000
	MaxNotes    = 500
	resultTool  = "tool_deferred" // the agent's word for a turn that ended because a call was put off
)

// CheckReport says what is wrong with a report. Errors: ErrInvalid. A runner is a process of the
// user and its numbers come from the agent's output, so they are bounded here before they are
// added up.
func CheckReport(rep wire.RunReport) error {
	for name, v := range map[string]string{"order_id": rep.OrderID, "result": rep.Result} {
		if err := CheckName(name, v); err != nil {
			return err
		}
	}
	u := rep.Usage
	switch rep.Kind {
	case wire.ReportAgent, wire.ReportWorking, wire.ReportSaid, wire.ReportIdle, wire.ReportDone, wire.ReportStep, wire.ReportNote, wire.ReportEnded:
	default:
		return fmt.Errorf("%w: kind %q", ErrInvalid, Clip(rep.Kind))
	}
	if !(rep.Cost >= 0 && rep.Cost < 1e9) || rep.Turns < 0 || min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0 {
		return fmt.Errorf("%w: cost_usd, turns and usage must not be negative", ErrInvalid)
	}
	return nil
}

// MayReport says why the report of runner is not taken; nil when it is. A report may come twice,
// as its answer may be lost. ErrNoChange says that it was taken before.
func MayReport(s *Session, runner Process, rep wire.RunReport) error {
	r := s.Run
	switch {
	case r == nil:
		return ErrNotManaged
	case r.Runner != runner:
		return ErrNotRunner
	case r.Running():
		return nil
	case rep.Kind == wire.ReportEnded:
		return ErrNoChange // said again because the answer was lost
	case rep.Kind == wire.ReportDone && s.Message != nil && s.Message.ID == rep.OrderID:
		return nil // the message was told after all
	}
	return ErrSessionEnded
}

// ApplyReport is what rep makes of a session, and of the log.
func ApplyReport(now time.Time, s *Session, rep wire.RunReport, agent Process) []*Event {
	r := s.Run
	// Cost and error are taken from every kind of report: an agent may end without a last one.
	r.count(rep)
	if rep.Error != "" {
		rep.Error = Excerpt(rep.Error)
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
		return []*Event{SessionEvent(now, EventMessage, *s, map[string]string{"text": Excerpt(rep.Text)})}
	case wire.ReportIdle:
		r.Turn, r.Result, r.Error = TurnIdle, rep.Result, rep.Error
		// The agent tells of an interrupt as of an error, which it is not for the person who
		// pressed the key.
		if strings.HasPrefix(rep.Result, "aborted") {
			r.Error = "" // somebody interrupted it; what the agent says of that is in the log
		}
		sayGivenUp(s)
		r.Orders = slices.DeleteFunc(r.Orders, func(o wire.RunOrder) bool { return o.Kind == wire.OrderInterrupt })
		return append([]*Event{noted(now, s, rep)}, EndTurn(now, s)...)
	case wire.ReportDone:
		return orderDone(now, s, rep)
	case wire.ReportStep:
		r.Steps = append(r.Steps, Cut(rep.Text, maxStepText))
		r.Steps = r.Steps[max(0, len(r.Steps)-MaxSteps):]
	case wire.ReportEnded:
		return runEnded(now, s, rep)
	}
	return []*Event{noted(now, s, rep)}
}

// workingNow is the transition when a turn begins. It lifts no stop. A runner cannot lift a stop
// by saying that a turn began; only the session's user can.
func workingNow(s *Session) {
	s.Run.Turn, s.Run.Error = TurnWorking, ""
	if s.State == SessionIdle {
		s.State = SessionActive
	}
}

// noted is rep in the log.
func noted(now time.Time, s *Session, rep wire.RunReport) *Event {
	rep.Text = Excerpt(rep.Text)
	return SessionEvent(now, EventRunNoted, *s, rep)
}

// count adds what the present process used to what the earlier ones did. Reports tell sums for
// the present process, and may come late or twice, so the larger number counts.
func (r *Run) count(rep wire.RunReport) {
	e, u, sum := r.Earlier, r.Usage, r.Earlier.Usage.Add(rep.Usage)
	r.Cost, r.Turns = max(r.Cost, e.Cost+rep.Cost), max(r.Turns, e.Turns+rep.Turns)
	r.Usage = wire.RunUsage{
		Input: max(u.Input, sum.Input), Output: max(u.Output, sum.Output),
		CacheRead: max(u.CacheRead, sum.CacheRead), CacheWrite: max(u.CacheWrite, sum.CacheWrite),
	}
}

// orderDone is the transition when the runner says that it carried out an order, or why
// not. A message that the agent did not get goes back to the queue.
func orderDone(now time.Time, s *Session, rep wire.RunReport) []*Event {
	r := s.Run
	for _, m := range []**Message{&r.Told, &s.Message} {
		if *m == nil || (*m).ID != rep.OrderID {
			continue
		}
		if rep.Error != "" {
			return append(notTold(now, s), noted(now, s, rep))
		}
		*m = nil
		if r.Running() { // a turn begins with it
			workingNow(s)
		}
		return []*Event{SessionEvent(now, EventMessageSent, *s, map[string]string{"id": rep.OrderID})}
	}
	i := slices.IndexFunc(r.Orders, func(o wire.RunOrder) bool { return o.ID == rep.OrderID })
	if i < 0 {
		return []*Event{noted(now, s, rep)}
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
	return []*Event{noted(now, s, rep)}
}

// runEnded is the transition when the agent's process is over, as its runner says.
func runEnded(now time.Time, s *Session, rep wire.RunReport) []*Event {
	r := s.Run
	if rep.Result != "" {
		r.Result = rep.Result
	}
	r.Turn = TurnEnded
	// Such a session is not over: the answer to its call starts it again.
	if r.Result == resultTool && rep.Error == "" && s.Deferred > 0 { // it may be denied for good by now
		r.Turn = TurnDeferred
	}
	r.Orders = nil
	rep.Text = Excerpt(rep.Text)
	events := append([]*Event{SessionEvent(now, EventRunEnded, *s, rep)}, EndSession(now, s, SessionFinished, rep.ExitCode, cmp.Or(rep.Result, "ended"))...)
	return append(events, notTold(now, s)...)
}

// RunnerGone is the transition when a session's runner died without a word. What it was to carry
// out is forgotten with it. A new runner is told what still follows from the session's row.
func RunnerGone(now time.Time, s *Session) []*Event {
	r := s.Run
	text := fmt.Sprintf("its runner (process %d) is gone", r.Runner.PID)
	r.Turn, r.Error, r.Orders = TurnEnded, text, nil
	events := append([]*Event{SessionEvent(now, EventRunEnded, *s, wire.RunReport{Kind: wire.ReportEnded, Error: text})}, EndSession(now, s, SessionGone, nil, "gone")...)
	return append(events, notTold(now, s)...)
}

// notTold is the transition when the message that was to be told was not: it waits for the
// next time, unless a later one took its place or the session is stopped.
func notTold(now time.Time, s *Session) []*Event {
	r := s.Run
	told := r.Told
	r.Told = nil
	switch {
	case told == nil && s.Message == nil:
		return nil
	case told == nil || s.Message != nil && s.Message.ID == told.ID:
	case s.Message != nil:
		return []*Event{MessageDropped(now, s, told, "a later one took its place; whether it was told is not known")}
	case s.State.UnderStop():
		return []*Event{MessageDropped(now, s, told, "the session was stopped; whether it was told is not known")}
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
	if m, r := s.Message, s.Run; m != nil && m.Failures >= MaxFailures {
		note := fmt.Sprintf(" (after %d tries the message waits until you send it again)", MaxFailures)
		r.Error = strings.TrimSuffix(cmp.Or(r.Error, "the message could not be told"), note) + note
	}
}

// MessageDropped is the event that a message of s is not told any more, and why.
func MessageDropped(now time.Time, s *Session, m *Message, why string) *Event {
	return SessionEvent(now, EventMessageDropped, *s, map[string]string{"id": m.ID, "why": why})
}
