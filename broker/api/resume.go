package api

import (
	"fmt"
	"net/http"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
)

// postResume goes on with a session whose call was put off. A session that aoctl holds is
// started; of any other the answer has the command, which a caller that sends "run" is about
// to run itself: until that caller has ended, nobody else is told it that way. With "show"
// the answer only says what would be done.
//
// Run takes the socket: whoever runs the command is told apart from others by its process, which
// TCP does not show.
func (rt runRoutes) postResume(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Run  bool `json:"run"`
		Show bool `json:"show"`
	}
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	if body.Run && body.Show {
		writeError(w, http.StatusBadRequest, "bad_request", `"run" and "show" are two wishes`, "send one of them")
		return
	}
	by, err := rt.mayResume(r)
	if err != nil {
		fail(w, err)
		return
	}
	var runner broker.Process
	if body.Run {
		if p := peers.From(r.Context()); p.TCP == nil {
			runner.PID = p.PID
		}
		if runner.PID == 0 {
			writeError(w, http.StatusForbidden, "socket_only", "who runs the command must be seen to run: it takes the console's socket", `leave "run" out, and run the command by hand`)
			return
		}
	}
	// Who may do this at all is for the rooms behind to say; callerOf has only found out who
	// asks.
	resume := rt.o.Runs.ResumeFor
	if body.Show {
		resume = rt.o.Runs.ShowResume
	}
	res, err := resume(r.Context(), r.PathValue("id"), by, runner)
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, res)
}

// mayResume is callerOf, and takes for the operator also a person at a terminal of this machine, for a
// session that the console's keyboard opened. A person who forgot that key is no attack: it is on
// record, but not as an attempt. Where an agent may stand behind the process, a token is no help.
func (rt runRoutes) mayResume(r *http.Request) (broker.Actor, error) {
	by, err := rt.callerOf(r)
	if err != nil || by.Kind == broker.ByOperator {
		return by, err
	}
	p := peers.From(r.Context())
	if p.TCP != nil || by.TTY == "" || rt.agentBehind(p) != "" {
		return by, nil
	}
	if s, ok := rt.o.View.Session(r.PathValue("id")); ok && s.Deferred == 0 {
		return by, broker.ErrNothingPutOff // R would say so too
	}
	open, err := rt.o.Runs.OpenToResume(r.PathValue("id"))
	if err != nil {
		return by, err
	}
	if !open {
		rt.refused(r, broker.NotOpened, errNotOpened.Error())
		return by, errNotOpened
	}
	by.Kind, by.ID = broker.ByOperator, broker.ResumeKeyID
	return by, nil
}

// errNotOpened is a broker.ErrResume: one that says what to do first.
var errNotOpened = fmt.Errorf("%w: R in the console comes first", broker.ErrResume)
