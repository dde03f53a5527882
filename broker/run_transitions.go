package broker

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// What may come with a RunStart.
const (
	maxRunArgs  = 256
	maxArgBytes = 64 << 10 // of all arguments together
	maxPath     = 4096
	maxEnvNames = 512
)

// ErrNoChange ends a change that would change nothing.
var ErrNoChange = errors.New("nothing changes")

// CheckStart says what is wrong with the start of a managed session. Errors: ErrInvalid. It
// bounds everything, since all of it is recorded, and given back as the command that resumes the
// session.
func CheckStart(start wire.RunStart) error {
	if !ValidSessionID(start.SessionID) {
		return fmt.Errorf("%w: session_id must not be empty, \".\" or \"..\"", ErrInvalid)
	}
	for name, v := range map[string]string{"session_id": start.SessionID, "name": start.Name, "model": start.Model} {
		if err := CheckName(name, v); err != nil {
			return err
		}
	}
	for name, v := range map[string]string{"cwd": start.CWD, "program": start.Program, "log": start.Log} {
		if v == "" && name == "log" {
			continue
		}
		if !filepath.IsAbs(v) || len(v) > maxPath || strings.ContainsRune(v, 0) {
			return fmt.Errorf("%w: %s must be an absolute path of at most %d bytes", ErrInvalid, name, maxPath)
		}
	}
	size := 0
	for _, a := range start.Args {
		size += len(a)
	}
	switch {
	case !profile.Of(start.Agent).Traits.Runs:
		return fmt.Errorf("%w: agent %q cannot be managed; \"claude\" can", ErrInvalid, Clip(start.Agent))
	case len(start.Args) > maxRunArgs || size > maxArgBytes:
		return fmt.Errorf("%w: there are more than %d arguments, or more than %d bytes of them", ErrInvalid, maxRunArgs, maxArgBytes)
	case len(start.Prompt) > maxMessage:
		return fmt.Errorf("%w: the prompt is longer than %d bytes", ErrInvalid, maxMessage)
	case start.MaxTurns < 0:
		return fmt.Errorf("%w: max_turns must not be negative", ErrInvalid)
	}
	return checkEnv(start)
}

// checkEnv bounds what is told of the agent's environment. Values of variables are never sent,
// only names and a seal over them: they may be secrets.
func checkEnv(start wire.RunStart) error {
	if len(start.EnvNames) > maxEnvNames || len(start.EnvDiffers) > maxEnvNames {
		return fmt.Errorf("%w: there are more than %d variables", ErrInvalid, maxEnvNames)
	}
	for _, name := range slices.Concat([]string{start.EnvSeal}, start.EnvNames, start.EnvDiffers) {
		if err := CheckName("a variable's name or the seal", name); err != nil {
			return err
		}
	}
	return nil
}

// TakeRun gives a free session to runner. What earlier runs used stays in the sums, and what they
// said of orders, results and errors does not.
func TakeRun(now time.Time, s *Session, runner Process, start wire.RunStart, agent Process) []*Event {
	r := &Run{}
	if old := s.Run; old != nil {
		*r = Run{RunTally: old.RunTally, Earlier: old.RunTally, Named: old.Named}
		if !old.Awaited() && s.Message != nil {
			s.Message = new(*s.Message)
			s.Message.Failures = 0 // somebody else took the trouble
		}
	}
	r.Runner, r.Program, r.Args, r.Model, r.MaxTurns = runner, start.Program, start.Args, start.Model, start.MaxTurns
	r.Detached, r.Log, r.Prompted = start.Detached, start.Log, start.Prompt != ""
	r.RunEnv = start.RunEnv
	r.Turn, r.StartedAt = TurnStarting, Instant(now)
	if start.Name != "" {
		s.Name, r.Named = start.Name, true
	}
	s.Run, s.CWD, s.Process = r, start.CWD, agent
	s.Subagents = nil
	revive(s)
	return []*Event{SessionEvent(now, EventRunStarted, *s, start)}
}

// revive makes a session that has ended one that has not. It is for both a runner that comes and
// one that is asked for: from then on the session is no ended one.
func revive(s *Session) {
	s.State, s.SessionEnd, s.TurnOver = SessionActive, SessionEnd{}, false
}

