package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// risky starts a console over a dangerous call, r1, and a normal one, r2.
func risky(t *testing.T) *rig {
	t.Helper()
	now := time.Now()
	return newRig(t, newFake(oneSession,
		deadly(bash("r1", "s1", now.Add(-2*time.Second), "rm -rf ~/old")),
		bash("r2", "s1", now.Add(-3*time.Second), "echo 2")), 80, 24)
}

// digits types the keys as fast as people type a number.
func (r *rig) digits(names ...string) {
	for _, n := range names {
		r.send(keyMsg(n))
		r.wait(150 * time.Millisecond)
	}
}

func TestDangerousCallNeedsItsCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := risky(t)
		r.shows("!! DANGEROUS  deletes outside the project")
		r.shows("type 47 to allow it once; no wildcard rule can")
		r.shows("type 47 allow")
		r.press("a")
		r.shows("dangerous: type 47 to allow")
		r.wait(3 * time.Second)
		if got := r.decisions(); got != "" {
			t.Fatalf("a decided %q", got)
		}
		r.press("4")
		r.shows("4_ then 7 allows")
		r.press("7")
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("the code decided %q", got)
		}
		r.press("d")
		if got := r.decisions(); got != "allow r1;deny r2;" {
			t.Errorf("decided %q", got)
		}
	})
}

func TestDenyOfADangerousCallTakesOneKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := risky(t)
		r.press("d")
		if got := r.decisions(); got != "deny r1;" {
			t.Errorf("decided %q", got)
		}
	})
}

func TestCodeTypedAsPeopleType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := risky(t)
		r.digits("4", "7")
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("decided %q", got)
		}
	})
}

// None of these is the code, typed by a person who looked at the card.
func TestCodesThatDoNotCount(t *testing.T) {
	paste := func(text string) tea.KeyMsg {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true}
	}
	r1 := func(r *rig) broker.Request { return r.c.requests["r1"] }
	for name, play := range map[string]func(*rig){
		"wrong second digit":      func(r *rig) { r.digits("4", "8") },
		"wrong first digit":       func(r *rig) { r.digits("7", "4") },
		"only the second":         func(r *rig) { r.digits("7") },
		"wrong digit between":     func(r *rig) { r.digits("4", "5", "7") },
		"first digit held down":   func(r *rig) { r.digits("4", "4", "4", "4", "7") },
		"a burst in one":          func(r *rig) { r.send(keyMsg("47")) },
		"a burst of two":          func(r *rig) { r.send(keyMsg("4")); r.send(keyMsg("7")) },
		"a burst behind":          func(r *rig) { r.digits("4"); r.send(keyMsg("7")); r.send(keyMsg("7")) },
		"a paste":                 func(r *rig) { r.send(paste("47")) },
		"two pastes":              func(r *rig) { r.send(paste("4")); r.wait(200 * time.Millisecond); r.send(paste("7")) },
		"a paste after the first": func(r *rig) { r.digits("4"); r.send(paste("7")) },
		"too late":                func(r *rig) { r.digits("4"); r.wait(guard.CodeFor); r.digits("7") },
		"another key between":     func(r *rig) { r.digits("4", "tab", "7") },
		"right after it came":     func(r *rig) { r.send(tea.FocusMsg{}); r.digits("4", "7") },
		"window between":          func(r *rig) { r.digits("4"); r.send(tea.WindowSizeMsg{Width: 100, Height: 30}); r.digits("7") },
		"focus between":           func(r *rig) { r.digits("4"); r.send(tea.FocusMsg{}); r.digits("7") },
		"in the list of keys":     func(r *rig) { r.press("?"); r.digits("4", "7") },
		"in a reason":             func(r *rig) { r.press("D"); r.digits("4", "7") },
		"risk changes between": func(r *rig) {
			r.digits("4")
			r.c.publish(judgedAsRisk(r1(r), risk.Dangerous, "force push"))
			r.wait(20 * time.Millisecond)
			r.digits("7")
		},
		"another card between": func(r *rig) {
			r.digits("4")
			r.c.publish(settled(r1(r), broker.Denied, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
			r.c.publish(deadly(bash("r9", "s1", time.Now(), "rm -rf ~/other")))
			r.wait(20 * time.Millisecond)
			r.digits("7")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := risky(t)
				play(r)
				r.wait(5 * time.Second)
				if got := r.decisions(); got != "" {
					t.Errorf("decided %q", got)
				}
			})
		})
	}
}

func TestWrongDigitSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := risky(t)
		r.digits("4", "8")
		r.shows("that is not the code of this card: type 47 to allow")
		r.wait(time.Second)
		r.digits("4", "7")
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("after a wrong digit decided %q", got)
		}
	})
}

// Every card has a code of its own, and keeps it.
func TestCodeOfOneCardDoesNotAllowAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := risky(t)
		codes := []string{"12", "98", "31"}
		r.m.newCode = func() string {
			c := codes[0]
			codes = codes[1:]
			return c
		}
		r.c.publish(deadly(bash("r9", "s1", time.Now(), "rm -rf ~/other")))
		r.wait(time.Second)
		r.press("j")
		r.shows("type 12 allow")
		r.wait(time.Second)
		r.digits("4", "7")
		r.wait(time.Second)
		if got := r.decisions(); got != "" {
			t.Fatalf("the code of r1 decided %q", got)
		}
		r.press("k", "j")
		r.shows("type 12 allow")
		r.digits("1", "2")
		r.wait(time.Second)
		if got := r.decisions(); got != "allow r9;" {
			t.Errorf("decided %q", got)
		}
	})
}

func TestCodeIsLockedUntilTheEndWasSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := deadly(bash("r1", "s1", time.Now(), "echo ok"+strings.Repeat("\n# nothing of interest", 60)+"\nrm -rf ~"))
		r := newRig(t, newFake(oneSession, long), 80, 24)
		r.press("4", "7")
		r.shows("read to the end to allow")
		r.wait(3 * time.Second)
		if got := r.decisions(); got != "" {
			t.Fatalf("decided %q before the end was seen", got)
		}
		r.press("G", "4", "7")
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("decided %q", got)
		}
	})
}

// A call that was dangerous stays so as a late card, also when the broker's last word
// about it says nothing of risk.
func TestLateDangerousCallNeedsItsCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := risky(t)
		gone := settled(r.c.requests["r1"], broker.Expired, broker.Actor{Kind: broker.ByDeadline}, "", time.Now())
		gone.Assessment = nil
		r.c.publish(gone)
		r.wait(time.Second)
		r.press("G", "a")
		r.shows("dangerous: type 47 to let its retry pass")
		r.wait(3 * time.Second)
		if got := r.decisions(); got != "" {
			t.Fatalf("a decided %q", got)
		}
		r.digits("4", "7")
		r.wait(time.Second)
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("the code decided %q", got)
		}
	})
}

func TestDigitsMeanNothingOnOtherCards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := risky(t)
		r.press("j")
		r.digits("4", "7", "1")
		r.wait(time.Second)
		if got := r.decisions(); got != "" {
			t.Errorf("decided %q", got)
		}
	})
}

func TestNewCode(t *testing.T) {
	seen := map[string]int{}
	for range 8100 {
		c := guard.NewCode()
		if len(c) != 2 || c[0] == c[1] || c < "10" || c > "98" {
			t.Fatalf("code %q", c)
		}
		seen[c]++
	}
	if len(seen) != 81 {
		t.Errorf("%d different codes, want 81", len(seen))
	}
	for c, n := range seen { // 100 are expected; 30 is seven times the spread away
		if n < 30 || n > 170 {
			t.Errorf("code %s came %d times of 8,100", c, n)
		}
	}
}

