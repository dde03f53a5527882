package tui

import (
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// needsTwo is r where two operators must allow it, and first did.
func needsTwo(r broker.Request, first string) broker.Request {
	r.Assessment.NeedsTwo, r.Assessment.AllowedBy = true, first
	return r
}

func TestGoldenTwo(t *testing.T) {
	for name, first := range map[string]string{"two none": "", "two first": "ben"} {
		t.Run(name, func(t *testing.T) {
			goldenScene(t, name, func(width, height int) *still {
				r := needsTwo(deadly(bash("r1", "s1", tuitest.Noon.Add(-time.Minute), "terraform destroy")), first)
				s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{r}}, nil, termenv.Ascii)
				s.draw(width, height, "a")
				s.pass(tuitest.Noon.Sub(s.at))
				return s
			})
		})
	}
}
