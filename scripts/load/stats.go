//go:build linux

package main

import (
	"slices"
	"time"
)

// percentile of d, which it sorts: 50 is the median, 100 the longest. Zero when d is
// empty.
func percentile(d []time.Duration, p float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[min(len(d)-1, int(float64(len(d))*p/100))]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

const mb = 1 << 20