func TestQueueIsSortedByRisk(t *testing.T) {
	now := tuitest.Noon
	at := func(n int) time.Time { return now.Add(time.Duration(n) * time.Second) }
	b := board.NewBoard()
	b.Reset(broker.Snapshot{Requests: []broker.Request{
		judgedAsRisk(bash("safe old", "s1", at(1), "ls"), risk.Safe, ""),
		bash("normal", "s1", at(2), "make"),
		deadly(bash("bad young", "s1", at(9), "rm -rf ~")),
		deadly(bash("bad old", "s1", at(3), "rm -rf /")),
		judgedAsRisk(bash("normal old", "s1", at(0), "go build"), risk.Normal, ""),
	}}, now)
	ids := func() (list []string) {
		for i := range b.Rows() {
			list = append(list, b.Row(i).Req.ID)
		}
		return list
	}
	if diff := cmp.Diff([]string{"bad old", "bad young", "normal old", "normal", "safe old"}, ids()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if n := b.Waiting.Dangerous(); n != 2 {
		t.Errorf("%d dangerous calls, want 2", n)
	}
	worse := deadly(b.Cards["safe old"].Req) // the rules say otherwise now: it moves, once
	b.Apply(broker.Update{Request: &worse}, now)
	better := judgedAsRisk(b.Cards["bad old"].Req, risk.Normal, "")
	b.Apply(broker.Update{Request: &better}, now)
	if diff := cmp.Diff([]string{"safe old", "bad young", "normal old", "normal", "bad old"}, ids()); diff != "" {
		t.Errorf("after two changes: -want +got\n%s", diff)
	}
	for i := range b.Rows() {
		if b.Place(b.Row(i)) != i {
			t.Errorf("row %d is not found where it is", i)
		}
	}
}

// Dangerous arrivals go above the drawn card, which stays drawn and is what keys act on.
func TestDangerousArrivalsLeaveTheSelectionAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		for i := range 20 {
			r.c.publish(deadly(bash(fmt.Sprintf("n%d", i), "s1", time.Now(), "rm -rf ~")))
			r.wait(30 * time.Millisecond)
			if r.m.selected() != "r1" {
				t.Fatalf("arrival %d moved the selection to %s", i, r.m.selected())
			}
		}
		r.shows("$ echo 1")
		r.press("a")
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("decided %q, want r1", got)
		}
	})
}

// A normal call turns out to be dangerous while a is on its way.
func TestCallThatBecomesDangerous(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession, bash("r1", "s1", time.Now(), "sh x.sh")), 80, 24)
		r.send(keyMsg("a"))
		r.c.publish(deadly(r.c.requests["r1"]))
		r.wait(3 * time.Second)
		if got := r.decisions(); got != "" {
			t.Fatalf("decided %q", got)
		}
		r.shows("type 47 allow")
	})
}

// What the rules say changes while a is on its way: nothing is decided on a screen that
// said otherwise, but what was read stays read.
func TestWordsOfTheRulesChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := judgedAsRisk(bash("r1", "s1", time.Now(), "make"+strings.Repeat("\n# nothing", 60)), risk.Normal, "", ran("make", rules.Ask, "", "nothing allows it"))
		r := newRig(t, newFake(oneSession, long), 80, 24)
		r.press("G")
		r.send(keyMsg("a"))
		again := long
		again.Assessment = judgedAsRisk(long, risk.Normal, "", ran("make", rules.Ask, "", "a rule asks")).Assessment
		r.c.publish(again)
		r.wait(3 * time.Second)
		if got := r.decisions(); got != "" {
			t.Fatalf("decided %q", got)
		}
		r.press("a")
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("decided %q", got)
		}
	})
}

func TestChangedFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := "sh x.sh" + strings.Repeat("\n# nothing of interest", 60)
		r := newRig(t, newFake(oneSession, bash("r1", "s1", time.Now(), long)), 80, 24)
		r.press("G")
		r.c.failWith = fmt.Errorf("decide r1: %w", broker.ErrChanged)
		r.send(keyMsg("a"))
		r.wait(100 * time.Millisecond)
		r.shows("a file of this call changed while it waited: look again")
		r.shows("a file of it changed")
		r.c.failWith = nil
		before := r.decisions()
		r.send(keyMsg("d"))
		r.wait(300 * time.Millisecond)
		if got := r.decisions(); got != before {
			t.Fatalf("d hit a card that had just changed: %q", got)
		}
		r.wait(time.Second)
		r.press("a")
		r.shows("read to the end to allow")
		r.press("G", "a")
		if got := r.decisions(); got != before+"allow r1;" {
			t.Errorf("decided %q", got)
		}
	})
}

// What the broker says with its ErrChanged is drawn: here, that the call is dangerous now.
func TestChangedFileBringsANewJudgement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession, bash("r1", "s1", time.Now(), "sh x.sh")), 80, 24)
		r.c.failWith = broker.ErrChanged
		r.c.requests["r1"] = deadly(r.c.requests["r1"])
		r.press("a")
		r.shows("!! DANGEROUS  deletes outside the project")
		r.c.failWith = nil
		before := r.decisions()
		r.press("a")
		if got := r.decisions(); got != before {
			t.Errorf("a decided %q", strings.TrimPrefix(got, before))
		}
	})
}

