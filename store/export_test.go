package store

import "context"

// OpenPaused opens a store that records nothing before start is called.
func OpenPaused(ctx context.Context, path string) (s *Store, start func(), err error) {
	if s, err = Open(ctx, path); err != nil {
		return nil, nil, err
	}
	return s, s.turn.give, s.turn.take(ctx)
}

// OnWriter runs a script on the writer's connection. It may only be called while no
// Record is under way.
func (s *Store) OnWriter(sql string) error { return s.w.c.script(sql) }

// Synchronous is how far the last Record went: 1 into the hands of the
// operating system, 2 onto the disk. It may only be called while no Record is under way.
func (s *Store) Synchronous() (int64, error) { return s.w.c.integer(`PRAGMA synchronous`) }

// LoseConnection leaves the writer as after an error that took its connection with
// it. It may only be called while no Record is under way.
func (s *Store) LoseConnection() error {
	err := s.w.c.close()
	s.w.c, s.w.sick = nil, true
	return err
}

// Newest is the schema that this program writes.
func Newest() int { return newest() }

// CheckIn is Check in stretches of n rows.
func (s *Store) CheckIn(ctx context.Context, n int64) (string, error) { return s.check(ctx, n) }

// FailAt makes Archive call fail at each of its points; an error from it ends the run.
func (s *Store) FailAt(fail func(point string) error) { s.failpoint = fail }

// Migration is the script that brings schema n-1 to n.
func Migration(n int) string { return migrations()[n-1] }

// Page is how many requests EachRequest reads at a time.
const Page = page

// The queries whose plans matter.
var (
	SQLFacts    = sqlFacts
	SQLArchives = sqlArchives
	SQLRuleUse  = sqlRuleUse
)
