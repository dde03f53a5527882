package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/policy"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/workspace"
)

func allowing(pattern string) rules.Rule {
	return rules.Rule{Enabled: true, Priority: 100, Tool: "Bash", Where: map[string]string{"command": pattern}, Decision: rules.Allow}
}

func denying(pattern, reason string) rules.Rule {
	r := allowing(pattern)
	r.Decision, r.Reason = rules.Deny, reason
	return r
}

func save(t *testing.T, b *service.Broker, r rules.Rule) broker.SavedRule {
	t.Helper()
	s, err := b.SaveRule(t.Context(), r, operator)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// project is a folder for calls to run in, with a home beside it.
func project(t *testing.T) string {
	t.Helper()
	root := workspace.RealPath(shortDir(t))
	t.Setenv("HOME", filepath.Join(root, "home"))
	must(t, os.MkdirAll(filepath.Join(root, "home"), 0o700))
	dir := filepath.Join(root, "shop")
	must(t, os.MkdirAll(dir, 0o700))
	return dir
}

func callIn(dir, session, key, command string) broker.Question {
	q := bash(session, key, command)
	q.CWD, q.Session.ProjectDir, q.Trusted = dir, dir, true
	return q
}

// Saving a rule ends the cards that it covers, and only those; the next call passes
// and names the rule, also after a restart.
func TestSavedRuleDecidesCardsAndLaterCalls(t *testing.T) {
	dir, st := project(t), brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	first := submit(t, b, callIn(dir, "s", "1", "npm run test"))
	more := submit(t, b, callIn(dir, "s2", "2", "npm run test -- --watch"))
	other := submit(t, b, callIn(dir, "s", "3", "npm run test && git push"))
	for _, r := range []broker.Request{first, more, other} {
		if r.State != broker.Pending || r.Assessment == nil || r.Assessment.Verdict != rules.Ask {
			t.Fatalf("%s: %s %+v, want pending with an assessment", r.ToolInput, r.State, r.Assessment)
		}
	}
	saved := save(t, b, allowing("npm run test *"))
	if len(saved.Decided) != 2 {
		t.Fatalf("decided %d cards, want 2", len(saved.Decided))
	}
	for _, id := range []string{first.ID, more.ID} {
		r, err := b.Request(t.Context(), id)
		must(t, err)
		if r.State != broker.Allowed || r.Outcome.By.Kind != broker.ByRule || r.Outcome.By.ID != saved.Rule.ID {
			t.Errorf("%s: %s by %+v, want allowed by the rule", r.ToolInput, r.State, r.Outcome.By)
		}
	}
	if r, _ := b.Request(t.Context(), other.ID); r.State != broker.Pending {
		t.Errorf("the line that does more ended: %s", r.State)
	}
	if r := submit(t, b, callIn(dir, "s", "4", "npm run test")); r.State != broker.Allowed {
		t.Errorf("the next call: %s, want allowed", r.State)
	}
	must(t, b.Close())
	again := newBroker(t, st, service.Options{})
	if r := submit(t, again, callIn(dir, "s", "5", "npm run test")); r.State != broker.Allowed {
		t.Errorf("after a restart: %s, want allowed", r.State)
	}
	if got := again.Rules(t.Context()).Rules; len(got) != 1 || got[0].Uses != 4 {
		t.Errorf("rules after the restart: %+v, want one with 4 uses", got)
	}
	must(t, again.RemoveRule(t.Context(), saved.Rule.ID, operator))
	if r := submit(t, again, callIn(dir, "s", "6", "npm run test")); r.State != broker.Pending {
		t.Errorf("after the rule was removed: %s, want pending", r.State)
	}
}

func TestDenyRuleTellsItsReason(t *testing.T) {
	dir := project(t)
	c := serve(t, service.Options{})
	save(t, c.b, denying("git push --force *", "push without force"))
	save(t, c.b, allowing("git *"))
	body := fmt.Sprintf(`{"session_id":"s","tool_name":"Bash","tool_input":{"command":"git push --force origin main"},"cwd":%q}`, dir)
	code, got := c.do("POST", "/request-approval", body)
	if code != http.StatusOK || got["decision"] != "deny" || !strings.Contains(got["reason"].(string), "push without force") {
		t.Errorf("%d %v, want a denial with the rule's reason", code, got)
	}
}

// A rule with a number of uses allows so many calls, whoever asks at once.
func TestUsesAreSpentOnce(t *testing.T) {
	dir := project(t)
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	r := allowing("make test")
	r.MaxUses = 5
	save(t, b, r)
	var mu sync.Mutex
	count := map[broker.State]int{}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			got, err := b.Submit(t.Context(), callIn(dir, "s", fmt.Sprint(i), "make test"))
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			count[got.State]++
		})
	}
	wg.Wait()
	if count[broker.Allowed] != 5 || count[broker.Pending] != 15 {
		t.Errorf("%v, want 5 allowed and 15 pending", count)
	}
}

