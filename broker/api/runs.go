package api

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// runnerOf is the process that asks, as the kernel tells: what a runner says of itself
// counts for nothing. The process is held on to while its start time is read, so the pid cannot
// pass to another one meanwhile.
func runnerOf(r *http.Request) (broker.Process, error) {
	p := peers.From(r.Context())
	if p.TCP != nil || p.PID <= 0 {
		return broker.Process{}, &bodyError{http.StatusForbidden, "socket_only", "a runner speaks to the console's socket, on this machine: it is known by its process"}
	}
	alive, release, err := p.Hold()
	if err != nil {
		return broker.Process{}, fmt.Errorf("%w: %w", broker.ErrNotRunner, err)
	}
	defer release()
	runner := peers.FindProcess(p.PID)
	if !alive() {
		return broker.Process{}, fmt.Errorf("%w: it has ended", broker.ErrNotRunner)
	}
	return runner, nil
}

// decodeRunners reads what a runner sends into body, and says which process that is.
func decodeRunners(w http.ResponseWriter, r *http.Request, body any) (broker.Process, error) {
	if err := decodeBody(w, r, body); err != nil {
		return broker.Process{}, err
	}
	return runnerOf(r)
}

// agentUnder is the process pid when it descends from runner, else none. A runner may only name a
// process that it has started. Otherwise one could have the console watch, and end, somebody
// else's process.
func agentUnder(pid int, runner broker.Process) broker.Process {
	p := peers.FindProcess(pid)
	if pid <= 1 || !peers.IsBelow(p, runner) {
		return broker.Process{}
	}
	return p
}

// postRun notes who holds a session from now on.
func (rt runRoutes) postRun(w http.ResponseWriter, r *http.Request) {
	var start wire.RunStart
	runner, err := decodeRunners(w, r, &start)
	if err == nil {
		err = rt.mayTakeUp(r, runner, start.SessionID)
	}
	var s broker.Session
	if err == nil {
		s, err = rt.o.Runs.StartRun(r.Context(), runner, start, agentUnder(start.AgentPID, runner))
	}
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusCreated, sessionView{s, s.Word()})
}

// mayTakeUp keeps agents from taking up sessions that are not new: what their users say to
// them is not for others. A runner that says it again, after its answer was lost, is let through.
func (rt runRoutes) mayTakeUp(r *http.Request, runner broker.Process, id string) error {
	s, err := rt.o.Records.Session(r.Context(), id)
	switch {
	case errors.Is(err, broker.ErrNotFound): // anybody may begin one
		return nil
	case err != nil:
		return err
	case s.Run != nil && s.Run.Runner == runner:
		return nil
	}
	if why := rt.agentBeside(peers.From(r.Context()).PID); why != "" {
		rt.refused(r, broker.UnderAgent, why)
		return agentsError{why}
	}
	return nil
}

// postReport takes what a runner did. Of a report that names the agent's process it is the
// system that says whether that process is below the runner.
func (rt runRoutes) postReport(w http.ResponseWriter, r *http.Request) {
	var rep wire.RunReport
	runner, err := decodeRunners(w, r, &rep)
	if err == nil {
		var agent broker.Process
		if rep.Kind == wire.ReportAgent {
			agent = agentUnder(rep.PID, runner)
		}
		err = rt.o.Runs.Reported(r.Context(), runner, r.PathValue("id"), rep, agent)
	}
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"session_id": r.PathValue("id"), "kind": rep.Kind})
}

// speaker is who speaks to a session through r: an operator, or a process of the user
// behind which no agent stands. What it says becomes the user's words in the session. An agent
// must not put those into another agent's ear.
func (rt runRoutes) speaker(r *http.Request) (broker.Actor, error) {
	by, err := rt.callerOf(r)
	if err != nil || by.Kind == broker.ByOperator {
		return by, err
	}
	by, why := rt.behind(r.Context(), by)
	if why != "" {
		rt.refused(r, broker.UnderAgent, why)
		return by, agentsError{why}
	}
	return by, nil
}

// admitSpeaker is speaker, and keeps a program that speaks without end from filling the log. The
// session is brought into memory first, since its rate is counted there.
func (rt runRoutes) admitSpeaker(r *http.Request) (broker.Actor, error) {
	id := r.PathValue("id")
	by, err := rt.speaker(r)
	if err != nil {
		return by, err
	}
	if _, err = rt.o.Records.Recall(r.Context(), id); err != nil {
		return by, fmt.Errorf("session %s: %w", broker.Clip(id), err)
	}
	return by, rt.o.Engine.Do(engine.Admit{SessionID: id}).Err
}

