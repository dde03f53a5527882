package history

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
)

// decided is a call of session "0a1b…", which the screen calls "shop", by its reviewer.
func decided(state broker.State) *broker.Request {
	return &broker.Request{
		ID: "r1", SessionID: "0a1b2c", Agent: "claude", ToolName: "Bash", CWD: "/src/shop",
		ToolInput: json.RawMessage(`{"command":"grep -r denied log/ | sort"}`), Description: "Look for refusals",
		State: state, Outcome: &broker.Outcome{State: state, Reason: "not on a Friday"},
	}
}

func TestFilter(t *testing.T) {
	alarmed := decided(broker.Allowed)
	alarmed.Alarm = &broker.Alarm{Kind: broker.RanChanged}
	unheard := decided(broker.Allowed)
	unheard.Unheard = true
	observed := decided(broker.Answered)
	observed.Outcome.By.Kind = broker.ByObserve
	deadly, stopped := decided(broker.Allowed), decided(broker.Denied)
	deadly.Danger, stopped.Outcome.By.Kind = "deletes outside the project", broker.ByStop
	for _, tc := range []struct {
		text string
		of   *broker.Request
		want bool
	}{
		{"", decided(broker.Allowed), true},
		{"grep", decided(broker.Allowed), true},
		{"GREP Sort", decided(broker.Allowed), true},
		{"grep uniq", decided(broker.Allowed), false},
		{"friday", decided(broker.Denied), true},
		{"refusals", decided(broker.Denied), true},
		{"/src/shop", decided(broker.Denied), true},
		{"http://grep", decided(broker.Denied), false}, // a colon that names no place belongs to the word

		{"tool:bash", decided(broker.Allowed), true},
		{"tool:edit", decided(broker.Allowed), false},
		{"tool:grep", decided(broker.Allowed), false},
		{"tool:", decided(broker.Allowed), true}, // while it is being typed
		{"session:shop", decided(broker.Allowed), true},
		{"session:reviewer", decided(broker.Allowed), true},
		{"session:0a1b", decided(broker.Allowed), true},
		{"session:1b2c", decided(broker.Allowed), false},
		{"session:grep", decided(broker.Allowed), false},
		{"by:you", decided(broker.Allowed), true},
		{"by:rule", decided(broker.Allowed), false},
		{"tool:bash session:shop denied", decided(broker.Denied), true},
		{"tool:bash session:shop denied", decided(broker.Allowed), false},

		{"denied", decided(broker.Denied), true},
		{"denied", decided(broker.Allowed), false}, // although its command says so
		{"Denied", decided(broker.Denied), true},
		{"text:denied", decided(broker.Allowed), true},
		{"denie", decided(broker.Expired), true}, // not a decision yet
		{"expir", decided(broker.Expired), true},
		{"decision:exp", decided(broker.Expired), true},
		{"decision:sort", decided(broker.Expired), false},
		{"alarm", alarmed, true},
		{"allowed", alarmed, true},
		{"alarm", unheard, false},
		{"unheard", unheard, true},
		{"dangerous", deadly, true},
		{"dangerous", decided(broker.Allowed), false},
		{"stopped", stopped, true},
		{"denied", stopped, true},
		{"observed", observed, true},
		{"observed", decided(broker.Answered), false},
	} {
		if got := readFilter(tc.text).passes(traitsOf(tc.of, "shop › reviewer", "you")); got != tc.want {
			t.Errorf("%q passes %s: %v, want %v", tc.text, tc.of.State, got, tc.want)
		}
	}
}

// Several words list what each of them lists, in whatever order and with whatever blanks.
func TestFilterAnds(t *testing.T) {
	word := rapid.SampledFrom([]string{"grep", "denied", "allowed", "tool:bash", "tool:edit", "session:shop", "by:", "text:sort", "uniq", "x:y", "::"})
	rapid.Check(t, func(t *rapid.T) {
		state := rapid.SampledFrom([]broker.State{broker.Allowed, broker.Denied, broker.Expired}).Draw(t, "state")
		of := traitsOf(decided(state), "shop", "you")
		list := rapid.SliceOfN(word, 0, 4).Draw(t, "words")
		want := true
		for _, w := range list {
			want = want && readFilter(w).passes(of)
		}
		for _, text := range []string{strings.Join(list, " "), "  " + strings.Join(list, "  ")} {
			if got := readFilter(text).passes(of); got != want {
				t.Fatalf("%q passes: %v, want %v", text, got, want)
			}
		}
	})
}
