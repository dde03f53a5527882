package draw

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
		if got := Clock(d); got != want || Cells(got) > 6 {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
