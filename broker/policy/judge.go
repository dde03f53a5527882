// Package policy says what the rules in force make of a call. It decides nothing: the engine
// does, and only if the rules are still those that the call was judged by.
//
// A call goes in as a broker.Request, and what comes out is an engine.Judged: the verdict with
// its reasons and the version of the rules. On the way Read has the Vetter read the call first
// (a hostile text may end the process that parses it), follows the call's paths on the disk
// with package workspace, and makes a rules.Call of it; Judge then asks the rules. An allow
// becomes a question when something is doubtful: the log is broken or unread, the project's
// rules file cannot be read, the session has an alarm nobody has seen, a file has two names. A
// refusal stands whatever is doubtful.
//
// Read Policy and its Options first, then Judge. The rest of the package:
//
//   - rulesfile.go keeps the rules of each project's .aoctl/rules.toml up to date. Allow rules
//     in such a file count only while the operator trusts exactly its content.
//   - preview.go tries a rule that somebody is about to make on recorded and waiting calls, and
//     offers drafts of rules for a call; suggest.go looks for rules that would have saved decisions.
//   - eyes.go says which calls take two operators: no rule allows those.
//   - Rulings is what operators do: save, remove, trust, preview, offer.
//
// vetted is the only place in the broker where something that an agent wrote is parsed, and it
// does so only after the vetter came through. A text that is not vetted is never parsed: the
// call is asked about, raw.
//
// Packages calls and api use it. Commands read rules files with it (ReadRulesFile), without a
// broker.
package policy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/vet"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Engine is what policy needs of the engine. All answers are of one moment, but not of the same
// one: Look has what belongs together.
type Engine interface {
	Look(req *broker.Request) engine.Look
	Rules() *engine.Rules
	Rule(id string) (rules.Rule, bool)
	RuleBook() broker.RuleBook
	Trusted(path string) string
	Health() broker.Health
	Pending(sessionID string) []broker.Request
}

// Options are what a Policy works with. All but Home, Guarded and Aside must be set. They are
// not changed after New.
type Options struct {
	Engine  Engine
	Tell    func(engine.Input) engine.Reply // sends an input to the engine
	Store   Records
	Vet     Vetter
	Home    string            // the user's home folder; "" when there is none
	Guarded []string          // aoctl's own folders and files
	Port    string            // where aoctl listens on this machine, "" for none
	Aside   map[string]string // by digest: why a call is not parsed; not changed any more
	Log     *slog.Logger
}

// Policy judges calls. Several goroutines may use it.
type Policy struct {
	Options
	files   projectFiles
	history recordedCalls
	eyes    atomic.Value // of Eyes; empty where one operator is always enough
}

// New returns a policy.
func New(o Options) *Policy {
	return &Policy{Options: o, files: projectFiles{known: map[string]*projectFile{}}, history: recordedCalls{turn: make(chan struct{}, 1)}}
}

// Vetter reads texts where its failure takes nothing along, before the broker reads them;
// *vet.Guard is one.
type Vetter interface {
	// Call reads a call, Offer one that a rule is made from, File a file of rules.
	Call(q rules.Question) vet.Result
	Offer(q rules.Question) vet.Result
	File(path string, data []byte, project string) vet.Result
}

// Trusting is the vetter of a broker that was given none: everything comes through.
type Trusting struct{}

// Call says that q can be read.
func (Trusting) Call(rules.Question) vet.Result { return vet.Result{Legible: true} }

// Offer says that q can be read.
func (Trusting) Offer(rules.Question) vet.Result { return vet.Result{Legible: true} }

// File says that the file can be read.
func (Trusting) File(string, []byte, string) vet.Result { return vet.Result{} }

// place is where a call of this project would run.
func (p *Policy) place(project, cwd string) risk.Place {
	return workspace.PlaceOf(project, cwd, p.Home, p.Guarded)
}

// SetAside is why nothing of req may be parsed, whatever the vetter says; "" when it may. The
// broker sets aside the calls that waited when it crashed, twice.
func (p *Policy) SetAside(req broker.Request) string {
	if o := req.Outcome; o != nil && o.By.Kind == broker.ByBroker && o.By.ID == broker.AsideID {
		return broker.WhyAside
	}
	if len(p.Aside) == 0 {
		return ""
	}
	return p.Aside[cmp.Or(req.Digest, broker.Digest(req.ToolName, req.ToolInput, req.CWD))]
}

// question is the one that req puts to the rules, with the paths as f finds them.
func (p *Policy) question(f *workspace.Paths, req broker.Request, project string, trusted bool) rules.Question {
	tool, input := req.Call()
	at := workspace.PlaceAt(f, cmp.Or(project, req.CWD), req.CWD, p.Home, p.Guarded)
	at.Port = p.Port
	return rules.Question{
		Tool: tool, Input: input, Agent: req.Agent, SessionID: req.SessionID,
		Place: at, Trusted: trusted, Exists: workspace.FileExists, Matches: workspace.Matches, Special: workspace.SpecialFile,
	}
}

// PrepareAt reads the call of req as rules see it, with what f knows of the disk. trusted: the
// tool's name means what it says.
func (p *Policy) PrepareAt(f *workspace.Paths, req broker.Request, project string, trusted bool) *rules.Call {
	c, _ := p.ReadAt(f, req, project, trusted)
	return c
}

