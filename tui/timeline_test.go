package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// record makes a session's log for tests.
type record struct{ list []story.Moment }

func (r *record) add(age int, typ string, call *broker.Request, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	e := broker.Event{Seq: int64(len(r.list) + 1), At: seconds(age), Type: typ, SessionID: "s1", Data: raw}
	if call != nil {
		e.RequestID = call.ID
	}
	r.list = append(r.list, story.Moment{Event: e, Call: call})
}

func (r *record) decided(age int, call broker.Request, s broker.State, by broker.Actor, reason string) {
	done := settled(call, s, by, reason, seconds(age))
	r.add(age, broker.EventRequestDecided, &done, broker.DecidedData{
		Status: s, By: by, Reason: reason, ToolName: call.ToolName, Digest: call.Digest, WaitedMS: seconds(age).Sub(call.CreatedAt).Milliseconds(),
	})
}

func ranData(failed bool, ms int64, output string) broker.RanData {
	return broker.RanData{ToolName: "Bash", Failed: failed, Digest: "d", DurationMS: ms, Output: output, OutputBytes: len(output)}
}

// aSession is a turn in which a call failed and another was denied.
func aSession() []story.Moment {
	you := broker.Actor{Kind: broker.ByOperator}
	var r record
	r.add(180, broker.EventSessionStart, nil, map[string]string{"source": "startup"})
	r.add(170, broker.EventUser, nil, story.UserData{Text: "Make the tests pass,\nthen clean up."})
	test := bash("t1", "s1", seconds(160), "go test ./...")
	r.add(160, broker.EventRequestCreated, &test, map[string]string{"tool_name": "Bash"})
	r.decided(150, test, broker.Allowed, you, "")
	r.add(140, broker.EventPostTool, &test, ranData(true, 9800, "Exit code 1\n--- FAIL: TestClose\n    server_test.go:12: closed twice\nFAIL\n"))
	read := tuitest.NewCall("t2", "s1", "Read", seconds(130), `{"file_path":"`+home+`/go.mod"}`)
	r.decided(130, read, broker.Allowed, broker.Actor{Kind: broker.ByRule, ID: "builtin:read-only"}, "")
	r.add(129, broker.EventPostTool, &read, ranData(false, 7, "module shop\n"))
	remove := bash("t3", "s1", seconds(100), "rm -rf dist")
	r.add(100, broker.EventRequestCreated, &remove, map[string]string{"tool_name": "Bash"})
	r.decided(90, remove, broker.Denied, you, "keep the build")
	next := bash("t4", "s1", seconds(85), "git clean -n dist")
	next.SubagentType = "reviewer"
	r.add(85, broker.EventRequestCreated, &next, map[string]string{"tool_name": "Bash"})
	r.add(60, broker.EventUser, nil, story.UserData{Text: "a task reports", FromAgent: true})
	r.add(50, broker.EventNotification, nil, map[string]string{"message": "Claude is waiting for your input", "type": "idle_prompt"})
	r.add(40, broker.EventStopRequested, nil, map[string]any{"by": you})
	r.add(30, broker.EventTurnEnd, nil, map[string]string{"text": "I could not go on."})
	r.add(20, "a_new_kind", nil, map[string]int{"x": 1})
	return r.list
}

func onEvents(tb testing.TB, moments []story.Moment, width, height int) *still {
	tb.Helper()
	s := newStill(tb, broker.Snapshot{Sessions: someSessions()}, nil, termenv.Ascii)
	fake, _ := s.m.console.(*fakeConsole)
	fake.moments = moments
	s.draw(width, height, "shift+tab", "E")
	s.told()
	return s
}

func TestGoldenTimeline(t *testing.T) {
	codex := someSessions()
	codex[0].Agent, codex[0].State, codex[0].StopAskedAt = "an agent of its own", broker.SessionStopping, seconds(4)
	for name, sc := range map[string]struct {
		sessions []broker.Session
		moments  []story.Moment
		keys     []string
	}{
		"timeline":          {moments: aSession()},
		"timeline unfolded": {moments: aSession(), keys: []string{"g", "j", "j", "enter"}},
		"timeline denied":   {moments: aSession(), keys: []string{"k", "k", "k", "k", "k", "k", "enter"}},
		"timeline empty":    {},
		"timeline filter":   {moments: aSession(), keys: []string{"/", "f", "a", "i", "l", "enter"}},
		"timeline refusing": {moments: aSession(), sessions: codex},
	} {
		t.Run(name, func(t *testing.T) {
			goldenAt(t, name, fourSizes, func(width, height int) *still {
				s := onEvents(t, sc.moments, width, height)
				if sc.sessions != nil {
					for _, se := range sc.sessions {
						s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Session: &se}}})
					}
				}
				for _, k := range sc.keys {
					s.draw(width, height, k)
					s.told()
				}
				s.pass(tuitest.Noon.Sub(s.at))
				s.told()
				return s
			})
		})
	}
}

