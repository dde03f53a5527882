package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	_ "github.com/mattn/go-sqlite3" // a second program that holds the database
)

// endTime is how long an orderly end, or a start, may take before it counts as hung.
const endTime = 20 * time.Second

// trouble ends, pauses and hinders the broker until ctx ends, and leaves one running.
func (w *world) trouble(ctx context.Context) {
	r := w.dice("trouble", 0)
	for pause(ctx, time.Duration(200+r.IntN(1300))*time.Millisecond) {
		var err error
		switch n := r.IntN(100); {
		case n < 45:
			err = w.kill(r)
		case n < 60:
			err = w.terminate(r)
		case n < 82:
			w.freeze(r)
		default:
			err = w.holdDatabase(ctx, r)
		}
		if err != nil {
			w.violated(err)
			return
		}
	}
}

// begin starts a broker: in one of four lives it is the real program.
func (w *world) begin(r *rand.Rand) error {
	log, err := os.OpenFile(filepath.Join(w.dir, "broker.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the broker's log: %w", err)
	}
	defer log.Close()
	s, err := start(w.o.aoctl, w.home, r.IntN(4) == 0, log)
	if err != nil {
		return err
	}
	select {
	case <-s.up:
	case <-s.ended:
		return fmt.Errorf("the broker did not start: %s; see %s", s.cmd.ProcessState, log.Name())
	case <-time.After(endTime):
		s.signal(syscall.SIGKILL)
		return fmt.Errorf("the broker did not listen within %s", endTime)
	}
	w.tally.started(s.took, s.real)
	w.mu.Lock()
	w.broker = s
	w.mu.Unlock()
	go func() {
		<-s.ended
		if !s.wasMeant() {
			w.violated(fmt.Errorf("the broker ended by itself: %s; see %s", s.cmd.ProcessState, log.Name()))
		}
	}()
	return nil
}

// end ends the broker with sig and waits for it.
func (w *world) end(sig syscall.Signal) error {
	s := w.current()
	if sig == syscall.SIGTERM { // what is recorded while the store closes fails
		defer w.failing()()
	}
	s.signal(sig)
	select {
	case <-s.ended:
		return nil
	case <-time.After(endTime):
		s.signal(syscall.SIGKILL)
		return fmt.Errorf("the broker lived on for %s after %s", endTime, sig)
	}
}

func (w *world) kill(r *rand.Rand) error {
	w.tally.kills.Add(1)
	if err := w.end(syscall.SIGKILL); err != nil {
		return err
	}
	if r.IntN(4) == 0 {
		time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond)
	}
	return w.begin(r)
}

func (w *world) terminate(r *rand.Rand) error {
	w.tally.terms.Add(1)
	if err := w.end(syscall.SIGTERM); err != nil {
		return err
	}
	return w.begin(r)
}

// freeze stops the process for a while, more often a short one than a long one; in one
// of four cases it is killed instead of going on.
func (w *world) freeze(r *rand.Rand) {
	w.tally.pauses.Add(1)
	f := r.Float64()
	long := time.Duration((0.1 + 7.9*f*f*f) * float64(time.Second))
	s := w.current()
	s.signal(syscall.SIGSTOP)
	time.Sleep(long)
	if r.IntN(4) == 0 {
		if err := w.kill(r); err != nil {
			w.violated(err)
		}
		return
	}
	s.signal(syscall.SIGCONT)
}

// holdDatabase is another program that takes the lock on the database for a while.
func (w *world) holdDatabase(ctx context.Context, r *rand.Rand) (err error) {
	db, err := sql.Open("sqlite3", "file:"+databaseIn(w.home)+"?mode=rw&_txlock=immediate&_busy_timeout=2000")
	if err != nil {
		return fmt.Errorf("open the database beside the broker: %w", err)
	}
	defer db.Close()
	over := w.failing()
	defer over()
	tx, err := db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return nil // the broker was too busy with it: no trouble this time
	}
	w.tally.locks.Add(1)
	time.Sleep(time.Duration(100+r.IntN(4000)) * time.Millisecond)
	return tx.Rollback()
}
