package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/feed"
	"github.com/aoctl/aoctl/broker/peers"
)

// socketRoute is the route of WebSockets.
const socketRoute = "GET /ws"

// getStream is open to whoever may read GET /sessions/{id}/events.
func (rt feedRoutes) getStream(w http.ResponseWriter, r *http.Request) {
	wish, err := feed.WishOf(r)
	if err == nil {
		wish.Still = rt.stillHas(r)
		err = rt.o.Feed.Stream(w, r, wish)
	}
	if err != nil {
		fail(w, err)
	}
}

// getSocket is open to whoever may read GET /sessions and GET /approval-requests. The server
// forgets a connection that became a WebSocket, so it is waited for as one that is parked.
func (rt feedRoutes) getSocket(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		writeError(w, http.StatusUpgradeRequired, "no_websocket", "this route is for WebSockets", "GET /events/stream tells the same events without one")
		return
	}
	err := broker.ErrClosed
	if rt.parked.TryRLock() {
		defer rt.parked.RUnlock()
		err = rt.o.Feed.Socket(w, r, rt.stillHas(r))
	}
	if err != nil {
		fail(w, err)
	}
}

// stillHas says whether the token with which r came is in force. It is asked again as long as the
// peer is told things: a revoked token ends that. Over the socket no token is needed to read.
func (cl *callers) stillHas(r *http.Request) func() bool {
	if peers.From(r.Context()).TCP == nil {
		return func() bool { return true }
	}
	id, ok := strings.CutPrefix(peers.ActorOf(r).ID, broker.TokenActorPrefix)
	return func() bool {
		return ok && slices.ContainsFunc(cl.view.Tokens(), func(t engine.Token) bool { return t.ID == id })
	}
}

// tokenAsProtocol is the token among the subprotocols that the client of a WebSocket offers, as in
// "aoctl, bearer.TOKEN". The answer names "aoctl" alone, so the token is not sent back. Two tokens
// count as one that cannot be read.
func tokenAsProtocol(r *http.Request) (token string, given bool) {
	if r.Method+" "+r.URL.Path != socketRoute {
		return "", false
	}
	for name := range strings.SplitSeq(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",") {
		if t, ok := strings.CutPrefix(strings.TrimSpace(name), "bearer."); ok {
			if given {
				return "", true
			}
			token, given = t, true
		}
	}
	return token, given
}
