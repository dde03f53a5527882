package calls

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
)

// Where the owners of a fleet want it, a dangerous call runs when two operators have allowed it, and
// neither a rule nor one person alone lets it run: policy.Eyes says which calls those are and who is
// who. The first allow is put on record, and the call goes on waiting; the card says whose it was. The
// second one, of somebody else who saw the same call and the same files, goes to the engine.
//
// First allows are kept in memory alone. After a restart two operators allow the call anew.

// firsts are the first allows of calls that wait for a second one.
type firsts struct {
	o *Options

	mu sync.Mutex
	of map[string]first // by request id
}

// first is an allow that is not enough by itself.
type first struct {
	by            broker.Actor
	id, name      string // who that is; see policy.Eyes
	digest, stamp string // of the call and its files, as they were shown
}

// enough reports why d, of which stamp is that of the call's files, does not let req run by itself; nil
// where it does, or is no allow. An allow that is the first of two is on record afterwards, and all of
// these are broker.ErrTwo.
func (fs *firsts) enough(req broker.Request, d broker.Decision, stamp string) error {
	if d.Verdict == broker.Deny || !fs.o.Policy.NeedsTwo(&req) {
		return nil
	}
	switch {
	case req.State.Terminal(): // a grant would let the next one run
		return broker.ErrAlreadyDecided
	case d.Verdict != broker.Allow:
		return fmt.Errorf("%w: it is not left to its agent's own prompt", broker.ErrTwo)
	case len(d.UpdatedInput) > 0:
		return fmt.Errorf("%w, as it was asked: deny it and say what to run instead", broker.ErrTwo)
	case d.Digest == "":
		return fmt.Errorf("%w: say with its digest which call was shown", broker.ErrTwo)
	case fs.o.View.Held(req.SessionID):
		return broker.FrozenError(cmp.Or(req.Held, broker.HeldByAll))
	}
	id, name, err := fs.o.Policy.Operator(d.By)
	if err != nil {
		return fmt.Errorf("%w: %w", broker.ErrTwo, err)
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	switch f, ok := fs.of[req.ID]; {
	case !ok || f.digest != d.Digest || f.stamp != stamp || !fs.isStill(f):
	case f.id == id:
		return fmt.Errorf("%w: %s has, and somebody else must now", broker.ErrTwo, name)
	default:
		return nil
	}
	f := first{d.By, id, name, d.Digest, stamp}
	data := broker.AllowedData{By: d.By, Operator: id, ToolName: req.ToolName, Digest: req.Digest}
	e := broker.NewEvent(time.Now(), broker.EventAllowedOnce, req, data)
	if err := fs.o.Engine.Do(engine.Note{Events: []*broker.Event{e}, Sync: true}).Err; err != nil {
		return err
	}
	fs.keep(req.ID, f, func(id string) bool {
		r, ok := fs.o.View.Request(id)
		return ok && !r.State.Terminal()
	})
	return fmt.Errorf("%w: %s has; a second one must now", broker.ErrTwo, name)
}

// isStill reports whether who gave f is one of the operators now, and the same one.
func (fs *firsts) isStill(f first) bool {
	id, _, err := fs.o.Policy.Operator(f.by)
	return err == nil && id == f.id
}

// keep remembers f, and forgets what is about calls that no longer wait.
func (fs *firsts) keep(id string, f first, waits func(id string) bool) {
	for old := range fs.of {
		if !waits(old) {
			delete(fs.of, old)
		}
	}
	if fs.of == nil {
		fs.of = map[string]first{}
	}
	fs.of[id] = f
}

// allowedBy is who allowed a call first, as it is with a stamp; "" where nobody did.
func (fs *firsts) allowedBy(req *broker.Request, stamp string) string {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f, ok := fs.of[req.ID]
	if !ok || f.digest != req.Digest || f.stamp != stamp || !fs.isStill(f) {
		return ""
	}
	return f.name
}
