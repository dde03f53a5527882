package broker

import (
	"cmp"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// TurnState says what the agent of a managed session does.
type TurnState string

// The states of a managed session's agent.
const (
	TurnStarting TurnState = "starting" // its process is being started, or resumed
	TurnWorking  TurnState = "working"
	TurnIdle     TurnState = "idle"     // its turn is over: it takes a message
	TurnDeferred TurnState = "deferred" // it ended because a call was put off; that call's answer resumes it
	TurnEnded    TurnState = "ended"    // no process; a message or an answer resumes it
)

// Valid reports whether t is one of these.
func (t TurnState) Valid() bool {
	switch t {
	case TurnStarting, TurnWorking, TurnIdle, TurnDeferred, TurnEnded:
		return true
	}
	return false
}

// Run is how a managed session is held: by a runner, which has the agent's process by both
// ends. It lives on when the console ends. Session.Process is the agent's.
//
// A Run that a Session shares with others is not changed: see Run.Clone.
type Run struct {
	Runner   Process  `json:"runner,omitzero"` // none while one is being started
	Program  string   `json:"program"`
	Args     []string `json:"args,omitempty"` // the user's own
	Model    string   `json:"model,omitempty"`
	MaxTurns int      `json:"max_turns,omitempty"`
	Detached bool     `json:"detached,omitempty"`
	Log      string   `json:"log,omitempty"`
	Named    bool     `json:"named,omitempty"` // the session's name is the user's, not the agent's

	wire.RunEnv

	Prompted  bool      `json:"prompted,omitempty"` // the process was started with a first message
	Turn      TurnState `json:"turn"`
	Result    string    `json:"result,omitempty"` // how the last turn ended, in the agent's word
	Error     string    `json:"error,omitempty"`  // what went wrong last
	StartedAt time.Time `json:"started_at"`       // the process; while there is none, when one was asked for

	RunTally          // of all processes of the session
	Earlier  RunTally `json:"earlier,omitzero"` // of all but the present one

	Told   *Message        `json:"told,omitempty"`   // the runner has it, and has not said that its agent does
	Orders []wire.RunOrder `json:"orders,omitempty"` // that it was not seen to carry out; neither messages nor what a stop asks for
	Steps  []string        `json:"steps,omitempty"`  // of ending the process, the last ones

	Interrupted Interruption `json:"interrupted,omitzero"` // the last one
}

// Interruption is that somebody had a turn ended. A call that was asked before, and that its agent
// takes back after, ended by it.
type Interruption struct {
	At time.Time `json:"at"`
	By Actor     `json:"by"`
}

// interruptEnds is how long after an interrupt a call that is taken back ended by it. The agent takes
// its calls back as soon as it hears of it; what a sub-agent gives up later is its own doing.
const interruptEnds = 30 * time.Second

// Ends reports whether a call that was asked at that time, and is taken back now, ended by i.
func (i Interruption) Ends(now, asked time.Time) bool {
	return !i.At.IsZero() && !asked.After(i.At) && now.Sub(i.At) < interruptEnds
}

// Outcome is the end of such a call. by is the process that took it back, if one did.
func (i Interruption) Outcome(by Actor) Outcome {
	by.Kind, by.ID = ByAgent, InterruptedID
	reason := "its turn was interrupted"
	if i.By.Kind == ByOperator && i.By.Token() == "" {
		reason = "you interrupted its turn"
	}
	return Outcome{State: Cancelled, By: by, Reason: reason}
}

// TakenBack is the end of r, whose asker does not want to know any more. An interrupt of its run,
// which may be nil, is the reason that counts: what the asker says is only that it went away.
func TakenBack(now time.Time, run *Run, r Request, by Actor, reason string) Outcome {
	if run != nil && run.Interrupted.Ends(now, r.CreatedAt) {
		return run.Interrupted.Outcome(by)
	}
	by.Kind, by.ID = ByAgent, WithdrawnID
	return Outcome{State: Cancelled, By: by, Reason: cmp.Or(reason, ReasonWithdrawn)}
}

// RunTally is what processes of a session used, as the agent says.
type RunTally struct {
	Cost  float64       `json:"cost_usd"`
	Usage wire.RunUsage `json:"usage"`
	Turns int           `json:"turns"`
}

// Running reports whether a runner has the session, or one is being started.
func (r *Run) Running() bool {
	return r != nil && (r.Turn == TurnStarting || r.Turn == TurnWorking || r.Turn == TurnIdle)
}

// Awaited reports whether a runner was asked for and did not come yet.
func (r *Run) Awaited() bool { return r != nil && r.Turn == TurnStarting && r.Runner.PID == 0 }

// Clone is a copy of r that shares nothing with it. Sessions are handed to readers while the loop
// goes on, so it changes a copy.
func (r *Run) Clone() *Run {
	if r == nil {
		return nil
	}
	c := *r
	c.Args, c.Orders, c.Steps = slices.Clone(r.Args), slices.Clone(r.Orders), slices.Clone(r.Steps)
	c.EnvNames, c.EnvDiffers = slices.Clone(r.EnvNames), slices.Clone(r.EnvDiffers)
	if r.Told != nil {
		c.Told = new(*r.Told)
	}
	return &c
}

// Message is what a session's user says next. There is one at a time: a later one takes its
// place.
type Message struct {
	ID       string    `json:"id"` // UUIDv7
	Text     string    `json:"text"`
	By       Actor     `json:"by"`
	QueuedAt time.Time `json:"queued_at"`
	Failures int       `json:"failures,omitempty"` // how often it could not be told; see maxFailures
}

// maxMessage is the longest message to a session, bytes. A person types less; a message of a
// program may carry a file.
const maxMessage = 256 << 10

// Checkpoint is a call that was put off: its agent's process was told so and ended, and its
// request goes on waiting for as long as it takes. When the session is resumed the agent
// asks again with the same id, and gets the answer, or waits for it as usual.
type Checkpoint struct {
	RequestID string    `json:"request_id"`
	SessionID string    `json:"session_id"`
	ToolUseID string    `json:"tool_use_id"`
	CWD       string    `json:"cwd"`            // where the session is resumed
	Program   string    `json:"program"`        // the agent's, as it ran
	Args      []string  `json:"args,omitempty"` // how it was started, short of its prompt
	By        Actor     `json:"by"`             // who put it off: a person, a rule, the deadline
	At        time.Time `json:"at"`
	ResumedAt time.Time `json:"resumed_at,omitzero"` // when a resume was last begun

	// Who was told: the agent's process, and the conversation in which its hook asked. Who
	// asks in another conversation was resumed.
	Process     Process `json:"process,omitzero"`
	Correlation string  `json:"correlation,omitempty"`

	// Since the agent asked again and found no answer the call waits like any other.
	TakenUpAt time.Time `json:"taken_up_at,omitzero"`
	ExpiresAt time.Time `json:"expires_at,omitzero"` // of that wait
}

// AsRequest is what an event needs to know of the call. Only the ids are set: it is not a request
// to be shown.
func (cp Checkpoint) AsRequest() Request {
	return Request{ID: cp.RequestID, SessionID: cp.SessionID}
}

// CheckpointData is the data of an EventDeferred or EventTakenUpAgain.
type CheckpointData struct {
	Checkpoint
	Given State `json:"given,omitempty"` // EventTakenUpAgain: the answer that the agent got, and with which the checkpoint went
}

// Resumption is what Resume did or would do, or what the operator is to do.
type Resumption struct {
	Started bool     `json:"started"`           // a runner was started
	Managed bool     `json:"held,omitempty"`    // aoctl holds the session, and starts its agent itself
	CWD     string   `json:"cwd,omitempty"`     // otherwise: where
	Command []string `json:"command,omitempty"` // and what to run, in a terminal

	// Of a session that the console's keyboard opened, for the screen alone: what calls this aoctl in a
	// shell.
	Aoctl []string `json:"-" cbor:"aoctl"`
}

// ResumeOpen is how long a session that the console's keyboard opened can be resumed without a token.
const ResumeOpen = 10 * time.Minute

// NewRun is a managed session that the operator wants.
type NewRun struct {
	Folder string // absolute
	Agent  string // "claude"
	Prompt string
	Name   string // may be empty
	Model  string // may be empty
}

// Launcher starts runners. Package cli has it: a runner is a process of its own. Both return when
// the process is started, or cannot be. That its runner has come is told through POST /runs.
type Launcher interface {
	// Launch starts a runner in the background for a new session with this id.
	Launch(sessionID string, n NewRun) error
	// Resume starts a runner in the background that takes up s, which no process has.
	Resume(s Session) error
}
