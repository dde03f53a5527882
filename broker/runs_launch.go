package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// Launch starts a new managed session; see Console. The session is on record before anything
// is started, and says so when that fails.
func (b *Broker) Launch(ctx context.Context, n NewRun, by Actor) (Session, error) {
	n.Agent = cmp.Or(n.Agent, "claude")
	if err := b.checkLaunch(n, by); err != nil {
		return Session{}, fmt.Errorf("launch: %w", err)
	}
	id := uuid.NewString()
	b.mu.Lock()
	err := b.admitSession(id)
	if b.closed {
		err = ErrClosed
	}
	if err != nil {
		b.mu.Unlock()
		return Session{}, fmt.Errorf("launch: %w", err)
	}
	se := b.session(id)
	b.mu.Unlock()
	q := Question{Request: Request{SessionID: id, Agent: n.Agent, CWD: n.Folder}, Session: SessionHint{Name: n.Name}}
	err = b.alter(ctx, se, q, true, func(s *Session) ([]*Event, error) {
		s.Run = &Run{Turn: TurnStarting, Model: n.Model, Detached: true, Named: n.Name != "", StartedAt: now()}
		start := sessionEvent(EventSessionStart, *s, map[string]any{"agent": n.Agent, "cwd": n.Folder})
		return []*Event{start, sessionEvent(EventRunNoted, *s, map[string]any{"kind": "launch", "by": by, "text": n.Prompt})}, nil
	})
	if err != nil {
		return Session{}, fmt.Errorf("launch: %w", err)
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

func (b *Broker) checkLaunch(n NewRun, by Actor) error {
	switch {
	case by.Kind != ByOperator:
		return ErrForbidden
	case b.opts.Launcher == nil:
		return fmt.Errorf("nothing here starts sessions: %w", errors.ErrUnsupported)
	case n.Agent != "claude":
		return fmt.Errorf("%w: agent %q cannot be started from here; \"claude\" can", ErrInvalid, clip(n.Agent))
	case !filepath.IsAbs(n.Folder):
		return fmt.Errorf("%w: the folder must be an absolute path", ErrInvalid)
	}
	if info, err := os.Stat(n.Folder); err != nil || !info.IsDir() {
		return fmt.Errorf("%w: there is no folder %s", ErrInvalid, n.Folder)
	}
	for name, v := range map[string]string{"name": n.Name, "model": n.Model} {
		if err := checkName(name, v); err != nil {
			return err
		}
	}
	_, err := newMessage(n.Prompt, by)
	return err
}
