package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/store"
)

// ask records n pending requests and returns the changes that end them.
func ask(b *testing.B, s *store.Store, n int) []*broker.Change {
	b.Helper()
	var asked, ends []*broker.Change
	for i := range n {
		r := brokertest.PendingRequest(fmt.Sprintf("0199-%08d", i), fmt.Sprint("s", i%50))
		asked, ends = append(asked, brokertest.Asked(r)), append(ends, brokertest.Ended(r, brokertest.Outcome(broker.Allowed)))
	}
	recordIn(b, s, asked, 1000)
	return ends
}

// recordIn records changes, so many together.
func recordIn(b *testing.B, s *store.Store, changes []*broker.Change, together int) {
	b.Helper()
	for list := range slices.Chunk(changes, together) {
		if err := s.Record(b.Context(), list...); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecide is what a decision costs without the disk's sync: a request that ends,
// and its event in the chain, alone or with 63 others in one Record.
func BenchmarkDecide(b *testing.B) {
	for _, together := range []int{1, 64} {
		b.Run(fmt.Sprint(together), func(b *testing.B) {
			s := openNew(b)
			ends := ask(b, s, b.N)
			for _, c := range ends {
				c.Sync = false
			}
			b.ReportAllocs()
			b.ResetTimer()
			before := processorTime(b)
			recordIn(b, s, ends, together)
			b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

// processorTime is what this process has used, whatever else the machine had to do.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkDecideSynced64 is how many synced decisions a second the broker's loop gets
// recorded while 64 callers wait, each an update of a request and its event.
func BenchmarkDecideSynced64(b *testing.B) {
	s := openNew(b)
	ends := ask(b, s, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	recordIn(b, s, ends, 64)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
}

// BenchmarkDecideSyncedOne is one caller's synced decision, in units of the plain
// file's fdatasync that runs between two of them.
func BenchmarkDecideSyncedOne(b *testing.B) {
	dir := b.TempDir()
	s := openAt(b, filepath.Join(dir, "aoctl.db"))
	ends := ask(b, s, b.N)
	f := openFloor(b, dir)
	decide, floor := make([]time.Duration, b.N), make([]time.Duration, b.N)
	b.ResetTimer()
	for i := range b.N {
		floor[i] = appendAndSync(b, f)
		start := time.Now()
		if err := s.Record(b.Context(), ends[i]); err != nil {
			b.Fatal(err)
		}
		decide[i] = time.Since(start)
	}
	b.ReportMetric(0, "ns/op") // of both together: says nothing
	b.ReportMetric(float64(median(decide).Nanoseconds()), "p50-decide-ns")
	b.ReportMetric(float64(median(floor).Nanoseconds()), "p50-fdatasync-ns")
	b.ReportMetric(float64(median(decide))/float64(median(floor)), "ratio")
}

// BenchmarkFdatasync is the floor: a decision's worth of bytes appended to a plain
// file and synced.
func BenchmarkFdatasync(b *testing.B) {
	f := openFloor(b, b.TempDir())
	took := make([]time.Duration, b.N)
	b.ResetTimer()
	for i := range b.N {
		took[i] = appendAndSync(b, f)
	}
	b.ReportMetric(float64(median(took).Nanoseconds()), "p50-fdatasync-ns")
}

func openFloor(b *testing.B, dir string) *os.File {
	b.Helper()
	f, err := os.Create(filepath.Join(dir, "floor"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = f.Close() })
	return f
}

func appendAndSync(b *testing.B, f *os.File) time.Duration {
	b.Helper()
	record := make([]byte, 512)
	start := time.Now()
	if _, err := f.Write(record); err != nil {
		b.Fatal(err)
	}
	if err := syncData(f); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}
