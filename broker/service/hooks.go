package service

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// asking is who sent a hook payload, read from the request's headers and from the
// kernel.
type asking struct {
	correlation string
	timeout     time.Duration
	patience    broker.Patience
	client      broker.Process
	env         map[string]string
	named       string // the agent's pid as it says itself; may be empty
	project     string // the project's folder, likewise
	tcp         *peers.TCPEnds
	agent       broker.Process
}

func readAsking(r *http.Request) asking {
	a := asking{correlation: r.Header.Get(wire.HeaderCorrelation), env: map[string]string{}}
	if a.correlation == "" || len(a.correlation) > broker.MaxName {
		a.correlation = uuid.NewString()
	}
	a.timeout, a.patience = headerMS(r, wire.HeaderTimeoutMS), patienceOf(r)
	for _, kv := range r.Header.Values(wire.HeaderEnv) {
		name, value, _ := strings.Cut(kv, "=")
		if v, err := url.QueryUnescape(value); err == nil {
			a.env[name] = v
		}
	}
	peer := peers.From(r.Context())
	if peer.PID != 0 {
		a.client = broker.Process{PID: peer.PID}
	}
	a.tcp = peer.TCP
	return a
}

// headerMS reads a header of milliseconds, 0 when there is none. A client whose time is over
// says 0, and that must not become our own default.
func headerMS(r *http.Request, name string) time.Duration {
	ms, err := strconv.ParseInt(r.Header.Get(name), 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(min(max(ms, 1), broker.MaxTimeout.Milliseconds())) * time.Millisecond
}

// fromAgent keeps of what a hook says of itself what the agent that asks says: the rest is
// left over from one that it runs inside.
func (a asking) fromAgent(name string) asking {
	if name == "claude" {
		a.named, a.project = a.env["CLAUDE_PID"], a.env["CLAUDE_PROJECT_DIR"]
		return a
	}
	a.project = a.env[strings.ToUpper(name)+"_PROJECT_DIR"]
	return a
}

// knownAgent finds the process to watch for a session, unless it is known already: looking takes
// several reads of the system's process table.
func (b *Broker) knownAgent(sessionID string, a asking) broker.Process {
	s, _ := b.view.Session(sessionID)
	p := s.Process
	known := p.PID != 0 && s.EndedAt.IsZero() && (a.named == "" || a.named == strconv.Itoa(p.PID))
	if known || s.Run.Running() && a.client.PID != 0 && a.client.PID == s.Run.Runner.PID { // it passes on what its agent says; what is above it is the user's
		return p
	}
	return peers.AgentOf(a.clientHere(), a.named)
}

// clientHere is the process that asks, if it can be seen.
func (a asking) clientHere() broker.Process {
	if a.tcp != nil { // as from a container, where pids are others; but it may be of this machine
		if pids := peers.HoldersOf(*a.tcp); len(pids) > 0 {
			return broker.Process{PID: pids[0]}
		}
	}
	return a.client
}

// question turns a decoded gate event into what Submit takes.
func question(h agents.Hook, a asking) broker.Question {
	q := base(h, a)
	q.ToolName, q.ToolInput, q.ToolUseID, q.Description = h.ToolName, h.ToolInput, h.ToolUseID, h.Description
	q.SubagentID, q.SubagentType, q.Event, q.Suggestions = h.SubagentID, h.SubagentType, h.Event, h.Suggestions
	q.Key = strings.Join([]string{"hook", h.Agent, h.SessionID, h.SubagentID, h.Event, a.correlation}, "\x1f")
	if h.ToolUseID != "" {
		q.Key = broker.CallKey(h, h.Event)
	}
	q.Asker, q.Bound, q.Timeout, q.Waits = a.client, true, a.timeout, a.patience
	q.Headless, q.Correlation = h.Headless, a.correlation
	q.Trusted = q.Vouched()
	return q
}

// base is what every event tells of its session. Where a call's folder may be any, the
// session's is the one that comes with other events.
func base(h agents.Hook, a asking) broker.Question {
	call := h.Kind == agents.Gate || h.Kind == agents.ToolDone
	if a.project == "" && !call && h.SubagentID == "" && agents.TraitsOf(h.Agent).CallFolder {
		a.project = h.CWD
	}
	q := broker.Question{
		Request: broker.Request{SessionID: h.SessionID, Agent: h.Agent, CWD: h.CWD, Mode: h.Mode},
		Session: broker.SessionHint{Name: h.Title, ProjectDir: a.project, Pane: a.env["TMUX_PANE"], TmuxServer: tmuxServer(a.env["TMUX"]), Process: a.agent},
	}
	if h.SubagentID == "" { // some have one of their own
		q.Session.Transcript = h.Transcript
	}
	return q
}

// observe takes in an event that is not a question and says what to answer.
func (b *Broker) observe(ctx context.Context, h agents.Hook, a asking) (agents.Answer, error) {
	if h.Kind == agents.Prompt && !h.FromApp {
		h.FromApp = b.scheduledPrompt(ctx, h) || b.notTheUsers(h, a)
	}
	q := base(h, a)
	in := engine.FromHook{Hook: h, Speaker: engine.Speaker{SessionID: q.SessionID, Agent: q.Agent, CWD: q.CWD, Mode: q.Mode, Hint: q.Session, Living: b.living(q)}}
	if h.Kind == agents.ToolDone {
		in.Ran = b.ranData(h)
		if h.ToolUseID != "" {
			if req, err := b.requestOfRun(ctx, h); err == nil {
				in.RanID = req.ID
			}
		}
	}
	r := b.loop.Do(in)
	if r.Err != nil {
		return agents.Answer{}, r.Err
	}
	b.compareRun(ctx, h, r)
	stop, err := b.StopRequested(ctx, h.SessionID)
	if err != nil {
		return agents.Answer{}, err
	}
	if stop && h.Kind == agents.ToolDone {
		return agents.Answer{StopTurn: true, Reason: "Stopped by the user in aoctl."}, nil
	}
	return agents.Answer{}, nil
}

// ranData is what is recorded of the end that h tells.
func (b *Broker) ranData(h agents.Hook) broker.RanData {
	text := strings.ToValidUTF8(agents.ResultText(h.Result), "\uFFFD")
	d := broker.RanData{
		ToolName: h.ToolName, ToolUseID: h.ToolUseID, Failed: h.Failed, Digest: broker.Digest(h.ToolName, h.ToolInput, h.CWD),
		DurationMS: h.Duration.Milliseconds(), OutputBytes: len(text), SubagentID: h.SubagentID, SubagentType: h.SubagentType,
	}
	if h.Duration > 0 && d.DurationMS == 0 {
		d.DurationMS = 1
	}
	if !b.opts.NoOutput {
		d.Output, d.CutAt = broker.HeadAndTail(text, broker.MaxOutput)
	}
	return d
}

// rootOf is the session that h belongs to: the one at the root, where h names a sub-agent as its
// session.
func (b *Broker) rootOf(h agents.Hook) string {
	if h.SubagentID == "" || h.SubagentID == h.SessionID {
		return h.SessionID
	}
	return b.loop.Do(engine.Root{SessionID: h.SessionID, SubagentID: h.SubagentID}).Session.ID
}

// fromRunner reports whether a hook payload of a managed session came from what holds it: nobody
// sits before its agent.
func (b *Broker) fromRunner(sessionID string, a asking) bool {
	s, _ := b.view.Session(sessionID)
	return s.Run != nil && a.client.PID != 0 && a.client.PID == s.Run.Runner.PID && b.opts.Alive(s.Run.Runner)
}

// scheduledPrompt reports whether the prompt of a session under a stop is one that
// its agent scheduled for itself. Such a prompt looks as if the user had typed it; it
// is known by the calls that scheduled it.
func (b *Broker) scheduledPrompt(ctx context.Context, h agents.Hook) bool {
	if stop, err := b.StopRequested(ctx, h.SessionID); err != nil || !stop {
		return false
	}
	calls, err := b.store.Requests(ctx, broker.RequestFilter{SessionID: h.SessionID})
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
