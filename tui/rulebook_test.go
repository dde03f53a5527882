package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/words"
)

// someRules are rules of every kind that the list marks, as of now.
func someRules(now time.Time) []rules.Rule {
	command := func(p string) map[string]string { return map[string]string{"command": p} }
	return []rules.Rule{
		{
			ID: "r-push", Version: 2, Priority: 50, Enabled: true, Tool: "Bash", Where: command("git push *"), Decision: rules.Ask,
			Uses: 4, LastUsedAt: now.Add(-2 * time.Hour), CreatedBy: "operator", CreatedAt: now.Add(-72 * time.Hour),
		},
		{
			ID: "r-test", Version: 1, Priority: 100, Enabled: true, Tool: "Bash", Where: command("npm run test *"), Decision: rules.Allow,
			Scope: rules.Scope{Project: home}, ExpiresAt: now.Add(43 * time.Minute), Uses: 1043, LastUsedAt: now.Add(-12 * time.Second),
			CreatedBy: "operator", CreatedFrom: "h0", CreatedAt: now.Add(-17 * time.Minute),
		},
		{
			ID: "r-edit", Version: 1, Priority: 100, Enabled: false, Tool: "Edit|Write", Where: map[string]string{"file_path": "src/**"}, Decision: rules.Allow,
			Scope: rules.Scope{Session: "s2"}, MaxUses: 20, Uses: 8, LastUsedAt: now.Add(-26 * time.Hour), CreatedBy: "operator", CreatedAt: now.Add(-48 * time.Hour),
		},
		{
			ID: "r-old", Version: 1, Priority: 100, Enabled: true, Tool: "Bash", Where: command("make \x1b[2Jall"), Decision: rules.Allow,
			Scope: rules.Scope{Agent: "codex"}, ExpiresAt: now.Add(-time.Minute), CreatedBy: "operator", CreatedAt: now.Add(-61 * time.Minute),
		},
		{
			ID: "r-used", Version: 1, Priority: 100, Enabled: true, Tool: "WebFetch", Where: map[string]string{"url": "https://docs.example/**"}, Decision: rules.Allow,
			MaxUses: 20, Uses: 20, LastUsedAt: now.Add(-3 * 24 * time.Hour), CreatedBy: "operator", CreatedAt: now.Add(-96 * time.Hour),
		},
		{
			ID: "r-file", Version: 1, Priority: 100, Enabled: true, Tool: "Bash", Where: command("rm -rf *"), Decision: rules.Deny,
			Reason: "ask a person to remove folders", Scope: rules.Scope{Project: home}, Source: home + "/.aoctl/rules.toml",
		},
	}
}

func someFiles(now time.Time) []broker.RulesFile {
	all := someRules(now)
	deny, allow := all[5], all[1]
	allow.ExpiresAt = time.Time{}
	return []broker.RulesFile{
		{Path: home + "/.aoctl/rules.toml", Digest: strings.Repeat("4f2a91c0", 8), Rules: []rules.Rule{deny, allow}},
		{Path: "/home/ada/src/infra/.aoctl/rules.toml", Digest: strings.Repeat("77", 32), Problem: "line 3: rule 1: tool: is empty"},
	}
}

// bookRig is a console with rules; a small past was decided by two of them.
func bookRig(t *testing.T) *rig {
	t.Helper()
	now := time.Now()
	c := newFake(oneSession, bash("r1", "s1", now, "echo 1"))
	c.book = broker.RuleBook{Rules: someRules(now), Files: someFiles(now)}
	by := func(id string) broker.Actor { return broker.Actor{Kind: broker.ByRule, ID: id} }
	c.history = []broker.Request{
		settled(bash("h1", "s1", now.Add(-3*time.Second), "npm run test a"), broker.Allowed, by("r-test"), "", now.Add(-2*time.Second)),
		settled(bash("h2", "s1", now.Add(-4*time.Second), "rm -rf x"), broker.Denied, by("r-file"), "", now.Add(-3*time.Second)),
		settled(bash("h3", "s1", now.Add(-5*time.Second), "cat x"), broker.Allowed, by(rules.BuiltinReadOnly), "", now.Add(-4*time.Second)),
		settled(bash("h4", "s1", now.Add(-6*time.Second), "ls"), broker.Allowed, by("0123456789abcdef"), "", now.Add(-5*time.Second)),
		settled(bash("h5", "s1", now.Add(-7*time.Second), "git push x"), broker.Denied, by("r-push"), "", now.Add(-6*time.Second)),
	}
	c.stats = map[string]broker.Stats{
		"": {Calls: 5210, ByRule: 4100, ByHand: 1000, Denied: 60, RuleDeny: 20, Expired: 30, Median: 3200 * time.Millisecond, Saved: 4120},
	}
	return newRig(t, c, 120, 40)
}

