package policy

import (
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/workspace"
)

// The disk's clock is coarse: a file that was read right after a change may have been written
// once more within the same tick, in the same size.
func TestRulesFileReadRightAfterAChange(t *testing.T) {
	changed := time.Now()
	for after, want := range map[time.Duration]bool{-time.Second: false, 0: false, 20 * time.Millisecond: false, time.Second: true} {
		s := workspace.FileStamp{Changed: changed}
		f := projectFile{stamp: s, readAt: changed.Add(after)}
		if got := f.holds(s); got != want {
			t.Errorf("read %s after the change: holds is %v, want %v", after, got, want)
		}
	}
}
