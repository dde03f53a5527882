package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/mattn/go-sqlite3"

	"github.com/aoctl/aoctl/broker"
)

// Group commit. One goroutine owns the one connection that writes. Callers of Commit
// queue up; while a transaction is on its way to the disk, the next ones gather, and
// the writer takes them all into its next transaction, which costs one sync for all.
//
// A change that fails takes nobody with it: the others of its batch are recorded. A
// failure of the transaction itself (disk full, I/O error, lock) is told to all of
// its callers: none of them may take the change as recorded.

// maxBatch is how many changes share one transaction at most; more would make the
// first of them wait for the statements of the last.
const maxBatch = 512

// A job's state. Whoever moves it from queued decides whether it is written.
const (
	queued int32 = iota
	picked
	abandoned
)

// A job is one change or several that stand or fall together.
type job struct {
	works  []*work
	state  atomic.Int32
	placed [][]head // of the entries of each of works; read only after done
	err    error
	done   chan struct{}
}

// Commit implements broker.Store.
//
// When ctx ends while the change still waits in the queue, it is not recorded and the
// error says so. When ctx ends later, the error is ErrUnknown: the change may be in
// the transaction that is being written. Both wrap ctx's error. c may be reused as
// soon as Commit has returned.
func (s *Store) Commit(ctx context.Context, c *broker.Change) error {
	err := s.Record(ctx, []*broker.Change{c})
	if fault := (*broker.ChangeError)(nil); errors.As(err, &fault) {
		return fmt.Errorf("commit: %w", fault.Err)
	}
	return err
}

// Record implements broker.Store. What Commit says of ctx is so here, too.
func (s *Store) Record(ctx context.Context, list []*broker.Change) error {
	works := make([]*work, 0, len(list))
	for i, c := range list {
		w, err := encode(c)
		if err != nil {
			return &broker.ChangeError{Index: i, Err: err}
		}
		works = append(works, w)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("commit: %w: %w", ErrStopped, context.Cause(ctx))
	}
	placed, err := s.put(ctx, works)
	if err != nil {
		return err
	}
	for i, c := range list {
		for k, h := range placed[i] {
			c.Events[k].Seq = h.seq
			c.Events[k].Hash = hex.EncodeToString(h.hash[:])
		}
	}
	return nil
}

// put has the writer write works in one transaction, and returns where their entries went.
func (s *Store) put(ctx context.Context, works []*work) ([][]head, error) {
	j := &job{works: works, done: make(chan struct{})}
	select {
	case s.queue <- j:
	case <-ctx.Done():
		return nil, fmt.Errorf("commit: %w: %w", ErrStopped, context.Cause(ctx))
	case <-s.quit:
		return nil, ErrClosed
	}
	if err := s.await(ctx, j); err != nil {
		return nil, err
	}
	return j.placed, nil
}

func (s *Store) await(ctx context.Context, j *job) error {
	select {
	case <-j.done:
		return j.err
	case <-s.ended: // the writer has left; it may have answered just before
		select {
		case <-j.done:
			return j.err
		default:
			return ErrClosed
		}
	case <-ctx.Done():
	}
	if j.state.CompareAndSwap(queued, abandoned) {
		return fmt.Errorf("commit: %w: %w", ErrStopped, context.Cause(ctx))
	}
	select {
	case <-j.done: // it was just in time
		return j.err
	default:
		return fmt.Errorf("commit: %w: %w", ErrUnknown, context.Cause(ctx))
	}
}

// write is the writer's goroutine. It ends when quit is closed and the queue is empty.
func (s *Store) write() {
	defer close(s.ended)
	batch := make([]*job, 0, maxBatch)
	for {
		batch = s.gather(batch[:0])
		if len(batch) == 0 {
			return
		}
		s.w.commit(batch)
		if h := s.w.head; h != *s.head.Load() {
			s.head.Store(&h)
		}
		for _, j := range batch {
			close(j.done)
		}
	}
}

// gather waits for a first job and takes those that queue behind it. It is empty only
// when the store is closing.
func (s *Store) gather(batch []*job) []*job {
	for len(batch) == 0 {
		select {
		case j := <-s.queue:
			batch = take(batch, j)
		case <-s.quit:
			return s.drain(batch)
		}
	}
	// Callers that the last batch released are about to queue again: letting them run
	// once or twice costs a microsecond and saves a sync for each.
	for range 3 {
		n := len(batch)
		batch = s.drain(batch)
		if len(batch) == n && n > 1 || len(batch) == maxBatch {
			break
		}
		runtime.Gosched()
	}
	return s.drain(batch)
}

