package policy

import (
	"errors"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Eyes says which calls two operators must allow, and who is one. Several goroutines use it.
type Eyes interface {
	// NeedsTwo reports whether dangerous calls of a project need two. folders are the paths that the
	// project and the call are known by.
	NeedsTwo(folders ...string) bool
	// Operator is who by is: an id that is the same whichever console or token they use, and a name.
	// Its error says, as a clause, why by does not count as one of two.
	Operator(by broker.Actor) (id, name string, err error)
}

// errNoEyes: nobody is known by name here.
var errNoEyes = errors.New("this broker knows no operators by name")

// SetEyes has dangerous calls be allowed by two operators, where e says so.
func (p *Policy) SetEyes(e Eyes) { p.eyes.Store(e) }

// NeedsTwo reports whether two operators must allow req now. It goes by what the card says of the
// danger, and by what holds now of the project.
func (p *Policy) NeedsTwo(req *broker.Request) bool {
	if req.Assessment == nil {
		return p.listed(p.Engine.Look(req).Project, req.CWD)
	}
	return p.needsTwo(*req.Assessment, p.Engine.Look(req).Project, req.CWD)
}

// Operator is who by is, among operators of whom two must allow a call; see Eyes.
func (p *Policy) Operator(by broker.Actor) (id, name string, err error) {
	e, ok := p.eyes.Load().(Eyes)
	if !ok {
		return "", "", errNoEyes
	}
	return e.Operator(by)
}

func (p *Policy) needsTwo(a rules.Assessment, project, cwd string) bool {
	return (broker.Request{Annotations: broker.Annotations{Assessment: &a}}).Perilous() && p.listed(project, cwd)
}

// listed reports whether dangerous calls of a project, or in a folder, need two operators.
func (p *Policy) listed(project, cwd string) bool {
	e, ok := p.eyes.Load().(Eyes)
	return ok && e.NeedsTwo(project, cwd, workspace.RealPath(project), workspace.RealPath(cwd))
}

// forTwo is a as it is where two operators must allow the call. A refusal stands.
func forTwo(a rules.Assessment) rules.Assessment {
	if a.Verdict == rules.Allow {
		a = broker.AskInstead(a, "two operators must allow it")
	}
	a.NeedsTwo, a.Off = true, ""
	return a
}
