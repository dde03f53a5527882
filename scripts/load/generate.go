//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store"
)

const (
	logVersion  = 1   // of what generate makes; a cached log of another version is not used
	logSessions = 400 // most of them ended long ago
	logDays     = 90  // that the log goes back
	perRound    = 10  // calls of a round, the last of which a person decided
	roundEvents = 2*perRound + 1
)

// longDatabase puts a database with at least n events at path: a copy of the one in the
// cache, which is made first when it is not there.
func longDatabase(ctx context.Context, cache, path string, n int) error {
	if err := privateFolder(cache); err != nil {
		return err
	}
	kept := filepath.Join(cache, fmt.Sprintf("log-%d-v%d.db", n, logVersion))
	if _, err := os.Stat(kept); err != nil {
		began := time.Now()
		fresh := kept + fmt.Sprintf(".%d", os.Getpid())
		if err := generate(ctx, fresh, n); err != nil {
			return errors.Join(err, os.Remove(fresh))
		}
		if err := os.Rename(fresh, kept); err != nil {
			return fmt.Errorf("keep the long log: %w", err)
		}
		fmt.Fprintf(os.Stderr, "  made a log of %d events in %.0f s: %s\n", n, time.Since(began).Seconds(), kept)
	}
	if err := copyFile(kept, path); err != nil {
		return err
	}
	s, err := store.Open(ctx, path) // brings one of an older schema up to date
	if err != nil {
		return err
	}
	if seq, _ := s.Head(); seq < int64(n) {
		return errors.Join(fmt.Errorf("%s has %d events instead of %d; remove it", kept, seq, n), s.Close())
	}
	return s.Close()
}

