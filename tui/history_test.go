package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
)

// olderCalls are the events of n calls that were decided before pastCalls, oldest first: one a
// minute, every tenth denied.
func olderCalls(n int) []story.Moment {
	var list []story.Moment
	for i := range n {
		at := seconds(60 * (n + 6 - i))
		r := settled(bash(fmt.Sprintf("o%d", i), "s2", at.Add(-2*time.Second), fmt.Sprintf("make step-%d", i)), broker.Allowed, broker.Actor{Kind: broker.ByOperator}, "", at)
		if i%10 == 0 {
			r.State, r.Outcome.State, r.Outcome.Reason = broker.Denied, broker.Denied, "not today"
		}
		list = append(list, story.Moment{Event: broker.Event{Seq: int64(i + 1), At: at, Type: broker.EventRequestDecided, SessionID: "s2", RequestID: r.ID}, Call: &r})
	}
	return list
}

// pastScene is the history over a record of several hundred calls, with what was typed as a filter.
func pastScene(t *testing.T, width, height int, filter string, keys ...string) *still {
	t.Helper()
	s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: mixedCalls()}, pastCalls(), termenv.Ascii)
	fake, _ := s.m.console.(*fakeConsole)
	fake.moments = olderCalls(450)
	s.draw(width, height, append([]string{"h", "/"}, strings.Split(filter, "")...)...)
	s.draw(width, height, keys...)
	s.told()
	return s
}

// The filter finds calls that only the record has, and says of how many.
func TestHistoryFilterGolden(t *testing.T) {
	for name, sc := range map[string]struct {
		filter string
		keys   []string
		sizes  [][2]int
	}{
		"history filter typed": {"session:api tool:edit", nil, sizes[:2]},
		"history filter":       {"denied", []string{"enter"}, fourSizes},
		"history filter none":  {"by:nobody", []string{"enter"}, sizes[:2]},
	} {
		t.Run(name, func(t *testing.T) {
			goldenAt(t, name, sc.sizes, func(width, height int) *still {
				return pastScene(t, width, height, sc.filter, sc.keys...)
			})
		})
	}
}

// esc lists all again, also behind a filter that was kept, and only then leaves.
func TestHistoryFilterEsc(t *testing.T) {
	for name, keys := range map[string][]string{"while typing": {"esc"}, "kept": {"enter", "esc"}} {
		t.Run(name, func(t *testing.T) {
			s := pastScene(t, 100, 20, "step-7", keys...)
			if view := s.m.View(); !strings.Contains(view, "Decided · newest first") || !strings.Contains(view, "go test ./...") {
				t.Errorf("esc does not list all:\n%s", view)
			}
			s.m.Update(keyMsg("esc"))
			if view := s.m.View(); strings.Contains(view, "Decided") {
				t.Errorf("a second esc does not leave:\n%s", view)
			}
		})
	}
}
