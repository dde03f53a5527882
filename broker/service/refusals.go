package service

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
)

// noteRefusal records an attempt, unless there are very many, and tells the console.
func (b *Broker) noteRefusal(about broker.Request, d broker.RefusedData) {
	b.loop.Do(engine.Refused{About: broker.Request{ID: about.ID, SessionID: about.SessionID}, Data: d})
}

// refused notes that r was turned away.
func (b *Broker) refused(r *http.Request, kind broker.RefusalKind, detail string) {
	d := broker.RefusedData{Wanted: wantedBy(r), Kind: kind, Detail: detail, By: peers.ActorOf(r)}
	b.noteRefusal(b.aboutRequest(r), d)
}

// wantedBy says what r asks for.
func wantedBy(r *http.Request) string {
	pattern := cmp.Or(r.Pattern, r.Method+" "+broker.Clip(r.URL.Path))
	switch {
	case strings.HasSuffix(pattern, "/cancel"):
	case strings.HasPrefix(pattern, "POST /approval-requests/") || strings.HasPrefix(pattern, "POST /tool-decisions/"):
		return string(broker.Allow) // refusing is open
	case strings.HasSuffix(pattern, "/rules") && r.Method != http.MethodGet, strings.HasSuffix(pattern, "/rules/{id}"):
		return "rule"
	case pattern == "POST /observe":
		return "observe"
	case pattern == "POST /unfreeze":
		return broker.WantsUnfreeze
	}
	return pattern
}

// aboutRequest is the call that r is about, as far as it is known in memory.
func (b *Broker) aboutRequest(r *http.Request) broker.Request {
	if wantedBy(r) != string(broker.Allow) {
		return broker.Request{}
	}
	req, _ := b.view.Request(r.PathValue("id"))
	return req
}