func TestRuleEndsWithItsTime(t *testing.T) {
	dir := project(t)
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		r := allowing("make test")
		r.ExpiresAt = time.Now().Add(15 * time.Minute)
		save(t, b, r)
		time.Sleep(15*time.Minute - time.Second)
		if got := submit(t, b, callIn(dir, "s", "1", "make test")); got.State != broker.Allowed {
			t.Errorf("before its end: %s", got.State)
		}
		time.Sleep(time.Second)
		if got := submit(t, b, callIn(dir, "s", "2", "make test")); got.State != broker.Pending {
			t.Errorf("at its end: %s, want pending", got.State)
		}
	})
}

// What allows needs an operator; what refuses does not.
func TestWhoMayChangeRules(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	process := broker.Actor{Kind: broker.ByProcess, PID: 42}
	allow, deny := save(t, b, allowing("make *")).Rule, save(t, b, denying("rm **", "")).Rule
	off := func(r rules.Rule) rules.Rule { r.Enabled = false; return r }
	wider := allow
	wider.Where = map[string]string{"command": "**"}
	sneaky := off(wider)
	for name, tc := range map[string]struct {
		r    rules.Rule
		want error
	}{
		"new allow":            {allowing("curl *"), broker.ErrForbidden},
		"new deny":             {denying("curl *", ""), nil},
		"widen an allow":       {wider, broker.ErrForbidden},
		"widen while off":      {sneaky, broker.ErrForbidden},
		"switch a deny off":    {off(deny), broker.ErrForbidden},
		"switch an allow off":  {off(allow), nil},
		"pattern of nothing":   {func() rules.Rule { r := allowing("re:("); return r }(), broker.ErrInvalid},
		"rule of another file": {func() rules.Rule { r := deny; r.Source = "/x/.aoctl/rules.toml"; return r }(), broker.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.SaveRule(t.Context(), tc.r, process)
			if !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
		})
	}
	old := deny
	old.Version = 7
	if _, err := b.SaveRule(t.Context(), old, operator); !errors.Is(err, broker.ErrConflict) {
		t.Errorf("a version that is not the current one: %v", err)
	}
	if err := b.RemoveRule(t.Context(), deny.ID, process); !errors.Is(err, broker.ErrForbidden) {
		t.Errorf("removing a deny: %v", err)
	}
	if err := b.RemoveRule(t.Context(), allow.ID, process); err != nil {
		t.Errorf("removing an allow: %v", err)
	}
}