func TestRulesScreen(t *testing.T) {
	for name, tc := range map[string]struct {
		keys  []string
		saved string
		says  string
	}{
		"switch off":            {[]string{"j", " "}, "allow Bash command=npm run test * project=" + home + " off", "calls like npm run test * ask again"},
		"switch on":             {[]string{"j", "j", " "}, "allow Edit|Write file_path=src/** session=s2", "on: allows"},
		"switch an ask off":     {[]string{" "}, "ask Bash command=git push * off", "no longer makes a person answer git push *"},
		"of a file":             {[]string{"G", "k", " "}, "", "change it there"},
		"of a file, to edit":    {[]string{"G", "k", "enter"}, "", "it can only be changed there"},
		"of a file, to delete":  {[]string{"G", "k", "x"}, "", "change it there"},
		"of a file, to move":    {[]string{"G", "k", "K"}, "", "change it there"},
		"built in":              {[]string{"G"}, "", "calls that only look, inside the project, run everywhere without a question; space switches that off"},
		"built in, to edit":     {[]string{"G", "enter"}, "", "this grant is built in; space switches it off and on"},
		"built in, to delete":   {[]string{"G", "x"}, "", "this grant is built in; space switches it off and on"},
		"built in, off":         {[]string{"G", " "}, "ask (effects)", "off: calls that only look ask as well, by a rule of yours"},
		"earlier":               {[]string{"j", "j", "K"}, "allow Edit|Write file_path=src/** session=s2 off", "priority 100 → 99: it speaks before npm run test *"},
		"later":                 {[]string{"J"}, "ask Bash command=git push *", "priority 50 → 101: it speaks after npm run test *"},
		"earlier than all":      {[]string{"K"}, "", "no rule in that direction"},
		"edit and close":        {[]string{"j", "enter", "esc"}, "", ""},
		"edit, narrower agent":  {[]string{"enter", "tab", "tab", "tab", "tab", "tab", "tab", "right", "enter"}, "ask Bash command=git push * agent=claude", "rule saved: asks about \"git push *\" everywhere by claude"},
		"new, a pattern needed": {[]string{"n", "enter", "enter"}, "", "* stands for any"},
		"new":                   {[]string{"n", "l", "s", "enter", "enter"}, "allow Bash command=ls", "rule saved: allows \"ls\" everywhere for 1 h"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := bookRig(t)
				r.press("r")
				r.press(tc.keys...)
				if got := r.saved(); got != tc.saved {
					t.Errorf("saved %q, want %q", got, tc.saved)
				}
				r.shows(tc.says)
			})
		})
	}
}

// What the editor saved is selected when the list comes back, and e edits as enter does.
func TestSavedRuleIsSelected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("h", "r", "n", "l", "s", "enter", "enter")
		r.selects("new-rule")
		r.press("e")
		if !r.editing() {
			t.Errorf("e opens no editor on the rule:\n%s", r.view())
		}
		r.press("esc", "esc")
		r.shows("Decided")
	})
}

// A changed rule carries the version that was shown, so that a change in between is
// noticed.
func TestChangesNameTheVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", " ")
		if s := r.c.saves[0]; s.ID != "r-push" || s.Version != 2 || s.Uses != 4 {
			t.Errorf("saved %+v", s)
		}
		r.press(" ")
		if s := r.c.saves[1]; s.Version != 3 || !s.Enabled {
			t.Errorf("saved %+v", s)
		}
	})
}

