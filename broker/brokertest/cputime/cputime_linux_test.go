package cputime

import (
	"testing"
	"time"
)

func TestWaitingCostsNothing(t *testing.T) {
	const waited = 100 * time.Millisecond
	if took := Of(func() { time.Sleep(waited) }); took >= waited {
		t.Errorf("waiting for %v cost %v", waited, took)
	}
	spun := 0
	took := Of(func() {
		for until := time.Now().Add(waited); time.Now().Before(until); {
			spun++
		}
	})
	if took <= 0 {
		t.Errorf("%d turns cost %v", spun, took)
	}
}