func TestOperatorToken(t *testing.T) {
	c := serve(t, service.Options{})
	rule := `{"tool":"Bash","where":{"command":"make *"},"decision":"allow"}`
	if code, got := c.do("POST", "/rules", rule); code != http.StatusForbidden {
		t.Errorf("without a token: %d %v", code, got)
	}
	if code, _ := c.do("POST", "/rules", rule, "Authorization", "Bearer aoctl_op_guess"); code != http.StatusUnauthorized {
		t.Errorf("with a guess: %d", code)
	}
	token, err := c.b.MintToken(t.Context(), broker.OperatorToken, "ci", operator)
	must(t, err)
	code, got := c.do("POST", "/rules", rule, "Authorization", "Bearer "+token)
	if code != http.StatusOK {
		t.Fatalf("with the token: %d %v", code, got)
	}
	list := c.b.Tokens(t.Context())
	if len(list) != 1 || list[0].Label != "ci" {
		t.Fatalf("tokens: %+v", list)
	}
	must(t, c.b.RevokeToken(t.Context(), list[0].ID, operator))
	if code, _ := c.do("POST", "/rules", rule, "Authorization", "Bearer "+token); code != http.StatusUnauthorized {
		t.Errorf("after it was revoked: %d", code)
	}
	if _, err := c.b.MintToken(t.Context(), broker.OperatorToken, "", broker.Actor{Kind: broker.ByProcess}); !errors.Is(err, broker.ErrForbidden) {
		t.Errorf("minted by a process: %v", err)
	}
}

// A process below an agent is no operator, whatever it shows.
func TestTokenInAnAgentsHands(t *testing.T) {
	c := serve(t, service.Options{})
	token, err := c.b.MintToken(t.Context(), broker.OperatorToken, "", operator)
	must(t, err)
	q := bash("s", "1", "ls")
	q.Session.Process = peers.FindProcess(os.Getpid()) // this test is the agent
	submit(t, c.b, q)
	code, got := c.do("POST", "/rules", `{"tool":"Bash","where":{"command":"make *"},"decision":"allow"}`, "Authorization", "Bearer "+token)
	if code != http.StatusForbidden {
		t.Errorf("%d %v, want 403", code, got)
	}
}

// A project's own file refuses and asks at once; it allows when its very content is
// trusted; one that cannot be read lets nothing of the project through.
func TestProjectRulesFile(t *testing.T) {
	dir := project(t)
	path := filepath.Join(dir, policy.RulesFileName)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	write := func(text string) { must(t, os.WriteFile(path, []byte(text), 0o600)) }
	const rm = "[[rule]]\ndecision = \"deny\"\ntool = \"Bash\"\nreason = \"ask before you delete\"\n[rule.where]\ncommand = \"rm **\"\n"
	const test = "[[rule]]\ndecision = \"allow\"\ntool = \"Bash\"\n[rule.where]\ncommand = \"make test\"\n"
	write(rm + test)
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	save(t, b, allowing("make lint"))
	n := 0
	state := func(command string) broker.State {
		n++
		return submit(t, b, callIn(dir, "s", fmt.Sprint(n), command)).State
	}
	check := func(when, command string, want broker.State) {
		t.Helper()
		if got := state(command); got != want {
			t.Errorf("%s: %s is %s, want %s", when, command, got, want)
		}
	}
	check("untrusted", "rm x", broker.Denied)
	check("untrusted", "make test", broker.Pending)
	files := b.Rules(t.Context()).Files
	if len(files) != 1 || files[0].Trusted || files[0].Problem != "" {
		t.Fatalf("files: %+v", files)
	}
	if err := b.TrustFile(t.Context(), path, strings.Repeat("0", 64), operator); !errors.Is(err, broker.ErrStale) {
		t.Errorf("trusting another content: %v", err)
	}
	must(t, b.TrustFile(t.Context(), path, files[0].Digest, operator))
	check("trusted", "make test", broker.Allowed)
	check("trusted", "make lint", broker.Allowed)
	write(rm + strings.Replace(test, "make test", "make **", 1))
	check("changed", "make test", broker.Pending)
	check("changed", "rm x", broker.Denied)
	write("[[rule]]\ndecision = \"alow\"\n")
	check("broken", "make lint", broker.Pending)
	if files := b.Rules(t.Context()).Files; len(files) != 1 || files[0].Problem == "" {
		t.Errorf("files: %+v, want a problem", files)
	}
	must(t, os.Remove(path))
	check("gone", "make lint", broker.Allowed)
	must(t, os.Mkdir(path, 0o700))
	check("a folder", "make lint", broker.Pending)
}

