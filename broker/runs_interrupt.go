package broker

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker/wire"
)

// Interrupt ends the turn of a managed session; see Console. Nothing happens when no turn
// is under way.
func (b *Broker) Interrupt(ctx context.Context, sessionID string, by Actor) error {
	_, err := b.changeRun(ctx, sessionID, true, func(s *Session) ([]*Event, error) {
		r := s.Run
		switch {
		case r == nil:
			return nil, ErrNotManaged
		case !r.running():
			return nil, ErrSessionEnded
		case r.Turn == TurnIdle && r.Told == nil, r.asked(wire.OrderInterrupt):
			return nil, errSame
		}
		if err := r.ask(wire.OrderInterrupt, ""); err != nil {
			return nil, err
		}
		return []*Event{sessionEvent(EventInterruptAsked, *s, map[string]any{"by": by})}, nil
	})
	if err != nil {
		return fmt.Errorf("interrupt %s: %w", clip(sessionID), err)
	}
	return nil
}

// asked reports whether an order of this kind waits to be carried out.
func (r *Run) asked(kind string) bool {
	return slices.ContainsFunc(r.Orders, func(o wire.RunOrder) bool { return o.Kind == kind })
}

// ask adds an order. There is one of each kind: a later one takes an earlier one's place.
func (r *Run) ask(kind, text string) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("make an order's id: %w", err)
	}
	r.Orders = slices.DeleteFunc(r.Orders, func(o wire.RunOrder) bool { return o.Kind == kind })
	r.Orders = append(r.Orders, wire.RunOrder{ID: id.String(), Kind: kind, Text: text})
	return nil
}

// permissionModes are those of the agent, and whether they let more pass by without asking.
var permissionModes = map[string]bool{
	"default": false, "plan": false,
	"acceptEdits": true, "auto": true, "bypassPermissions": true, "dontAsk": true,
}

// Configure changes the permission mode or the model of a managed session; "" leaves one as
// it is. Errors: ErrNotFound, ErrNotManaged, ErrSessionEnded, ErrInvalid, ErrForbidden (the
// mode widens what passes and by is no operator), ErrNotRecorded.
func (b *Broker) Configure(ctx context.Context, sessionID, mode, model string, by Actor) (Session, error) {
	widens, known := permissionModes[mode]
	switch {
	case mode == "" && model == "":
		return Session{}, fmt.Errorf("settings: %w: neither permission_mode nor model is given", ErrInvalid)
	case mode != "" && !known:
		return Session{}, fmt.Errorf("settings: %w: permission_mode %q; use default, plan, acceptEdits, auto, bypassPermissions or dontAsk", ErrInvalid, clip(mode))
	case widens && by.Kind != ByOperator:
		return Session{}, fmt.Errorf("settings: %w: permission mode %s asks less", ErrForbidden, mode)
	}
	if err := checkName("model", model); err != nil {
		return Session{}, fmt.Errorf("settings: %w", err)
	}
	s, err := b.changeRun(ctx, sessionID, true, func(s *Session) ([]*Event, error) {
		switch {
		case s.Run == nil:
			return nil, ErrNotManaged
		case !s.Run.running() || s.State.underStop():
			return nil, ErrSessionEnded
		}
		for kind, text := range map[string]string{wire.OrderMode: mode, wire.OrderModel: model} {
			if text == "" {
				continue
			}
			if err := s.Run.ask(kind, text); err != nil {
				return nil, err
			}
		}
		return []*Event{sessionEvent(EventRunNoted, *s, map[string]any{"kind": "settings", "permission_mode": mode, "model": model, "by": by})}, nil
	})
	if err != nil {
		return s, fmt.Errorf("settings of %s: %w", clip(sessionID), err)
	}
	return s, nil
}

// stopRun is what a stop does to how s is held: its runner ends the process (Session.orders),
// and what waits to be said is dropped. One that did not come yet is turned away. The caller
// holds mu.
func stopRun(s *Session) []*Event {
	if s.Run == nil {
		return nil
	}
	r := s.Run.clone()
	s.Run, r.Orders = r, nil
	r.nothingPutOff()
	var events []*Event
	if s.Message != nil {
		events = append(events, dropped(s, s.Message, "the session was stopped"))
		s.Message = nil
	}
	if r.awaited() {
		r.Turn, r.Error, s.TurnOver, s.EndedAt = TurnEnded, "stopped before it started", true, now()
	}
	return events
}
