package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
)

// Launch starts a new managed session; see Console. The session is on record before anything
// is started, and says so when that fails.
func (b *Broker) Launch(ctx context.Context, n broker.NewRun, by broker.Actor) (broker.Session, error) {
	n.Agent = cmp.Or(n.Agent, "claude")
	if err := b.checkLaunch(n, by); err != nil {
		return broker.Session{}, fmt.Errorf("launch: %w", err)
	}
	id := uuid.NewString()
	b.mu.Lock()
	err := b.admitSession(id)
	if b.closed {
		err = broker.ErrClosed
	}
	if err != nil {
		b.mu.Unlock()
		return broker.Session{}, fmt.Errorf("launch: %w", err)
	}
	se := b.session(id)
	b.mu.Unlock()
	q := broker.Question{Request: broker.Request{SessionID: id, Agent: n.Agent, CWD: n.Folder}, Session: broker.SessionHint{Name: n.Name}}
	err = b.alter(ctx, se, q, true, func(s *broker.Session) ([]*broker.Event, error) {
		s.Run = &broker.Run{Turn: broker.TurnStarting, Model: n.Model, Detached: true, Named: n.Name != "", StartedAt: now()}
		start := broker.SessionEvent(now(), broker.EventSessionStart, *s, map[string]any{"agent": n.Agent, "cwd": n.Folder})
		return []*broker.Event{start, broker.SessionEvent(now(), broker.EventRunNoted, *s, map[string]any{"kind": "launch", "by": by, "text": n.Prompt})}, nil
	})
	if err != nil {
		return broker.Session{}, fmt.Errorf("launch: %w", err)
	}
	failed := b.opts.Launcher.Launch(id, n)
	if failed != nil {
		b.noteNotStarted(ctx, id, failed)
		failed = fmt.Errorf("launch: %w", failed)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return se.view(), failed
}

func (b *Broker) checkLaunch(n broker.NewRun, by broker.Actor) error {
	switch {
	case by.Kind != broker.ByOperator:
		return broker.ErrForbidden
	case b.opts.Launcher == nil:
		return fmt.Errorf("nothing here starts sessions: %w", errors.ErrUnsupported)
	case n.Agent != "claude":
		return fmt.Errorf("%w: agent %q cannot be started from here; \"claude\" can", broker.ErrInvalid, broker.Clip(n.Agent))
	case !filepath.IsAbs(n.Folder):
		return fmt.Errorf("%w: the folder must be an absolute path", broker.ErrInvalid)
	}
	if info, err := os.Stat(n.Folder); err != nil || !info.IsDir() {
		return fmt.Errorf("%w: there is no folder %s", broker.ErrInvalid, n.Folder)
	}
	for name, v := range map[string]string{"name": n.Name, "model": n.Model} {
		if err := broker.CheckName(name, v); err != nil {
			return err
		}
	}
	_, err := broker.NewMessage(now(), newID(), n.Prompt, by)
	return err
}
