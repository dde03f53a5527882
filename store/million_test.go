package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/store"
)

// TestLongLog measures a console's start, its pages and its check with a long log:
// AOCTL_EVENTS=1000000 go test -run LongLog -v. AOCTL_EVENTS_DB names a file to make and
// use again. Without AOCTL_EVENTS it tries the same with few.
func TestLongLog(t *testing.T) {
	events, err := strconv.Atoi(os.Getenv("AOCTL_EVENTS"))
	if err != nil {
		events = 2000
	}
	path := os.Getenv("AOCTL_EVENTS_DB")
	if path == "" {
		path = filepath.Join(t.TempDir(), "aoctl.db")
	}
	if _, err := os.Stat(path); err != nil {
		timed(t, "written", func() error { return generate(t.Context(), path, events) })
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d events, %d MiB", events, info.Size()>>20)
	var s *store.Store
	timed(t, "opened", func() (err error) { s, err = store.Open(t.Context(), path); return err })
	defer closeStore(t, s)
	timed(t, "loaded", func() error {
		saved, err := s.Load(t.Context())
		if saved.Doubt != "" {
			t.Error(saved.Doubt)
		}
		return err
	})
	timed(t, "late calls", func() error {
		_, err := s.Requests(t.Context(), broker.RequestFilter{Late: true, Decided: true, Since: time.Now().Add(-5 * time.Minute)})
		return err
	})
	for _, f := range []broker.RequestFilter{{Decided: true}, {Decided: true, SessionID: "s3"}, {Decided: true, State: broker.Denied}, {Limit: 100}} {
		timed(t, fmt.Sprintf("page %+v", f), func() error { _, err := s.Requests(t.Context(), f); return err })
	}
	for _, f := range []broker.EventFilter{{Limit: 100}, {SessionID: "s3", Limit: 100}, {SessionID: "nobody"}, {Since: time.Now().Add(-time.Hour), Limit: 1000}, {Since: time.Now().Add(time.Hour)}, {After: int64(events / 2)}} {
		timed(t, fmt.Sprintf("page %+v", f), func() error { _, err := s.Events(t.Context(), f); return err })
	}
	timed(t, "statistics", func() error { _, err := s.Stats(t.Context(), "", time.Time{}); return err })
	timed(t, "verified", func() error { checkClean(t, openReader(t, path)); return nil })
	timed(t, "checked", func() error {
		problem, err := s.Check(t.Context())
		if problem != "" {
			t.Error(problem)
		}
		return err
	})
}

func timed(t *testing.T, what string, do func() error) {
	t.Helper()
	began := time.Now()
	if err := do(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	t.Logf("%-60s %v", what, time.Since(began).Round(100*time.Microsecond))
}

// generate records calls of 90 days until they have so many events: nine of ten are
// decided by one of 50 rules, the others asked and answered.
func generate(ctx context.Context, path string, events int) error {
	s, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	calls := events * 10 / 11
	began := time.Now().UTC().Truncate(time.Millisecond).Add(-90 * 24 * time.Hour)
	var list []*broker.Change
	for n := range calls {
		at := began.Add(time.Duration(n) * 90 * 24 * time.Hour / time.Duration(calls))
		if list = append(list, callAt(n, at)...); len(list) < 250 && n+1 < calls {
			continue
		}
		if err := s.Record(ctx, list...); err != nil {
			return err
		}
		list = nil
	}
	return s.Close()
}

func callAt(n int, at time.Time) []*broker.Change {
	r := brokertest.PendingRequest(fmt.Sprintf("0199aaaa-0000-7000-8000-%012d", n), fmt.Sprint("s", n%200))
	r.CreatedAt, r.ExpiresAt = at, at.Add(time.Hour)
	o := brokertest.Outcome(broker.Allowed)
	o.At = at
	if n%10 == 0 {
		o.State = broker.Denied
		asked, ended := brokertest.Asked(r), brokertest.Ended(r, o)
		asked.Events[0].At, ended.Sync = at, false
		return []*broker.Change{asked, ended}
	}
	o.By = broker.Actor{Kind: broker.ByRule, ID: fmt.Sprint("rule-", n%50)}
	c := brokertest.DecidedAtOnce(r, o)
	c.Used = []string{o.By.ID}
	return []*broker.Change{c}
}