// privateFolder makes a folder of ours alone: its name can be known to others.
func privateFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("make the cache: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the cache: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(st.Uid) != os.Getuid() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is not a folder of this user alone; name another with -cache", dir)
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from) //nolint:gosec // G304: in our own cache
	if err != nil {
		return fmt.Errorf("copy the long log: %w", err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // G304: in our own folder
	if err != nil {
		return fmt.Errorf("copy the long log: %w", err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copy the long log: %w", err)
	}
	return nil
}

// generate writes a database as a console that has long been at work leaves it: calls
// of many sessions, most of them decided by rules, each with the event that it has run.
// Nothing is left waiting.
func generate(ctx context.Context, path string, n int) error {
	s, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	rounds := (n + roundEvents - 1) / roundEvents
	from := time.Now().Add(-logDays * 24 * time.Hour).UTC().Truncate(time.Millisecond)
	step := logDays * 24 * time.Hour / time.Duration(rounds)
	var writers sync.WaitGroup
	jobs := make(chan int)
	errs := make(chan error, 1)
	for range 256 { // the store writes what comes together in one transaction
		writers.Go(func() {
			for i := range jobs {
				if err := writeRound(ctx, s, i, rounds, from.Add(time.Duration(i)*step)); err != nil {
					select {
					case errs <- err:
					default:
					}
				}
			}
		})
	}
	for i := range rounds {
		select {
		case jobs <- i:
		case err = <-errs:
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil {
			break
		}
	}
	close(jobs)
	writers.Wait()
	select {
	case err = <-errs:
	default:
	}
	return errors.Join(err, s.Close())
}

// writeRound records perRound calls of one session, asked from at on.
func writeRound(ctx context.Context, s *store.Store, i, rounds int, at time.Time) error {
	// Sessions follow each other; the last ones are still there.
	session := i * logSessions / rounds
	id := fmt.Sprintf("5e551017-0000-4000-8000-%012d", session)
	for j := range perRound {
		at = at.Add(time.Second)
		r := logCall(id, session, i*perRound+j, at)
		run := &broker.Event{
			At: at.Add(100 * time.Millisecond), Type: broker.EventPostTool, SessionID: id,
			Data: encode(map[string]any{"tool_name": r.ToolName, "tool_use_id": r.ToolUseID, "failed": false, "digest": r.Digest}),
		}
		by := broker.Actor{Kind: broker.ByRule, ID: broker.RuleReadOnly}
		if j == perRound-1 {
			by = broker.Actor{Kind: broker.ByOperator, PID: 4242, Exe: "/usr/bin/aoctl", TTY: "/dev/pts/3"}
		}
		if err := record(ctx, s, r, by, run); err != nil {
			return err
		}
	}
	state := broker.SessionFinished
	if session > logSessions-10 {
		state = broker.SessionIdle
	}
	return s.Record(ctx, &broker.Change{Sessions: []broker.Session{{
		ID: id, Agent: "claude", Name: fmt.Sprintf("project-%d", session), CWD: projectOf(session), ProjectDir: projectOf(session),
		State: state, StartedAt: at.Add(-time.Hour), LastSeenAt: at,
	}}})
}

func projectOf(session int) string { return fmt.Sprintf("/home/ada/src/project-%d", session) }

// logCall is the n-th call of the log.
func logCall(id string, session, n int, at time.Time) broker.Request {
	r := broker.Request{
		ID: fmt.Sprintf("01990000-0000-7000-8000-%012x", n), Key: fmt.Sprintf("tool\x1fclaude\x1f%s\x1f\x1fPreToolUse\x1ftoolu_%d", id, n),
		SessionID: id, Agent: "claude", Event: "PreToolUse", ToolUseID: fmt.Sprintf("toolu_%d", n), ToolName: "Read",
		ToolInput: encode(map[string]any{"file_path": fmt.Sprintf("%s/internal/file%d.go", projectOf(session), n%500)}),
		CWD:       projectOf(session), Mode: "default", CreatedAt: at, ExpiresAt: at.Add(10 * time.Minute), State: broker.Pending,
	}
	if n%3 == 0 {
		r.ToolName = "Bash"
		r.ToolInput = encode(map[string]any{"command": fmt.Sprintf("go test ./internal/... -run Test%d && git diff --stat", n%100), "description": "Run the tests"})
	}
	r.Digest = broker.Digest(r.ToolName, r.ToolInput, r.CWD)
	return r
}

// record writes r with its end, and that it has run. What a person decides has waited
// before; what a rule decides is written as one.
func record(ctx context.Context, s *store.Store, r broker.Request, by broker.Actor, run *broker.Event) error {
	o := broker.Outcome{State: broker.Allowed, By: by, At: r.CreatedAt}
	if by.Kind == broker.ByOperator {
		c := &broker.Change{Insert: &r, Events: []*broker.Event{{
			At: r.CreatedAt, Type: broker.EventRequestCreated, SessionID: r.SessionID, RequestID: r.ID,
			Data: encode(map[string]string{"agent": r.Agent, "event": r.Event, "tool_name": r.ToolName, "digest": r.Digest, "tool_use_id": r.ToolUseID}),
		}}}
		if err := s.Record(ctx, c); err != nil {
			return err
		}
		o.At = r.CreatedAt.Add(50 * time.Millisecond)
	}
	ended := &broker.Event{
		At: o.At, Type: broker.EventRequestDecided, SessionID: r.SessionID, RequestID: r.ID,
		Data: encode(broker.DecidedData{Status: o.State, By: o.By, ToolName: r.ToolName, Digest: r.Digest, WaitedMS: o.At.Sub(r.CreatedAt).Milliseconds()}),
	}
	c := &broker.Change{Events: []*broker.Event{ended, run}}
	if by.Kind == broker.ByOperator {
		c.Settle = []broker.Settlement{{ID: r.ID, Outcome: o}}
	} else {
		r.State, r.Outcome = o.State, &o
		c.Insert, c.Used = &r, []string{by.ID}
	}
	return s.Record(ctx, c)
}

func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain values of ours
	}
	return text
}
