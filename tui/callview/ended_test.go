package callview

import (
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// A decided call of which only the record tells says the danger that its card said.
func TestEndedSaysItsDanger(t *testing.T) {
	r := tuitest.ToolCall("Bash", `{"command":"rm -rf /srv"}`)
	r.State, r.Danger = broker.Allowed, "deletes outside\x1b[2J the project"
	r.Outcome = &broker.Outcome{State: broker.Allowed, By: broker.Actor{Kind: broker.ByOperator}, At: tuitest.Noon}
	d := LayOutEnded(tuitest.PlainStyles(), r, Around{Loc: time.UTC}, Ended(r), false, 80)
	if got := strings.Join(d.Rows, "\n"); !strings.Contains(got, "!! DANGEROUS  deletes outside") || strings.Contains(got, "\x1b[2J") {
		t.Errorf("the danger is not told:\n%s", got)
	}
}
