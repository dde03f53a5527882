package tui

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/tty"
	"github.com/aoctl/aoctl/tui/tuitest"
)

var oneSession = []broker.Session{{ID: "s1", Agent: "claude", Name: "api", State: broker.SessionActive}}

// three starts a console over three waiting calls.
func three(t *testing.T) *rig {
	t.Helper()
	now := time.Now()
	return newRig(t, newFake(oneSession,
		bash("r1", "s1", now.Add(-3*time.Second), "echo 1"),
		bash("r2", "s1", now.Add(-2*time.Second), "echo 2"),
		bash("r3", "s1", now.Add(-1*time.Second), "echo 3")), 80, 24)
}

func TestDecide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("a", "d")
		if got, want := r.decisions(), "allow r1;deny r2;"; got != want {
			t.Errorf("decided %q, want %q", got, want)
		}
		for _, d := range r.c.decided {
			if d.By.Kind != broker.ByOperator || d.Digest == "" {
				t.Errorf("decision %+v lacks operator or digest", d)
			}
		}
		r.shows("echo 3")
	})
}

func TestDeafAfterTheCardChanges(t *testing.T) {
	for name, change := range map[string]func(*rig){
		"settled elsewhere": func(r *rig) {
			r.c.publish(settled(r.c.requests["r1"], broker.Denied, broker.Actor{Kind: broker.ByProcess}, "", time.Now()))
			r.wait(20 * time.Millisecond)
		},
		"focus":      func(r *rig) { r.send(tea.FocusMsg{}) },
		"resume":     func(r *rig) { r.send(tea.ResumeMsg{}) },
		"resize":     func(r *rig) { r.send(tea.WindowSizeMsg{Width: 100, Height: 30}) },
		"cursor key": func(r *rig) { r.send(keyMsg("j")); r.wait(50 * time.Millisecond) },
		"full screen and back": func(r *rig) {
			r.press("?")
			r.send(keyMsg("esc"))
			r.wait(50 * time.Millisecond)
		},
		"process stopped and continued": func(r *rig) { time.Sleep(10 * time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := three(t)
				change(r)
				r.send(keyMsg("a"))
				r.wait(200 * time.Millisecond)
				if got := r.decisions(); got != "" {
					t.Fatalf("a pressed at once decided %q", got)
				}
				r.shows("…") // what was typed while deaf is dropped, and the footer says so
				r.wait(5 * time.Second)
				if got := r.decisions(); got != "" {
					t.Fatalf("a pressed while deaf decided later: %q", got)
				}
				r.press("a")
				if got := r.decisions(); !strings.HasPrefix(got, "allow r") {
					t.Errorf("a pressed after the deaf time decided %q", got)
				}
			})
		})
	}
}

func TestArrivalIntoAnEmptyQueueIsDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession), 80, 24)
		r.c.publish(bash("r1", "s1", time.Now(), "rm -rf /"))
		r.wait(100 * time.Millisecond)
		r.shows("rm -rf /")
		r.press("a")
		if got := r.decisions(); got != "" {
			t.Errorf("a hit a card that had just come: %q", got)
		}
	})
}

func TestArrivalsNeverMoveTheSelection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("j")
		for i := range 50 { // older and younger ones
			r.c.publish(bash(fmt.Sprintf("n%d", i), "s1", time.Now().Add(time.Duration(i-25)*time.Minute), "echo new"))
			r.wait(30 * time.Millisecond)
			if r.m.selected() != "r2" {
				t.Fatalf("arrival %d moved the selection to %s", i, r.m.selected())
			}
		}
		r.press("a")
		if got := r.decisions(); got != "allow r2;" {
			t.Errorf("decided %q, want r2", got)
		}
	})
}

