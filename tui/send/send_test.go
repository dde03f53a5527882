package send

import (
	"testing"
	"time"

	"github.com/aoctl/aoctl/tui/guard"
)

// A press sends once nothing came behind it; what another screen's press held is not its own, and
// a timer that rang late waits once more.
func TestRelease(t *testing.T) {
	at := time.Unix(1000, 0)
	for name, tc := range map[string]struct {
		late time.Duration
		do   func(k *Key, due DueMsg) DueMsg
		sent bool
		held bool
	}{
		"in time":    {0, nil, true, false},
		"late":       {guard.HoldFor, nil, false, true},
		"taken back": {0, func(k *Key, due DueMsg) DueMsg { k.TakeBack(); return due }, false, false},
		"of another": {0, func(_ *Key, due DueMsg) DueMsg { return DueMsg{new(Key), due.gen} }, false, true},
		"of a press before": {0, func(k *Key, due DueMsg) DueMsg {
			k.hold(guard.HoldFor, at)
			return due
		}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			k := new(Key)
			if _, refusal := k.Press(false, at); refusal != "" {
				t.Fatal(refusal)
			}
			due := DueMsg{k, k.gen}
			if tc.do != nil {
				due = tc.do(k, due)
			}
			if ok, _ := k.Release(due, at.Add(guard.HoldFor+tc.late)); ok != tc.sent || k.held != tc.held {
				t.Errorf("sent %v, still held %v", ok, k.held)
			}
		})
	}
}

// A key that is held down or pasted sends nothing.
func TestPressRefused(t *testing.T) {
	at := time.Unix(1000, 0)
	k := new(Key)
	if _, refusal := k.Press(true, at); refusal == "" {
		t.Error("a burst sends")
	}
	if _, refusal := k.Press(false, at.Add(guard.DeafFor-1)); refusal == "" {
		t.Error("a second press right behind it sends")
	}
	k.Pressed(at.Add(time.Minute))
	if _, refusal := k.Press(false, at.Add(time.Minute+guard.DeafFor-1)); refusal == "" {
		t.Error("a key that was held down since it did something else sends")
	}
}