func TestDeleteRuleAsks(t *testing.T) {
	for name, tc := range map[string]struct {
		act  func(*rig)
		want string
	}{
		"yes": {func(r *rig) { r.press("x", "y") }, "r-push"},
		"no":  {func(r *rig) { r.press("x", "n") }, ""},
		"esc": {func(r *rig) { r.press("x", "esc") }, ""},
		"at once": {func(r *rig) {
			r.send(keyMsg("x"))
			r.wait(50 * time.Millisecond)
			r.send(keyMsg("y"))
			r.wait(time.Second)
		}, ""},
		"burst": {func(r *rig) { r.press("x"); r.send(keyMsg("y")); r.send(keyMsg("e")); r.wait(time.Second) }, ""},
		"pasted": {func(r *rig) {
			r.press("x")
			r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("y"), Paste: true})
			r.wait(time.Second)
		}, ""},
		"pasted whole": {func(r *rig) { r.send(keyMsg("xy")); r.wait(time.Second) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := bookRig(t)
				r.press("r")
				tc.act(r)
				if got := strings.Join(r.c.removed, " "); got != tc.want {
					t.Errorf("removed %q, want %q", got, tc.want)
				}
			})
		})
	}
}

// What lets more calls run takes a press of its own: no burst, no held key.
func TestSwitchingOnIsGuarded(t *testing.T) {
	for name, act := range map[string]func(*rig){
		"burst":     func(r *rig) { r.send(keyMsg(" ")); r.send(keyMsg("j")) },
		"behind":    func(r *rig) { r.send(keyMsg("j")); r.send(keyMsg("k")); r.send(keyMsg(" ")) },
		"held down": func(r *rig) { r.send(keyMsg("j")); r.send(keyMsg("k")); r.wait(100 * time.Millisecond); r.hold(" ") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := bookRig(t)
				r.press("r", "j", "j")
				act(r)
				r.wait(2 * time.Second)
				if n := len(r.c.saves); n > 1 || n == 1 && name != "held down" || r.m.prompt != nil {
					t.Errorf("saved %d times: %q", n, r.saved())
				}
			})
		})
	}
}

// hold holds a key down for some seconds.
func (r *rig) hold(name string) {
	r.send(keyMsg(name))
	r.wait(500 * time.Millisecond)
	for range 60 {
		r.send(keyMsg(name))
		r.wait(33 * time.Millisecond)
	}
}

func TestFilterRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "/")
		r.typeText("npm allow")
		r.press("enter")
		r.shows("Rules 1 of 7")
		r.press(" ")
		if got, want := r.saved(), "allow Bash command=npm run test * project="+home+" off"; got != want {
			t.Errorf("saved %q, want %q", got, want)
		}
		r.press("esc")
		r.shows("Rules 7")
		r.press("esc")
		if !r.m.listed() {
			t.Error("esc should lead back")
		}
	})
}

func TestRuleNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		for id, want := range map[string]string{
			"r-push": "git push *", rules.BuiltinReadOnly: "read-only", "0123456789abcdef": "89abcdef",
			"r-old": `make \x1b[2Jall`, "r-edit": "src/**",
		} {
			if got := r.m.Book.RuleName(id); got != want {
				t.Errorf("%s is called %q, want %q", id, got, want)
			}
		}
		r.press("h")
		r.shows("rule npm run test *")
		r.shows("rule read-only")
	})
}

// One key in the history switches off the rule that allowed a call; enter on the
// call's page opens it.
func TestHistoryRevokes(t *testing.T) {
	for name, tc := range map[string]struct {
		keys  []string
		saved string
		says  string
	}{
		"from the list":   {[]string{"h", "x"}, "allow Bash command=npm run test * project=" + home + " off", "rule npm run test * is off; calls like this ask again"},
		"from the page":   {[]string{"h", "enter", "x"}, "allow Bash command=npm run test * project=" + home + " off", "rule npm run test * is off; calls like this ask again"},
		"twice":           {[]string{"h", "x", "x"}, "allow Bash command=npm run test * project=" + home + " off", "is off already"},
		"a deny":          {[]string{"h", "j", "x"}, "", "change it there"},
		"an ask":          {[]string{"h", "G", "x"}, "", "allows nothing"},
		"built in":        {[]string{"h", "j", "j", "x"}, "", "built-in"},
		"removed":         {[]string{"h", "j", "j", "j", "x"}, "", "rule 89abcdef that decided this was removed"},
		"open and close":  {[]string{"h", "enter", "enter", "esc"}, "", "npm run test"},
		"open and change": {[]string{"h", "enter", "enter", "right", "enter"}, "deny Bash command=npm run test * project=" + home, "rule saved: denies"},
		"open built in":   {[]string{"h", "j", "j", "enter", "enter"}, "", "built-in"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := bookRig(t)
				r.press(tc.keys...)
				if got := r.saved(); got != tc.saved {
					t.Errorf("saved %q, want %q", got, tc.saved)
				}
				r.shows(tc.says)
			})
		})
	}
}