// Holding a down: it repeats after a pause that is longer than the deaf time.
func TestHeldKeyDecidesOnce(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for _, delay := range []int{250, 500, 660, 1000, 1800} {
		for _, interval := range []int{15, 33, 40, 91} {
			t.Run(fmt.Sprintf("%d then every %d", delay, interval), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := three(t)
					r.send(keyMsg("a"))
					r.wait(ms(delay))
					for range 100 {
						r.send(keyMsg("a"))
						r.wait(ms(interval))
					}
					r.wait(3 * time.Second)
					if got := r.decisions(); got != "allow r1;" {
						t.Errorf("decided %q, want only r1", got)
					}
				})
			})
		}
	}
}

// The first press comes while the card is deaf; the repeats must not count either.
func TestHeldKeyThatBeganDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.send(tea.FocusMsg{})
		r.send(keyMsg("a"))
		r.wait(660 * time.Millisecond)
		for range 100 {
			r.send(keyMsg("a"))
			r.wait(91 * time.Millisecond)
		}
		r.wait(3 * time.Second)
		if got := r.decisions(); got != "" {
			t.Errorf("decided %q", got)
		}
	})
}

func TestPasteNeverDecides(t *testing.T) {
	for name, paste := range map[string]func(*rig){
		"bracketed":        func(r *rig) { r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a"), Paste: true}) },
		"runes in one":     func(r *rig) { r.send(keyMsg("aa")) },
		"a word, a letter": func(r *rig) { r.send(keyMsg("rm")); r.send(keyMsg(" ")); r.send(keyMsg("a")) },
		"a letter, a word": func(r *rig) { r.send(keyMsg("a")); r.send(keyMsg(" ")); r.send(keyMsg("b")) },
		"letters":          func(r *rig) { r.send(keyMsg("a")); r.wait(5 * time.Millisecond); r.send(keyMsg("j")) },
		"reason and enter": func(r *rig) {
			for _, k := range []string{"D", " ", "x", "enter"} {
				r.send(keyMsg(k))
			}
		},
		"stop all and yes": func(r *rig) { r.send(keyMsg("S")); r.send(keyMsg("y")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := three(t)
				paste(r)
				r.wait(3 * time.Second)
				if got := r.decisions(); got != "" || r.c.stopAlls > 0 {
					t.Errorf("decided %q, %d stops of all", got, r.c.stopAlls)
				}
			})
		})
	}
}

// Nothing is decided while there is no word from the broker: what is drawn may be over.
func TestNoWordNoDecision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.m.feed.missing, r.m.feed.lostAt = true, time.Now()
		r.wait(2 * lostFor)
		r.send(keyMsg("a"))
		r.wait(time.Second)
		if got := r.decisions(); got != "" {
			t.Fatalf("decided %q", got)
		}
		r.m.feed.missing = false
		r.wait(time.Second)
		r.send(keyMsg("a"))
		r.wait(time.Second)
		if r.decisions() == "" {
			t.Error("nothing is decided afterwards either")
		}
	})
}

// Words that follow a D which opened no input are not keys.
func TestWordsBehindAMissedD(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession), 80, 24)
		r.send(keyMsg("D"))
		r.c.publish(bash("r1", "s1", time.Now(), "rm -rf /"))
		for _, k := range strings.Split("a bad idea and a sad day", "") {
			r.wait(250 * time.Millisecond)
			r.send(keyMsg(k))
		}
		r.wait(3 * time.Second)
		if got := r.decisions(); got != "" {
			t.Errorf("decided %q", got)
		}
	})
}

// A D that opens an input after one that did not takes the words: what comes when they were sent, and no
// pause lay between, is a key.
func TestWordsOfTheSecondD(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession), 80, 24)
		r.send(keyMsg("D"))
		for _, id := range []string{"r1", "r2"} {
			r.c.publish(bash(id, "s1", time.Now(), "make"))
		}
		r.wait(time.Second)
		r.press("D", "n", "o", "enter")
		r.wait(400 * time.Millisecond)
		r.press("a")
		if got := r.decisions(); got != "deny r1;allow r2;" {
			t.Errorf("decided %q:\n%s", got, r.view())
		}
	})
}

