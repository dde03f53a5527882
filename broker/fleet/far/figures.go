package far

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/calls"
	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/broker/tally"
)

// Stats counts how the calls of a session ended, or of all machines in reach. There is no median over
// several machines.
func (d figureDesk) Stats(ctx context.Context, sessionID string, since time.Time) (all broker.Stats, err error) {
	if sessionID != "" {
		k, err := d.sessionAt(sessionID)
		if err != nil {
			return all, err
		}
		return d.on(k.machine).Stats(ctx, k.id, since)
	}
	list, err := said(each(d.fleet, d.inReach(), func(id string) (broker.Stats, error) { return d.on(id).Stats(ctx, "", since) }))
	if len(list) == 1 {
		return list[0].value, err
	}
	for _, r := range list {
		s := r.value
		all.Calls, all.ByRule, all.ByHand, all.Denied = all.Calls+s.Calls, all.ByRule+s.ByRule, all.ByHand+s.ByHand, all.Denied+s.Denied
		all.RuleDeny, all.Expired, all.Other = all.RuleDeny+s.RuleDeny, all.Expired+s.Expired, all.Other+s.Other
		all.Saved, all.Observed = all.Saved+s.Saved, all.Observed+s.Observed
	}
	return all, err
}

// Tally counts the calls of a fleet of one machine. Errors: ErrOne in one of several.
func (d figureDesk) Tally(ctx context.Context, since time.Time) (tally.Report, error) {
	id, err := d.only()
	if err != nil {
		return tally.Report{}, err
	}
	return d.on(id).Tally(ctx, since)
}

// Spending is what the sessions of a fleet of one machine spent. Errors: ErrOne in one of several.
func (d figureDesk) Spending(ctx context.Context, r tally.Report) (tally.Report, error) {
	id, err := d.only()
	if err != nil {
		return r, err
	}
	return d.on(id).Spending(ctx, r)
}

// RuleTook is what the slowest machine added to calls that a rule decided, and how many there were on
// all.
func (d figureDesk) RuleTook() (all calls.Took) {
	for _, r := range each(d.fleet, d.inReach(), func(id string) (calls.Took, error) { return d.on(id).RuleTook(), nil }) {
		all.Calls += r.value.Calls
		all.P50, all.P95 = max(all.P50, r.value.P50), max(all.P95, r.value.P95)
	}
	return all
}

// ReadFile reads nothing: errors wrap orders.ErrNoOrder. Files of another machine are its own matter.
func (placeDesk) ReadFile(path string) ([]byte, error) {
	return nil, fmt.Errorf("%w: %s is on another machine", orders.ErrNoOrder, broker.Clip(path))
}

// Stamp differs each time, so that nothing counts as unchanged.
func (placeDesk) Stamp(string) string { return rand.Text() }

// OtherHooks names none: nothing says on which machine the project is.
func (placeDesk) OtherHooks(string, string, string, string) []string { return nil }

// OurHooks names the agents that have hooks of ours on some machine in reach.
func (d placeDesk) OurHooks() (all []string) {
	for _, r := range each(d.fleet, d.inReach(), func(id string) ([]string, error) { return d.on(id).OurHooks(), nil }) {
		all = append(all, r.value...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