// A dangerous call says so once, and nobody can allow it who has not had that on the screen,
// however long its tool's name and its input are and however narrow the window is.
func TestDangerIsSeenOnceBeforeTheCallIsAllowed(t *testing.T) {
	for _, tool := range []string{"Bash", "mcp__" + strings.Repeat("very_long", 20) + "__tool", strings.Repeat("語", 60)} {
		for _, input := range []string{"x", strings.Repeat("echo a line\\n", 300)} {
			call := deadly(tuitest.NewCall("r1", "s1", tool, seconds(5), `{"command":"`+input+`"}`))
			for width := desk.LeastWidth; width < 140; width += 9 {
				d := callview.LayOut(tuitest.PlainStyles(), call, callview.Around{Loc: time.UTC, Code: "47"}, width)
				all, seen := strings.Join(d.Rows, "\n"), strings.Join(d.Rows[:d.CallEnd], "\n")
				if strings.Count(all, "DANGEROUS") != 1 || strings.Count(all, "!!") != 1 || !strings.Contains(seen, "DANGEROUS") {
					t.Fatalf("%s at %d: %d rows are the call of\n%s", tool, width, d.CallEnd, all)
				}
				if len(input) > 100 && !strings.Contains(d.Rows[0], "DANGEROUS") {
					t.Errorf("the danger of a long call stands below it: %q", d.Rows[0])
				}
			}
		}
	}
}

// The code stands on the card that it allows, and on no other input of the same call.
func TestCodeStandsOnItsCardOnly(t *testing.T) {
	s := newStill(t, broker.Snapshot{Requests: []broker.Request{deadly(bash("r1", "s1", seconds(5), "rm -rf ~/old"))}}, nil, termenv.Ascii)
	if view := s.draw(100, 30); !strings.Contains(view, "type 47 to allow it once") {
		t.Fatal(view)
	}
	s.m.Board.Cards["r1"].Req.Held = "frozen"
	if view := s.draw(100, 30); strings.Contains(view, "to allow it once") {
		t.Errorf("the card of a held call has a code:\n%s", view)
	}
	s.m.Board.Cards["r1"].Req.Held = ""
	edited := s.m.Board.Cards["r1"].Req
	edited.ToolInput = []byte(`{"command":"rm -rf /"}`)
	if a := s.m.Around(edited); a.Code != "" {
		t.Errorf("another input has the code %q", a.Code)
	}
}

// All that stands between a call and an allow is drawn, or counted.
func TestLongListsAreCounted(t *testing.T) {
	call := manyThings(bash("r1", "s1", tuitest.Noon, "x"))
	d := callview.LayOut(tuitest.PlainStyles(), call, callview.Around{Loc: time.UTC}, 100)
	text := strings.Join(d.Rows, "\n")
	for _, want := range []string{
		"✗ rm -rf /var/cache/thing", "through sudo, env", "leads to /data/cache/thing", "nobody knows what $X is", "sets BASH_ENV=/tmp/x",
		"and 34 more: 33 allowed, 1 without a say", "and 7 more dangers, below", "dangerous: publishes a package", "no rule can allow it: it touches aoctl's own files", `denied by rule "rm *": not outside the project`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(strings.Join(d.Rows[:d.CallEnd], "\n"), "runs") {
		t.Error("our remarks are part of the call")
	}
}

// However many elements a line has, one that keeps it from running is among those drawn.
func TestWorstElementsAreDrawn(t *testing.T) {
	all := make([]rules.Judged, 500)
	for i := range all {
		all[i] = ran(fmt.Sprint("echo ", i), rules.Allow, "", "")
	}
	all[490] = ran("rm -rf ~", rules.Deny, "", "")
	all[300] = ran("sh", rules.Ask, "", "")
	list, rest := callview.WorstOf(all, callview.ElementsShown)
	if len(list) != callview.ElementsShown || len(rest) != 500-callview.ElementsShown {
		t.Fatalf("%d and %d elements", len(list), len(rest))
	}
	if list[10].Text != "sh" || list[11].Text != "rm -rf ~" || list[0].Text != "echo 0" {
		t.Errorf("drawn are %v", list)
	}
}
