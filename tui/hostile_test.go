package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/herald"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tty"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// hostile fills every string of a session and a call with p.
func hostile(p, tool string, at time.Time) ([]broker.Session, []broker.Request) {
	input := map[string]any{
		"command": p, "description": p, "file_path": p, "old_string": p, "new_string": p + "x", "content": p, p: p,
		"edits": []any{map[string]any{"old_string": p, "new_string": "y" + p, p: p}}, "list": []any{p, map[string]any{p: p}},
	}
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	r := tuitest.NewCall(p, p, tool, at, string(raw))
	r.Agent, r.SubagentID, r.SubagentType, r.CWD, r.Mode, r.Description, r.Event = p, p, p, p, p, p, p
	r.Assessment = hostileWords(p)
	old := r
	old.ID, old.Digest = p+"old", p
	old = settled(old, broker.Denied, broker.Actor{Kind: broker.ActorKind(p), ID: p, Exe: p, TTY: p}, p, at)
	old.Outcome.UpdatedInput = raw
	late := r
	late.ID, late.ToolInput = p+"late", json.RawMessage(p)
	late = settled(late, broker.Expired, broker.Actor{Kind: broker.ByRule, ID: p}, p, at)
	s := broker.Session{
		ID: p, Agent: p, Name: p, CWD: p, ProjectDir: p, Mode: p, Pane: p, State: broker.SessionActive, StartedAt: at,
		SessionEnd: broker.SessionEnd{EndReason: p}, Subagents: []broker.Subagent{{ID: p, Type: p}},
		Run:     &broker.Run{Program: p, Args: []string{p, p}, Model: p, Log: p, Turn: broker.TurnState(p), Result: p, Error: p, RunTally: broker.RunTally{Cost: 1, Turns: 2}, Steps: []string{p}, Told: &broker.Message{Text: p}},
		Message: &broker.Message{ID: p, Text: p},
	}
	odd := s
	odd.ID, odd.State = p+"odd", broker.SessionState(p)
	return []broker.Session{s, odd}, []broker.Request{r, late, old}
}

// hostileWords is what the rules say of a call, with p wherever the agent's text may be.
func hostileWords(p string) *rules.Assessment {
	a := &rules.Assessment{Verdict: rules.Ask, Rule: p, Reason: p, Risk: risk.Risk{Class: risk.Dangerous, Why: p, Guarded: true}}
	a.Findings = []risk.Finding{{Class: risk.Dangerous, Why: p, Text: p}, {Why: "x", Text: p}}
	for _, kind := range []string{"command", "read", "write", "assign", "unknown", "tool", p} {
		a.Elements = append(a.Elements, rules.Judged{
			Kind: kind, Text: p, Argv: []string{p, p}, Via: []string{p, p}, Path: p, Real: p + "x", Verdict: rules.Ask, Rule: p, Why: p, Matches: []string{p},
		})
	}
	return a
}

// everyScreen is the keys that lead from the list to each screen there is.
var everyScreen = [][]string{
	nil,
	{"j"},
	{"enter"},
	{"G"},
	{"h"},
	{"h", "enter"},
	{"b"},
	{"h", "enter", "b", "G"},
	{"?"},
	{"D", "x"},
	{"shift+tab", "enter"},
	{"/", "a"},
	{"S"},
	{"q"},
	{"s"},
	{"y"},
	{"tab", "ctrl+d"},
	{"4"},
	{"*", "d"},
	{" ", "D", "x"},
	{"shift+tab", "O"},
	{"shift+tab", "m", "x"},
	{"m", "enter", "enter"},
	{"n", "x", "tab", "tab"},
}

// drawAll draws every screen there is, at these sizes.
func drawAll(t *testing.T, s *still, sizes [][2]int, each func(view string, width, height int)) {
	t.Helper()
	for _, size := range sizes {
		for _, keys := range everyScreen {
			each(s.draw(size[0], size[1], keys...), size[0], size[1])
			s.leave()
		}
	}
}

// leave goes back to the list, from any screen.
func (s *still) leave() {
	for range 3 {
		s.at = s.at.Add(time.Second)
		s.m.Update(keyMsg("esc"))
	}
	s.m.Open(desk.Queue, desk.Subject{Session: "none"})
	s.m.Update(keyMsg("esc"))
}