// What led to a call stands below it, and changes nothing about what was read of it.
func TestGoldenStory(t *testing.T) {
	moments := aSession()
	told := story.Story{Asked: "Make the tests pass,\nthen clean up.\x1b[2J", AskedAt: seconds(170)}
	failed, took := ranData(true, 9800, "FAIL"), ranData(false, 7, "")
	told.Before = []story.EarlierCall{{Request: *moments[8].Call}, {Request: *moments[5].Call, Ran: &took}, {Request: *moments[3].Call, Ran: &failed}}
	goldenScene(t, "story", func(width, height int) *still {
		s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: mixedCalls()[:1]}, nil, termenv.Ascii)
		s.draw(width, height)
		card := s.m.card()
		before := s.m.sheet()
		s.m.shared.sheets.Told(card.Req.ID, told)
		if after := s.m.sheet(); after.CallEnd != before.CallEnd || len(after.Rows) <= len(before.Rows) {
			t.Errorf("the call had %d rows of %d, has %d of %d", before.CallEnd, len(before.Rows), after.CallEnd, len(after.Rows))
		}
		s.draw(width, height, "enter", "G")
		s.pass(tuitest.Noon.Sub(s.at))
		return s
	})
}

func TestGoldenRan(t *testing.T) {
	for name, keys := range map[string][]string{"past ran": {"h", "enter"}, "past unfolded": {"h", "enter", " "}} {
		goldenScene(t, name, func(width, height int) *still {
			s := newStill(t, broker.Snapshot{Sessions: someSessions()}, pastCalls(), termenv.Ascii)
			ran := ranData(true, 9800, "Exit code 1\n\x1b[31m--- FAIL\x1b[0m: TestClose\nok\n")
			ran.OutputBytes, ran.CutAt = 5_242_880, 12
			s.m.shared.sheets.Told("h0", story.Story{Ran: &ran, RanAt: seconds(50)})
			s.draw(width, height, keys...)
			s.pass(tuitest.Noon.Sub(s.at))
			return s
		})
	}
}

// longSession is a log of n calls that ran; every hundredth one pushes.
func longSession(n int) []story.Moment {
	var r record
	for i := range n {
		command := fmt.Sprintf("make part-%d", i)
		if i%100 == 50 {
			command = fmt.Sprintf("git push origin part-%d", i)
		}
		call := bash(fmt.Sprint("c", i), "s1", seconds(n-i), command)
		r.add(n-i, broker.EventPostTool, &call, ranData(false, 5, "ok\n"))
	}
	return r.list
}

// A long log is read in pages, from either end; only a stretch of it is kept.
func TestTimelineOfALongSession(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts no goroutine")
	}
	const n = 12_000
	s := onEvents(t, longSession(n), 100, 30)
	fake, _ := s.m.console.(*fakeConsole)
	shows := func(text string) {
		t.Helper()
		view := s.m.View()
		tuitest.CheckView(t, view, 100, 30)
		if !strings.Contains(view, text) {
			t.Fatalf("no %q in\n%s", text, view)
		}
	}
	shows("make part-11999")
	shows("following")
	if fake.pages > 2 {
		t.Errorf("the end of the log took %d pages", fake.pages)
	}
	for range 400 { // back, page by page
		s.draw(100, 30, "ctrl+u")
		s.told()
	}
	s.draw(100, 30, "g")
	s.told()
	shows("make part-0 ")
	for range 300 {
		s.draw(100, 30, "ctrl+d")
		s.told()
	}
	s.draw(100, 30, "G")
	s.told()
	shows("make part-11999")
	for _, k := range []string{"/", "p", "u", "s", "h", " ", "p", "a", "r", "t", "-", "5", "0", "enter"} {
		s.draw(100, 30, k)
	}
	s.told()
	shows("git push origin part-50 ")
	shows("git push origin part-5050 ")
	if strings.Contains(s.m.View(), "make") {
		t.Errorf("the filter lets others pass:\n%s", s.m.View())
	}
}

// esc lists all again before it leaves.
func TestTimelineFilterEsc(t *testing.T) {
	s := onEvents(t, aSession(), 100, 30)
	s.draw(100, 30, "/", "f", "a", "i", "l", "enter")
	s.told()
	if view := s.m.View(); strings.Contains(view, "rm -rf dist") || !strings.Contains(view, "go test ./...") {
		t.Fatalf("the filter lists\n%s", view)
	}
	s.draw(100, 30, "esc")
	s.told()
	if view := s.m.View(); !strings.Contains(view, "Events of") || !strings.Contains(view, "rm -rf dist") {
		t.Errorf("esc does not list all:\n%s", view)
	}
	if view := s.draw(100, 30, "esc"); strings.Contains(view, "Events of") {
		t.Errorf("a second esc does not leave:\n%s", view)
	}
}

