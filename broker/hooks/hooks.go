package hooks

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// Asker is who sent a hook payload, from the request's headers and from the kernel. Correlation,
// Timeout, Patience and Env are the sender's own words. Client and TCP come from the kernel.
// Named and Project are taken from Env by Hooks.Decode, once it is known which agent speaks;
// Agent is filled in by Hooks.Behind.
type Asker struct {
	Correlation string
	Timeout     time.Duration
	Patience    broker.Patience
	Client      broker.Process
	Env         map[string]string
	Named       string // the agent's pid as it says itself; may be empty
	Project     string // the project's folder, likewise
	TCP         *peers.TCPEnds
	Agent       broker.Process
}

// fromAgent keeps of what a hook says of itself what the agent that asks says: the rest is
// left over from one that it runs inside.
func (a Asker) fromAgent(name string) Asker {
	p := profile.Of(name)
	if p.PID != "" {
		a.Named = a.Env[p.PID]
	}
	a.Project = a.Env[p.Project]
	return a
}

// knownAgent finds the process to watch for a session, unless it is known already: looking takes
// several reads of the system's process table.
//
// It is the zero Process when no agent is found above the client. Such a session is watched by
// its hooks alone.
func (hs *Hooks) knownAgent(sessionID string, a Asker) broker.Process {
	s, _ := hs.o.View.Session(sessionID)
	p := s.Process
	known := p.PID != 0 && s.EndedAt.IsZero() && (a.Named == "" || a.Named == strconv.Itoa(p.PID))
	if known || s.Run.Running() && a.Client.PID != 0 && a.Client.PID == s.Run.Runner.PID { // it passes on what its agent says; what is above it is the user's
		return p
	}
	return peers.AgentOf(a.clientHere(), a.Named)
}

// clientHere is the process that asks, if it can be seen. The zero Process means that it cannot
// be seen, as in a container.
func (a Asker) clientHere() broker.Process {
	if a.TCP != nil { // as from a container, where pids are others; but it may be of this machine
		if pids := peers.HoldersOf(*a.TCP); len(pids) > 0 {
			return broker.Process{PID: pids[0]}
		}
	}
	return a.Client
}

// Question turns a decoded gate event into what Submit takes. Bound is always set: a hook that
// has left runs nothing, so its call is cancelled.
func Question(h agents.Hook, a Asker) broker.Question {
	q := base(h, a)
	q.ToolName, q.ToolInput, q.ToolUseID, q.Description = h.ToolName, h.ToolInput, h.ToolUseID, h.Description
	q.SubagentID, q.SubagentType, q.Event, q.Suggestions = h.SubagentID, h.SubagentType, h.Event, h.Suggestions
	q.Key = strings.Join([]string{"hook", h.Agent, h.SessionID, h.SubagentID, h.Event, a.Correlation}, "\x1f")
	if h.ToolUseID != "" {
		q.Key = broker.CallKey(h, h.Event)
	}
	q.Asker, q.Bound, q.Timeout, q.Waits = a.Client, true, a.Timeout, a.Patience
	q.Headless, q.Correlation = h.Headless, a.Correlation
	// Only a gate that the agent asks before its own rules is believed to mean by "Read" what we
	// mean by it.
	q.Trusted = q.Vouched()
	return q
}

// base is what every event tells of its session. Where a call's folder may be any, the
// session's is the one that comes with other events.
func base(h agents.Hook, a Asker) broker.Question {
	call := h.Kind == agents.Gate || h.Kind == agents.ToolDone
	if a.Project == "" && !call && h.SubagentID == "" && agents.TraitsOf(h.Agent).CallFolder {
		a.Project = h.CWD
	}
	q := broker.Question{
		Request: broker.Request{SessionID: h.SessionID, Agent: h.Agent, CWD: h.CWD, Mode: h.Mode},
		Session: broker.SessionHint{Name: h.Title, ProjectDir: a.Project, Pane: a.Env["TMUX_PANE"], TmuxServer: tmuxServer(a.Env["TMUX"]), Process: a.Agent},
	}
	if h.SubagentID == "" { // some have one of their own
		q.Session.Transcript = h.Transcript
	}
	return q
}

// Observe takes in an event that is not a question and says what to answer.
//
// A prompt that is not the user's is turned into one of the agent's own before anything hears of
// it, so it cannot lift a stop. What ran is compared after its report is on record, since an
// alarm names it.
func (hs *Hooks) Observe(ctx context.Context, h agents.Hook, a Asker) (agents.Answer, error) {
	if h.Kind == agents.Prompt && !h.FromApp {
		h.FromApp = hs.scheduledPrompt(ctx, h) || hs.notTheUsers(h, a)
	}
	q := base(h, a)
	in := engine.FromHook{Hook: h, Speaker: engine.Speaker{SessionID: q.SessionID, Agent: q.Agent, CWD: q.CWD, Mode: q.Mode, Hint: q.Session, Living: hs.o.Records.Living(q)}}
	if h.Kind == agents.ToolDone {
		in.Ran = hs.RanData(h)
		if h.ToolUseID != "" {
			if req, err := hs.requestOfRun(ctx, h); err == nil {
				in.RanID = req.ID
			}
		}
	}
	r := hs.o.Engine.Do(in)
	if r.Err != nil {
		return agents.Answer{}, r.Err
	}
	hs.compareRun(ctx, h, r)
	stop, err := hs.o.Records.StopRequested(ctx, h.SessionID)
	if err != nil {
		return agents.Answer{}, err
	}
	// The end of a call is a moment in which an agent listens. One that is under a stop is told
	// here to end its turn, without waiting for its next call.
	if stop && h.Kind == agents.ToolDone {
		return agents.Answer{StopTurn: true, Reason: "Stopped by the user in aoctl."}, nil
	}
	return agents.Answer{}, nil
}