// Words whose beginning was typed before there was a screen are not keys, and a key that
// comes after a pause is.
func TestWordsTypedAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession), 80, 24)
		r.m.Guard.TypedAhead(time.Now())
		r.c.publish(bash("r1", "s1", time.Now(), "make"))
		for _, k := range strings.Split("zzzzza sad day", "") {
			r.wait(250 * time.Millisecond)
			r.send(keyMsg(k))
		}
		r.wait(time.Second)
		if got := r.decisions(); got != "" {
			t.Errorf("decided %q", got)
		}
		r.wait(time.Second)
		r.send(keyMsg("a"))
		r.wait(time.Second)
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("decided %q, want the call allowed", got)
		}
	})
}

var drawnCommand = regexp.MustCompile(`│ \$ echo (n\d+)`)

// Two thousand presses while cards come and go: none decides a card that was on the
// screen for less than half a second when the key went down.
func TestPressesAroundArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession), 80, 24)
		rnd := rand.New(rand.NewPCG(7, 8))
		var drawn string // what the screen shows, and since when
		var since time.Time
		var pressed struct { // the last press of a decision key
			id    string
			shown time.Duration
		}
		r.seen = func() {
			now := ""
			if m := drawnCommand.FindStringSubmatch(r.view()); m != nil {
				now = m[1]
			}
			if now != drawn {
				drawn, since = now, time.Now()
			}
		}
		decided := 0
		r.c.onDecide = func(id string) {
			decided++
			if id != pressed.id || pressed.shown < guard.DeafFor {
				t.Errorf("decided %s; pressed on %s, which was on the screen for %v", id, pressed.id, pressed.shown)
			}
		}
		n := 0
		for range 2000 {
			for range rnd.IntN(3) { // arrivals and calls that end by themselves
				if rnd.IntN(3) > 0 {
					n++
					id := fmt.Sprintf("n%d", n)
					r.c.publish(bash(id, "s1", time.Now(), "echo "+id))
				} else if c := r.m.card(); c != nil && !c.Late() && c.Sending == "" {
					r.c.publish(settled(c.Req, broker.Denied, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
				}
				r.wait(time.Duration(rnd.IntN(120)) * time.Millisecond)
			}
			r.wait(time.Duration(rnd.IntN(1200)) * time.Millisecond)
			key := []string{"a", "d", "j", "k", "a"}[rnd.IntN(5)]
			if key == "a" || key == "d" {
				pressed.id, pressed.shown = drawn, time.Since(since)
			}
			r.send(keyMsg(key))
		}
		r.wait(3 * time.Second)
		if decided < 100 {
			t.Errorf("only %d of 2,000 presses decided: the script tests nothing", decided)
		}
	})
}

func TestAllowIsLockedUntilTheEndWasSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := "echo ok" + strings.Repeat("\n# nothing of interest", 60) + "\nrm -rf ~"
		for _, unlock := range []string{"G", "ctrl+d"} {
			r := newRig(t, newFake(oneSession, bash("r1", "s1", time.Now(), long)), 80, 24)
			r.press("a")
			r.shows("read to the end to allow: G or ctrl+d")
			if got := r.decisions(); got != "" {
				t.Fatalf("a decided %q before the end was seen", got)
			}
			for range 20 {
				r.press(unlock)
			}
			r.shows("rm -rf ~")
			r.press("a")
			if got := r.decisions(); got != "allow r1;" {
				t.Errorf("%s: decided %q after the end was seen", unlock, got)
			}
		}
	})
}

func TestDenyIsNeverLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession, bash("r1", "s1", time.Now(), strings.Repeat("echo\n", 100))), 80, 24)
		r.press("d")
		if got := r.decisions(); got != "deny r1;" {
			t.Errorf("decided %q", got)
		}
	})
}

func TestTooSmallAWindowDecidesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, size := range [][2]int{{39, 24}, {80, 11}, {20, 5}, {1, 1}} {
			now := time.Now()
			r := newRig(t, newFake(oneSession, bash("r1", "s1", now, "echo 1")), size[0], size[1])
			r.press("a", "d", "D", "enter", "a")
			if got := r.decisions(); got != "" {
				t.Errorf("%v: decided %q", size, got)
			}
			r.send(tea.WindowSizeMsg{Width: 80, Height: 24})
			r.press("esc")
			r.wait(3 * time.Second) // D opened nothing: what follows it at once counts as words
			r.press("a")
			if got := r.decisions(); got != "allow r1;" {
				t.Errorf("%v: after growing decided %q", size, got)
			}
		}
	})
}

func TestReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("D", "n", "o", " ", "a", "d", "backspace")
		r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("pasted\nwords"), Paste: true})
		r.wait(time.Second)
		r.shows("deny Bash, because: no apasted words")
		if got := r.decisions(); got != "" {
			t.Fatalf("typing decided %q", got)
		}
		r.press("enter")
		if got := r.decisions(); got != "deny r1;" {
			t.Fatalf("decided %q", got)
		}
		if got := r.c.decided[0].Reason; got != "no apasted words" {
			t.Errorf("reason %q", got)
		}
		r.press("D", "x", "esc")
		r.press("a")
		if got := r.decisions(); got != "deny r1;allow r2;" {
			t.Errorf("decided %q", got)
		}
	})
}

// The call ends while its reason is being typed: enter must not deny the next one.
func TestReasonForACallThatEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("D", "n", "o")
		r.c.publish(settled(r.c.requests["r1"], broker.Expired, broker.Actor{Kind: broker.ByDeadline}, "", time.Now()))
		r.wait(time.Second)
		r.shows("this call expired")
		r.press("enter")
		r.shows("nothing was denied")
		if got := r.decisions(); got != "" {
			t.Errorf("decided %q", got)
		}
	})
}

func TestLateCard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		expired := func(id string) {
			r.c.publish(settled(r.c.requests[id], broker.Expired, broker.Actor{Kind: broker.ByDeadline}, "", time.Now()))
			r.wait(time.Second)
		}
		expired("r1")
		expired("r3")
		r.shows("late: expired")
		if c := r.m.card(); c.Req.ID != "r1" {
			t.Fatalf("after r1 expired %s is selected: the operator was looking at r1", c.Req.ID)
		}
		r.press("g", "j", "a") // below the one that waits
		if got := r.decisions(); got != "allow r1;" {
			t.Fatalf("decided %q", got)
		}
		r.shows("passes once")
		r.press("G", "d") // putting a late card away asks nobody
		if got := r.decisions(); got != "allow r1;" {
			t.Fatalf("decided %q", got)
		}
		if n := r.m.Board.Rows(); n != 1 {
			t.Errorf("%d cards are listed, want 1", n)
		}
	})
}

func TestLateCardsLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r1 := r.c.requests["r1"]
		r.c.publish(settled(r1, broker.Expired, broker.Actor{Kind: broker.ByDeadline}, "", time.Now()))
		r.wait(time.Second)
		again := r1 // the agent asks again: the new card takes the late one's place
		again.ID, again.CreatedAt = "r9", time.Now()
		r.c.publish(again)
		r.wait(time.Second)
		if len(r.m.Board.Late) != 0 || len(r.m.Board.Waiting) != 3 {
			t.Errorf("%d late, %d waiting after the retry", len(r.m.Board.Late), len(r.m.Board.Waiting))
		}
		r.c.publish(settled(again, broker.Cancelled, broker.Actor{Kind: broker.ByAgent}, "", time.Now()))
		r.wait(board.LateFor + 2*time.Second)
		if len(r.m.Board.Late) != 0 {
			t.Errorf("%d late cards stay for ever", len(r.m.Board.Late))
		}
	})
}

