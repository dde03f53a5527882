package api

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
)

// The routes by what they are about. Each of them is the whole Server, so a route can use
// everything. The types are there to keep the methods of one subject together.
type (
	callRoutes    struct{ *Server }
	hookRoutes    struct{ *Server }
	sessionRoutes struct{ *Server }
	ruleRoutes    struct{ *Server }
	runRoutes     struct{ *Server }
	feedRoutes    struct{ *Server }
)

// handler routes the API; docs/api.md describes it.
//
// Some routes have two names, since programs written for other brokers of this kind use the
// second one. proven stands outside of guard, because the guard's own refusals are to be proven
// too.
func (sv *Server) handler() http.Handler {
	mux := http.NewServeMux()
	call, hook, session, rule, run, live := callRoutes{sv}, hookRoutes{sv}, sessionRoutes{sv}, ruleRoutes{sv}, runRoutes{sv}, feedRoutes{sv}
	routes := call.otherNames()
	maps.Copy(routes, map[string]http.HandlerFunc{
		"POST /hooks/{agent}":                 hook.postHook,
		"GET /hooks/{agent}/{id}":             hook.getHook,
		"POST /hooks/{agent}/cancel":          hook.postHookCancel,
		"POST /request-approval":              call.postRequestApproval,
		"POST /create-approval-request":       call.postCreateApprovalRequest,
		decisionRoute:                         call.getDecision,
		"POST /events":                        session.postEvent,
		"GET /events/stream":                  live.getStream,
		socketRoute:                           live.getSocket,
		"GET /check-stop/{id}":                session.getCheckStop,
		"GET /approval-requests":              call.getApprovalRequests,
		"GET /approval-requests/{id}":         call.getApprovalRequest,
		"POST /approval-requests/{id}/decide": call.postDecide,
		"POST /approval-requests/{id}/cancel": call.postCancel,
		"GET /sessions":                       session.getSessions,
		"GET /sessions/{id}":                  session.getSession,
		"PATCH /sessions/{id}":                run.patchSession,
		"DELETE /sessions/{id}":               run.deleteSession,
		"GET /sessions/{id}/events":           session.getSessionEvents,
		"GET /sessions/{id}/pending":          call.getSessionPending,
		"GET /sessions/{id}/pending-reviews":  call.getSessionPending,
		"POST /sessions/{id}/answer":          call.postAnswer,
		"POST /sessions/{id}/stop":            session.postStop,
		"GET /sessions/{id}/processes":        session.getSessionProcesses,
		"POST /sessions/{id}/message":         run.postMessage,
		"DELETE /sessions/{id}/message":       run.deleteMessage,
		"POST /sessions/{id}/interrupt":       run.postInterrupt,
		"POST /sessions/{id}/settings":        run.postSettings,
		"POST /runs":                          run.postRun,
		"GET /runs/{id}/orders":               run.getOrders,
		"POST /runs/{id}/reports":             run.postReport,
		"POST /sessions/{id}/resume":          run.postResume,
		"POST /sessions/{id}/request-stop":    session.postStop,
		"GET /rules":                          rule.getRules,
		"POST /rules":                         rule.postRule,
		"PUT /rules/{id}":                     rule.putRule,
		"DELETE /rules/{id}":                  rule.deleteRule,
		"GET /sessions/{id}/rules":            rule.getSessionRules,
		"POST /sessions/{id}/rules":           rule.postSessionRule,
		"POST /rules/explain":                 rule.postExplain,
		"POST /rules/preview":                 rule.postPreview,
		"POST /trust":                         rule.postTrust,
		"GET /trust/{id}":                     rule.getTrust,
		"GET /grants":                         rule.getGrants,
		"DELETE /grants/{id}":                 rule.deleteGrant,
		"GET /stats":                          rule.getStats,
		"GET /status":                         sv.getStatus,
		metricsRoute:                          sv.getMetrics,
		"POST /observe":                       rule.postObserve,
		"POST /freeze":                        call.postFreeze,
		"POST /unfreeze":                      call.postUnfreeze,
		consoleRoute:                          sv.postConsole,
	})
	for pattern, h := range routes {
		mux.HandleFunc(pattern, h)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, "no_such_route", "there is no "+r.Method+" "+broker.Clip(r.URL.Path), "docs/api.md lists the routes")
	})
	return sv.proven(sv.guard(mux))
}

// readBody reads a body of at most limit bytes, within the time that limitPeer gave it. Errors
// are *bodyError. An io error is not told to the peer: it says more about the network than about
// the request.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	rc := http.NewResponseController(w)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooBig *http.MaxBytesError
	switch {
	case errors.As(err, &tooBig):
		return nil, &bodyError{http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("the body is larger than %d bytes", limit)}
	case err != nil:
		return nil, &bodyError{http.StatusBadRequest, "bad_body", "the body did not arrive whole"}
	}
	// From here on the connection is no longer a quiet one, and nobody takes its place.
	noteHeard(r.Context())
	return body, rc.SetReadDeadline(time.Time{})
}

// decodeBody reads a JSON body into v, strictly; no body at all counts as {}. The
// content type is not looked at: no browser reaches a Unix socket, and curl calls
// whatever it sends a form. Unknown and repeated members are errors: a misspelt "dangerous" must
// not count as left out.
func decodeBody(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := readBody(w, r, wire.MaxBody)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	if err := wire.Decode(body, v); err != nil {
		return &bodyError{http.StatusBadRequest, "bad_request", err.Error()}
	}
	return nil
}

// getStatus is what scripts and prompts poll. It reads memory alone.
func (sv *Server) getStatus(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, sv.o.Records.Status())
}

// metricsRoute takes no more than a token for asking: what scrapes it need not be able to allow
// calls. Its numbers say nothing of a call.
const metricsRoute = "GET /metrics"

// AdmitMetrics opens the route for numbers, which m answers. It comes before Serve.
func (sv *Server) AdmitMetrics(m http.Handler) { sv.metrics = m }

// getMetrics is there when the operator asked for it.
func (sv *Server) getMetrics(w http.ResponseWriter, r *http.Request) {
	if sv.metrics == nil {
		writeError(w, http.StatusNotFound, "no_metrics", "this broker shows no metrics", `start it with --metrics, or write "metrics = true" in config.toml`)
		return
	}
	sv.metrics.ServeHTTP(w, r)
}