// Instant is t as it is recorded: in UTC, to the millisecond.
func Instant(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// HasOrder reports whether an order of this kind waits to be carried out.
func (r *Run) HasOrder(kind string) bool {
	return slices.ContainsFunc(r.Orders, func(o wire.RunOrder) bool { return o.Kind == kind })
}

// AddOrder adds an order. There is one of each kind: a later one takes an earlier one's place.
func (r *Run) AddOrder(id, kind, text string) {
	r.Orders = slices.DeleteFunc(r.Orders, func(o wire.RunOrder) bool { return o.Kind == kind })
	r.Orders = append(r.Orders, wire.RunOrder{ID: id, Kind: kind, Text: text})
}

// PermissionModes are those of the agent, and whether they let more pass by without asking.
var PermissionModes = map[string]bool{
	"default": false, "plan": false,
	"acceptEdits": true, "auto": true, "bypassPermissions": true, "dontAsk": true,
}

// StopSession is the transition when by stops s, of which so many calls wait. With its turn over
// and no call waiting nothing of it runs, so it counts as stopped at once.
func StopSession(now time.Time, s *Session, pending int, by Actor) []*Event {
	s.TurnOver = s.State.Ended() || s.State == SessionIdle && pending == 0
	s.State, s.StopAskedAt = SessionStopping, Instant(now)
	events := []*Event{SessionEvent(now, EventStopRequested, *s, map[string]any{"by": by, "pending": pending})}
	events = append(events, stopRun(now, s)...)
	return append(events, StoppedIfOver(now, s)...)
}

// stopRun is what a stop does to how s is held: its runner ends the process (Session.orders),
// and what waits to be said is dropped. One that did not come yet is turned away. The Run is
// cloned, since readers may share it.
func stopRun(now time.Time, s *Session) []*Event {
	if s.Run == nil {
		return nil
	}
	r := s.Run.Clone()
	s.Run, r.Orders = r, nil
	r.nothingPutOff()
	var events []*Event
	if s.Message != nil {
		events = append(events, MessageDropped(now, s, s.Message, "the session was stopped"))
		s.Message = nil
	}
	if r.Awaited() {
		r.Turn, r.Error, s.TurnOver, s.EndedAt = TurnEnded, "stopped before it started", true, Instant(now)
	}
	return events
}

// Reject is the transition when a call of s that is put off is denied for good: s ends with it.
func Reject(now time.Time, s *Session, by Actor) []*Event {
	events := EndSession(now, s, SessionFinished, nil, RejectedReason)
	s.EndReason = RejectedReason
	if len(events) == 0 { // its process had ended before
		events = append(events, SessionEvent(now, EventSessionEnd, *s, map[string]any{"reason": RejectedReason, "by": by}))
	}
	return append(events, EndRun(now, s)...)
}

// EndRun is what it does to how s is held that s ends without having been told the answer to
// the call that was put off: a message that waits would start it, so it is dropped; a later
// one does.
func EndRun(now time.Time, s *Session) []*Event {
	if s.Run == nil {
		return nil
	}
	s.Run.nothingPutOff()
	if s.Message == nil {
		return nil
	}
	m := s.Message
	s.Message = nil
	return []*Event{MessageDropped(now, s, m, "the session was ended with its deferred call")}
}

// nothingPutOff is the transition when the call that was put off waits no longer, and its
// answer resumes nothing.
func (r *Run) nothingPutOff() {
	if r.Turn == TurnDeferred {
		r.Turn = TurnEnded
	}
}

// Orders are what the runner of s shall do. They follow from the session's state, so that a
// stop and an interrupt outlive the console; only which orders of a stop were carried out
// is forgotten with it, and told once more, under the same ids.
//
// Orders of a stop have ids made of its time, so a runner that carried them out before the
// console came back does not do it again. A message is told only while the agent's turn is over:
// the agent takes none in between.
func (s *Session) Orders(done map[string]bool) []wire.RunOrder {
	r := s.Run
	switch {
	case !r.Running() || r.Runner.PID == 0:
		return nil
	case s.State.UnderStop():
		at := "stop-" + strconv.FormatInt(s.StopAskedAt.UnixMilli(), 36)
		list := []wire.RunOrder{{ID: at + "-interrupt", Kind: wire.OrderInterrupt}, {ID: at + "-end", Kind: wire.OrderEnd}}
		return slices.DeleteFunc(list, func(o wire.RunOrder) bool { return done[o.ID] })
	}
	list := slices.DeleteFunc(slices.Clone(r.Orders), func(o wire.RunOrder) bool {
		return o.Kind == wire.OrderInterrupt && r.Turn == TurnIdle // of the turn that the message is about to begin
	})
	if r.Told != nil && r.Turn == TurnIdle && !s.Frozen {
		list = append(list, wire.RunOrder{ID: r.Told.ID, Kind: wire.OrderMessage, Text: r.Told.Text})
	}
	return list
}

// MayTell reports whether the message that waits can be told to the agent now: its turn is
// over, and not because its process is about to end, and no freeze holds it. After MaxFailures
// tries it waits for a person: a message that kills its agent would otherwise do so for ever.
func (s *Session) MayTell() bool {
	r := s.Run
	return s.Message != nil && s.Message.Failures < MaxFailures && r.Running() && r.Turn == TurnIdle && r.Result != resultTool &&
		r.Told == nil && r.Runner.PID != 0 && !s.State.UnderStop() && !s.Frozen
}

// OrderIDs are the ids of orders, in one text to compare. Two lists with the same ids are the
// same orders, as an id is never used for two.
func OrderIDs(list []wire.RunOrder) string {
	ids := make([]string, len(list))
	for i, o := range list {
		ids[i] = o.ID
	}
	return strings.Join(ids, " ")
}

const (
	// MaxFailures is how often a message is tried to be told, also by resuming its session,
	// before it waits for somebody to send it again.
	MaxFailures = 3
	// StartGrace is how long a runner that was asked for may take to come.
	StartGrace = time.Minute
	// RetryPause is how long the first pause between two tries to resume a session is.
	RetryPause = 10 * time.Second
)

// NewMessage is what by says to a session next. Errors: ErrInvalid. White space alone is no
// message; it would begin a turn about nothing.
func NewMessage(now time.Time, id, text string, by Actor) (*Message, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return nil, fmt.Errorf("%w: the message is empty", ErrInvalid)
	case len(text) > maxMessage:
		return nil, fmt.Errorf("%w: the message is longer than %d bytes", ErrInvalid, maxMessage)
	}
	return &Message{ID: id, Text: text, By: by, QueuedAt: Instant(now)}, nil
}