// While its end is on the screen the list follows; a reader further up stays where they are.
func TestTimelineFollows(t *testing.T) {
	s := onEvents(t, longSession(300), 100, 30)
	fake, _ := s.m.console.(*fakeConsole)
	se := someSessions()[0]
	come := func(n int) {
		fake.moments = longSession(n)
		s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Session: &se}}})
		s.told()
	}
	come(310)
	if view := s.m.View(); !strings.Contains(view, "part-309") {
		t.Fatalf("it does not follow:\n%s", view)
	}
	s.draw(100, 30, "ctrl+u", "ctrl+u")
	s.told()
	before := s.m.View()
	come(320)
	if after := s.m.View(); strings.ReplaceAll(after, "of 320", "of 310") != before {
		t.Errorf("the text moved under the reader:\n%s\n%s", before, after)
	}
	s.draw(100, 30, "G")
	s.told()
	if view := s.m.View(); !strings.Contains(view, "part-319") || !strings.Contains(view, "following") {
		t.Errorf("G does not go to the end:\n%s", view)
	}
}

// Nothing on these screens decides: the keys of a decision do nothing there.
func TestTimelineDecidesNothing(t *testing.T) {
	s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: mixedCalls()}, nil, termenv.Ascii)
	fake, _ := s.m.console.(*fakeConsole)
	for _, open := range []string{"E", "T"} {
		s.draw(100, 30, open)
		for _, k := range []string{"a", "d", "s", "A", "4", "7", "ctrl+k"} {
			if _, cmd := s.m.Update(keyMsg(k)); cmd != nil {
				_ = cmd
			}
			s.pass(700 * time.Millisecond)
		}
		if s.m.open() == nil || len(fake.decided) > 0 || s.m.prompt != nil {
			t.Errorf("%s: a key had an effect: %d decisions", open, len(fake.decided))
		}
		s.draw(100, 30, "esc")
		if !s.m.listed() {
			t.Errorf("esc leads to:\n%s", s.m.View())
		}
	}
}

// Attack: a tool's output, a prompt or a transcript holds anything. The screen stays whole,
// and what is drawn is what was there.
func TestHostileHistory(t *testing.T) {
	bytesOf := rapid.SliceOfN(rapid.Byte(), 0, 200)
	text := rapid.OneOf(
		rapid.Map(bytesOf, func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{"\x1b]52;c;cm0gLXJm\a", "\x9b2J", strings.Repeat("\n", 5000), strings.Repeat("\r", 300), "\u202e\u2066evil", strings.Repeat("e\u0301", 500), "\x00\xff\xfe", strings.Repeat("宽", 300)}),
	)
	rapid.Check(t, func(rt *rapid.T) {
		var r record
		call := bash("x", "s1", seconds(50), text.Draw(rt, "command"))
		call.SubagentType = text.Draw(rt, "helper")
		out := text.Draw(rt, "output")
		ran := ranData(rapid.Bool().Draw(rt, "failed"), 5, out)
		ran.CutAt = rapid.IntRange(0, len(out)).Draw(rt, "cut")
		ran.OutputBytes += rapid.IntRange(0, 3).Draw(rt, "missing")
		r.add(50, broker.EventPostTool, &call, ran)
		r.decided(40, call, broker.Denied, broker.Actor{Kind: broker.ByOperator}, text.Draw(rt, "reason"))
		r.add(30, broker.EventUser, nil, story.UserData{Text: text.Draw(rt, "prompt")})
		r.add(20, text.Draw(rt, "type"), nil, map[string]string{"x": text.Draw(rt, "data")})
		size := rapid.SampledFrom(sizes).Draw(rt, "size")
		s := onEvents(t, r.list, size[0], size[1])
		for _, k := range []string{"enter", "k", "enter", "k", "enter", "k", "enter", "ctrl+d", "G"} {
			tuitest.CheckView(t, s.draw(size[0], size[1], k), size[0], size[1])
		}
		fake, _ := s.m.console.(*fakeConsole)
		fake.transcript = story.Transcript{Path: text.Draw(rt, "path"), NoFile: text.Draw(rt, "why"), Moments: r.list, Said: []story.Said{
			{By: "result", Text: out},
			{By: "call", Tool: text.Draw(rt, "tool"), Text: text.Draw(rt, "input"), ID: "x", Line: 1},
			{By: "failed", Text: out, ID: "x", Line: 2},
			{By: "user", Text: text.Draw(rt, "said"), Line: 3},
			{By: "agent", Text: text.Draw(rt, "answer"), Line: 4, Model: text.Draw(rt, "model")},
			{By: "thought", Text: text.Draw(rt, "thought"), Line: 5},
		}}
		s.draw(size[0], size[1], "T")
		s.told()
		for _, k := range []string{"enter", "u", "k", "k", "g", "j", "ctrl+d", "G"} {
			tuitest.CheckView(t, s.draw(size[0], size[1], k), size[0], size[1])
		}

		d := &callview.Doc{Paper: *draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false).Paper(60)}
		d.Output(ran, true)
		if len(out) > 0 && out == strings.ToValidUTF8(out, "") && len(out) < 20 && !strings.ContainsAny(out, "\n ") && ran.Missing() == 0 {
			if got := strings.TrimSpace(strings.TrimPrefix(d.Rows[len(d.Rows)-1], "│")); safe.Reverse(got) != out {
				rt.Fatalf("%q is drawn as %q", out, got)
			}
		}
	})
}

var _ tea.Model = (*model)(nil)