// postMessage queues what the user says next. Who lifts a stop with it must be the operator; an
// attempt by others is on record.
func (rt runRoutes) postMessage(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Text string `json:"text"`
	}
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	if body.Text == "" { // Say would take one back
		fail(w, fmt.Errorf("%w: the message is empty", broker.ErrInvalid))
		return
	}
	by, err := rt.admitSpeaker(r)
	if err != nil {
		fail(w, err)
		return
	}
	s, err := rt.o.Runs.Say(r.Context(), r.PathValue("id"), body.Text, by)
	if errors.Is(err, broker.ErrForbidden) {
		rt.refused(r, broker.NoOperator, broker.ErrLift.Error())
	}
	rt.answerSession(w)(s, err)
}

// deleteMessage takes the message back that waits. It needs no rate: there is at most one to
// take.
func (rt runRoutes) deleteMessage(w http.ResponseWriter, r *http.Request) {
	by, err := rt.speaker(r)
	if err != nil {
		fail(w, err)
		return
	}
	rt.answerSession(w)(rt.o.Runs.Say(r.Context(), r.PathValue("id"), "", by))
}

// postInterrupt ends a turn. That runs nothing, so every process of the user may.
func (rt runRoutes) postInterrupt(w http.ResponseWriter, r *http.Request) {
	// The body has no members. One that has some was meant for another route.
	if err := decodeBody(w, r, &struct{}{}); err != nil {
		fail(w, err)
		return
	}
	if err := rt.o.Runs.Interrupt(r.Context(), r.PathValue("id"), peers.ActorOf(r)); err != nil {
		fail(w, err)
		return
	}
	rt.answerSession(w)(rt.o.Records.Session(r.Context(), r.PathValue("id")))
}

// postSettings changes the permission mode or the model; what is left out stays as it is.
func (rt runRoutes) postSettings(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Mode  string `json:"permission_mode"`
		Model string `json:"model"`
	}
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	by, err := rt.admitSpeaker(r)
	if err != nil {
		fail(w, err)
		return
	}
	rt.answerSession(w)(rt.o.Runs.Configure(r.Context(), r.PathValue("id"), body.Mode, body.Model, by))
}

// patchSession changes what a person may say of a session. What may be refused comes first, so
// that a request is not carried out by half for want of a right.
func (rt runRoutes) patchSession(w http.ResponseWriter, r *http.Request) {
	var body struct {
		broker.SessionChange

		Observe *bool  `json:"observe"`
		Mode    string `json:"permission_mode"`
	}
	err := decodeBody(w, r, &body)
	changes := body.SessionChange != broker.SessionChange{}
	switch {
	case err != nil:
	case body.Removed:
		err = fmt.Errorf("%w: to remove a session, use DELETE", broker.ErrInvalid)
	case changes || body.Observe == nil && body.Mode == "":
		err = body.Check()
	}
	id, by := r.PathValue("id"), broker.Actor{}
	if err == nil {
		by, err = rt.admitSpeaker(r)
	}
	if err == nil && body.Observe != nil {
		err = rt.o.Sessions.Observe(r.Context(), id, *body.Observe, by)
	}
	if err == nil && body.Mode != "" {
		_, err = rt.o.Runs.Configure(r.Context(), id, body.Mode, "", by)
	}
	if err == nil && changes {
		_, err = rt.o.Sessions.ChangeSession(r.Context(), id, body.SessionChange, by)
	}
	if err != nil {
		fail(w, err)
		return
	}
	rt.answerSession(w)(rt.o.Records.Session(r.Context(), id))
}

// deleteSession takes a session that is over from every list. The log keeps it.
func (rt runRoutes) deleteSession(w http.ResponseWriter, r *http.Request) {
	by, err := rt.admitSpeaker(r)
	if err != nil {
		fail(w, err)
		return
	}
	rt.answerSession(w)(rt.o.Sessions.ChangeSession(r.Context(), r.PathValue("id"), broker.SessionChange{Removed: true}, by))
}

// answerSession writes a session, or why there is none. It takes the two results of a method as
// they come, which is why it returns a function.
func (rt runRoutes) answerSession(w http.ResponseWriter) func(broker.Session, error) {
	return func(s broker.Session, err error) {
		if err != nil {
			fail(w, err)
			return
		}
		writeJSON(w, http.StatusOK, sessionView{s, s.Word()})
	}
}
