package service

import (
	"cmp"
	"context"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/vet"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Vetter reads texts where its failure takes nothing along, before the broker reads
// them; *vet.Guard is one.
type Vetter interface {
	Call(q rules.Question) vet.Result
	Offer(q rules.Question) vet.Result
	File(path string, data []byte, project string) vet.Result
}

// trusting is the vetter of a broker that was given none: everything comes through.
type trusting struct{}

func (trusting) Call(rules.Question) vet.Result         { return vet.Result{Legible: true} }
func (trusting) Offer(rules.Question) vet.Result        { return vet.Result{Legible: true} }
func (trusting) File(string, []byte, string) vet.Result { return vet.Result{} }

// asked is the question that req puts to the rules, with the paths as f finds them.
func (b *Broker) asked(f *workspace.Paths, req broker.Request, project string, trusted bool) rules.Question {
	tool, input := req.Call()
	return rules.Question{
		Tool: tool, Input: input, Agent: req.Agent, SessionID: req.SessionID,
		Place: workspace.PlaceAt(f, cmp.Or(project, req.CWD), req.CWD, b.home, b.guarded), Trusted: trusted, Exists: workspace.FileExists, Matches: workspace.Matches, Special: workspace.SpecialFile,
	}
}

// prepare reads the call of req as rules see it, with the paths as they lead now.
func (b *Broker) prepare(req broker.Request, project string, trusted bool) *rules.Call {
	return b.prepareAt(workspace.NewPaths(), req, project, trusted)
}

// prepareAt is prepare with what f knows of the disk.
func (b *Broker) prepareAt(f *workspace.Paths, req broker.Request, project string, trusted bool) *rules.Call {
	c, _ := b.readAt(f, req, project, trusted, b.opts.Vet.Call)
	return c
}

// read is prepare by way of one of the vetter's methods. It also reports whether the
// screen may parse the call's command line.
func (b *Broker) read(req broker.Request, project string, trusted bool, vetted func(rules.Question) vet.Result) (c *rules.Call, legible bool) {
	return b.readAt(workspace.NewPaths(), req, project, trusted, vetted)
}

// readAt is read with what f knows of the disk. It is the only place where the broker
// parses what an agent wrote, and does so only after the vetter read it without harm.
func (b *Broker) readAt(f *workspace.Paths, req broker.Request, project string, trusted bool, vetted func(rules.Question) vet.Result) (c *rules.Call, legible bool) {
	q := b.asked(f, req, project, trusted)
	if why := b.setAside(req); why != "" {
		return rules.Unread(q, why), false
	}
	r := vetted(q)
	if r.Why != "" {
		return rules.Unread(q, r.Why), false
	}
	return vet.Prepare(q), r.Legible
}

// maxReread is how many calls the sweeper reads again at a time.
const maxReread = 64

// rereadLater begins to read waiting calls again that came when the vetter was busy, unless
// that goes on still. Only the sweeper calls it.
func (b *Broker) rereadLater(ctx context.Context) {
	if b.rereading.Load() {
		return
	}
	list := b.unread()
	if len(list) == 0 {
		return
	}
	b.rereading.Store(true)
	b.wg.Go(func() { // the vetter takes its time when it is busy
		defer b.rereading.Store(false)
		b.reread(ctx, list)
	})
}

// reread reads calls again that unread listed, so that rules and the screen have more than
// their raw text.
func (b *Broker) reread(ctx context.Context, list []broker.Request) {
	for _, req := range list {
		b.mu.Lock()
		project, moot := b.projectOf(req), b.moot(b.session(req.SessionID))
		b.mu.Unlock()
		call, legible := b.read(req, project, req.Vouched(), b.opts.Vet.Call)
		if call.Unread() == vet.Busy {
			return // still busy
		}
		stamp := workspace.CallStamp(call)
		a, o := b.ruling(call, project, !moot && !b.overdue(req.ID))
		if o != nil {
			if done, err := b.endAll(ctx, []string{req.ID}, *o, &broker.Change{Used: a.Rules}); err == nil && len(done) == 0 {
				b.unspend(a.Rules) // settled meanwhile, or held
			}
			continue
		}
		b.mu.Lock()
		if e, ok := b.requests[req.ID]; ok && e.req.State == broker.Pending {
			e.stamp, e.req.Assessment, e.req.Legible = stamp, new(broker.AsWaiting(a, e.req, e.headless)), legible
			b.publish(broker.Update{Request: new(e.req)})
		}
		b.mu.Unlock()
	}
}

// unread lists some waiting calls that came when the vetter was busy.
func (b *Broker) unread() []broker.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []broker.Request
	for _, se := range b.sessions {
		for _, e := range se.pending {
			if a := e.req.Assessment; e.saved && !e.claimed && a != nil && a.Unread == vet.Busy && len(list) < maxReread {
				list = append(list, e.req)
			}
		}
	}
	return list
}

// vetPast says of recorded calls whether the screen may parse their command lines.
func (b *Broker) vetPast(list []broker.Request) {
	for i := range list {
		r := &list[i]
		tool, input := r.Call()
		if _, ok := rules.CommandParam(tool); ok && b.setAside(*r) == "" {
			res := b.opts.Vet.Call(rules.Question{Tool: tool, Input: input, Agent: r.Agent})
			r.Legible = res.Why == "" && res.Legible
		}
	}
}
