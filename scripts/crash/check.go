package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store"
)

// check compares the state in home with what was acknowledged.
func check(ctx context.Context, home string, acked ackState) error {
	st, err := store.Open(ctx, databaseIn(home))
	if err != nil {
		return fmt.Errorf("open what was left: %w", err)
	}
	defer st.Close()
	wrong := slices.Clone(acked.wrong)
	for id := range acked.created {
		if _, err := st.Request(ctx, id); err != nil {
			wrong = append(wrong, fmt.Errorf("accepted call %s: %w", id, err))
		}
	}
	for id, state := range acked.verdicts {
		wrong = append(wrong, compare(ctx, st, id, broker.State(state), "acknowledged to the decider"))
	}
	for id, verdict := range acked.answered {
		state := broker.Denied
		if verdict == "allow" {
			state = broker.Allowed
		}
		wrong = append(wrong, compare(ctx, st, id, state, "told to the agent"))
	}
	wrong = slices.DeleteFunc(wrong, func(err error) bool { return err == nil })
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%d times the disk disagrees with what was acknowledged, such as: %w", len(wrong), errors.Join(wrong[:min(len(wrong), 5)]...))
}

func compare(ctx context.Context, st broker.Store, id string, want broker.State, how string) error {
	r, err := st.Request(ctx, id)
	if err != nil {
		return fmt.Errorf("request %s, %s as %s: %w", id, how, want, err)
	}
	if r.State != want || r.Outcome == nil {
		return fmt.Errorf("request %s, %s as %s, is %s", id, how, want, r.State)
	}
	return nil
}

// checkOnce reads the whole log: each request was created and decided at most once.
// It returns the number of events.
func checkOnce(ctx context.Context, home string) (int, error) {
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
			return count, nil
		}
		for _, e := range events {
			count++
			after = e.Seq
			if e.Type != broker.EventRequestCreated && e.Type != broker.EventRequestDecided {
				continue
			}
			key := e.Type + " " + e.RequestID
			if seen[key] {
				return count, fmt.Errorf("event %d: a second %s", e.Seq, key)
			}
			seen[key] = true
		}
	}
}
