package api

import (
	"fmt"
	"net/http"

	"github.com/aoctl/aoctl/broker"
)

// otherNames are routes under the names that programs for other brokers of this kind use. There a
// decision may name a call by what the agent calls it.
func (rt callRoutes) otherNames() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"POST /approval-queue":              rt.postApprovalQueue,
		responseRoute:                       rt.getDecision,
		"POST /response-queue/{id}":         rt.postDecide,
		"POST /tool-decisions/{id}/respond": rt.byToolUse(rt.postDecide),
		"POST /tool-decisions/{id}/deny":    rt.byToolUse(rt.postDeny),
		"POST /tool-decisions/{id}/approve": rt.byToolUse(rt.postApprove),
	}
}

// responseRoute is decisionRoute under its other name.
const responseRoute = "GET /response-queue/{id}"

// postApprovalQueue is postCreateApprovalRequest with the id under both its names. In a fleet another
// machine may ask the call that the caller's own id stands for.
func (rt callRoutes) postApprovalQueue(w http.ResponseWriter, r *http.Request) {
	elsewhere := false
	q, err := questionIn(w, r)
	if err == nil && q.ID != "" && rt.queue != nil {
		elsewhere, err = rt.queue.Elsewhere(r.Context(), q)
	}
	req := q.Request
	if err == nil && !elsewhere {
		req, err = rt.submitInTurn(r.Context(), q)
	}
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"request_id": req.ID, "correlation_id": req.ID})
}

// byToolUse lets a decision name a waiting call by the agent's own id of it. A request's id comes
// first; one tool use id of several calls names none of them.
func (rt callRoutes) byToolUse(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("id")
		if _, known := rt.o.View.Request(name); !known {
			id := ""
			for _, req := range rt.o.Records.Pending("") {
				switch {
				case req.ToolUseID != name:
				case id != "":
					fail(w, fmt.Errorf("%w: several calls that wait have this tool use id; name one by its request_id", broker.ErrConflict))
					return
				default:
					id = req.ID
				}
			}
			if id != "" {
				r.SetPathValue("id", id)
			}
		}
		next(w, r)
	}
}