func TestStatistics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("h")
		r.shows("5,210 calls · 5,100 allowed (1,000 by you, 4,100 by rules) · 80 denied (20 by rules) · 30 expired")
		r.c.mu.Lock()
		r.c.stats["s1"] = broker.Stats{Calls: 7, ByHand: 7}
		r.c.mu.Unlock()
		r.press("esc", "tab", "tab", "enter", "h")
		r.shows("api: 7 calls · 7 allowed · 0 denied")
	})
}

func TestTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "t", "n")
		r.typeText("ci run")
		r.wait(time.Second)
		r.press("enter")
		r.shows("aoctl_0123456789abcdef0123456789abcdef0123456789abcdef")
		r.shows("AOCTL_TOKEN")
		r.press("j", "n", "x", "r", " ", "y")
		r.shows("aoctl_0123456789abcdef")
		r.press("enter")
		if strings.Contains(r.view(), "aoctl_0123") {
			t.Error("the token is still on the screen")
		}
		r.shows("ci run")
		r.press("x", "y")
		if got := strings.Join(r.c.revoked, " "); got != "t-ci run" {
			t.Errorf("revoked %q", got)
		}
		if got := strings.Join(r.c.minted, ","); got != "operator ci run" {
			t.Errorf("minted %q", got)
		}
	})
}

// A token for asking says that it is one, before and after it is made.
func TestAskingTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "t", "N")
		r.shows("label of the new token for asking")
		r.typeText("box")
		r.wait(time.Second)
		r.press("enter")
		r.shows("New token for asking")
		r.shows("AOCTL_URL")
		r.press("enter")
		r.shows("asks")
		if got := strings.Join(r.c.minted, ","); got != "ask box" {
			t.Errorf("minted %q", got)
		}
	})
}

// A label whose enter came with a paste makes no token.
func TestMintingIsGuarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "t", "n")
		r.send(keyMsg("label"))
		r.send(keyMsg("enter"))
		r.wait(2 * time.Second)
		if len(r.c.minted) > 0 {
			t.Errorf("minted %q", r.c.minted)
		}
		r.press("esc")
		if len(r.c.minted) > 0 || r.m.prompt != nil {
			t.Error("esc should leave without a token")
		}
	})
}

func TestTrustFile(t *testing.T) {
	path := home + "/.aoctl/rules.toml"
	for name, tc := range map[string]struct {
		keys []string
		want string
	}{
		"yes":            {[]string{"enter", "G", "y", "y"}, path + " " + strings.Repeat("4f2a91c0", 8)},
		"no":             {[]string{"enter", "G", "y", "n"}, ""},
		"broken":         {[]string{"j", "enter", "y", "y"}, ""},
		"not trusted: x": {[]string{"enter", "x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := bookRig(t)
				r.press("r", "F")
				r.press(tc.keys...)
				if got := strings.Join(r.c.trusted, ","); got != tc.want {
					t.Errorf("trusted %q, want %q", got, tc.want)
				}
			})
		})
	}
}

// A file is trusted only when all of it was on the screen, with the digest shown; and
// trust can be taken back by one key.
func TestTrustNeedsReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "F", "enter")
		r.send(tea.WindowSizeMsg{Width: 60, Height: 14})
		r.wait(time.Second)
		r.press("y", "y")
		r.shows("read it to the end")
		if len(r.c.trusted) > 0 {
			t.Fatalf("trusted %q", r.c.trusted)
		}
		r.press("G", "y", "y")
		if len(r.c.trusted) != 1 {
			t.Fatalf("trusted %q", r.c.trusted)
		}
		book := r.c.book
		book.Files[0].Trusted = true
		r.send(updatesMsg{gen: r.m.feed.gen, list: []broker.Update{{Rules: &book}}})
		r.press("x")
		if got, want := r.c.trusted[1], home+"/.aoctl/rules.toml"; got != want {
			t.Errorf("trusted %q, want %q without a digest", got, want)
		}
	})
}