// Say is the transition when by says something to a session; a nil message takes the one that
// waits back. By an operator it lifts a stop. Errors: ErrNotManaged, ErrLift, ErrNoChange. The
// message that waited is dropped with an event of its own, since its writer may be another
// program that believes it queued.
func Say(now time.Time, s *Session, m *Message, by Actor) (events []*Event, err error) {
	switch {
	case s.Run == nil:
		return nil, ErrNotManaged
	case m == nil && s.Message == nil:
		return nil, ErrNoChange
	case m == nil:
		events, s.Message = []*Event{MessageDropped(now, s, s.Message, "withdrawn")}, nil
		return events, nil
	case s.State.UnderStop() && by.Kind != ByOperator:
		return nil, ErrLift
	case s.State.UnderStop():
		events = LiftStop(now, s)
	}
	if s.Message != nil {
		events = append(events, MessageDropped(now, s, s.Message, "a later one took its place"))
	}
	s.Message = m
	return append(events, SessionEvent(now, EventMessageQueued, *s, m)), nil
}

// MayResume reports whether s can be resumed for the message that waits. While a call of it is
// put off, that call's answer comes first. A message resumes a session that ended. One whose call
// is put off waits for that call's answer.
func (s *Session) MayResume() bool {
	if s.Run == nil || s.State.UnderStop() || s.Message == nil || s.Message.Failures >= MaxFailures {
		return false
	}
	return s.Run.Turn == TurnEnded || s.Run.Turn == TurnDeferred && s.Deferred == 0
}

// ResumePutOff is the transition when a runner is asked for that takes up a session whose call
// was put off, unless it was stopped since the resume began, or the call was denied for good or
// taken up. Errors: ErrStopped, ErrTaken, ErrNothingPutOff.
func ResumePutOff(now time.Time, s *Session, by Actor) ([]*Event, error) {
	switch {
	case s.State.UnderStop():
		return nil, ErrStopped
	case s.Run.Running():
		return nil, TakenError{Why: "a runner has it"}
	case s.Deferred == 0:
		return nil, ErrNothingPutOff
	}
	return []*Event{BeginResume(now, s, by)}, nil
}