// What is allowed is what was shown: a link pointed elsewhere or a script rewritten
// while the call waited has to be looked at again.
func TestFileChangedWhilePending(t *testing.T) {
	dir := project(t)
	script, target, link := filepath.Join(dir, "deploy.sh"), filepath.Join(dir, "a"), filepath.Join(dir, "link")
	must(t, os.WriteFile(script, []byte("echo hi\n"), 0o600))
	must(t, os.WriteFile(target, []byte("x"), 0o600))
	must(t, os.Symlink("a", link))
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	write := callIn(dir, "s", "w", "")
	write.ToolName = "Write"
	write.ToolInput, _ = json.Marshal(map[string]string{"file_path": link, "content": "y"})

	for name, tc := range map[string]struct {
		q      broker.Question
		change func()
	}{
		"script rewritten": {callIn(dir, "s", "1", "sh deploy.sh"), func() { must(t, os.WriteFile(script, []byte("rm -rf ~\n"), 0o600)) }},
		"link elsewhere": {write, func() {
			must(t, os.Remove(link))
			must(t, os.Symlink("../home", link))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := submit(t, b, tc.q)
			tc.change()
			allow := broker.Decision{Verdict: broker.Allow, By: operator, Digest: r.Digest}
			if got, err := b.Decide(t.Context(), r.ID, allow); !errors.Is(err, broker.ErrChanged) || got.State != broker.Pending {
				t.Fatalf("%s %v, want pending and ErrChanged", got.State, err)
			}
			if got, err := b.Decide(t.Context(), r.ID, allow); err != nil || got.State != broker.Allowed {
				t.Errorf("after looking again: %s %v", got.State, err)
			}
		})
	}
}

// Observing holds nothing and says so; a stop still stops.
func TestObserve(t *testing.T) {
	dir := project(t)
	c := serve(t, service.Options{})
	save(t, c.b, denying("rm **", ""))
	submit(t, c.b, callIn(dir, "s", "0", "ls"))
	must(t, c.b.Observe(t.Context(), "s", true, operator))
	got := submit(t, c.b, callIn(dir, "s", "1", "rm x"))
	if got.State != broker.Answered || got.Outcome.By.Kind != broker.ByObserve || !strings.Contains(got.Outcome.Reason, "denied") {
		t.Errorf("observed: %s %+v", got.State, got.Outcome)
	}
	if got := submit(t, c.b, callIn(dir, "other", "1", "rm x")); got.State != broker.Denied {
		t.Errorf("another session: %s", got.State)
	}
	body := fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":%q,"tool_name":"Bash","tool_use_id":"t9","tool_input":{"command":"rm x"}}`, dir)
	if code, answer := c.do("POST", "/hooks/claude", body); code != http.StatusOK || len(answer) != 0 {
		t.Errorf("the hook's answer: %d %v, want {}", code, answer)
	}
	_, err := c.b.Stop(t.Context(), "s", operator)
	must(t, err)
	if got := submit(t, c.b, callIn(dir, "s", "3", "ls")); got.State != broker.Denied {
		t.Errorf("stopped: %s", got.State)
	}
	if err := c.b.Observe(t.Context(), "other", true, broker.Actor{Kind: broker.ByProcess}); !errors.Is(err, broker.ErrForbidden) {
		t.Errorf("switched on by a process: %v", err)
	}
}

// Of several that switch observing at once, the one that is last in the log wins.
func TestObserveAtOnce(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	dir := project(t)
	var recorded atomic.Int64
	st.AfterCommit(func(context.Context, *broker.Change) error { // every other one is slow to return
		for range recorded.Add(1) % 2 * 100 {
			runtime.Gosched()
		}
		return nil
	})
	for round := range 50 {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() { must(t, b.Observe(t.Context(), "", i%2 == 0, operator)) })
		}
		wg.Wait()
		list, err := st.Events(t.Context(), broker.EventFilter{Limit: 50})
		must(t, err)
		on := false
		for _, e := range list { // newest first
			if e.Type == broker.EventObserve {
				var d struct{ On bool }
				must(t, json.Unmarshal(e.Data, &d))
				on = d.On
				break
			}
		}
		got := submit(t, b, callIn(dir, "s", string(rune('a'+round)), "make x"))
		if (got.State == broker.Answered) != on {
			t.Fatalf("round %d: %s, and the log says observing: %v", round, got.State, on)
		}
		if got.State == broker.Pending {
			_, _ = b.Decide(t.Context(), got.ID, broker.Decision{Verdict: broker.Deny, By: operator})
		}
	}
}

