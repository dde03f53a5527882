package service_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/workspace"
)

// What a person allowed becomes a suggestion; it stays one beside what was only allowed with another
// input, and goes when such a call was denied.
func TestSuggest(t *testing.T) {
	dir := workspace.RealPath(project(t))
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	decide := func(command string, d broker.Decision) {
		t.Helper()
		r := submit(t, b, callIn(dir, "s", command, command))
		d.By = operator
		_, err := b.Decide(t.Context(), r.ID, d)
		must(t, err)
	}
	for i := range 4 {
		decide(fmt.Sprintf("go test ./%c", 'a'+i), broker.Decision{Verdict: broker.Allow})
	}
	decide("frobnicate", broker.Decision{Verdict: broker.Deny})
	decide("go test ./x", broker.Decision{Verdict: broker.Allow, UpdatedInput: json.RawMessage(`{"command":"go test ./y"}`)})
	got, err := b.Suggest(t.Context())
	must(t, err)
	if len(got.List) != 1 || got.Saved != 4 || got.Prompts != 6 || got.List[0].Rule.Effects != effects.Of(effects.Check) || got.List[0].Rule.Scope != (rules.Scope{Project: dir}) {
		t.Fatalf("%+v", got)
	}
	saved, err := b.SaveRule(t.Context(), got.List[0].Rule, operator)
	must(t, err)
	if got, err = b.Suggest(t.Context()); err != nil || len(got.List) != 0 {
		t.Errorf("beside the rule: %+v %v", got, err)
	}
	must(t, b.RemoveRule(t.Context(), saved.Rule.ID, operator))
	if r := submit(t, b, callIn(dir, "s", "again", "go test ./a")); r.State != broker.Pending {
		t.Errorf("after the rule was taken back: %s", r.State)
	}
}

// A call of an observed session counts when its agent asks its user, and told that the call ran well.
func TestSuggestFromObserved(t *testing.T) {
	dir := workspace.RealPath(project(t))
	for name, c := range map[string]struct {
		mode string
		ran  bool
		fail bool
		want int
	}{
		"ran":                  {"default", true, false, 3},
		"nobody was asked":     {"bypassPermissions", true, false, 0},
		"its agent decided":    {"auto", true, false, 0},
		"the mode is unknown":  {"", true, false, 0},
		"it failed":            {"default", true, true, 0},
		"nothing was heard":    {"default", false, false, 0},
		"its user let it edit": {"acceptEdits", true, false, 3},
	} {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		submit(t, b, callIn(dir, ranSession, "0", "ls"))
		must(t, b.Observe(t.Context(), ranSession, true, operator))
		for i := range 3 {
			q := callIn(dir, ranSession, "", "go test ./a")
			q.ToolUseID, q.Mode = fmt.Sprint("t", i), c.mode
			q.Key = service.ToolKey("claude", ranSession, "", q.Event, q.ToolUseID)
			if r := submit(t, b, q); r.State != broker.Answered {
				t.Fatalf("%s: %s", name, r.State)
			}
			if !c.ran {
				continue
			}
			h := ranHook(agents.ToolDone, q.ToolUseID, q.ToolName, string(q.ToolInput))
			h.CWD, h.Failed = dir, c.fail
			hear(t, b, h)
		}
		got, err := b.Suggest(t.Context())
		must(t, err)
		saves := 0
		for _, s := range got.List {
			saves += s.Observed
		}
		if saves != c.want || got.Observed != c.want || got.Prompts != 0 {
			t.Errorf("%s: %+v", name, got)
		}
		if c.want > 0 && !slices.Contains(got.List[0].Examples, "go test ./a") {
			t.Errorf("%s: examples %q", name, got.List[0].Examples)
		}
	}
}
