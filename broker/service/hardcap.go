package service

import (
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Some agents wait for a hook only so long, whatever their settings say, and then run the
// call. What a hook says of its own time counts for nothing beside that: its line may have
// been written by an aoctl that did not know.

// hardEnd is most, or the end of what the agent of e waits if that is sooner: a hook that asks
// for a call again does not begin anew. Caller holds mu.
func (e *entry) hardEnd(most time.Time) time.Time {
	if wait := broker.HardLimit(e.req); wait > 0 {
		now := time.Now()
		if last := now.Add(e.req.CreatedAt.Add(wait).Sub(now)); most.After(last) {
			return last
		}
	}
	return most
}
