package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/store"
)

// historySize is how many decided calls the history of the benchmarks has;
// AOCTL_BENCH_CALLS says otherwise.
func historySize() int {
	if n, err := strconv.Atoi(os.Getenv("AOCTL_BENCH_CALLS")); err == nil {
		return n
	}
	return 100_000
}

// history is a store with many decided calls, some of a kilobyte: three of four
// decided by one of 100 rules, the others by a person.
func history(b *testing.B) *store.Store {
	b.Helper()
	s := openNew(b)
	all := make(chan int)
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for i := range all {
				if err := s.Record(b.Context(), pastCall(i)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for i := range historySize() {
		all <- i
	}
	close(all)
	wg.Wait()
	return s
}

func pastCall(i int) *broker.Change {
	r := brokertest.PendingRequest(uuid.Must(uuid.NewV7()).String(), fmt.Sprintf("7f4f5a2e-0000-0000-0000-%012d", i%50))
	r.ToolInput = json.RawMessage(fmt.Sprintf(`{"command":"echo %01000d"}`, i))
	r.Digest = broker.Digest(r.ToolName, r.ToolInput, r.CWD)
	o := brokertest.Outcome(broker.Allowed)
	o.At = r.CreatedAt.Add(time.Duration(i) * time.Millisecond)
	if i%4 == 0 {
		return brokertest.DecidedAtOnce(r, o)
	}
	o.By = broker.Actor{Kind: broker.ByRule, ID: fmt.Sprintf("7f4f5a2e-1111-0000-0000-%012d", i%100)}
	c := brokertest.DecidedAtOnce(r, o)
	c.Used = []string{o.By.ID}
	return c
}

func BenchmarkHistory100k(b *testing.B) {
	s := history(b)
	for name, do := range map[string]func(ctx context.Context) error{
		"load":  func(ctx context.Context) error { _, err := s.Load(ctx); return err },
		"each":  func(ctx context.Context) error { return eachOf(ctx, s) },
		"stats": func(ctx context.Context) error { _, err := s.Stats(ctx, "", time.Time{}); return err },
		"stats of a session": func(ctx context.Context) error {
			_, err := s.Stats(ctx, "7f4f5a2e-0000-0000-0000-000000000007", time.Time{})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := do(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("check", func(b *testing.B) { benchCheck(b, s) })
}

func eachOf(ctx context.Context, s *store.Store) error {
	n := 0
	err := s.EachRequest(ctx, time.Time{}, func(broker.Request) error { n++; return nil })
	if err == nil && n != historySize() {
		err = fmt.Errorf("%d calls", n)
	}
	return err
}

func benchCheck(b *testing.B, s *store.Store) {
	b.Helper()
	seq, _ := s.Head()
	for b.Loop() {
		if problem, err := s.Check(b.Context()); err != nil || problem != "" {
			b.Fatal(problem, err)
		}
	}
	b.ReportMetric(float64(seq)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkLoad10kRules is a start with 10,000 rules, each edited once.
func BenchmarkLoad10kRules(b *testing.B) {
	path := filepath.Join(b.TempDir(), "aoctl.db")
	s := openAt(b, path)
	for i := range 20 {
		c := &broker.Change{}
		for j := range 1000 {
			r := brokertest.NewRule(fmt.Sprintf("7f4f5a2e-0000-0000-0000-%012d", i%10*1000+j))
			r.Version = 1 + i/10
			next := brokertest.Saved(r)
			c.Rules, c.Events = append(c.Rules, next.Rules...), append(c.Events, next.Events...)
		}
		if err := s.Record(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if saved, err := s.Load(b.Context()); err != nil || len(saved.Facts) != 20_000 || saved.Doubt != "" {
				b.Fatal(len(saved.Facts), saved.Doubt, err)
			}
		}
	})
	b.Run("rules", func(b *testing.B) {
		for b.Loop() {
			if all, err := s.Rules(b.Context()); err != nil || len(all) != 10_000 {
				b.Fatal(len(all), err)
			}
		}
	})
}
