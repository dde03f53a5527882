package rules

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// commandRule makes an enabled rule about commands, or about a whole tool.
func commandRule(id string, d Verdict, tool string, command string) Rule {
	r := Rule{ID: id, Enabled: true, Priority: DefaultPriority, Decision: d, Tool: tool}
	if command != "" {
		r.Where = map[string]string{"command": command}
	}
	return r
}

// past makes a history of command lines, one a minute; how is "by state".
type pastOf struct{ line, how string }

func history(lines ...pastOf) []Past {
	var p Preparer
	var list []Past
	for i, l := range lines {
		x := Past{ID: fmt.Sprintf("r-%d", i), SessionID: fmt.Sprintf("s-%d", i%2), At: testNow.Add(time.Duration(i-1000) * time.Minute)}
		x.Call = p.Prepare(bashQuestion(l.line, "/home/me/src/api"))
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
	current := mustCompile(t, []Rule{commandRule("go", Allow, "Bash", "go test *"), commandRule("push", Deny, "Bash", "git push *")})
	proposed := mustCompile(t, []Rule{
		commandRule("go", Allow, "Bash", "go test *"),
		commandRule("npm", Allow, "Bash", "npm run test *"),
		commandRule("vet", Deny, "Bash", "go vet *"),
		commandRule("dead", Ask, "Bash", "terraform *"),
		{ID: "off", Priority: 1, Decision: Deny, Tool: "Bash"},
	})
	past := history(
		pastOf{"go test ./...", "rule allowed"},
		pastOf{"npm run test", "person denied"},
		pastOf{"npm run test", "person allowed"},
		pastOf{"go vet ./...", "person allowed"},
		pastOf{"git push origin main", "rule denied"},
		pastOf{"go test ./... && npm run test", "expired"},
	)
	got := Replay(current, proposed, slices.Values(past), testNow)
	at := func(i int) time.Time { return past[i].At }
	want := Report{
		Calls: 6, Before: Counts{Allow: 1, Deny: 1, Ask: 4}, After: Counts{Allow: 4, Deny: 1, Ask: 1}, Changed: 5, Worse: 1,
		PromptsBefore: 4, PromptsAfter: 1,
		Changes: []Change{
			{PastID: "r-1", At: at(1), Tool: "Bash", Text: "npm run test", From: Ask, To: Allow, ToRule: "npm", Was: "denied by a person", Worse: true},
			{PastID: "r-5", At: at(5), Tool: "Bash", Text: "go test ./... && npm run test", From: Ask, To: Allow, ToRule: "go", Was: "expired"},
			{PastID: "r-4", At: at(4), Tool: "Bash", Text: "git push origin main", From: Deny, FromRule: "push", To: Ask, Was: "denied by a rule"},
			{PastID: "r-3", At: at(3), Tool: "Bash", Text: "go vet ./...", From: Ask, To: Deny, ToRule: "vet", Was: "allowed by a person"},
			{PastID: "r-2", At: at(2), Tool: "Bash", Text: "npm run test", From: Ask, To: Allow, ToRule: "npm", Was: "allowed by a person"},
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
	got := Replay(mustCompile(t, nil), mustCompile(t, []Rule{commandRule("npm", Allow, "Bash", "npm run test *")}), slices.Values(history(lines...)), testNow)
	if got.Changed != 3*MaxChanges+1 || got.Worse != 1 || len(got.Changes) != MaxChanges {
		t.Fatalf("changed %d, worse %d, listed %d", got.Changed, got.Worse, len(got.Changes))
	}
	if !got.Changes[0].Worse || got.Changes[1].PastID != fmt.Sprintf("r-%d", 3*MaxChanges) {
		t.Errorf("the list begins with %+v", got.Changes[:2])
	}
}

func TestReplayOfTheSameRules(t *testing.T) {
	s := mustCompile(t, []Rule{commandRule("go", Allow, "Bash", "go test *")})
	got := Replay(s, s, slices.Values(history(pastOf{"go test", "person denied"}, pastOf{"x", "person allowed"})), testNow)
	if got.Changed != 0 || got.Worse != 0 || got.Before != got.After {
		t.Errorf("%+v", got)
	}
}

// TestPreparer: one *Call for one question, another for whatever differs.
func TestPreparer(t *testing.T) {
	var p Preparer
	q := bashQuestion("go test", "/p")
	first := p.Prepare(q)
	if p.Prepare(q) != first {
		t.Error("the same question was prepared twice")
	}
	for name, change := range map[string]func(*Question){
		"tool": func(q *Question) { q.Tool = "Monitor" }, "input": func(q *Question) { q.Input = []byte(`{"command":"go vet"}`) },
		"agent": func(q *Question) { q.Agent = "codex" }, "session": func(q *Question) { q.SessionID = "s-9" },
		"cwd": func(q *Question) { q.Place.CWD = "/q" }, "project": func(q *Question) { q.Place.Project = "/q" },
		"home": func(q *Question) { q.Place.Home = "/q" }, "trusted": func(q *Question) { q.Trusted = false },
	} {
		other := q
		change(&other)
		if p.Prepare(other) == first {
			t.Errorf("another %s got the same call", name)
		}
	}
	session := func(id string) Question {
		other := q
		other.SessionID = id
		return other
	}
	if ninth := p.Prepare(session("s-9")); ninth != p.Prepare(session("s-9")) || ninth.q.SessionID != "s-9" {
		t.Error("the same question of another session was prepared twice, or for the wrong one")
	}
	for i := range 2*maxPrepared + 9 {
		p.Prepare(session(fmt.Sprint(i)))
	}
	if n := len(p.known) + len(p.others); n > 2*maxPrepared {
		t.Errorf("it remembers %d calls", n)
	}
}

func BenchmarkReplay(b *testing.B) {
	var list []Rule
	for i := range 1000 {
		list = append(list, commandRule(fmt.Sprintf("r%d", i), Allow, "Bash", fmt.Sprintf("tool%d sub *", i)))
	}
	current, proposed := mustCompile(b, list[:999]), mustCompile(b, list)
	for b.Loop() {
		var p Preparer
		n := 0
		Replay(current, proposed, func(yield func(Past) bool) {
			for i := range 100_000 {
				x := i * 7919 % 20_000 // as many different lines
				q := bashQuestion(fmt.Sprintf("tool%d sub x%d && cd src | tail -%d > out/%d.txt", x%1000, x, x%7, x%100), "/home/me/src/api")
				q.SessionID = fmt.Sprint(i % 50)
				n++
				if !yield(Past{Call: p.Prepare(q), At: testNow, State: "allowed", ByKind: "operator", Prompted: true}) {
					return
				}
			}
		}, testNow)
	}
}
