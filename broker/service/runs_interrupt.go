package service

import (
	"context"
	"fmt"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
)

// Interrupt ends the turn of a managed session; see Console. Nothing happens when no turn
// is under way.
func (b *Broker) Interrupt(ctx context.Context, sessionID string, by broker.Actor) error {
	_, err := b.changeRun(ctx, sessionID, true, func(s *broker.Session) ([]*broker.Event, error) {
		r := s.Run
		switch {
		case r == nil:
			return nil, broker.ErrNotManaged
		case !r.Running():
			return nil, broker.ErrSessionEnded
		case r.Turn == broker.TurnIdle && r.Told == nil, r.HasOrder(wire.OrderInterrupt):
			return nil, broker.ErrNoChange
		}
		r.AddOrder(newID(), wire.OrderInterrupt, "")
		return []*broker.Event{broker.SessionEvent(now(), broker.EventInterruptAsked, *s, map[string]any{"by": by})}, nil
	})
	if err != nil {
		return fmt.Errorf("interrupt %s: %w", broker.Clip(sessionID), err)
	}
	return nil
}

// Configure changes the permission mode or the model of a managed session; "" leaves one as
// it is. Errors: ErrNotFound, ErrNotManaged, ErrSessionEnded, ErrInvalid, ErrForbidden (the
// mode widens what passes and by is no operator), ErrNotRecorded.
func (b *Broker) Configure(ctx context.Context, sessionID, mode, model string, by broker.Actor) (broker.Session, error) {
	widens, known := broker.PermissionModes[mode]
	switch {
	case mode == "" && model == "":
		return broker.Session{}, fmt.Errorf("settings: %w: neither permission_mode nor model is given", broker.ErrInvalid)
	case mode != "" && !known:
		return broker.Session{}, fmt.Errorf("settings: %w: permission_mode %q; use default, plan, acceptEdits, auto, bypassPermissions or dontAsk", broker.ErrInvalid, broker.Clip(mode))
	case widens && by.Kind != broker.ByOperator:
		return broker.Session{}, fmt.Errorf("settings: %w: permission mode %s asks less", broker.ErrForbidden, mode)
	}
	if err := broker.CheckName("model", model); err != nil {
		return broker.Session{}, fmt.Errorf("settings: %w", err)
	}
	s, err := b.changeRun(ctx, sessionID, true, func(s *broker.Session) ([]*broker.Event, error) {
		switch {
		case s.Run == nil:
			return nil, broker.ErrNotManaged
		case !s.Run.Running() || s.State.UnderStop():
			return nil, broker.ErrSessionEnded
		}
		for kind, text := range map[string]string{wire.OrderMode: mode, wire.OrderModel: model} {
			if text != "" {
				s.Run.AddOrder(newID(), kind, text)
			}
		}
		return []*broker.Event{broker.SessionEvent(now(), broker.EventRunNoted, *s, map[string]any{"kind": "settings", "permission_mode": mode, "model": model, "by": by})}, nil
	})
	if err != nil {
		return s, fmt.Errorf("settings of %s: %w", broker.Clip(sessionID), err)
	}
	return s, nil
}
