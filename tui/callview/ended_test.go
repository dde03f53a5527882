package callview

import (
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// What ended a call is told as a person would.
func TestEndedInWords(t *testing.T) {
	you, stop := broker.Actor{Kind: broker.ByOperator}, broker.Actor{Kind: broker.ByStop}
	for want, tt := range map[string]struct {
		tool string
		by   broker.Actor
	}{
		"was denied by you":               {"Bash", you},
		"was sent back by you":            {"ExitPlanMode", you},
		"was stopped by you":              {"Bash", stop},
		"was stopped by process 12":       {"Bash", broker.Actor{Kind: broker.ByStop, PID: 12}},
		"was stopped by an aoctl command": {"Bash", broker.Actor{Kind: broker.ByStop, PID: 12, Exe: "/usr/bin/aoctl"}},
		"was denied by rule read-only":    {"ExitPlanMode", broker.Actor{Kind: broker.ByRule, ID: "builtin:read-only"}},
	} {
		r := tuitest.ToolCall(tt.tool, `{"command":"make"}`)
		r.State, r.Outcome = broker.Denied, &broker.Outcome{State: broker.Denied, By: tt.by}
		if got := Ended(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if end, _ := pastEnd(story.EarlierCall{Request: r}); "was "+end != want {
			t.Errorf("before: %q, want %q", end, want)
		}
	}
}

// Cards of what asks say what an answer means, and not that the question is safe.
func TestAskingCards(t *testing.T) {
	for name, tt := range map[string]struct {
		tool, input, want string
	}{
		"enter plan mode": {"EnterPlanMode", `{}`, "allow: the agent looks around and writes a plan; it asks before it starts"},
		"plan":            {"ExitPlanMode", `{"plan":"x","planFilePath":"/home/ada/.claude/plans/x.md"}`, "file  ~/.claude/plans/x.md"},
		"question":        {"AskUserQuestion", `{}`, ""},
	} {
		r := tuitest.ToolCall(tt.tool, tt.input)
		r.Assessment = &rules.Assessment{Risk: risk.Risk{Class: risk.Safe, Why: "only looks, inside the project"}}
		d := LayOut(tuitest.PlainStyles(), r, Around{Loc: time.UTC, Framed: true, Home: "/home/ada"}, 80)
		if got := strings.Join(d.Rows, "\n"); !strings.Contains(got, tt.want) || strings.Contains(got, "only looks") || strings.Contains(got, "planFilePath") {
			t.Errorf("%s: the card has no %q, or says that it is safe:\n%s", name, tt.want, got)
		}
	}
}

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
