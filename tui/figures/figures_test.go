package figures

import (
	"testing"
	"time"
)

// A countdown always fits its column: one that does not is not drawn at all.
func TestClockFits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second:                    "0:00",
		9*time.Minute + 48*time.Second:  "9:48",
		99*time.Minute + 59*time.Second: "99:59",
		100 * time.Minute:               "1h40m",
		24*time.Hour - time.Second:      "23h59m",
		100*time.Hour - time.Second:     "99h59m",
		100 * time.Hour:                 "4d",
		10_000 * time.Hour:              "416d",
	} {
		if got := Clock(d); got != want || len(got) > 6 {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestFigures(t *testing.T) {
	for got, want := range map[string]string{
		Count(1234567): "1,234,567", Count(999): "999", Plural(1, "call"): "1 call", Plural(2000, "call"): "2,000 calls", Plural(2, "process"): "2 processes",
		Left(9*time.Minute + 47*time.Second + time.Millisecond): "9:48", Left(0): "0:00", Left(-time.Second): "0:00",
		Clock(61 * time.Minute): "61:00", Ago(90 * time.Second): "1m", Ago(50 * time.Hour): "2d", Ago(-time.Second): "0s", Ago(47 * time.Hour): "47h", Brief(3200 * time.Millisecond): "3.2s",
		Brief(-1): "", Size(12): "12 B", Size(24_800): "24.8 KB", Size(2_000_000): "2.0 MB",
		Fine(140 * time.Microsecond): "0.1ms", Fine(2100 * time.Microsecond): "2.1ms", Fine(40 * time.Millisecond): "40ms",
		Each(time.Hour): "an hour", Each(24 * time.Hour): "a day", Each(7 * 24 * time.Hour): "a week",
		Tokens(812): "812", Tokens(12_345): "12.3k", Tokens(123_456): "123k", Tokens(999_600): "1.0M",
		Spent(0, 0, 0): "", Spent(0.5, 0, 0): "$0.50", Spent(0, 1200, 5): "1.2k tokens in, 5 out", Spent(0.01, 1, 0): "$0.0100 · 1 tokens in, 0 out",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
