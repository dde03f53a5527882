package main

import (
	"fmt"
	"slices"
	"time"
)

// median of d, which it sorts; zero when d is empty.
func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[len(d)/2]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.3f ms", float64(d)/float64(time.Millisecond)) }

// against is the row of a duration that may be at most limit times floor.
func against(measure string, value time.Duration, floorName string, floor time.Duration, limit float64) row {
	ratio := float64(value) / float64(floor)
	return row{
		measure: measure, value: ms(value), floor: floorName + " " + ms(floor),
		ratio: fmt.Sprintf("%.2f", ratio), limit: fmt.Sprintf("<= %.1f", limit), met: floor > 0 && ratio <= limit,
	}
}
