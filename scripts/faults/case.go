package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// fault is one way to break a broker's disk or database.
type fault struct {
	name string
	slow bool
	// begin breaks it and returns what ends that; errSkip when this machine cannot.
	begin func(ctx context.Context, b *broker) (end func() error, err error)
	// lenient faults let some calls be recorded: those may be allowed.
	lenient bool
	// synced faults are met by what must reach the disk: from then on nothing is allowed.
	synced bool
	// restart faults last until the broker is started anew.
	restart bool
	// disk is how large a file system of its own the broker gets, MiB; 0 for none.
	disk int
	// wait is how long the fault lasts at least.
	wait time.Duration
}

// report is what one case showed.
type report struct {
	asked, denied, allowed, open int
	back                         time.Duration // until a call was allowed again
	result                       string
}

func (r report) fine() bool { return r.result == "ok" || strings.HasPrefix(r.result, "skipped") }

var errSkip = errors.New("skipped")

// backWithin is how long a broker may take to find out that the fault is over.
const backWithin = 15 * time.Second

func (f fault) run(ctx context.Context, aoctl string) (r report) {
	b, err := start(ctx, aoctl, f.disk)
	if err != nil {
		return report{result: result(err)}
	}
	defer b.remove()
	if err := f.try(ctx, b, &r); err != nil {
		r.result = result(err)
		return r
	}
	r.result = "ok"
	return r
}

func result(err error) string {
	if errors.Is(err, errSkip) {
		return err.Error()
	}
	return "FAILED: " + err.Error()
}

func (f fault) try(ctx context.Context, b *broker, r *report) error {
	if v := b.ask(ctx); v.word != allow {
		return fmt.Errorf("before the fault a call got %s", v)
	}
	end, err := f.begin(ctx, b)
	if err != nil {
		return err
	}
	err = f.during(ctx, b, r)
	if e := end(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if f.restart {
		if err := b.restart(ctx); err != nil {
			return err
		}
	}
	began := time.Now()
	for v := b.ask(ctx); v.word != allow; v = b.ask(ctx) {
		if time.Since(began) > backWithin {
			return fmt.Errorf("%v after the fault a call got %s", backWithin, v)
		}
	}
	r.back = time.Since(began).Round(10 * time.Millisecond)
	if f.restart {
		return nil // what was allowed before is in the file that was taken away
	}
	return b.check(ctx)
}

// during asks while the fault lasts: calls that are allowed by themselves, and one that
// is refused from outside, which must reach the disk.
func (f fault) during(ctx context.Context, b *broker, r *report) error {
	began := time.Now()
	refused := b.refuse(ctx)
	for n := 0; n < 6 || time.Since(began) < f.wait; n++ {
		v := b.ask(ctx)
		if err := r.count(v); err != nil {
			return err
		}
		if v.word == allow && !f.lenient {
			return fmt.Errorf("a call was allowed: %s", v)
		}
	}
	if err := r.count(<-refused); err != nil || !f.synced {
		return err
	}
	v := b.ask(ctx)
	if v.word == allow {
		return fmt.Errorf("after a sync that failed a call was allowed: %s", v)
	}
	return r.count(v)
}

func (r *report) count(v verdict) error {
	r.asked++
	switch v.word {
	case allow:
		r.allowed++
	case deny:
		r.denied++
	default:
		r.open++
		return fmt.Errorf("a hook answered %s", v)
	}
	return nil
}
