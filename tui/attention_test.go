package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/herald"
	"github.com/aoctl/aoctl/tui/tty"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// bells is a rig whose terminal and desktop can be listened to.
type bells struct {
	show func(context.Context, string) error
	*rig

	mu    sync.Mutex
	out   bytes.Buffer
	desk  []string
	asked chan struct{} // blocks the desktop while it is not nil
	err   error
}

func (b *bells) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out.Write(p)
}

// rung is how many bells there were since the last time that was asked.
func (b *bells) rung() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := bytes.Count(b.out.Bytes(), []byte{'\a'})
	b.out.Reset()
	return n
}

func newBells(t *testing.T, requests ...broker.Request) *bells {
	t.Helper()
	b := &bells{}
	sessions := []broker.Session{
		{ID: "s1", Agent: "claude", Name: "api", State: broker.SessionActive, StartedAt: time.Now()},
		{ID: "s2", Agent: "codex", Name: "docs", State: broker.SessionActive, StartedAt: time.Now().Add(-time.Hour)},
	}
	b.rig = newRig(t, newFake(sessions, requests...), 100, 30)
	b.m.out = tty.NewOutput(b)
	b.show = func(_ context.Context, text string) error {
		b.mu.Lock()
		b.desk = append(b.desk, text)
		asked := b.asked
		b.mu.Unlock()
		if asked != nil {
			<-asked
		}
		return b.err
	}
	*b.m.shared.herald = *herald.New(b.m.Desk, tty.Bell, true, b.show)
	return b
}

func (b *bells) expect(what string, want int) {
	b.t.Helper()
	if got := b.rung(); got != want {
		b.t.Errorf("%s: %d bells, want %d", what, got, want)
	}
}

func TestBellOncePerCardAndAtHalfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t)
		b.c.publish(bash("r1", "s1", time.Now(), "ls"))
		b.wait(2 * time.Minute)
		b.expect("a call began to wait", 1)
		again := bash("r1", "s1", time.Now().Add(-2*time.Minute), "ls")
		again.Description = "changed"
		b.c.publish(again)
		b.wait(2 * time.Minute)
		b.expect("the same call, judged anew", 0)
		b.wait(2 * time.Minute)
		b.expect("half its time is over", 1)
		b.wait(3 * time.Minute)
		b.expect("after that", 0)
	})
}

func TestEachOfTwoCallsIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t)
		b.c.publish(bash("r1", "s1", time.Now(), "ls"))
		b.wait(300 * time.Millisecond)
		b.c.publish(bash("r2", "s1", time.Now(), "pwd"))
		b.wait(300 * time.Millisecond)
		b.expect("two calls within a second", 1)
		b.wait(2 * time.Second)
		b.expect("the second one, when the pause is over", 1)
	})
}

func TestNoBellWhileTheConsoleHasTheFocus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t)
		b.send(tea.FocusMsg{})
		b.c.publish(bash("r1", "s1", time.Now(), "ls"))
		b.wait(9 * time.Minute)
		b.expect("with the focus", 0)
		if len(b.desk) > 0 {
			t.Errorf("the desktop was notified: %q", b.desk)
		}
		b.send(tea.BlurMsg{})
		b.wait(10 * time.Second)
		b.expect("what was seen already", 0)
		b.c.publish(bash("r2", "s1", time.Now(), "pwd"))
		b.wait(time.Second)
		b.expect("without the focus", 1)
	})
}

func TestMutedSessionRingsNoBell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t, bash("r1", "s1", time.Now(), "ls"))
		b.press("M")
		b.shows("api is muted")
		b.shows("1 muted")
		b.c.publish(bash("r2", "s1", time.Now(), "pwd"))
		b.wait(6 * time.Minute)
		b.expect("muted", 0)
		b.c.publish(bash("r3", "s2", time.Now(), "pwd"))
		b.wait(time.Second)
		b.expect("another session", 1)
		b.press("M")
		b.shows("api rings again")
		b.c.publish(bash("r4", "s1", time.Now(), "pwd"))
		b.wait(3 * time.Second)
		b.expect("no longer muted", 1)
	})
}

