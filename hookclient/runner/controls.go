package runner

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// controls are our own requests to the agent that it has not answered yet: to put up the
// gate, to interrupt its turn, to change its mode or model. Each ends exactly once, with the
// agent's answer or because its time is up. The agent may answer in any order, so each is known
// by its id.
type controls struct {
	out    *outbox
	number int // of the latest request
	open   map[string]control
}

// control is one request of ours.
type control struct {
	what string // as an error names it
	done func(answer json.RawMessage, err error)
}

// newControls has nothing open.
func newControls(out *outbox) *controls { return &controls{out: out, open: map[string]control{}} }

// send asks the agent for something. done hears what came of it.
func (c *controls) send(what string, request any, limit time.Duration, done func(json.RawMessage, error)) {
	c.number++
	c.sendAs("aoctl-"+strconv.Itoa(c.number), what, request, limit, done)
}

// sendAs is send under an id of the caller's. done is called from the loop, exactly once.
func (c *controls) sendAs(id, what string, request any, limit time.Duration, done func(json.RawMessage, error)) {
	c.open[id] = control{what, done}
	c.out.write(map[string]any{"type": "control_request", "request_id": id, "request": request})
	c.out.do(wake{id, limit})
}

// answered takes the agent's answer to a request of ours. What cannot be read is noted and
// changes nothing: the timer of the request still runs.
func (c *controls) answered(raw json.RawMessage) {
	var r response
	if err := json.Unmarshal(raw, &r); err != nil {
		c.out.note("response", "an answer of the agent's cannot be read")
		return
	}
	asked, ok := c.open[r.RequestID]
	if !ok {
		c.out.note("response", "the agent answered something that was not asked")
		return
	}
	delete(c.open, r.RequestID)
	if r.Subtype != "success" {
		asked.done(nil, fmt.Errorf("the agent refused %s: %s", asked.what, cut(r.Error, maxReason)))
		return
	}
	asked.done(r.Response, nil)
}

// timeUp gives up the request whose timer has this name. It is false when the timer is not
// of an open request.
func (c *controls) timeUp(name string) bool {
	asked, ok := c.open[name]
	if ok {
		delete(c.open, name)
		asked.done(nil, fmt.Errorf("the agent did not answer %s", asked.what))
	}
	return ok
}
