package api

import (
	"fmt"
	"net/http"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
)

// trustBody is what agents are to be allowed in a project.
type trustBody struct {
	Project string      `json:"project"` // folder
	Effects effects.Set `json:"effects"`
}

// postTrust lets agents do something in a project: at once by an operator, else once the person at
// the console's keyboard says so. Every process of the user may ask, an agent too; who asks is shown
// with it.
func (rt ruleRoutes) postTrust(w http.ResponseWriter, r *http.Request) {
	var body trustBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	by, err := rt.callerOf(r)
	if err != nil {
		fail(w, err)
		return
	}
	if err := broker.CheckPath("project", body.Project); err != nil {
		fail(w, err)
		return
	}
	p := broker.Proposal{Project: rt.o.Rules.ProjectAt(r.Context(), body.Project).Path, Effects: body.Effects, By: by}
	switch err = broker.CheckPath("project", p.Project); { // where its links lead, too
	case err != nil:
	case p.Project == "":
		err = fmt.Errorf("%w: %s is no folder of one project", broker.ErrInvalid, broker.Clip(body.Project))
	case p.Effects == 0 || !p.Effects.Within(effects.Grantable):
		err = fmt.Errorf("%w: effects must be some of %s", broker.ErrInvalid, effects.Grantable)
	case by.Kind == broker.ByOperator:
		p, err = rt.grant(r, p)
	default:
		_, p.Agent = rt.behind(r.Context(), by)
		p, err = rt.o.Proposals.Propose(p)
	}
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, p)
}

// grant saves what an operator grants: it is added to what is granted for the project already.
func (rt ruleRoutes) grant(r *http.Request, p broker.Proposal) (broker.Proposal, error) {
	rule := rt.o.Rules.Rules(r.Context()).GrantWith(p.Project, p.Effects)
	saved, err := rt.o.Rules.SaveRule(r.Context(), rule, p.By)
	if err != nil {
		return p, err
	}
	p.State, p.Rule, p.Decided = broker.ProposalGranted, &saved.Rule, saved.Decided
	return p, nil
}

// getTrust tells an asker what became of its proposal. Its asking keeps the proposal there.
func (rt ruleRoutes) getTrust(w http.ResponseWriter, r *http.Request) {
	p, err := rt.o.Proposals.Proposed(r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, p)
}

// Proposals are what processes ask the operator to let agents do. Nothing is allowed by them.
type Proposals interface {
	Propose(p broker.Proposal) (broker.Proposal, error)
	Proposed(id string) (broker.Proposal, error)
}
