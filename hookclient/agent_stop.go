package hookclient

import (
	"context"
	"encoding/json"
	"time"
)

// Stop is closed when the operator has stopped the session, and stays so. A console that
// is away is no stop; calls are refused meanwhile, and a stop is heard when it is back.
func (s *Session) Stop() <-chan struct{} { return s.stopped }

// Stopped reports whether the operator has stopped the session.
func (s *Session) Stopped() bool {
	select {
	case <-s.stopped:
		return true
	default:
		return false
	}
}

// noteStop may be called from any goroutine, any number of times.
func (s *Session) noteStop() { s.stopOnce.Do(func() { close(s.stopped) }) }

// watch looks for a stop until there is one or ctx ends. It asks once in every limits.watch,
// which is how late a stop may be heard by a call that runs.
func (s *Session) watch(ctx context.Context) {
	t := time.NewTicker(s.limits.watch)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.stopped:
			return
		case <-t.C:
			_ = s.askStopped(ctx) // a console that is away is asked again
		}
	}
}

// askStopped asks once whether the session is stopped. An answer that says neither yes nor no
// is an error.
func (s *Session) askStopped(ctx context.Context) error {
	raw, err := s.request(ctx, "/check-stop/"+pathEscape(s.agent.SessionID), nil)
	if err != nil {
		return err
	}
	var answer struct {
		Stop *bool `json:"stop_requested"`
	}
	if err = json.Unmarshal(raw, &answer); err != nil || answer.Stop == nil {
		return unreadable("it does not say whether the session is stopped")
	}
	if *answer.Stop {
		s.noteStop()
	}
	return nil
}

// pathEscape writes s as one segment of a path. Package net/url would do it, and make every
// program that links this one start slower.
func pathEscape(s string) string {
	const hex = "0123456789ABCDEF"
	var b []byte
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == '~':
			b = append(b, c)
		default:
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}