// In a window that is too small to judge a call in, no file is trusted.
func TestNoTrustInASmallWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "F", "enter")
		r.send(tea.WindowSizeMsg{Width: 60, Height: 11})
		r.wait(time.Second)
		r.press("G", "y")
		r.shows("window too small to show the call")
		r.press("y")
		if len(r.c.trusted) > 0 {
			t.Errorf("trusted %q", r.c.trusted)
		}
	})
}

// Keys that decide calls do nothing on the screens about rules.
func TestRulesScreensDecideNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		for _, path := range [][]string{{"r"}, {"r", "t"}, {"r", "F"}, {"r", "F", "enter"}} {
			for _, k := range []string{"a", "d", "s", "S", "D", "A"} {
				r.m.home()
				r.wait(2 * time.Second) // what follows a D may be words
				r.press(path...)
				r.press(k)
				r.shows("nothing on this screen can be decided; esc goes back")
			}
		}
		r.wait(3 * time.Second)
		if r.decisions() != "" || r.c.stopAlls > 0 || len(r.c.stopped) > 0 || r.editing() || r.m.prompt != nil {
			t.Errorf("decided %q, stopped %v", r.decisions(), r.c.stopped)
		}
	})
}

// selects checks which rule the open list has selected.
func (r *rig) selects(id string) {
	r.t.Helper()
	if got := r.m.topmost().Subject().Rule; got != id {
		r.t.Errorf("%q is selected, want %q", got, id)
	}
}

// The selection is a rule, not a place: what others change does not move it.
func TestRuleSelectionStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "j", "j")
		book := broker.RuleBook{Rules: someRules(time.Now())[1:]}
		r.send(updatesMsg{gen: r.m.feed.gen, list: []broker.Update{{Rules: &book}}})
		r.selects("r-edit")
		book = broker.RuleBook{Rules: append(book.Rules[:1:1], book.Rules[2:]...)}
		r.send(updatesMsg{gen: r.m.feed.gen, list: []broker.Update{{Rules: &book}}})
		r.selects("r-old") // which took its place
	})
}

// A file that changes while its page is open has to be read again, and the trust that
// is asked for is never about what was not on the screen.
func TestFileChangesUnderThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "F", "enter")
		r.send(tea.WindowSizeMsg{Width: 60, Height: 14})
		r.wait(time.Second)
		r.press("G", "y")
		book := r.c.book
		book.Files = someFiles(time.Now())
		book.Files[0].Digest = strings.Repeat("5", 64)
		r.send(updatesMsg{gen: r.m.feed.gen, list: []broker.Update{{Rules: &book}}})
		if view := r.view(); !strings.Contains(view, "sha-256") || strings.Contains(view, "Rules file 1–") {
			t.Errorf("the page should begin anew:\n%s", view)
		}
		r.press("y") // within a moment of the change, then again
		r.press("y")
		r.wait(time.Second)
		for _, got := range r.c.trusted {
			if strings.Contains(got, "5555") {
				t.Errorf("trusted %q, which was not read", got)
			}
		}
	})
}

// The built-in grant that a rule of ours has switched off is off in the list, and the key that switches
// rules on takes that rule away. Another rule about looking is left to the operator.
func TestLookIsSwitchedOnAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		ask := rules.Rule{ID: "r-look", Version: 1, Priority: rules.MaxPriority, Enabled: true, Tool: rules.EffectsTool, Effects: effects.Of(effects.Look), Decision: rules.Ask}
		show := func() {
			r.m.Book = words.NewBook(broker.RuleBook{Rules: append(someRules(time.Now()), ask)})
			r.press("r", "G")
		}
		show()
		r.shows("off, as your rule ask look asks everywhere; space switches it on")
		r.press(" ")
		r.shows("on: calls that only look, inside the project, run without a question")
		if len(r.c.removed) != 1 || r.c.removed[0] != "r-look" || r.saved() != "" {
			t.Errorf("removed %v, saved %q", r.c.removed, r.saved())
		}
		r.press("esc")
		ask.Decision, ask.Effects = rules.Deny, effects.Of(effects.Look, effects.Network)
		show()
		r.press(" ")
		r.shows("it is off because of your rule deny look, network: switch that one off")
		if len(r.c.removed) != 1 {
			t.Errorf("removed %v", r.c.removed)
		}
	})
}