func TestAlarmRingsWhateverIsMuted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t, bash("r1", "s1", time.Now(), "ls"))
		b.press("M")
		b.send(tea.FocusMsg{})
		s := broker.Session{ID: "s1", Agent: "claude", Name: "api", State: broker.SessionActive, Alarm: &broker.Alarm{ToolName: "Bash", At: time.Now()}}
		b.send(updatesMsg{gen: b.m.feed.gen, list: []broker.Update{{Session: &s}}})
		b.wait(100 * time.Millisecond)
		b.expect("an alarm", 1)
	})
}

func TestFloodIsTellingOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t)
		*b.m.shared.herald = *herald.New(b.m.Desk, tty.Bell|tty.OSC99, true, b.show)
		t.Setenv("TMUX", "")
		b.asked = make(chan struct{})
		for i := range 1000 {
			b.c.publish(bash(fmt.Sprint("r", i), "s1", time.Now(), "ls"))
		}
		b.wait(3 * time.Second)
		b.mu.Lock()
		out, desk := b.out.String(), slices.Clone(b.desk)
		b.mu.Unlock()
		if n := strings.Count(out, "\a"); n > 2 {
			t.Errorf("a flood rang %d bells", n)
		}
		b.wait(time.Minute)
		if diff := cmp.Diff(desk, b.desk); diff != "" || len(desk) != 1 {
			t.Errorf("the desktop was notified %d times while one notification hung: %q", len(b.desk), b.desk)
		}
		b.c.publish(bash("late", "s2", time.Now(), "ls"))
		b.wait(time.Second)
		b.mu.Lock()
		close(b.asked)
		b.asked = nil
		b.mu.Unlock()
		b.wait(6 * time.Second)
		if len(b.desk) != 2 {
			t.Errorf("the desktop was notified of %q", b.desk)
		}
	})
}

func TestDesktopFailureIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t)
		b.err = errors.New("no bus\x1b[2J")
		b.c.publish(bash("r1", "s1", time.Now(), "ls"))
		b.wait(time.Second)
		b.shows(`the desktop was not notified: no bus\x1b[2J`)
		b.send(noteEndMsg{b.m.note.gen})
		b.c.publish(bash("r2", "s1", time.Now(), "ls"))
		b.wait(8 * time.Second)
		if len(b.desk) != 2 || strings.Contains(b.view(), "was not notified") {
			t.Errorf("notified of %q; screen:\n%s", b.desk, b.view())
		}
	})
}

// A console learns of calls from snapshots too, at its start and when it fell behind. They
// ring as others do.
func TestCallsOfASnapshotRing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t, bash("r1", "s1", time.Now(), "ls"))
		b.wait(time.Minute)
		b.rung()
		known, fresh := bash("r1", "s1", time.Now(), "ls"), bash("r2", "s1", time.Now(), "ls")
		updates := make(chan broker.Update)
		defer close(updates)
		b.send(watchStartedMsg{gen: b.m.feed.gen, snap: broker.Snapshot{Requests: []broker.Request{known, fresh}}, updates: updates})
		b.wait(time.Second)
		b.expect("one more in a later snapshot", 1)
	})
}

// The end of a turn is said with what came of it. It rings once, and not for a muted session, for one
// that is being stopped, nor for whoever looks or wants no bell.
func TestTheEndOfATurnRings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t)
		turn := func(id string, states ...broker.SessionState) {
			for _, state := range states {
				s := broker.Session{ID: id, Agent: "claude", Name: "api", State: state}
				if state == "failed" {
					s.State, s.EndReason = broker.SessionIdle, "rate limit"
				}
				b.send(updatesMsg{gen: b.m.feed.gen, list: []broker.Update{{Session: &s}}})
				b.wait(100 * time.Millisecond)
			}
		}
		turn("s1", broker.SessionIdle)
		b.expect("a turn that was running before", 1)
		turn("s1", broker.SessionActive)
		b.wait(95 * time.Second)
		for i, path := range []string{"/p/a", "/p/b", "/p/a"} {
			r := bash(fmt.Sprint("e", i), "s1", time.Now(), "")
			r.ToolName, r.ToolInput, r.State = "Write", json.RawMessage(`{"file_path":"`+path+`","content":"x"}`), broker.Allowed
			r.Outcome = &broker.Outcome{State: broker.Allowed, At: time.Now(), By: broker.Actor{Kind: broker.ByRule}}
			b.send(updatesMsg{gen: b.m.feed.gen, list: []broker.Update{{Request: &r}}})
		}
		b.expect("what rules decide", 0)
		turn("s1", broker.SessionIdle, broker.SessionIdle)
		b.expect("a turn ended", 1)
		b.shows("is done after 1:35, and changed 2 files")
		b.wait(2 * time.Second)
		turn("s1", broker.SessionActive, "failed")
		b.expect("a turn failed", 1)
		b.shows("ended its turn with an error")
		b.wait(2 * time.Second)
		turn("s1", broker.SessionActive, broker.SessionStopping)
		b.expect("a stop", 0)
		b.send(tea.FocusMsg{})
		turn("s2", broker.SessionIdle)
		b.expect("for whoever looks", 0)
		b.send(tea.BlurMsg{})
		*b.m.shared.herald = *herald.New(b.m.Desk, tty.Bell, false, nil)
		b.wait(2 * time.Second)
		turn("s2", broker.SessionActive, broker.SessionIdle)
		b.expect("without a bell for turns", 0)
		*b.m.shared.herald = *herald.New(b.m.Desk, tty.Bell, true, nil)
		b.m.shared.herald.Mute("s2")
		turn("s2", broker.SessionActive, broker.SessionIdle)
		b.expect("muted", 0)
	})
}

