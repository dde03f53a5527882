package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mattn/go-sqlite3"

	"github.com/aoctl/aoctl/broker"
)

// Record implements broker.Store. Transactions follow one another: the caller that has the turn
// uses the one connection that writes. Many decisions at a time cost one sync because the
// broker records them in one call.
//
// When ctx ends before the turn has come, nothing is recorded and the error says so. When
// it ends later, the error is ErrUnknown: the transaction goes on without its caller. Both
// wrap ctx's error. Changes may be reused as soon as Record has returned.
func (s *Store) Record(ctx context.Context, changes ...*broker.Change) error {
	works := make([]*work, 0, len(changes))
	for i, c := range changes {
		w, err := encode(c)
		if err != nil {
			return fmt.Errorf("commit: %w", &broker.ChangeError{Index: i, Err: err})
		}
		works = append(works, w)
	}
	placed, err := s.put(ctx, works...)
	if err != nil {
		return err
	}
	for _, c := range changes {
		for _, e := range c.Events {
			e.Seq, e.Hash = placed[0].public()
			placed = placed[1:]
		}
	}
	return nil
}

// put writes works in one transaction, and returns where their entries went.
func (s *Store) put(ctx context.Context, works ...*work) ([]head, error) {
	if !s.enter() {
		return nil, ErrClosed
	}
	defer s.under.Done()
	if err := s.turn.take(ctx); err != nil {
		return nil, fmt.Errorf("commit: %w: %w", ErrStopped, err)
	}
	var placed []head
	done := make(chan error, 1)
	s.under.Go(func() {
		defer s.turn.give()
		var err error
		placed, err = s.w.record(works)
		if h := s.w.head; h != *s.head.Load() {
			s.head.Store(&h)
		}
		if err != nil {
			err = fmt.Errorf("commit: %w", translate(err))
		}
		done <- err
	})
	select {
	case err := <-done:
		return placed, err
	case <-ctx.Done():
	}
	select {
	case err := <-done: // it was just in time
		return placed, err
	default:
		return nil, fmt.Errorf("commit: %w: %w", ErrUnknown, context.Cause(ctx))
	}
}

// enter notes that a transaction is under way, for Close to wait for; false once the store
// is closing.
func (s *Store) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing {
		s.under.Add(1)
	}
	return !s.closing
}

// token is a lock whose taker may give up waiting.
type token chan struct{}

// take waits for the token, but not longer than ctx goes on. An error is ctx's.
func (t token) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if ctx.Err() != nil { // both had come, and either may be picked
		t.give()
		return context.Cause(ctx)
	}
	return nil
}

func (t token) give() { <-t }

// writer holds the connection that writes. Only the caller that has the store's turn uses it.
type writer struct {
	files *files
	c     *conn // nil after it had to be given up
	head  head  // the end of the log as far as this process wrote it
	maybe head  // the end it would have, had the last failed transaction come through
	full  bool  // PRAGMA synchronous is FULL, otherwise NORMAL
	sick  bool  // an I/O error happened: heal before the next transaction
	anew  bool  // c was opened again, and files do not know it yet
	fault error // not nil: nothing is written any more, until the store is reopened or moved files are back
}

// record writes works in one transaction, or nothing of them, and returns where their
// entries went. A *broker.ChangeError says which one is at fault.
func (w *writer) record(works []*work) ([]head, error) {
	if w.fault != nil && !w.back() {
		return nil, w.fault
	}
	if err := w.heal(); err != nil {
		return nil, fmt.Errorf("the store has not recovered: %w", err)
	}
	if err := w.begin(works); err != nil {
		return nil, w.giveUp(err)
	}
	a := applier{c: w.c, end: w.head}
	if err := a.applyAll(works); err != nil {
		return nil, w.giveUp(err)
	}
	if err := w.finish(a.end); err != nil {
		return nil, err
	}
	w.head = a.end
	return a.placed, nil
}

