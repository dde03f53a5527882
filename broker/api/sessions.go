package api

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
)

// sessionView is a session with the word that the console shows.
type sessionView struct {
	broker.Session
	Status string `json:"status"`
}

// ViewOf is s as GET /sessions gives it.
func ViewOf(s broker.Session) any { return sessionView{s, s.Word()} }

// getSessions lists the sessions of memory and of the store, last seen first.
func (rt sessionRoutes) getSessions(w http.ResponseWriter, r *http.Request) {
	list, err := rt.o.Records.Sessions(r.Context())
	views := make([]sessionView, 0, len(list))
	for _, s := range list {
		views = append(views, sessionView{s, s.Word()})
	}
	writeList(w, views, err)
}

// getSession answers for ended sessions as well.
func (rt sessionRoutes) getSession(w http.ResponseWriter, r *http.Request) {
	s, err := rt.o.Records.Session(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, sessionView{s, s.Word()})
}

// getSessionEvents lists a session's events, oldest first, after ?after.
func (rt sessionRoutes) getSessionEvents(w http.ResponseWriter, r *http.Request) {
	s, err := rt.o.Records.Session(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	// The sign of After says in which order events come: -1 begins with the oldest.
	f := broker.EventFilter{SessionID: s.ID, After: -1}
	if v := r.URL.Query().Get("after"); v != "" {
		if f.After, err = strconv.ParseInt(v, 10, 64); err != nil || f.After < 0 {
			fail(w, fmt.Errorf("%w: after must be an event's id", broker.ErrInvalid))
			return
		}
		if f.After == 0 {
			f.After = -1
		}
	}
	if f.Limit, err = limitParam(r); err != nil {
		fail(w, err)
		return
	}
	list, err := rt.o.Log.Events(r.Context(), f)
	writeList(w, list, err)
}

// postStop is open to every process of the user, an agent too: a stop allows nothing.
//
// With "kill" its processes are ended as well. That is open to everybody too, since an agent
// could kill them without asking.
func (rt sessionRoutes) postStop(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Reason string `json:"reason"`
		Kill   bool   `json:"kill"`
	}
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	if body.Kill {
		rt.kill(w, r)
		return
	}
	s, err := rt.o.Sessions.Stop(r.Context(), r.PathValue("id"), peers.ActorOf(r))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, sessionView{s, s.Word()})
}

// getCheckStop is what programs without hooks ask before each step of theirs. Nobody has stopped a
// session that nobody knows.
func (rt sessionRoutes) getCheckStop(w http.ResponseWriter, r *http.Request) {
	stop, err := rt.o.Records.StopRequested(r.Context(), r.PathValue("id"))
	if err != nil && !errors.Is(err, broker.ErrNotFound) {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]bool{"stop_requested": stop})
}

// processesListed bounds the answer, not the deed: more processes than that are still ended.
const processesListed = 2000

// kill is POST /sessions/{id}/stop with {"kill": true}. An error after processes were ended is
// told in the answer (recorded), and not in its place: the caller must learn what is gone.
func (rt sessionRoutes) kill(w http.ResponseWriter, r *http.Request) {
	s, done, err := rt.o.Sessions.Kill(r.Context(), r.PathValue("id"), peers.ActorOf(r))
	if err != nil && len(done.Processes) == 0 {
		fail(w, err)
		return
	}
	answer := struct {
		sessionView

		Killed   broker.Killed `json:"killed"`
		Over     bool          `json:"over"`     // nothing that was to end is known to live on
		Recorded bool          `json:"recorded"` // all of it is in the log
	}{sessionView{s, s.Word()}, bounded(done), done.Over(), err == nil}
	writeJSON(w, http.StatusOK, answer)
}

// getSessionProcesses shows what a kill would end, so that a person can look first.
func (rt sessionRoutes) getSessionProcesses(w http.ResponseWriter, r *http.Request) {
	found, err := rt.o.Sessions.Processes(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, bounded(found))
}

// bounded keeps an answer to a size that can be read.
func bounded(r broker.Killed) broker.Killed {
	if more := len(r.Processes) - processesListed; more > 0 {
		r.Processes = r.Processes[:processesListed]
		r.Unfinished = cmp.Or(r.Unfinished, fmt.Sprintf("%d more are not listed", more))
	}
	return r
}
