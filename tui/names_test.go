package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
)

const longName = "payments-service-hotfix-4711"

func longNamed(requests ...broker.Request) broker.Snapshot {
	return broker.Snapshot{Requests: requests, Sessions: []broker.Session{
		{ID: "s1", Agent: "claude", Name: longName, State: broker.SessionActive, StartedAt: seconds(60)},
		{ID: "s2", Agent: "claude", Name: "docs", State: broker.SessionStopped, StartedAt: seconds(60), SessionEnd: broker.SessionEnd{EndedAt: seconds(9)}},
	}}
}

// A session's name is whole where nothing else needs the room, and ended sessions with a row are counted.
func TestWholeNames(t *testing.T) {
	for name, snap := range map[string]broker.Snapshot{
		"nothing waits": longNamed(),
		"a short call":  longNamed(bash("r1", "s1", seconds(5), "make")),
	} {
		s := newStill(t, snap, nil, termenv.Ascii)
		view := s.draw(80, 24)
		if !strings.Contains(view, longName+" ") {
			t.Errorf("%s: the name is cut:\n%s", name, view)
		}
		if !strings.Contains(view, "1 live, 1 ended · ") {
			t.Errorf("%s: the header counts other sessions than are listed:\n%s", name, view)
		}
	}
}

// A deferred call says so in a window of any width, and for how long where that fits.
func TestDeferredRow(t *testing.T) {
	call := putOffCall(bash("r1", "s1", seconds(60), "make deploy"), 3*time.Hour, "claude")
	for width, want := range map[int]string{40: "deferred ", 60: "deferred 2h", 80: "deferred 2h", 120: "deferred 2h", 200: "deferred 2h"} {
		s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{call}}, nil, termenv.Ascii)
		for row := range strings.Lines(s.draw(width, 24)) {
			if strings.Contains(row, "$ make deploy") && strings.Contains(row, "▌") && !strings.Contains(row, want) {
				t.Errorf("%d: the row reads %q", width, row)
			}
		}
	}
}
