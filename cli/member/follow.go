package member

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

// ErrPutOut says that an owner took the person out of the fleet.
var ErrPutOut = errors.New("an owner took you out of the fleet")

// renewEvery is how often an owner's console looks whether the roster is to be signed anew.
const renewEvery = time.Hour

// Follow takes in who is in the fleet until ctx ends, and tells changed of it; an owner's console
// keeps the roster fresh. Nobody else uses me meanwhile. Errors: ErrPutOut, or that of ctx.
func (me *Me) Follow(ctx context.Context, line *jet.Line, changed func(members.Roster)) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var mu sync.Mutex // over me
	tell := func() {
		if _, ok := me.Member(); !ok {
			end(ErrPutOut)
			return
		}
		changed(me.Roster())
	}
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() {
		after := me.book.Roster().Number
		_ = line.Rosters(ctx, after, nil, func(s keys.Signed) {
			mu.Lock()
			defer mu.Unlock()
			// One that cannot be written down is read again by the next console.
			if me.book.Follow(s) == nil {
				_ = me.Save()
				tell()
			}
		})
	})
	work.Go(func() {
		_ = line.Enrolments(ctx, func(s keys.Signed) {
			mu.Lock()
			defer mu.Unlock()
			if _, err := me.book.Join(s, time.Now()); err == nil {
				tell()
			}
		})
	})
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		if line.State().Up {
			mu.Lock()
			_ = me.Renew(ctx, line) // it is tried again in an hour
			mu.Unlock()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