func TestAnswersOfTheBroker(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"decided": {fmt.Errorf("x: %w", broker.ErrAlreadyDecided), "too late"},
		"unsaved": {fmt.Errorf("x: %w", broker.ErrNotRecorded), "the agent was told no"},
		"stale":   {broker.ErrStale, "not the one that was shown"},
		"unknown": {broker.ErrNotFound, "no longer knows"},
		"other":   {errors.New("\x1b[2Jboom"), `\x1b[2Jboom`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := three(t)
				r.c.failWith = tc.err
				r.press("a")
				r.shows(tc.want)
			})
		})
	}
}

func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("s")
		if len(r.c.stopped) > 0 {
			t.Fatal("stopped before the answer")
		}
		r.shows("stop api, and deny its calls until its user speaks?")
		r.press("y")
		if len(r.c.stopped) != 1 || r.c.stopped[0] != "s1" {
			t.Fatalf("stopped %v", r.c.stopped)
		}
		r.shows("stopping api")
		r.press("S")
		r.shows("stop all 1 session and deny 3 waiting calls?")
		r.press("n")
		if r.c.stopAlls != 0 {
			t.Fatal("n stopped all")
		}
		r.press("S", "y")
		if r.c.stopAlls != 1 {
			t.Error("y stopped nothing")
		}
	})
}

func TestQuitSaysWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("q")
		r.shows("3 calls wait")
		r.shows("Quit?")
		if r.quit {
			t.Fatal("q quit")
		}
		r.press("j") // any other key is a no
		r.press("y")
		if r.quit {
			t.Fatal("y quit although the question was answered with no")
		}
		r.press("q", "q")
		if r.quit {
			t.Fatal("a second q quit")
		}
		r.press("q", "y")
		if !r.quit {
			t.Error("y did not quit")
		}
		twice := three(t)
		twice.press("ctrl+c", "ctrl+c")
		if !twice.quit {
			t.Error("ctrl+c did not quit the second time")
		}
		empty := newRig(t, newFake(oneSession), 80, 24)
		empty.send(keyMsg("q"))
		empty.wait(time.Millisecond)
		if !empty.quit {
			t.Error("q did not quit although nothing waits")
		}
	})
}

func TestMouseNeverDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		for y := range 24 {
			for _, x := range []int{0, 3, 30, 79} {
				for _, b := range []tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonRight, tea.MouseButtonWheelDown, tea.MouseButtonWheelUp} {
					r.send(tea.MouseMsg{X: x, Y: y, Button: b, Action: tea.MouseActionPress})
				}
			}
		}
		r.wait(time.Second)
		if got := r.decisions(); got != "" || len(r.c.stopped) > 0 {
			t.Errorf("the mouse decided %q, stopped %v", got, r.c.stopped)
		}
		r.send(tea.MouseMsg{X: 40, Y: 4, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
		if r.m.selected() != "r3" {
			t.Errorf("a click on the third row selected %s", r.m.selected())
		}
	})
}

func TestLosingTheBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("j")
		r.c.mu.Lock()
		ch := r.c.watches[0]
		r.c.order = append(r.c.order, "r4")
		r.c.requests["r4"] = bash("r4", "s1", time.Now(), "echo 4")
		r.c.mu.Unlock()
		r.c.cut(ch)
		r.wait(3 * time.Second)
		r.shows("Waiting 4")
		if r.m.selected() != "r2" {
			t.Errorf("after a new snapshot %s is selected, want r2", r.m.selected())
		}
		r.press("a")
		if got := r.decisions(); got != "allow r2;" {
			t.Errorf("decided %q", got)
		}
	})
}