func (s *Store) drain(batch []*job) []*job {
	for len(batch) < maxBatch {
		select {
		case j := <-s.queue:
			batch = take(batch, j)
		default:
			return batch
		}
	}
	return batch
}

func take(batch []*job, j *job) []*job {
	if j.state.CompareAndSwap(queued, picked) {
		return append(batch, j)
	}
	return batch
}

// writer holds the connection that writes. Only the writer's goroutine touches it.
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

// commit writes the jobs that can be written, all in one transaction, and sets err or
// placed of each.
func (w *writer) commit(batch []*job) {
	err := w.try(batch)
	if err == nil {
		return
	}
	err = fmt.Errorf("commit: %w", translate(err))
	for _, j := range batch {
		if j.err == nil {
			j.err, j.placed = err, nil
		}
	}
}

func (w *writer) try(batch []*job) error {
	if w.fault != nil && !w.back() {
		return w.fault
	}
	if err := w.heal(); err != nil {
		return fmt.Errorf("the store has not recovered: %w", err)
	}
	if err := w.begin(batch); err != nil {
		return w.giveUp(err)
	}
	h, n, err := w.applyAll(batch)
	if err != nil {
		return w.giveUp(err)
	}
	if n == 0 {
		return w.giveUp(nil) // every job has its own error; there is nothing to write
	}
	if err := w.finish(h); err != nil {
		return err
	}
	w.head = h
	return nil
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

// begin opens the transaction, as durable as the most demanding job wants it, and
// makes sure that the log still ends where this process left it.
func (w *writer) begin(batch []*job) error {
	full := false
	for _, j := range batch {
		full = full || slices.ContainsFunc(j.works, func(k *work) bool { return k.sync })
	}
	if err := w.synchronous(full); err != nil {
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

// applyAll applies what can be applied and returns the log's new end and how many
// jobs that were. An error is about the transaction as a whole.
//
// A change that fails before it has written anything, as that of a decider who came
// second, needs no undoing. For the rare one that fails half-way, everything is rolled
// back and done once more with a savepoint around each change.
func (w *writer) applyAll(batch []*job) (head, int, error) {
	h, n, err := w.applyEach(batch, w.applyPlain)
	if !errors.Is(err, errHalfway) {
		return h, n, err
	}
	if _, err := w.c.exec(`ROLLBACK`); err != nil {
		return h, 0, err
	}
	if err := w.begin(batch); err != nil {
		return h, 0, err
	}
	return w.applyEach(batch, w.applySaved)
}

// applyEach gives each job its place in the log or its own error.
func (w *writer) applyEach(batch []*job, apply func([]*work, head) (head, [][]head, error)) (head, int, error) {
	h, n := w.head, 0
	for _, j := range batch {
		next, placed, err := apply(j.works, h)
		j.placed, j.err = placed, nil
		switch {
		case err == nil:
			h = next
			n++
		case errors.Is(err, errHalfway) || !ownFault(err) || w.c.raw.AutoCommit():
			return h, 0, err
		default:
			j.err = fmt.Errorf("commit: %w", err)
		}
	}
	return h, n, nil
}

func (w *writer) applyPlain(works []*work, h head) (head, [][]head, error) {
	next, placed, wrote, err := w.apply(works, h)
	if err != nil && wrote && ownFault(err) {
		err = errHalfway
	}
	return next, placed, err
}

// apply writes works one after the other. wrote: a failure leaves something behind.
func (w *writer) apply(works []*work, h head) (next head, placed [][]head, wrote bool, err error) {
	next = h
	for i, k := range works {
		a := applier{c: w.c, work: k}
		var at []head
		next, at, err = a.apply(next)
		wrote = wrote || a.wrote
		if err != nil && ownFault(err) {
			err = &broker.ChangeError{Index: i, Err: err}
		}
		if err != nil {
			return h, nil, wrote, err
		}
		placed, wrote = append(placed, at), wrote || len(at) > 0
	}
	return next, placed, wrote, nil
}

func (w *writer) applySaved(works []*work, h head) (head, [][]head, error) {
	if _, err := w.c.exec(`SAVEPOINT change`); err != nil {
		return h, nil, err
	}
	next, placed, _, err := w.apply(works, h)
	if err != nil && ownFault(err) {
		if _, rerr := w.c.exec(`ROLLBACK TO change`); rerr != nil {
			return h, nil, rerr
		}
	}
	if _, rerr := w.c.exec(`RELEASE change`); rerr != nil {
		return h, nil, rerr
	}
	return next, placed, err
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
	return se.Code != sqlite3.ErrBusy && se.Code != sqlite3.ErrLocked
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
