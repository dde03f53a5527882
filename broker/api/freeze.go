package api

import (
	"net/http"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
)

// freezeBody is the body of both routes.
type freezeBody struct {
	SessionID string `json:"session_id"` // "" for everything
}

// freezeView is what holds after either of them. It is read after the change, and another process
// may have changed it again: it tells what holds now, not what this request did.
type freezeView struct {
	SessionID string `json:"session_id"`
	Frozen    bool   `json:"frozen"`     // calls of the session, or for "" of all, are held
	FrozenAll bool   `json:"frozen_all"` // those of all sessions are
	Sessions  int    `json:"sessions"`   // frozen one by one
	Held      int    `json:"held"`       // waiting calls that are held
}

// postFreeze is open to every process of the user: it only makes things safer.
func (rt callRoutes) postFreeze(w http.ResponseWriter, r *http.Request) {
	rt.switchFreeze(w, r, true)
}

// postUnfreeze takes an operator's token; an attempt without one goes on record.
func (rt callRoutes) postUnfreeze(w http.ResponseWriter, r *http.Request) {
	rt.switchFreeze(w, r, false)
}

// switchFreeze freezes for everybody and lifts for an operator alone. Who asks is looked into
// only for a lift: a freeze must not wait for that.
func (rt callRoutes) switchFreeze(w http.ResponseWriter, r *http.Request, on bool) {
	var body freezeBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	// A token beside a freeze is not looked at. A wrong one must not keep anybody from freezing.
	by, err := peers.ActorOf(r), error(nil)
	if !on {
		by, err = rt.callerOf(r)
	}
	switch {
	case err != nil:
	case !on && by.Kind != broker.ByOperator:
		rt.refused(r, broker.NoOperator, "only the person at the console can lift a freeze")
		writeError(w, http.StatusForbidden, "operator_required", "only the person at the console can lift a freeze",
			`press "f" in aoctl ("F" on one session), or use an operator token (there: r, then t)`)
		return
	default:
		err = rt.o.Calls.Freeze(r.Context(), body.SessionID, on, by)
	}
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, rt.freezeView(body.SessionID))
}

// freezeView reads what holds for one session, or for all of them when sessionID is "".
func (rt callRoutes) freezeView(sessionID string) freezeView {
	v := freezeView{SessionID: sessionID, Frozen: rt.o.View.Held(sessionID)}
	v.FrozenAll, v.Sessions, v.Held = rt.o.View.Freezes(sessionID)
	return v
}
