package service_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/policy"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/vet"
)

// breaking is a vetter in which rules break.
type breaking struct{ moody }

func (*breaking) File(string, []byte, string) vet.Result { return vet.Result{Why: "it broke"} }

func TestOfferHasWhatTheAgentSuggests(t *testing.T) {
	dir := project(t)
	for name, tt := range map[string]struct {
		command string
		vet     policy.Vetter
		want    []string // commands of what is suggested
	}{
		"fit":        {"go test -v ./...", nil, []string{"go test *", "go test -v *"}},
		"dangerous":  {"git push --force origin main", nil, nil},
		"own files":  {"cat .claude/settings.json", nil, nil},
		"it breaks":  {"go test ./...", new(breaking), nil},
		"no command": {"", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t, brokertest.NewMemory(), service.Options{Vet: tt.vet})
			q := callIn(dir, "s", "1", tt.command)
			for _, rule := range []string{"Bash(go test -v ./...)", "Bash(go:*)", "Bash(go test *)", "Bash(go test -v:*)", "Bash(git:*)", "Bash(cat:*)", "Bash", "Edit", "Bash(go"} {
				q.Suggestions = append(q.Suggestions, agents.Suggestion{Rule: rule}, agents.Suggestion{Rule: rule, User: true})
			}
			r := submit(t, b, q)
			drafts, err := b.Offer(t.Context(), r.ID)
			must(t, err)
			var got []string
			for i, d := range drafts {
				if d.CreatedBy != broker.SuggestedByAgent {
					if got != nil && d.Effects == 0 {
						t.Error("one of ours comes after what the agent suggests")
					}
					continue
				}
				if i == 0 {
					t.Error("what the agent suggests comes first, and so is chosen")
				}
				if d.Decision != rules.Allow || d.Dangerous || d.Scope.Project != dir || d.CreatedFrom != r.ID {
					t.Errorf("suggested: %+v", d)
				}
				got = append(got, d.Where["command"])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("suggested: %q, want %q", got, tt.want)
			}
			for _, d := range drafts { // saving it is the operator's doing, and says so
				if d.CreatedBy == broker.SuggestedByAgent {
					saved, err := b.SaveRule(t.Context(), d, operator)
					if err != nil || saved.Rule.CreatedBy != "operator" || !strings.HasPrefix(saved.Rule.CreatedFrom, r.ID) {
						t.Errorf("saved: %+v, %v", saved.Rule, err)
					}
				}
			}
		})
	}
}

// What an agent suggests allows nothing by itself.
func TestSuggestionsDecideNothing(t *testing.T) {
	c := serve(t, service.Options{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = c.do("POST", "/hooks/claude", `{"session_id":"s","cwd":"/x","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"go test"},"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"go:*"}],"behavior":"allow","destination":"session"},{"type":"setMode","mode":"bypassPermissions","destination":"session"}]}`)
	}()
	r := waiting(t, c.b, 1)[0]
	if len(r.Suggestions) != 1 || r.Suggestions[0].Rule != "Bash(go:*)" || r.Mode != "" {
		t.Errorf("the request has %+v", r.Suggestions)
	}
	if n := len(c.b.Rules(t.Context()).Rules); n != 0 {
		t.Errorf("there are %d rules", n)
	}
	_, err := c.b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Deny, By: operator})
	must(t, err)
	<-done
}