func TestPreviewCountsWhatPeopleSaid(t *testing.T) {
	dir := project(t)
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	for i, v := range []broker.Verdict{broker.Allow, broker.Allow, broker.Deny, broker.Allow} {
		r := submit(t, b, callIn(dir, "s", fmt.Sprint(i), fmt.Sprintf("go test ./p%d", i)))
		_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: v, By: operator})
		must(t, err)
	}
	waiting := submit(t, b, callIn(dir, "s", "w", "go test ./w"))
	submit(t, b, callIn(dir, "s", "x", "go vet ./..."))
	p, err := b.Preview(t.Context(), allowing("go test *"))
	must(t, err)
	if p.Matched != 4 || p.Allowed != 3 || p.Denied != 1 || len(p.Against) != 1 || len(p.Waiting) != 1 || p.Waiting[0].ID != waiting.ID {
		t.Errorf("%+v", p)
	}
	drafts, err := b.Offer(t.Context(), waiting.ID)
	must(t, err)
	if len(drafts) == 0 {
		t.Fatal("nothing was offered")
	}
	for _, d := range drafts {
		if p, err := b.Preview(t.Context(), d); err != nil || len(p.Waiting) == 0 {
			t.Errorf("draft %v does not cover its own call: %+v %v", d.Where, p, err)
		}
	}
}

func TestDecideAll(t *testing.T) {
	dir := project(t)
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	pick := func(key, command string) broker.Pick {
		r := submit(t, b, callIn(dir, "s", key, command))
		return broker.Pick{ID: r.ID, Digest: r.Digest}
	}
	x, y, bad := pick("1", "go vet ./a"), pick("2", "go vet ./b"), pick("3", "sudo rm -rf /")
	allow := broker.Decision{Verdict: broker.Allow, By: operator}
	if _, err := b.DecideAll(t.Context(), []broker.Pick{x, bad}, allow); !errors.Is(err, broker.ErrInvalid) {
		t.Errorf("a dangerous call among others: %v", err)
	}
	stale := y
	stale.Digest = "another"
	if _, err := b.DecideAll(t.Context(), []broker.Pick{x, stale}, allow); !errors.Is(err, broker.ErrStale) {
		t.Errorf("a stale call: %v", err)
	}
	if n := len(b.Pending("")); n != 3 {
		t.Fatalf("%d wait, want all 3: a bulk decision is all or nothing", n)
	}
	done, err := b.DecideAll(t.Context(), []broker.Pick{x, y}, allow)
	if err != nil || len(done) != 2 || done[0].State != broker.Allowed {
		t.Errorf("%v %v", done, err)
	}
}

// Doubt about the log takes the say from all rules that allow, and only from those.
func TestBrokenLogAllowsNothing(t *testing.T) {
	dir := project(t)
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	save(t, b, allowing("make *"))
	save(t, b, denying("rm **", ""))
	b.NoteLog("event 7 does not follow the one before it")
	if got := submit(t, b, callIn(dir, "s", "1", "make x")); got.State != broker.Pending || !strings.Contains(got.Assessment.Reason, "event 7") {
		t.Errorf("%s, want pending, saying why", got.State)
	}
	if got := submit(t, b, callIn(dir, "s", "2", "rm x")); got.State != broker.Denied {
		t.Errorf("%s, want denied", got.State)
	}
}

// A rule whose record fails does not hold.
func TestRuleThatIsNotRecorded(t *testing.T) {
	dir, st := project(t), brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	failCommits(st, errors.New("disk full"))
	if _, err := b.SaveRule(t.Context(), allowing("make *"), operator); !errors.Is(err, broker.ErrNotRecorded) {
		t.Errorf("%v, want ErrNotRecorded", err)
	}
	failCommits(st, nil)
	if got := submit(t, b, callIn(dir, "s", "1", "make x")); got.State != broker.Pending {
		t.Errorf("%s, want pending", got.State)
	}
}