// back reports whether files that were moved away are where they were, the very same
// ones. What was written into them meanwhile is looked after by heal.
func (w *writer) back() bool {
	if !errors.Is(w.fault, ErrMoved) || w.files.inPlace() != nil {
		return false
	}
	w.fault, w.sick = nil, true
	return true
}

// begin opens the transaction, as durable as the most demanding of works wants it, and
// makes sure that the log still ends where this process left it.
func (w *writer) begin(works []*work) error {
	if err := w.synchronous(slices.ContainsFunc(works, func(k *work) bool { return k.sync })); err != nil {
		return err
	}
	if _, err := w.c.exec(`BEGIN IMMEDIATE`); err != nil {
		return err
	}
	h, err := readHead(w.c)
	if err != nil && !errors.Is(err, broker.ErrTampered) {
		return err
	}
	if err != nil || h != w.head {
		w.fault = fmt.Errorf("%w: it should end at event %d; see \"aoctl log verify\" and start again", ErrForeignWrite, w.head.seq)
		return w.fault
	}
	return nil
}

// synchronous sets how far a commit goes: FULL syncs the write-ahead log, NORMAL
// leaves it to the operating system. It has no effect inside a transaction.
func (w *writer) synchronous(full bool) error {
	if full == w.full {
		return nil
	}
	mode := `PRAGMA synchronous = NORMAL`
	if full {
		mode = `PRAGMA synchronous = FULL`
	}
	if err := w.c.script(mode); err != nil {
		return err
	}
	w.full = full
	return nil
}

// finish makes the transaction durable with h as the end of the log. After an error
// the transaction may be on the disk all the same.
func (w *writer) finish(h head) error {
	if h != w.head {
		if _, err := w.c.exec(sqlNewHead, h.seq, h.hash[:], h.facts); err != nil {
			return w.giveUp(err)
		}
	}
	w.maybe = h
	if _, err := w.c.exec(`COMMIT`); err != nil {
		return w.giveUp(err)
	}
	if err := w.files.inPlace(); err != nil {
		w.fault = err
		return err
	}
	return nil
}

// giveUp ends the transaction without a trace and returns err.
func (w *writer) giveUp(err error) error {
	if !w.c.raw.AutoCommit() {
		if _, rerr := w.c.exec(`ROLLBACK`); rerr != nil {
			w.sick = w.sick || ioFault(rerr)
			err = errors.Join(err, rerr)
		}
	}
	if !w.c.raw.AutoCommit() {
		err = errors.Join(err, w.c.close())
		w.c = nil
	}
	w.sick = w.sick || w.c == nil || ioFault(err)
	return err
}

// ioFault reports whether err says that something was not written as it should.
func ioFault(err error) bool {
	var se sqlite3.Error
	if !errors.As(err, &se) {
		return false
	}
	return se.Code != sqlite3.ErrBusy && se.Code != sqlite3.ErrLocked && !ownFault(err)
}

// heal brings the connection back after an I/O error. After a failed sync nobody
// knows which pages of the write-ahead log are on the disk, and a hole in it would
// hide everything behind; so the log is moved into the database and started anew
// before anything else is acknowledged.
func (w *writer) heal() error {
	if !w.sick {
		return nil
	}
	if w.c == nil {
		c, err := openWriter(w.files.path)
		if err != nil {
			return err
		}
		w.c, w.full, w.anew = c, false, true
	}
	row, err := w.c.row(`PRAGMA wal_checkpoint(TRUNCATE)`)
	if err != nil {
		return err
	}
	if row[0] != int64(0) {
		return errBusyCheck
	}
	h, err := readHead(w.c)
	if err != nil {
		return err
	}
	if h == w.maybe {
		w.head = h
	}
	if w.anew {
		if err := w.files.renew(); err != nil { // it may have opened another file
			err = errors.Join(err, w.c.close())
			w.c = nil
			return err
		}
		w.anew = false
	}
	w.sick = false
	return nil
}
