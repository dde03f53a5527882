package broker

import "net/http"

// postResume goes on with a session whose call was put off. A session that aoctl holds is
// started; of any other the answer has the command, which a caller that sends "run" is about
// to run itself: until that caller has ended, nobody else is told it that way.
func (b *Broker) postResume(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Run bool `json:"run"`
	}
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	by, err := b.callerOf(r)
	if err != nil {
		fail(w, err)
		return
	}
	var runner Process
	if body.Run {
		if p := peerFrom(r.Context()); p.tcp == nil {
			runner.PID = p.pid
		}
		if runner.PID == 0 {
			writeError(w, http.StatusForbidden, "socket_only", "who runs the command must be seen to run: it takes the console's socket", `leave "run" out, and run the command by hand`)
			return
		}
	}
	res, err := b.resume(r.Context(), r.PathValue("id"), by, runner)
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, res)
}
