package rules

// MaxRemembered is how many calls are remembered at a time.
const MaxRemembered = 16384

// Preparer prepares questions like Prepare, and remembers: agents ask the same again and again.
// The zero Preparer is ready. It is for one goroutine and for one run, as it does not notice
// when a path leads elsewhere. It is never used for a call that waits for an answer.
type Preparer struct {
	known  map[prepareKey]*Call
	others map[askedKey]*Call
}

// prepareKey is all of a question that its reading depends on.
type prepareKey struct {
	tool, input, cwd, project, home string
	trusted                         bool
}

// askedKey tells apart who asks the same. A rule may be about one agent or session, so their
// calls are not one.
type askedKey struct {
	first          *Call
	agent, session string
}

// Prepare is Prepare, with the same *Call for the same question. The functions of q's Place and
// of q itself must be the same for all questions of one Preparer.
func (p *Preparer) Prepare(q Question) *Call {
	if p.known == nil {
		p.known, p.others = map[prepareKey]*Call{}, map[askedKey]*Call{}
	}
	Thin(p.known)
	Thin(p.others)
	key := prepareKey{q.Tool, string(q.Input), q.Place.CWD, q.Place.Project, q.Place.Home, q.Trusted}
	first, ok := p.known[key]
	switch {
	case !ok:
		first = Prepare(q)
		p.known[key] = first
		return first
	case first.q.Agent == q.Agent && first.q.SessionID == q.SessionID:
		return first
	}
	asked := askedKey{first, q.Agent, q.SessionID}
	c, ok := p.others[asked]
	if !ok {
		copied := *first // what a call means does not depend on who asks
		c = &copied
		c.q.Agent, c.q.SessionID = q.Agent, q.SessionID
		p.others[asked] = c
	}
	return c
}

// Thin drops a quarter of a full memory, whichever: a history that goes round in a larger
// circle must not lose all of it each time. It does nothing while m has fewer than
// MaxRemembered.
func Thin[K comparable, V any](m map[K]V) {
	if len(m) < MaxRemembered {
		return
	}
	for key := range m {
		if delete(m, key); len(m) <= MaxRemembered*3/4 {
			return
		}
	}
}
