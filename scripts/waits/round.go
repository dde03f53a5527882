package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/cli/drill"
	"github.com/aoctl/aoctl/scripts/internal/visit"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/safe"
)

// round is one wait of every agent.
type round struct {
	limit    time.Duration
	extended bool // more time is given in between
}

func (r round) String() string {
	if r.extended {
		return fmt.Sprintf("unanswered for %v, with more time in between:", r.limit)
	}
	return fmt.Sprintf("unanswered for %v:", r.limit)
}

// timeout is what a person has to answer at once: in a round with more time a fifth of it.
func (r round) timeout() time.Duration {
	if r.extended {
		return (r.limit / 5).Round(time.Second)
	}
	return r.limit
}

// install is what the hooks are installed with.
func (r round) install() []string {
	return []string{"--timeout", r.timeout().String(), "--at-most", r.limit.String()}
}

// sight is what was seen of one agent.
type sight struct {
	waited time.Duration // from its question to the end of it
	given  int           // how often it was given more time
	refuse string        // why it could not be given more
	ran    bool
	told   string // what its model heard
	hooks  string // what aoctl said of its hooks' time
}

func (s sight) line(name string, err error) string {
	canary := "no canary"
	if s.ran {
		canary = "CANARY: it ran unasked"
	}
	text := fmt.Sprintf("%-8s waited %7v, more time %d×, %s; heard: %s", name, s.waited.Round(time.Second), s.given, canary, safe.Cut(safe.Line(s.told), 200))
	for _, more := range []string{s.hooks, s.refuse} {
		if more != "" {
			text += "\n         (" + safe.Cut(safe.Line(more), 200) + ")"
		}
	}
	if err != nil {
		text += "\n         FAILED: " + err.Error()
	}
	return text
}

func (s sight) wrong() error {
	if s.ran {
		return fmt.Errorf("the call ran unasked after %v", s.waited.Round(time.Second))
	}
	if s.told == "" {
		return errors.New("its model heard nothing")
	}
	return nil
}

const (
	starts = 5 * time.Minute // an agent that has not asked by then shows nothing
	grace  = 2 * time.Minute // what it may take beyond the time of its hook
	step   = 500 * time.Millisecond
)

// wait has one agent wait.
func (r round) wait(ctx context.Context, aoctl string, a found) (s sight, err error) {
	ctx, cancel := context.WithTimeout(ctx, starts+r.limit+grace)
	defer cancel()
	dir, err := os.MkdirTemp("", "aow")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(dir)
	b, end, err := r.openConsole(ctx, dir)
	if err != nil {
		return s, err
	}
	defer end()
	v, err := visit.Open(ctx, dir, a.Agent, drill.Headless, a.program, "AOCTL_HOME="+filepath.Join(dir, "s"))
	if err != nil {
		return s, err
	}
	defer v.Close()
	if s.hooks, err = r.installInto(ctx, v, aoctl); err != nil {
		return s, err
	}
	if err := v.Start(ctx); err != nil {
		return s, err
	}
	err = r.watch(ctx, b, v, &s)
	return s, err
}

// installInto installs the hooks for that long, or for as long as aoctl does it at all.
func (r round) installInto(ctx context.Context, v *visit.Visit, aoctl string) (said string, err error) {
	if err = v.Install(ctx, aoctl, r.install()...); err == nil {
		return "", nil
	}
	said = err.Error()
	return said, v.Install(ctx, aoctl)
}

// openConsole opens a real broker at which nobody decides.
func (r round) openConsole(ctx context.Context, dir string) (*service.Broker, func(), error) {
	home := filepath.Join(dir, "s")
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, nil, err
	}
	quiet := slog.New(slog.DiscardHandler)
	st, err := store.Open(ctx, filepath.Join(home, "aoctl.db"), store.WithLog(quiet))
	if err != nil {
		return nil, nil, err
	}
	socket := filepath.Join(home, "broker.sock")
	l, err := api.Listen(socket)
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	b, err := service.New(ctx, st, service.Options{Socket: socket, ApprovalTimeout: r.timeout(), Log: quiet})
	if err != nil {
		return nil, nil, errors.Join(err, l.Close(), st.Close())
	}
	serving, stop := context.WithCancel(ctx)
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = b.Serve(serving, l) // an end before ours is an agent that shows nothing
	}()
	return b, func() {
		stop()
		<-served
		_ = errors.Join(b.Close(), st.Close()) // the folder goes
	}, nil
}

// watch waits until the call is over, and gives it more time where that is the trial.
func (r round) watch(ctx context.Context, b *service.Broker, v *visit.Visit, s *sight) (err error) {
	asked := time.Time{}
	began := time.Now()
	for ; ctx.Err() == nil; time.Sleep(step) {
		pending := b.Pending("")
		if len(pending) > 0 && asked.IsZero() {
			asked = time.Now()
		}
		if !asked.IsZero() {
			s.waited = time.Since(asked)
		}
		s.told = v.Told()
		if s.ran, err = v.Ran(); err != nil || s.ran || s.told != "" {
			return err
		}
		if v.Over() {
			return fmt.Errorf("it ended without another word to its model: %s", safe.Cut(safe.Line(v.Output(ctx)), 2000))
		}
		if asked.IsZero() && time.Since(began) > starts {
			return fmt.Errorf("it did not ask: %s", safe.Cut(safe.Line(v.Output(ctx)), 300))
		}
		for _, call := range pending {
			if r.extended && time.Until(call.ExpiresAt) < r.timeout()/4 {
				s.giveMore(ctx, b, call)
			}
		}
	}
	return fmt.Errorf("it had not ended %v later: %w", grace, ctx.Err())
}

// giveMore gives a call the console's time anew, until that is refused.
func (s *sight) giveMore(ctx context.Context, b *service.Broker, call broker.Request) {
	if s.refuse != "" {
		return
	}
	if _, err := b.Extend(ctx, call.ID, broker.Actor{Kind: broker.ByOperator, PID: os.Getpid()}); err != nil {
		s.refuse = err.Error()
		return
	}
	s.given++
}