// A rule that says nothing about a waiting card leaves it as it was drawn.
func TestUnrelatedRuleLeavesCardsAlone(t *testing.T) {
	dir := project(t)
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	r := submit(t, b, callIn(dir, "s", "1", "make test"))
	_, updates := b.Watch(t.Context())
	save(t, b, denying("git push *", ""))
	save(t, b, denying("make **", ""))
	for u := range updates {
		if u.Request == nil {
			continue
		}
		if u.Request.ID != r.ID || u.Request.State != broker.Denied {
			t.Errorf("the first news of the card is %s %+v, want its denial", u.Request.State, u.Request.Assessment)
		}
		return
	}
}

// A file that has another name outside the project is not changed by a rule.
func TestHardLinkAsks(t *testing.T) {
	dir := project(t)
	own, linked := filepath.Join(dir, "own"), filepath.Join(dir, "linked")
	elsewhere := filepath.Join(filepath.Dir(dir), "elsewhere")
	for _, f := range []string{own, elsewhere} {
		must(t, os.WriteFile(f, []byte("x"), 0o600))
	}
	must(t, os.Link(elsewhere, linked))
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	save(t, b, rules.Rule{Enabled: true, Tool: "Write", Where: map[string]string{"file_path": "**"}, Decision: rules.Allow})
	for path, want := range map[string]broker.State{own: broker.Allowed, linked: broker.Pending} {
		q := callIn(dir, "s", path, "")
		q.ToolName = "Write"
		q.ToolInput, _ = json.Marshal(map[string]string{"file_path": path, "content": "y"})
		if got := submit(t, b, q); got.State != want {
			t.Errorf("%s: %s, want %s", path, got.State, want)
		}
	}
}

// A call that asks names the rule that is switched off and would allow it, only while it would.
func TestCallNamesRuleThatIsOff(t *testing.T) {
	dir := project(t)
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	off := allowing("make *")
	off.Enabled = false
	rule := save(t, b, off).Rule
	r := submit(t, b, callIn(dir, "s", "1", "make x"))
	if r.State != broker.Pending || r.Assessment.Off != rule.ID {
		t.Fatalf("%s, %+v; want the rule named", r.State, r.Assessment)
	}
	if other := submit(t, b, callIn(dir, "s", "2", "npm x")); other.Assessment.Off != "" {
		t.Errorf("another call names %q", other.Assessment.Off)
	}
	must(t, b.RemoveRule(t.Context(), rule.ID, operator))
	if got, err := b.Request(t.Context(), r.ID); err != nil || got.Assessment.Off != "" {
		t.Errorf("once it is removed: %+v, %v", got.Assessment, err)
	}
	off.ID = ""
	save(t, b, off)
	b.NoteLog("event 7 does not follow the one before it")
	if got := submit(t, b, callIn(dir, "s", "3", "make y")); got.State != broker.Pending || got.Assessment.Off != "" {
		t.Errorf("while no rule may allow anything: %s, %+v", got.State, got.Assessment)
	}
}

// A rule about effects keeps them on its way through the API.
func TestEffectsThroughTheAPI(t *testing.T) {
	c := serve(t, service.Options{})
	code, got := c.do("POST", "/rules", `{"tool":"(effects)","effects":"push, network","decision":"deny"}`)
	if code != http.StatusOK {
		t.Fatalf("%d %v", code, got)
	}
	if list := c.b.Rules(t.Context()).Rules; len(list) != 1 || list[0].Effects != effects.Of(effects.Push, effects.Network) {
		t.Errorf("the rules are %+v", list)
	}
	if code, got = c.do("POST", "/rules", `{"tool":"(effects)","effects":"chek","decision":"deny"}`); code != http.StatusBadRequest {
		t.Errorf("%d %v", code, got)
	}
}