// Read reads the call of req by way of the vetter, with the paths as they lead now. It also
// reports whether the screen may parse the call's command line. It looks at the disk and waits
// for the vetter, so it is called outside of the engine's loop.
func (p *Policy) Read(req broker.Request, project string, trusted bool) (c *rules.Call, legible bool) {
	return p.ReadAt(workspace.NewPaths(), req, project, trusted)
}

// ReadAt is Read with what f knows of the disk.
func (p *Policy) ReadAt(f *workspace.Paths, req broker.Request, project string, trusted bool) (c *rules.Call, legible bool) {
	return p.vetted(f, req, project, trusted, p.Vet.Call)
}

// vetted reads the call of req by way of one of the vetter's methods. It is the only place where
// the broker parses what an agent wrote, and does so only after the vetter read it without harm.
func (p *Policy) vetted(f *workspace.Paths, req broker.Request, project string, trusted bool, vetted func(rules.Question) vet.Result) (c *rules.Call, legible bool) {
	q := p.question(f, req, project, trusted)
	if why := p.SetAside(req); why != "" {
		return rules.Unread(q, why), false
	}
	r := vetted(q)
	if r.Why != "" {
		return rules.Unread(q, r.Why), false
	}
	return vet.Prepare(q), r.Legible
}

// VetRecorded says of recorded calls whether the screen may parse their command lines.
func (p *Policy) VetRecorded(list []broker.Request) {
	for i := range list {
		r := &list[i]
		tool, input := r.Call()
		if _, ok := rules.CommandParam(tool); ok && p.SetAside(*r) == "" {
			res := p.Vet.Call(rules.Question{Tool: tool, Input: input, Agent: r.Agent})
			r.Legible = res.Why == "" && res.Legible
		}
	}
}

// AssessRequest says what the rules say about req now. trusted: its tool is one of the agent's own.
func (p *Policy) AssessRequest(req broker.Request, project string, trusted bool) rules.Assessment {
	c, _ := p.Read(req, project, trusted)
	return p.Assess(c, project)
}

// Assess says what the rules say about a call now.
func (p *Policy) Assess(c *rules.Call, project string) rules.Assessment {
	return p.Judge(c, project, false).Assessment
}

// Judge says what the rules say about a call now. What makes the rules themselves doubtful
// turns an allow into a question; a refusal stands. The rules file of the project is read first
// if it has changed. The answer has the version of the rules, which the engine compares.
func (p *Policy) Judge(c *rules.Call, project string, legible bool) engine.Judged {
	problem := p.projectRules(project)
	look := p.Engine.Look(&broker.Request{SessionID: c.SessionID()})
	r := look.Rules
	a := r.Set.Judge(c, time.Now())
	// A broken log, one not yet checked, or a loop that cannot write: then rules are no
	// authority.
	doubt := cmp.Or(r.Doubt, r.Unread, r.Stuck)
	if failed := p.Engine.Health().StoreErr; doubt == "" && failed != "" {
		doubt = "the log could not be written: " + failed
	}
	off := ""
	if a.Verdict == rules.Ask {
		off = r.Set.SwitchedOff(c, time.Now())
	}
	if a.Verdict == rules.Allow || off != "" {
		switch why := whyAsk(c, doubt, look.Alarm, problem); {
		case why == "":
			a.Off = off
		case a.Verdict == rules.Allow:
			a = broker.AskInstead(a, why)
		}
	}
	if p.needsTwo(a, project, c.Question().Place.CWD) {
		a = forTwo(a)
	}
	j := engine.Judged{Rules: r.Version, Assessment: a, Legible: legible}
	if a.Verdict == rules.Deny {
		j.DenyReason = p.DenyReason(a)
	}
	return j
}

// whyAsk is why a person is asked about c whatever rule allows it; "" when nothing is against that.
func whyAsk(c *rules.Call, doubt, alarm, problem string) string {
	switch {
	case doubt != "":
		return "no rule may allow anything: " + doubt
	// What ran in this session was not what was allowed, so a person looks first.
	case alarm != "":
		return alarm
	case problem != "":
		return "the project's " + RulesFileName + " cannot be read: " + problem
	case workspace.ChangesLinked(c):
		return "the file has another name elsewhere (a hard link), and changes under both"
	}
	return ""
}

// DenyReason is what the agent is told of a rule's refusal: the operator's words when the rule
// has some.
func (p *Policy) DenyReason(a rules.Assessment) string {
	r, _ := p.Engine.Rule(a.Rule)
	return cmp.Or(r.Reason, a.Reason)
}

// Edited reads and judges req with another input, by rules of the version that it returns. The
// seal stands for the new input and the files that it names; an allow must come with the same
// one.
func (p *Policy) Edited(req broker.Request, input json.RawMessage) (broker.Edited, int) {
	project := p.Engine.Look(&req).Project
	req.ToolInput = input
	req.Digest = broker.Digest(req.ToolName, input, req.CWD)
	call, legible := p.Read(req, project, req.Vouched())
	j := p.Judge(call, project, legible)
	req.Assessment, req.Legible = &j.Assessment, legible
	sum := sha256.Sum256([]byte(req.Digest + workspace.CallStamp(call)))
	e := broker.Edited{Request: req, Seal: hex.EncodeToString(sum[:])}
	if j.Assessment.Verdict == rules.Deny {
		e.Deny = cmp.Or(j.DenyReason, "a rule")
	}
	return e, j.Rules
}
