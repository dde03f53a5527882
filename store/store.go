// Package store is aoctl's memory: requests, sessions, rules, grants and the log of
// everything that happened, in one SQLite file. It implements broker.Store.
//
// It keeps three promises. A change whose Record returned nil is there after a kill -9, and
// with Change.Sync after a power cut as well. A change is there whole or not at all. Rows that
// another program changed are found and not honoured.
//
// Read Store first, then broker.Change, which is what one transaction writes, then package
// store/chain, which says how the log is chained and what its events vouch for. A change passes
// through Record, is checked by chain and turned into statements' arguments by encode in the
// caller's goroutine, and is written by the writer, one transaction at a time: rows first, then
// the events that seal them, then the log's new end. Reading goes the other way: queries and a
// scan function beside each, and for rows that decide something a trusted[T], the row together
// with what speaks against it. Load, with which a console starts, takes only rows for which the
// log vouches.
//
// A *Store is the one writer and lives in the console's process. Commands that only look use a
// Reader (OpenReadOnly), beside a running console or without one. Check and Verify go over the
// whole log; Archive moves old events into files of their own, and Backup copies the database.
// SQL outside of this package does not exist, and nothing here decides about a call.
package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// readers is how many queries run beside the writer at a time.
const readers = 4

// Store is the database, open for reading and writing. It implements broker.Store;
// all methods may be called from many goroutines.
type Store struct {
	queries
	w     *writer
	db    *sql.DB
	head  atomic.Pointer[head]
	turn  token          // who has it may use w
	under sync.WaitGroup // the transactions that wait for it or have it
	once  sync.Once
	log   *slog.Logger
	whole token // for who reads all of the log piece by piece, or cuts it

	failpoint func(point string) error // of tests

	mu       sync.Mutex
	closing  bool              // no more transactions are taken
	tampered map[string]string // subject → why, as found by Load
}

var _ broker.Store = (*Store)(nil)

// Option changes how Open works.
type Option func(*Store)

// WithClock gives the store another clock than time.Now. It decides which ended
// sessions Load brings back, and which grants have expired.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// WithLog sends what a person should look into to log; by default it is dropped.
func WithLog(log *slog.Logger) Option { return func(s *Store) { s.log = log } }

// Open opens the database at path for reading and writing. Missing folders are made
// with mode 0700, a missing file with 0600; a file that others could read is closed
// to them. An older schema is brought up to date.
//
// Errors are *OpenError around ErrTooNew, ErrCorrupt, ErrNotOurs, ErrUnwritable,
// ErrBusy or broker.ErrTampered (the log is shorter or longer than its own record of
// its end); then the file is as it was.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	s, err := open(ctx, path, opts)
	if err != nil {
		return nil, openError(path, err)
	}
	return s, nil
}

func open(ctx context.Context, path string, opts []Option) (*Store, error) {
	s := &Store{
		turn: make(token, 1), whole: make(token, 1),
		log: slog.New(slog.DiscardHandler), tampered: map[string]string{},
	}
	s.view = func(_ context.Context, read func(*sql.DB) error) error { return read(s.db) }
	s.now = time.Now
	for _, o := range opts {
		o(s)
	}
	w, err := newWriter(ctx, path)
	if err != nil {
		return nil, err
	}
	s.w = w
	if s.db, err = openReaders(w.files.path); err != nil {
		return nil, errors.Join(err, w.c.close())
	}
	h := w.head
	s.head.Store(&h)
	return s, nil
}

// Close waits for what was to be recorded before, then closes the database. Calls of
// Record that come later get ErrClosed. Closing twice is fine.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		s.mu.Lock()
		s.closing = true
		s.mu.Unlock()
		s.under.Wait()
		err = s.db.Close()
		if s.w.c != nil { // the last connection to close moves the write-ahead log into the file
			err = errors.Join(err, s.w.c.close())
		}
	})
	return err
}

// Head implements broker.Store: the end of the log as this process wrote it.
func (s *Store) Head() (seq int64, hash string) {
	return s.head.Load().public()
}