// A terminal that does not take what it is sent shows an older card.
func TestSlowTerminalIsDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		stuck := make(chan struct{})
		r.m.out = tty.NewOutput(writerFunc(func(p []byte) (int, error) { <-stuck; return len(p), nil }))
		go r.m.out.Write([]byte("a frame")) //nolint:errcheck // the writer above never fails
		r.wait(2 * time.Second)
		r.press("a")
		close(stuck)
		r.wait(100 * time.Millisecond)
		r.press("a")
		if got := r.decisions(); got != "" {
			t.Fatalf("decided %q on a screen that may show another card", got)
		}
		r.press("a")
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("decided %q after the terminal caught up", got)
		}
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// What a Write would replace is read after the card is drawn. The comparison is
// another text than the one that was read so far: it is deaf, and locked, anew.
func TestFileThatComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := strings.Repeat("new\n", 100)
		c := newFake(oneSession, tuitest.NewCall("r1", "s1", "Write", time.Now(), map[string]string{"file_path": "/x/a.txt", "content": lines}))
		r := newRig(t, c, 80, 24)
		r.shows("− two")
		arrive := make(chan struct{})
		r.m.opts.ReadFile = func(string) ([]byte, error) { <-arrive; return []byte(strings.Repeat("old\n", 100)), nil }
		r.c.publish(tuitest.NewCall("r2", "s1", "Write", time.Now(), map[string]string{"file_path": "/x/b.txt", "content": lines}))
		r.wait(time.Second)
		r.press("j", "G") // r2's text is read to its end …
		r.shows("100 new")
		close(arrive) // … when the comparison takes its place
		r.wait(100 * time.Millisecond)
		r.shows("− old")
		r.send(keyMsg("d"))
		r.wait(time.Second)
		if got := r.decisions(); got != "" {
			t.Fatalf("d hit a text that had just come: %q", got)
		}
		r.press("a")
		r.shows("read to the end to allow")
		r.press("G", "a")
		if got := r.decisions(); got != "allow r2;" {
			t.Errorf("decided %q", got)
		}
	})
}

// The next card is drawn from its first row, whatever was scrolled before.
func TestTheNextCardIsDrawnFromItsTop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := func(id string) broker.Request {
			return bash(id, "s1", time.Now(), "echo top of "+id+strings.Repeat("\ntrue", 100))
		}
		r := newRig(t, newFake(oneSession, long("r1"), long("r2")), 80, 24)
		r.press("G", "a")
		r.shows("$   1 echo top of r2")
		r.press("a")
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("decided %q: r2's end was never on the screen", got)
		}
	})
}

func TestReasonIsNotSentAboutAScreenThatJustChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("D", "n", "o")
		r.send(tea.WindowSizeMsg{Width: 100, Height: 30})
		r.wait(100 * time.Millisecond)
		r.press("enter")
		if got := r.decisions(); got != "" {
			t.Fatalf("decided %q", got)
		}
		r.shows("press enter again")
		r.press("enter")
		if got := r.decisions(); got != "deny r1;" {
			t.Errorf("decided %q", got)
		}
	})
}

// The console lost touch while a reason was typed, and the call expired meanwhile.
func TestReasonAfterANewSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("D", "n", "o")
		r.c.mu.Lock()
		ch := r.c.watches[0]
		r.c.requests["r1"] = settled(r.c.requests["r1"], broker.Expired, broker.Actor{Kind: broker.ByDeadline}, "", time.Now())
		r.c.mu.Unlock()
		r.c.cut(ch)
		r.wait(3 * time.Second)
		r.press("enter")
		if got := r.decisions(); got != "" {
			t.Errorf("decided %q", got)
		}
		r.press("a")
		if n := len(r.m.Board.Late); n != 1 {
			t.Errorf("%d late cards, want 1: enter put it away", n)
		}
	})
}

// A machine that is too busy to run the program: what was typed meanwhile may have been
// typed when the card was new, so that time does not count.
func TestABusyMachineIsDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(nil), 80, 24)
		r.m.Guard.Pulse = true
		r.c.publish(tuitest.NewCall("r1", "s1", "Bash", time.Now(), `{"command":"make"}`))
		r.wait(300 * time.Millisecond)
		time.Sleep(400 * time.Millisecond) // in the bubble: nothing is read
		r.press("a")
		r.wait(time.Second)
		if got := r.decisions(); got != "" {
			t.Errorf("decided %s, 300 ms after the card came", got)
		}
		r.wait(3 * time.Second)
		r.press("a")
		r.wait(time.Second)
		if got := r.decisions(); got == "" {
			t.Error("deaf for ever")
		}
	})
}