// drawScreen draws what keys lead to in a window of that size, and goes back.
func drawScreen(t *testing.T, s *still, width, height int, keys []string) {
	t.Helper()
	tuitest.CheckView(t, s.draw(width, height, keys...), width, height)
	s.leave()
}

// hostileSizes are the windows beside the usual one of 80 by 24.
var hostileSizes = [][2]int{{40, 12}, {120, 40}, {50, 30}, {30, 8}, {3, 2}, {1, 1}}

// hostileTools are the tools that are drawn in a way of their own, and one that none knows.
func hostileTools(p string) []string { return []string{"Edit", "MultiEdit", "Write", "mcp__a__b", p} }

// meets reports whether text i is drawn as case j of n on that screen: each text meets each case, so
// does each screen, and each pair of text and screen meets one of them; with the race detector none
// does. All of them meet when AOCTL_EVERY is set, as scripts/trials.sh does.
func meets(i, screen, j, n int) bool {
	if raceDetector {
		return false
	}
	return os.Getenv("AOCTL_EVERY") != "" || (i+screen)%n == j
}

func TestNothingHostileReachesTheTerminal(t *testing.T) {
	t.Parallel()
	for i, p := range tuitest.Payloads {
		t.Run(fmt.Sprint(i, "Bash"), func(t *testing.T) {
			s := hostileStill(t, p, "Bash")
			for k, keys := range everyScreen {
				drawScreen(t, s, 80, 24, keys)
				for j, size := range hostileSizes {
					if meets(i, k, j, len(hostileSizes)) {
						drawScreen(t, s, size[0], size[1], keys)
					}
				}
			}
			checkHostileAnswers(t, s, p)
		})
		tools := hostileTools(p)
		for j, tool := range tools {
			if raceDetector {
				continue
			}
			t.Run(fmt.Sprint(i, tool), func(t *testing.T) {
				s := hostileStill(t, p, tool)
				for k, keys := range everyScreen {
					if meets(i, k, j, len(tools)) {
						drawScreen(t, s, 80, 24, keys)
					}
				}
				checkHostileAnswers(t, s, p)
			})
		}
	}
}

// hostileStill is a console in which every text is p and a decision has failed.
func hostileStill(t *testing.T, p, tool string) *still {
	t.Helper()
	sessions, requests := hostile(p, tool, seconds(10))
	snap := broker.Snapshot{Sessions: sessions, Requests: requests, Health: broker.Health{Socket: p, LogHash: p + "abcdef", StoreErr: p, LogBroken: p, Floods: []broker.Flood{{SessionID: p, Why: p}}}}
	s := newStill(t, snap, requests[2:], termenv.TrueColor)
	s.m.opts.Version = p
	s.draw(80, 24)
	s.fake().failWith = fmt.Errorf("%s: %w", p, broker.ErrAlreadyDecided)
	synctest.Test(t, func(*testing.T) {
		s.decides("d")
		time.Sleep(time.Minute) // all clocks ring
	})
	s.fake().failWith = nil
	return s
}

// checkHostileAnswers draws what the console says when a decision and a stop fail with p.
func checkHostileAnswers(t *testing.T, s *still, p string) {
	t.Helper()
	s.wasDecided(nil, fmt.Errorf("%s", p))
	fake, _ := s.m.console.(*fakeConsole)
	fake.stopErr = fmt.Errorf("%s", p)
	s.m.shared.orders.Stop(p, "")
	s.runs(s.m.prompt.question.Yes())
	tuitest.CheckView(t, s.draw(80, 24, "h"), 80, 24)
}

// All of the input is on the paper, and can be read back from it.
func TestNothingIsHidden(t *testing.T) {
	for i, p := range tuitest.Payloads {
		if !json.Valid([]byte(`"` + p + `"`)) {
			quoted, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			p, _ = change.StringValue(quoted) // invalid UTF-8 has become U+FFFD, as it has for the agent
		}
		st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
		paper := st.Paper(4000)
		p = "|" + p + "|"
		paper.Write(draw.Gutter{}, draw.Text, p)
		back := make([]string, len(paper.Rows))
		for i, row := range paper.Rows {
			back[i] = strings.TrimRight(row, " ")
		}
		text := safe.Reverse(strings.Join(back, "\n"))
		if text != p {
			t.Errorf("payload %d: %q was drawn as %q, which reads %q", i, p, back, text)
		}
	}
}