// RanData is what is recorded of the end that h tells. Bytes that are no UTF-8 are replaced, so
// that the log stays text.
func (hs *Hooks) RanData(h agents.Hook) broker.RanData {
	text := strings.ToValidUTF8(agents.ResultText(h.Result), "\uFFFD")
	d := broker.RanData{
		ToolName: h.ToolName, ToolUseID: h.ToolUseID, Failed: h.Failed, Digest: broker.Digest(h.ToolName, h.ToolInput, h.CWD),
		DurationMS: h.Duration.Milliseconds(), OutputBytes: len(text), SubagentID: h.SubagentID, SubagentType: h.SubagentType,
	}
	// 0 means that nobody told, so what took less than a millisecond is one.
	if h.Duration > 0 && d.DurationMS == 0 {
		d.DurationMS = 1
	}
	if !hs.o.NoOutput {
		d.Output, d.CutAt = broker.HeadAndTail(text, broker.MaxOutput)
	}
	return d
}

// Decode finds out which agent sent payload to the hooks of the agent named hint: some run the
// hooks of others. It returns what the payload says, with the session at the root where it names a
// sub-agent's, and a with what that agent says of itself. Errors: ErrUnknownAgent, ErrOtherAgent and
// ErrPayload of package agents.
func (hs *Hooks) Decode(hint string, payload []byte, a Asker) (agents.Dialect, agents.Hook, Asker, error) {
	d, err := dialectFor(hint, payload, a.Env)
	if err != nil {
		return nil, agents.Hook{}, a, err
	}
	h, err := d.Decode(payload)
	if err != nil {
		return nil, agents.Hook{}, a, err
	}
	h.SessionID = hs.rootOf(h)
	return d, h, a.fromAgent(d.Name()), nil
}

// dialectFor is the dialect of the agent that sent payload. The hint must name an agent that is
// known, even if another one speaks: it comes from our own hook's line.
func dialectFor(hint string, payload []byte, env map[string]string) (agents.Dialect, error) {
	if _, err := agents.For(hint); err != nil {
		return nil, err
	}
	name, err := agents.Recognise(hint, payload, env)
	if err != nil {
		return nil, err
	}
	return agents.For(name)
}

// Behind completes a with the process of the agent that h is about, and h with whether anybody sits
// before it.
func (hs *Hooks) Behind(h agents.Hook, a Asker) (agents.Hook, Asker) {
	a.Agent = hs.knownAgent(h.SessionID, a)
	h.Headless = agents.Headless(h.Agent, a.Env) || hs.fromRunner(h.SessionID, a)
	return h, a
}

// rootOf is the session that h belongs to: the one at the root, where h names a sub-agent as its
// session.
func (hs *Hooks) rootOf(h agents.Hook) string {
	if h.SubagentID == "" || h.SubagentID == h.SessionID {
		return h.SessionID
	}
	return hs.o.Engine.Do(engine.Root{SessionID: h.SessionID, SubagentID: h.SubagentID}).Session.ID
}

// fromRunner reports whether a hook payload of a managed session came from what holds it: nobody
// sits before its agent. A runner passes on what its agent says over its pipes. It must still
// live, since its pid could be another process's by now.
func (hs *Hooks) fromRunner(sessionID string, a Asker) bool {
	s, _ := hs.o.View.Session(sessionID)
	return s.Run != nil && a.Client.PID != 0 && a.Client.PID == s.Run.Runner.PID && hs.o.Alive(s.Run.Runner)
}

// scheduledPrompt reports whether the prompt of a session under a stop is one that
// its agent scheduled for itself. Such a prompt looks as if the user had typed it; it
// is known by the calls that scheduled it.
func (hs *Hooks) scheduledPrompt(ctx context.Context, h agents.Hook) bool {
	if stop, err := hs.o.Records.StopRequested(ctx, h.SessionID); err != nil || !stop {
		return false
	}
	// The prompt is compared with those that the session's own calls have scheduled.
	calls, err := hs.o.Store.Requests(ctx, broker.RequestFilter{SessionID: h.SessionID})
	if err != nil {
		return true // not known to be the user's: the stop stays
	}
	said := strings.TrimSpace(h.Text)
	for _, r := range calls {
		switch tool, _ := r.Call(); tool {
		case "CronCreate", "ScheduleWakeup", "Monitor":
			var in struct {
				Prompt string `json:"prompt"`
			}
			if json.Unmarshal(r.ToolInput, &in) == nil && strings.TrimSpace(in.Prompt) == said {
				return true
			}
		}
	}
	return false
}

// tmuxServer is the socket's path in a value of TMUX: "/tmp/tmux-1000/default,1234,0",
// where the server's pid and a number of the session follow. "" for anything else. It cuts from
// the end, since the path may hold commas.
func tmuxServer(value string) string {
	for range 2 {
		i := strings.LastIndexByte(value, ',')
		if i < 0 || !allDigits(value[i+1:]) {
			return ""
		}
		value = value[:i]
	}
	return value
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
