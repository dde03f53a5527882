package tally

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
)

var epoch = time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC) // a Monday

func call(state broker.State, by broker.ActorKind, id string, waited time.Duration) broker.EndedCall {
	return broker.EndedCall{SessionID: "s", Agent: "claude", Tool: "Bash", State: state, By: by, ByID: id, Asked: epoch, Ended: epoch.Add(waited)}
}

// Each call is one of these, and only some of them interrupted a person.
func TestCount(t *testing.T) {
	for _, tc := range []struct {
		name string
		call broker.EndedCall
		want Counts
	}{
		{"a rule allows at once", call(broker.Allowed, broker.ByRule, "r", 0), Counts{ByRule: 1, Saved: 1}},
		{"a rule denies at once", call(broker.Denied, broker.ByRule, "r", 0), Counts{RuleDeny: 1, Saved: 1}},
		{"a rule that came later", call(broker.Allowed, broker.ByRule, "r", time.Second), Counts{ByRule: 1, Prompts: 1, Per100: 100}},
		{"a person allows", call(broker.Allowed, broker.ByOperator, "", 3*time.Second), Counts{ByHand: 1, Prompts: 1, Per100: 100, Answers: 1, MedianMS: 3000, SlowestMS: 3000, WaitedMS: 3000}},
		{"a person denies", call(broker.Denied, broker.ByOperator, "", time.Second), Counts{Denied: 1, Prompts: 1, Per100: 100, Answers: 1, MedianMS: 1000, SlowestMS: 1000, WaitedMS: 1000}},
		{"a grant", call(broker.Allowed, broker.ByOperator, "grant", 0), Counts{ByHand: 1}},
		{"a token", call(broker.Allowed, broker.ByOperator, "token:x", time.Second), Counts{ByHand: 1, Prompts: 1, Per100: 100}},
		{"a command", call(broker.Denied, broker.ByProcess, "", time.Second), Counts{Denied: 1, Prompts: 1, Per100: 100}},
		{"nobody answers", call(broker.Expired, broker.ByDeadline, "", time.Minute), Counts{Expired: 1, Prompts: 1, Per100: 100}},
		{"only observed", call(broker.Answered, broker.ByObserve, "", time.Second), Counts{Observed: 1}},
		{"the asker leaves", call(broker.Cancelled, broker.ByAgent, "", time.Second), Counts{Other: 1, Prompts: 1, Per100: 100}},
		{"a stop", call(broker.Denied, broker.ByStop, "", 0), Counts{Other: 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Count(slices.Values([]broker.EndedCall{tc.call}), time.UTC).Counts
			tc.want.Calls, tc.want.FirstAt, tc.want.LastAt = 1, got.FirstAt, got.LastAt
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreUnexported(Counts{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPer100IsRounded(t *testing.T) {
	calls := []broker.EndedCall{call(broker.Allowed, broker.ByRule, "r", 0)}
	for range 2 {
		calls = append(calls, call(broker.Allowed, broker.ByOperator, "", time.Second))
	}
	if got := Count(slices.Values(calls), time.UTC).Per100; got != 66.7 {
		t.Errorf("two of three are %v of 100", got)
	}
}

func TestPercentiles(t *testing.T) {
	var calls []broker.EndedCall
	for i := 100; i > 0; i-- {
		calls = append(calls, call(broker.Allowed, broker.ByOperator, "", time.Duration(i)*time.Second))
	}
	got := Count(slices.Values(calls), time.UTC)
	if got.MedianMS != 50_000 || got.SlowestMS != 95_000 || got.Answers != 100 {
		t.Errorf("got %d, %d of %d", got.MedianMS, got.SlowestMS, got.Answers)
	}
}

func TestGroupsWithMostPromptsFirst(t *testing.T) {
	quiet, loud := call(broker.Allowed, broker.ByRule, "rule-1", 0), call(broker.Allowed, broker.ByOperator, "", time.Second)
	quiet.SessionID, quiet.Tool = "quiet", "Read"
	got := Count(slices.Values([]broker.EndedCall{quiet, quiet, quiet, loud}), time.UTC)
	for name, tc := range map[string]struct {
		got  []Group
		want string
	}{"sessions": {got.Sessions, "s quiet"}, "tools": {got.Tools, "Bash Read"}, "agents": {got.Agents, "claude"}, "rules": {got.Rules, "rule-1"}} {
		ids := ""
		for _, g := range tc.got {
			ids += " " + g.ID
		}
		if ids != " "+tc.want {
			t.Errorf("%s: got%s", name, ids)
		}
	}
	if got.Per100 != 25 || got.Rules[0].Calls != 3 {
		t.Errorf("got %.1f prompts a hundred calls, %d by the rule", got.Per100, got.Rules[0].Calls)
	}
}

// Over time: hours for a day's work, days for a month's, weeks beyond; a day may have 25 hours.
func TestOverTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	at := func(list ...time.Time) Report {
		var calls []broker.EndedCall
		for _, when := range list {
			c := call(broker.Allowed, broker.ByOperator, "", 0)
			c.Asked, c.Ended = when, when.Add(time.Second)
			calls = append(calls, c)
		}
		return Count(slices.Values(calls), berlin)
	}
	for _, tc := range []struct {
		name   string
		got    Report
		slots  int
		length time.Duration
		first  string
	}{
		{"none", at(), 0, 0, ""},
		{"hours", at(epoch, epoch.Add(3*time.Hour)), 4, time.Hour, "2026-11-02 10:00 +0100"},
		{"days over the clock change", at(epoch.Add(-10*day), epoch), 11, day, "2026-10-23 00:00 +0200"},
		{"weeks", at(epoch, epoch.Add(63*day)), 10, week, "2026-11-02 00:00 +0100"},
	} {
		if len(tc.got.OverTime) != tc.slots || tc.got.SlotMS != tc.length.Milliseconds() {
			t.Errorf("%s: %d slots of %d ms", tc.name, len(tc.got.OverTime), tc.got.SlotMS)
		}
		if tc.slots > 0 && tc.got.OverTime[0].At.Format("2006-01-02 15:04 -0700") != tc.first {
			t.Errorf("%s: begins at %s", tc.name, tc.got.OverTime[0].At)
		}
	}
}

// Whatever came: each call is counted once in every division.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "calls")
		var calls []broker.EndedCall
		for range n {
			c := call(
				rapid.SampledFrom([]broker.State{broker.Allowed, broker.Denied, broker.Expired, broker.Cancelled, broker.Answered}).Draw(t, "state"),
				rapid.SampledFrom([]broker.ActorKind{broker.ByOperator, broker.ByProcess, broker.ByRule, broker.ByDeadline, broker.ByObserve, broker.ByStop}).Draw(t, "by"),
				rapid.SampledFrom([]string{"", "x"}).Draw(t, "id"), 0)
			c.SessionID = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "session")
			c.Asked = epoch.Add(time.Duration(rapid.IntRange(-5000, 5000).Draw(t, "hours")) * time.Hour)
			c.Ended = c.Asked.Add(time.Duration(rapid.IntRange(-1, 100).Draw(t, "waited")) * time.Second)
			calls = append(calls, c)
		}
		r := Count(slices.Values(calls), time.UTC)
		ways := r.ByRule + r.ByHand + r.Denied + r.RuleDeny + r.Expired + r.Observed + r.Other
		inTime, inSessions, prompts := 0, 0, 0
		for _, s := range r.OverTime {
			inTime += s.Calls
			prompts += s.Prompts
		}
		for _, g := range r.Sessions {
			inSessions += g.Calls
		}
		if r.Calls != n || ways != n || inTime != n || inSessions != n || prompts != r.Prompts {
			t.Fatalf("of %d calls: %d, %d ways, %d over time, %d in sessions; %d of %d prompts", n, r.Calls, ways, inTime, inSessions, prompts, r.Prompts)
		}
	})
}