func TestTailIsShown(t *testing.T) {
	tail := "; rm -rf ~"
	for name, head := range map[string]string{
		"blanks": strings.Repeat(" ", 2000), "line breaks": strings.Repeat("\n", 500), "comment": "#" + strings.Repeat(" harmless", 2300) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{bash("r1", "s1", seconds(5), "ls"+head+tail)}}, nil, termenv.Ascii)
			view := s.draw(80, 24)
			if name == "comment" {
				if strings.Contains(view, tail) || s.m.card().SeenEnd {
					t.Fatal("20 KB fit on the screen?")
				}
				view = s.draw(80, 24, "G")
			}
			if !strings.Contains(view, "rm -rf ~") || !s.m.card().SeenEnd {
				t.Errorf("the tail is not on the screen:\n%s", view)
			}
		})
	}
}

func FuzzView(f *testing.F) {
	for _, p := range tuitest.Payloads {
		f.Add(p, `{"command":"ls"}`, 80, 24)
	}
	f.Add("Edit", `{"file_path":1,"old_string":"a","new_string":"b"}`, 40, 12)
	f.Fuzz(func(t *testing.T, p, input string, width, height int) {
		width, height = 1+abs(width)%200, 1+abs(height)%80
		sessions, requests := hostile(p, "Bash", seconds(10))
		requests = append(requests, tuitest.NewCall("x", p, p, seconds(3), input), tuitest.NewCall("y", p, "Edit", seconds(2), input))
		s := newStill(t, broker.Snapshot{Sessions: sessions, Requests: requests}, nil, termenv.ANSI256)
		for _, keys := range [][]string{nil, {"j"}, {"j"}, {"enter", "G"}} {
			tuitest.CheckView(t, s.draw(width, height, keys...), width, height)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return max(-n, 0) // the smallest number has no positive twin
	}
	return n
}

// What goes beside the frames must not carry an agent's bytes either.
func TestNotificationHoldsOnlyPlainNames(t *testing.T) {
	for _, p := range tuitest.Payloads {
		for _, r := range tty.Bare(p) {
			if r < ' ' || r > '~' || r == ';' {
				t.Errorf("bare(%q) has %q", p, r)
			}
		}
	}
	s := newStill(t, broker.Snapshot{}, nil, termenv.Ascii)
	var written strings.Builder
	s.m.out = tty.NewOutput(&written)
	*s.m.shared.herald = *herald.New(s.m.Desk, tty.Bell|tty.OSC9, true, nil)
	t.Setenv("TMUX", "")
	c := s.m.Board.Request(tuitest.NewCall("r", "s", "Ba\x1b]0;x\ash", tuitest.Noon, "{}"), tuitest.Noon)
	s.m.shared.herald.Ring("x")
	s.at = s.at.Add(5 * time.Second)
	s.m.At = s.at
	if cmd := s.m.shared.herald.Announce(c); cmd != nil {
		cmd()
	}
	if got, want := written.String(), "\a\x1b]9;aoctl: Ba??0?x?sh waits in s\a"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
	if cmd := s.m.shared.herald.Announce(c); cmd != nil {
		t.Error("a second bell within a second")
	}
	*s.m.shared.herald = *herald.New(s.m.Desk, 0, true, nil)
	s.m.At = s.m.At.Add(time.Hour)
	if s.m.shared.herald.Announce(c) != nil {
		t.Error("a bell although bells are off")
	}
}

func TestCopy(t *testing.T) {
	t.Setenv("TMUX", "")
	s := newStill(t, broker.Snapshot{Requests: []broker.Request{bash("r1", "s1", seconds(5), "printf '\x1b[31m'")}}, nil, termenv.Ascii)
	s.draw(80, 24)
	var written strings.Builder
	s.m.out = tty.NewOutput(&written)
	run(s.m.CopyCall(s.m.card().Req))
	if got, want := written.String(), "\x1b]52;c;cHJpbnRmICcbWzMxbSc=\a"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

// run runs a command and what it is made of, without its clocks.
func run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	done := make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	select {
	case msg := <-done:
		if batch, ok := msg.(tea.BatchMsg); ok {
			run(batch[0])
		}
	case <-time.After(time.Second):
	}
}
