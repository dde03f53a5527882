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

const (
	// renewEvery is how often an owner's console looks whether the roster is to be signed anew.
	renewEvery = time.Hour
	// endsEvery is how often it is looked whether an invite has ended, and with it machines are out.
	endsEvery = time.Second
)

// Follow takes in who is in the fleet until ctx ends, and tells changed of it; an owner's console
// keeps the roster fresh. Nobody else uses me meanwhile. Errors: ErrPutOut, or that of ctx.
func (me *Me) Follow(ctx context.Context, line *jet.Line, changed func(members.Roster)) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var mu sync.Mutex // over me and told
	told := len(me.Roster().Members)
	tell := func() {
		if _, ok := me.Member(); !ok {
			end(ErrPutOut)
			return
		}
		r := me.Roster()
		told = len(r.Members)
		changed(r)
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
	renew := func() {
		mu.Lock()
		defer mu.Unlock()
		if line.State().Up {
			_ = me.Renew(ctx, line) // it is tried again in an hour
		}
	}
	renew()
	hourly, often := time.NewTicker(renewEvery), time.NewTicker(endsEvery)
	defer hourly.Stop()
	defer often.Stop()
	for {
		select {
		case <-hourly.C:
			renew()
		case <-often.C:
			mu.Lock()
			if len(me.Roster().Members) != told {
				tell()
			}
			mu.Unlock()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
