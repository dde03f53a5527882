package history

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulestest/prepared"
	"github.com/google/go-cmp/cmp"
)

// commandRule makes an enabled rule about commands, or about a whole tool.
func commandRule(id string, d rules.Verdict, tool string, command string) rules.Rule {
	r := rules.Rule{ID: id, Enabled: true, Priority: rules.DefaultPriority, Decision: d, Tool: tool}
	if command != "" {
		r.Where = map[string]string{"command": command}
	}
	return r
}

// past makes a history of command lines, one a minute; how is "by state".
type pastOf struct{ line, how string }

func history(lines ...pastOf) []Past {
	var p rules.Preparer
	var list []Past
	for i, l := range lines {
		x := Past{ID: fmt.Sprintf("r-%d", i), SessionID: fmt.Sprintf("s-%d", i%2), At: prepared.Now.Add(time.Duration(i-1000) * time.Minute)}
		x.Call = p.Prepare(prepared.Question(l.line, "/home/me/src/api"))
		switch l.how {
		case "person allowed":
			x.State, x.ByKind, x.Prompted = "allowed", "operator", true
		case "person denied":
			x.State, x.ByKind, x.Prompted = "denied", "operator", true
		case "rule denied":
			x.State, x.ByKind, x.ByRule = "denied", "rule", "deny-1"
		case "rule allowed":
			x.State, x.ByKind, x.ByRule = "allowed", "rule", "allow-1"
		case "expired":
			x.State, x.ByKind, x.Prompted = "expired", "deadline", true
		default:
			panic(l.how)
		}
		list = append(list, x)
	}
	return list
}

