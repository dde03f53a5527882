package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// The card of a call that asks names the rule that is switched off and would allow it.
func TestCardNamesRuleThatIsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := tuitest.NewCall("r1", "s1", "Bash", time.Now(), `{"command":"make x"}`)
		r.Assessment = &rules.Assessment{Verdict: rules.Ask, Reason: "no rule allows it", Off: "m", Elements: []rules.Judged{ran("make x", rules.Ask, "", "no rule allows it")}}
		c := newFake(nil, r)
		c.book = broker.RuleBook{Rules: []rules.Rule{{ID: "m", Tool: "Bash", Where: map[string]string{"command": "make *"}, Decision: rules.Allow}}}
		g := newRig(t, c, 120, 40)
		g.shows(`rule "make *" would allow it, but is off: r, then space`)
		c.tell(broker.Session{ID: "s1", Agent: "claude", State: broker.SessionActive, Alarm: &broker.Alarm{ToolName: "Bash", At: time.Now()}})
		g.wait(time.Second)
		if seen := g.view(); strings.Contains(seen, "would allow it") {
			t.Errorf("no rule may allow anything after an alarm, and the card says:\n%s", seen)
		}
	})
}
