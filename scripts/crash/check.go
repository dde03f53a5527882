package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store"
)

// check compares the state in home with what was acknowledged and adds to f where
// they disagree.
func check(ctx context.Context, home string, acked ackState, f *findings) error {
	st, err := store.Open(ctx, databaseIn(home))
	if err != nil {
		return fmt.Errorf("open what was left: %w", err)
	}
	defer st.Close()
	for _, err := range acked.wrong {
		f.add(&f.changed, err)
	}
	for id := range acked.created {
		if _, err := st.Request(ctx, id); err != nil {
			f.add(&f.lost, fmt.Errorf("accepted call %s: %w", id, err))
		}
	}
	for id, state := range acked.verdicts {
		compare(ctx, st, id, broker.State(state), "acknowledged to the decider", f)
	}
	for id, verdict := range acked.answered {
		state := broker.Denied
		if verdict == "allow" {
			state = broker.Allowed
		}
		compare(ctx, st, id, state, "told to the agent", f)
	}
	return f.err()
}

func compare(ctx context.Context, st broker.Store, id string, want broker.State, how string, f *findings) {
	r, err := st.Request(ctx, id)
	switch {
	case err != nil:
		f.add(&f.lost, fmt.Errorf("request %s, %s as %s: %w", id, how, want, err))
	case r.State == broker.Pending || r.Outcome == nil:
		f.add(&f.lost, fmt.Errorf("request %s, %s as %s, is %s", id, how, want, r.State))
	case r.State != want:
		f.add(&f.changed, fmt.Errorf("request %s, %s as %s, is %s", id, how, want, r.State))
	}
}

// findings counts where the disk disagrees with what was acknowledged.
type findings struct {
	lost, changed, doubled int
	such                   []error // the first few
}

func (f *findings) add(count *int, err error) {
	*count++
	if len(f.such) < 5 {
		f.such = append(f.such, err)
	}
}

func (f *findings) err() error {
	if len(f.such) == 0 {
		return nil
	}
	return fmt.Errorf("the disk disagrees with what was acknowledged: %d lost, %d changed, %d doubled, such as: %w",
		f.lost, f.changed, f.doubled, errors.Join(f.such...))
}

// checkOnce reads the whole log: each request was created and decided at most once.
// It returns the number of events.
func checkOnce(ctx context.Context, home string, f *findings) (int, error) {
	st, err := store.Open(ctx, databaseIn(home))
	if err != nil {
		return 0, fmt.Errorf("open what was left: %w", err)
	}
	defer st.Close()
	seen := map[string]bool{}
	after, count := int64(-1), 0
	for {
		events, err := st.Events(ctx, broker.EventFilter{After: after, Limit: 1000})
		if err != nil {
			return count, fmt.Errorf("read the log: %w", err)
		}
		if len(events) == 0 {
			return count, f.err()
		}
		for _, e := range events {
			count++
			after = e.Seq
			if e.Type != broker.EventRequestCreated && e.Type != broker.EventRequestDecided {
				continue
			}
			key := e.Type + " " + e.RequestID
			if seen[key] {
				f.add(&f.doubled, fmt.Errorf("event %d: a second %s", e.Seq, key))
			}
			seen[key] = true
		}
	}
}
