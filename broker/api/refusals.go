package api

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
)

// refused notes that r was turned away. Several goroutines may call it. What it writes down holds
// no token and no body, only the route, the reason, and who the kernel says it was.
func (cl *callers) refused(r *http.Request, kind broker.RefusalKind, detail string) {
	d := broker.RefusedData{Wanted: wantedBy(r), Kind: kind, Detail: detail, By: peers.ActorOf(r)}
	cl.records.NoteRefusal(cl.aboutRequest(r), d)
}

// wantedBy says what r asks for. The words are those of broker.RefusedData. From them follows
// whether it was an attempt to decide or just a visitor who was turned away.
func wantedBy(r *http.Request) string {
	pattern := cmp.Or(r.Pattern, r.Method+" "+broker.Clip(r.URL.Path))
	switch {
	case strings.HasSuffix(pattern, "/cancel"):
	case strings.HasPrefix(pattern, "POST /approval-requests/") || strings.HasPrefix(pattern, "POST /tool-decisions/") || strings.HasPrefix(pattern, "POST /response-queue/"):
		return string(broker.Allow) // refusing is open
	case strings.HasSuffix(pattern, "/rules") && r.Method != http.MethodGet, strings.HasSuffix(pattern, "/rules/{id}"):
		return "rule"
	case pattern == "POST /observe":
		return "observe"
	case pattern == "POST /unfreeze":
		return broker.WantsUnfreeze
	case pattern == "POST /sessions/{id}/resume":
		return broker.WantsResume
	}
	return pattern
}

// aboutRequest is the call that r is about, as far as it is known in memory. It does not ask the
// store: a stranger's guesses must not cost reads of the database.
func (cl *callers) aboutRequest(r *http.Request) broker.Request {
	if wantedBy(r) != string(broker.Allow) {
		return broker.Request{}
	}
	req, _ := cl.view.Request(r.PathValue("id"))
	return req
}
