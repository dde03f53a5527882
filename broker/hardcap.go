package broker

import (
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// Some agents wait for a hook only so long, whatever their settings say, and then run the
// call. What a hook says of its own time counts for nothing beside that: its line may have
// been written by an aoctl that did not know.

// hardWait is how long a call that an agent's hook asks for may wait at most, 0 when the
// agent has no such limit.
func hardWait(r Request) time.Duration {
	if r.Event == "" {
		return 0 // a program that uses the API waits as long as it says
	}
	return profile.Of(r.Agent).Wait
}

// HardWait says how long r's agent waits at most, in words for people; "" when it has no
// limit of its own.
func HardWait(r Request) string {
	if wait := hardWait(r); wait > 0 {
		return fmt.Sprintf("%s waits %d s at most", agents.TraitsOf(r.Agent).Title, int(wait.Seconds()))
	}
	return ""
}

// limit keeps q's times to what its agent waits.
func (q *Question) limit() {
	wait := hardWait(q.Request)
	if wait == 0 {
		return
	}
	if q.Timeout <= 0 || q.Timeout > wait {
		q.Timeout = wait
	}
	q.AtMost = min(q.AtMost, wait)
	last := time.Now().Add(wait)
	for _, t := range []*time.Time{&q.asker.until, &q.asker.most} {
		if t.After(last) {
			*t = last
		}
	}
}

// hardEnd is most, or the end of what the agent of e waits if that is sooner: a hook that asks
// for a call again does not begin anew. Caller holds mu.
func (e *entry) hardEnd(most time.Time) time.Time {
	if wait := hardWait(e.req); wait > 0 {
		now := time.Now()
		if last := now.Add(e.req.CreatedAt.Add(wait).Sub(now)); most.After(last) {
			return last
		}
	}
	return most
}