func TestParseNotify(t *testing.T) {
	for name, c := range map[string]struct {
		list string
		env  map[string]string
		want tty.Notify
		bad  bool
	}{
		"kitty":         {list: "auto", env: map[string]string{"TERM": "xterm-kitty"}, want: tty.Bell | tty.OSC99},
		"kitty in tmux": {list: "auto", env: map[string]string{"TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "KITTY_WINDOW_ID": "1"}, want: tty.Bell | tty.OSC99},
		"iterm":         {list: "auto", env: map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, want: tty.Bell | tty.OSC9},
		"foot":          {list: "auto", env: map[string]string{"TERM": "foot-extra"}, want: tty.Bell | tty.OSC777},
		"urxvt":         {list: "auto", env: map[string]string{"TERM": "rxvt-unicode-256color"}, want: tty.Bell | tty.OSC777},
		"a console":     {list: "auto", env: map[string]string{"TERM": "linux"}, want: tty.Bell},
		"a dumb one":    {list: "auto", env: map[string]string{"TERM": "dumb"}, want: tty.Bell},
		"apple":         {list: "auto", env: map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, want: tty.Bell},
		"off":           {list: "off"},
		"one":           {list: "osc777", want: tty.OSC777},
		"two":           {list: "bell, osc9", want: tty.Bell | tty.OSC9},
		"a stranger":    {list: "bell,pager", bad: true},
		"nothing":       {list: "", bad: true},
		"off and bell":  {list: "off,bell", bad: true},
	} {
		got, err := tty.ParseNotify(c.list, func(n string) string { return c.env[n] })
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
}

// What is sent to the terminal is one of our own shapes around plain letters, whatever
// agents call their tools and sessions.
func TestNotificationsOfHostileNames(t *testing.T) {
	plain := `aoctl: [ -:?A-Za-z0-9_./]*`
	outside := regexp.MustCompile(`^\a\x1b\]9;` + plain + `\a\x1b\]777;notify;aoctl;[ -:?A-Za-z0-9_./]*\x1b\\\x1b\]99;i=aoctl;` + plain + `\x1b\\$`)
	inside := regexp.MustCompile(`^\a\x1bPtmux;\x1b\x1b\]9;` + plain + `\a\x1b\\` +
		`\x1bPtmux;\x1b\x1b\]777;notify;aoctl;[ -:?A-Za-z0-9_./]*\x1b\x1b\\\x1b\\` +
		`\x1bPtmux;\x1b\x1b\]99;i=aoctl;` + plain + `\x1b\x1b\\\x1b\\$`)
	for _, p := range append(tuitest.Payloads, "a;b", "a\x1b\\", "x\u009cy", `\x1b`, "tmux;") {
		for tmux, want := range map[string]*regexp.Regexp{"": outside, "/tmp/s,1,0": inside} {
			t.Setenv("TMUX", tmux)
			text := "aoctl: " + tty.Bare(p) + " waits in " + tty.Bare(p)
			if got := (tty.Bell | tty.OSC9 | tty.OSC777 | tty.OSC99).Sequence(text); !want.MatchString(got) {
				t.Errorf("of %q in tmux %q came %q", p, tmux, got)
			}
		}
	}
}
