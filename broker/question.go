package broker

import (
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// Question is a call that somebody wants answered.
type Question struct {
	Request                   // ID (optional), Key, SessionID, Agent, Event, ToolName, ToolInput, CWD … ; the broker fills in the rest
	Timeout     time.Duration // the operator's time; 0 means the broker's default
	AtMost      time.Duration // how long the asker would wait if the operator gave the call more time; 0 means no longer than Timeout
	Bound       bool          // the asker waits for the answer: when it leaves for good, the request is cancelled
	Session     SessionHint   // what is known of the session beside
	Headless    bool          // no user sits before the agent
	Correlation string        // of the conversation in which its hook asks
	Waits       Patience      // as a client says it itself; where it does not, Timeout and AtMost tell
	Trusted     bool          // the dialect vouches for ToolName's meaning, so the built-in read-only rule may speak
}

// MaxTimeout is the longest a call may wait.
const MaxTimeout = 24 * time.Hour

// SessionHint is what a hook tells of its session beside the call.
type SessionHint struct {
	Name       string
	ProjectDir string
	Pane       string // as TMUX_PANE says
	TmuxServer string // path of a socket, as TMUX says
	Process    Process
	Transcript string // file; a sub-agent's own is not told here
}

// Validate says what is missing. Errors: ErrInvalid. The ids and the key are not looked at: who
// makes a Question makes those.
func (q *Question) Validate() error {
	switch {
	case !ValidSessionID(q.SessionID):
		return fmt.Errorf("%w: session_id must not be empty, \".\" or \"..\"", ErrInvalid)
	case q.ToolName == "":
		return fmt.Errorf("%w: tool_name is empty", ErrInvalid)
	case len(q.ToolInput) == 0:
		return fmt.Errorf("%w: tool_input is missing", ErrInvalid)
	}
	return nil
}

// ValidSessionID leaves out what no route could name: paths are cleaned of dots.
func ValidSessionID(id string) bool { return id != "" && id != "." && id != ".." }

// SameCall reports whether q asks for the very call that r is about. Two agents of
// one session never share a request.
func SameCall(r Request, q Question) bool {
	return r.Digest == q.Digest && r.SessionID == q.SessionID && r.SubagentID == q.SubagentID && r.Agent == q.Agent && r.Event == q.Event
}

// Patience is up to when somebody who asks would wait. Both are monotonic.
type Patience struct {
	Until time.Time // as things are; zero: not known
	Most  time.Time // with more time from the operator; zero: no longer
}

// HardLimit is how long a call that an agent's hook asks for may wait at most, 0 when the
// agent has no such limit. The limit is the agent's own, told of in its documentation or
// measured; when it is over the agent goes on without the hook.
func HardLimit(r Request) time.Duration {
	if r.Event == "" {
		return 0 // a program that uses the API waits as long as it says
	}
	return profile.Of(r.Agent).Wait
}

// HardWait says how long r's agent waits at most, in words for people; "" when it has no
// limit of its own.
func HardWait(r Request) string {
	if wait := HardLimit(r); wait > 0 {
		return fmt.Sprintf("%s waits %d s at most", agents.TraitsOf(r.Agent).Title, int(wait.Seconds()))
	}
	return ""
}

// LimitTimes keeps q's times to what its agent waits. A call that outlives its hook would be
// shown as waiting although nobody waits for it any more.
func (q *Question) LimitTimes(now time.Time) {
	wait := HardLimit(q.Request)
	if wait == 0 {
		return
	}
	if q.Timeout <= 0 || q.Timeout > wait {
		q.Timeout = wait
	}
	q.AtMost = min(q.AtMost, wait)
	last := now.Add(wait)
	for _, t := range []*time.Time{&q.Waits.Until, &q.Waits.Most} {
		if t.After(last) {
			*t = last
		}
	}
}

// WhyNoMore says why r, which waits until deadline, gets no more time: the asker would leave
// at most, zero when that is not known, and mayMore says that they would wait for longer than they
// asked for. The text is for the operator who pressed the key, and names what would help.
func WhyNoMore(r *Request, deadline, most time.Time, mayMore bool) string {
	hook := r.Event != ""
	switch {
	case most.IsZero():
		return "nobody has asked for it since this console began"
	case deadline.Add(ExtendMargin + LeastMore).Before(most):
		return "it has its full time already"
	// Such an agent runs the call when its hook takes too long, so a later answer comes too late.
	// A grant serves the next try.
	case HardLimit(*r) > 0: // to install it again gives it next to nothing, if anything
		return HardWait(*r) + ", and then runs the call; allow it late, and its next try passes"
	case most.Sub(r.CreatedAt) > MaxTimeout-time.Minute: // whatever its asker says
		return "no call waits longer than a day"
	case hook && !mayMore:
		return fmt.Sprintf(`its hook waits no longer: run "aoctl install %s" again`, r.Agent)
	case hook:
		return "its hook waits no longer than that"
	case !mayMore:
		return "its program waits no longer: it named no at_most"
	}
	return "its program waits no longer than that"
}