// Interrupt is the transition when the turn of a session is to end, and the session is not.
// Errors: ErrNotManaged, ErrSessionEnded, ErrNoChange. A turn that is over needs none, and a
// second interrupt before the first was carried out would end the turn after it.
func Interrupt(now time.Time, s *Session, orderID string, by Actor) ([]*Event, error) {
	switch r := s.Run; {
	case r == nil:
		return nil, ErrNotManaged
	case !r.Running():
		return nil, ErrSessionEnded
	case r.Turn == TurnIdle && r.Told == nil, r.HasOrder(wire.OrderInterrupt):
		return nil, ErrNoChange
	}
	s.Run.AddOrder(orderID, wire.OrderInterrupt, "")
	s.Run.Interrupted = Interruption{At: Instant(now), By: by}
	return []*Event{SessionEvent(now, EventInterruptAsked, *s, map[string]any{"by": by})}, nil
}

// Configure is the transition when the permission mode or the model of a session is to be
// another one; "" leaves one as it is. Errors: ErrNotManaged, ErrSessionEnded.
func Configure(now time.Time, s *Session, mode, model string, orderIDs [2]string, by Actor) ([]*Event, error) {
	switch {
	case s.Run == nil:
		return nil, ErrNotManaged
	case !s.Run.Running() || s.State.UnderStop():
		return nil, ErrSessionEnded
	}
	if mode != "" {
		s.Run.AddOrder(orderIDs[0], wire.OrderMode, mode)
	}
	if model != "" {
		s.Run.AddOrder(orderIDs[1], wire.OrderModel, model)
	}
	return []*Event{SessionEvent(now, EventRunNoted, *s, map[string]any{"kind": "settings", "permission_mode": mode, "model": model, "by": by})}, nil
}

// LiftStop is the transition when the operator speaks to a stopped session. The session becomes
// what it would be without the stop, as far as its run tells.
func LiftStop(now time.Time, s *Session) []*Event {
	events := []*Event{SessionEvent(now, EventStopLifted, *s, map[string]string{"by": "message"})}
	s.StopAskedAt, s.TurnOver = time.Time{}, false
	switch {
	case s.Run.Running() && s.Run.Turn == TurnIdle:
		s.State = SessionIdle
	case s.Run.Running():
		s.State = SessionActive
	default:
		s.State, s.EndedAt = SessionFinished, firstTime(s.EndedAt, Instant(now))
		return events
	}
	s.ExitCode, s.EndReason = nil, ""
	return events
}

func firstTime(list ...time.Time) time.Time {
	for _, t := range list {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// BeginLaunch is the transition when a new session is to be started in the background.
func BeginLaunch(now time.Time, s *Session, n NewRun, by Actor) []*Event {
	s.Run = &Run{Turn: TurnStarting, Model: n.Model, Detached: true, Named: n.Name != "", StartedAt: Instant(now)}
	return []*Event{
		SessionEvent(now, EventSessionStart, *s, map[string]any{"agent": n.Agent, "cwd": n.Folder}),
		SessionEvent(now, EventRunNoted, *s, map[string]any{"kind": "launch", "by": by, "text": n.Prompt}),
	}
}

// BeginResume is the transition when a runner is asked for. The caller then starts one. The old
// runner is forgotten, so its late reports are turned away.
func BeginResume(now time.Time, s *Session, by Actor) *Event {
	s.Run.Turn, s.Run.Runner, s.Run.Error, s.Run.StartedAt = TurnStarting, Process{}, "", Instant(now)
	revive(s)
	data := map[string]any{"by": by}
	if s.Message != nil {
		data["message"] = s.Message.ID
	}
	return SessionEvent(now, EventResumed, *s, data)
}

// NotStarted is the transition when no runner came: the session is as before, and says why.
func NotStarted(now time.Time, s *Session, cause error) []*Event {
	s.Run.Turn, s.Run.Error = TurnEnded, Excerpt(cause.Error())
	events := []*Event{SessionEvent(now, EventRunEnded, *s, map[string]string{"kind": "not_started", "error": s.Run.Error})}
	events = append(events, EndSession(now, s, SessionFinished, nil, "not_started")...)
	return append(events, notTold(now, s)...)
}
