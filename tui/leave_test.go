package tui

import (
	"testing"
	"testing/synctest"
	"time"
)

// ctrl+z asks first, and only a y that follows the question has the broker change its process. Where it
// cannot, the program goes to the background as any other.
func TestLeaveRunning(t *testing.T) {
	at := func(p Place) func() Place { return func() Place { return p } }
	for name, c := range map[string]struct {
		set   func(*Options)
		asks  string
		stays bool
	}{
		"the broker's own screen": {
			set:  func(o *Options) { o.Place = at(Place{Empty: "calls are refused after 30 seconds"}) },
			asks: "leave it running? calls are refused after 30 seconds",
		},
		"attached to a served one": {set: func(o *Options) {
			o.Place = at(Place{Elsewhere: true, Served: true, Empty: "calls wait for their time"})
		}, asks: "take the broker"},
		"attached elsewhere": {set: func(o *Options) { o.Place = at(Place{Elsewhere: true, Empty: "calls wait for their time"}) }, stays: true},
		"the demo":           {set: func(o *Options) { o.Demo = true }, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := three(t)
				c.set(&r.m.opts)
				r.press("ctrl+z")
				if c.stays {
					if r.m.prompt != nil {
						t.Errorf("it asks: %s", r.view())
					}
					return
				}
				r.shows(c.asks)
				r.press("n")
				if r.quit || r.m.leaving {
					t.Fatal("a no left")
				}
				r.send(keyMsg("ctrl+z"))
				r.send(keyMsg("y")) // in one burst with the question
				if r.wait(time.Second); r.m.leaving {
					t.Fatal("a y left that was typed before the question could be read")
				}
				r.press("esc", "ctrl+z", "y")
				if !r.quit || !r.m.leaving {
					t.Errorf("y did not leave:\n%s", r.view())
				}
			})
		})
	}
}