func TestReplay(t *testing.T) {
	current := prepared.Set(t, []rules.Rule{commandRule("go", rules.Allow, "Bash", "go test *"), commandRule("push", rules.Deny, "Bash", "git push *")})
	proposed := prepared.Set(t, []rules.Rule{
		commandRule("go", rules.Allow, "Bash", "go test *"),
		commandRule("npm", rules.Allow, "Bash", "npm run test *"),
		commandRule("vet", rules.Deny, "Bash", "go vet *"),
		commandRule("dead", rules.Ask, "Bash", "terraform *"),
		{ID: "off", Priority: 1, Decision: rules.Deny, Tool: "Bash"},
	})
	past := history(
		pastOf{"go test ./...", "rule allowed"},
		pastOf{"npm run test", "person denied"},
		pastOf{"npm run test", "person allowed"},
		pastOf{"go vet ./...", "person allowed"},
		pastOf{"git push origin main", "rule denied"},
		pastOf{"go test ./... && npm run test", "expired"},
	)
	got := Replay(current, proposed, slices.Values(past), prepared.Now)
	at := func(i int) time.Time { return past[i].At }
	want := Report{
		Calls: 6, Before: Counts{Allow: 1, Deny: 1, Ask: 4}, After: Counts{Allow: 4, Deny: 1, Ask: 1}, Changed: 5, Worse: 1,
		PromptsBefore: 4, PromptsAfter: 1,
		Changes: []Change{
			{PastID: "r-1", At: at(1), Tool: "Bash", Text: "npm run test", Effects: effects.Of(effects.Check), From: rules.Ask, To: rules.Allow, ToRule: "npm", Was: "denied by a person", Worse: true},
			{PastID: "r-5", At: at(5), Tool: "Bash", Text: "go test ./... && npm run test", Effects: effects.Of(effects.Check), From: rules.Ask, To: rules.Allow, ToRule: "go", Was: "expired"},
			{PastID: "r-4", At: at(4), Tool: "Bash", Text: "git push origin main", Effects: effects.Of(effects.Push), From: rules.Deny, FromRule: "push", To: rules.Ask, Was: "denied by a rule"},
			{PastID: "r-3", At: at(3), Tool: "Bash", Text: "go vet ./...", Effects: effects.Of(effects.Check), From: rules.Ask, To: rules.Deny, ToRule: "vet", Was: "allowed by a person"},
			{PastID: "r-2", At: at(2), Tool: "Bash", Text: "npm run test", Effects: effects.Of(effects.Check), From: rules.Ask, To: rules.Allow, ToRule: "npm", Was: "allowed by a person"},
		},
		PerRule: []RuleStat{{ID: "off"}, {ID: "dead"}, {ID: "go", Hits: 2, LastHit: at(5)}, {ID: "npm", Hits: 3, LastHit: at(5)}, {ID: "vet", Hits: 1, LastHit: at(3)}},
		Dead:    []string{"dead"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReplayCounts: the list of changes is cut, the numbers are not, and what a person
// refused is never pushed out of it.
func TestReplayCounts(t *testing.T) {
	lines := []pastOf{{"npm run test", "person denied"}}
	for range 3 * MaxChanges {
		lines = append(lines, pastOf{"npm run test", "person allowed"})
	}
	got := Replay(prepared.Set(t, nil), prepared.Set(t, []rules.Rule{commandRule("npm", rules.Allow, "Bash", "npm run test *")}), slices.Values(history(lines...)), prepared.Now)
	if got.Changed != 3*MaxChanges+1 || got.Worse != 1 || len(got.Changes) != MaxChanges {
		t.Fatalf("changed %d, worse %d, listed %d", got.Changed, got.Worse, len(got.Changes))
	}
	if !got.Changes[0].Worse || got.Changes[1].PastID != fmt.Sprintf("r-%d", 3*MaxChanges) {
		t.Errorf("the list begins with %+v", got.Changes[:2])
	}
}

func TestReplayOfTheSameRules(t *testing.T) {
	s := prepared.Set(t, []rules.Rule{commandRule("go", rules.Allow, "Bash", "go test *")})
	got := Replay(s, s, slices.Values(history(pastOf{"go test", "person denied"}, pastOf{"x", "person allowed"})), prepared.Now)
	if got.Changed != 0 || got.Worse != 0 || got.Before != got.After {
		t.Errorf("%+v", got)
	}
	if got.Changes == nil || got.Dead == nil || got.PerRule == nil {
		t.Errorf("a list without rows is null for programs: %+v", got)
	}
}

func BenchmarkReplay(b *testing.B) {
	past := 100_000
	if testing.Short() {
		past = 2000
	}
	var list []rules.Rule
	for i := range 1000 {
		list = append(list, commandRule(fmt.Sprintf("r%d", i), rules.Allow, "Bash", fmt.Sprintf("tool%d sub *", i)))
	}
	current, proposed := prepared.Set(b, list[:999]), prepared.Set(b, list)
	for b.Loop() {
		var p rules.Preparer
		n := 0
		Replay(current, proposed, func(yield func(Past) bool) {
			for i := range past {
				x := i * 7919 % 20_000 // as many different lines
				q := prepared.Question(fmt.Sprintf("tool%d sub x%d && cd src | tail -%d > out/%d.txt", x%1000, x, x%7, x%100), "/home/me/src/api")
				q.SessionID = fmt.Sprint(i % 50)
				n++
				if !yield(Past{Call: p.Prepare(q), At: prepared.Now, State: "allowed", ByKind: "operator", Prompted: true}) {
					return
				}
			}
		}, prepared.Now)
	}
}

// The built-in grant is no rule that anybody would remove, so it is never told to match nothing.
func TestBuiltInGrantIsNeverDead(t *testing.T) {
	set, err := rules.Compile([]rules.Rule{rules.LookGrant()})
	if err != nil {
		t.Fatal(err)
	}
	if r := Replay(set, set, slices.Values([]Past{}), time.Now()); len(r.Dead) > 0 || len(r.PerRule) > 0 {
		t.Errorf("dead %v, counted %v", r.Dead, r.PerRule)
	}
}
