package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/external"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/tuitest"
	tea "github.com/charmbracelet/bubbletea"
)

// judgement is what the broker says of an edited input.
type judgement struct {
	others []string
	judged broker.Edited
	err    error
}

// edits has the selected card edited into text, and judged.
func (s *still) edits(text string, j judgement) {
	fake, _ := s.m.console.(*fakeConsole)
	call := s.m.Board.Cards["r1"].Req
	fake.requests = map[string]broker.Request{"r1": call}
	fake.refuseEdit = j.err
	fake.judge = func(e broker.Edited) broker.Edited {
		if j.judged.Request.ID == "" {
			call.ToolInput = e.Request.ToolInput
			if j.judged.Request = call; call.Assessment == nil {
				j.judged.Request = judgedAsRisk(call, risk.Normal, "")
			}
		}
		return j.judged
	}
	s.m.opts.Hooks.Others = func(string, string, string, string) []string { return j.others }
	s.m.shared.outside.Keep = func(string, string, string, string, time.Time) (string, error) {
		return "/home/ada/.local/state/aoctl/edits/kept-4711-1.sh", nil
	}
	s.m.shared.outside.Exec = func(run *external.Run, done func(error) tea.Msg) tea.Cmd {
		run.Got, run.Took = text, time.Minute
		return func() tea.Msg { return done(nil) }
	}
	s.m.Update(keyMsg("e"))
	s.m.Update(guard.DueMsg{Gen: s.m.Guard.HeldGen})
	s.told()
	s.m.Update(desk.Look{}) // the guard learns that the question is drawn
	s.pass(700 * time.Millisecond)
}

// editScenes are the screens of an edited call, each from its own start.
var editScenes = map[string]struct {
	call broker.Request
	play func(*still)
}{
	"asked": {play: func(s *still) {
		s.edits("npm run test a -- --ci\n", judgement{others: []string{"/home/ada/.claude/settings.json:12: rewrite --all\x1b[2J"}})
	}},
	"several lines": {play: func(s *still) {
		s.edits("npm run test a\nnpm run lint \\\n  --fix\u202e\n"+strings.Repeat("echo more\n", 30), judgement{})
	}},
	"dangerous": {play: func(s *still) {
		r := deadly(s.m.Board.Cards["r1"].Req)
		r.ToolInput = []byte(`{"command":"rm -rf ~"}`)
		s.edits("rm -rf ~\n", judgement{judged: broker.Edited{Request: r}})
		s.keys("a")
	}},
	"own files": {play: func(s *still) {
		r := judgedAsRisk(s.m.Board.Cards["r1"].Req, risk.Normal, "")
		r.Assessment.Guarded = true
		r.ToolInput = []byte(`{"command":"ls ~/.local/state/aoctl"}`)
		s.edits("ls ~/.local/state/aoctl\n", judgement{judged: broker.Edited{Request: r}})
	}},
	"refused": {play: func(s *still) {
		s.edits("git push\n", judgement{judged: broker.Edited{Deny: "we push by hand"}})
		s.keys("a")
	}},
	"broken": {
		call: tuitest.NewCall("r1", "s1", "mcp__github__create_issue", seconds(8), `{"owner":"ada","repo":"api-server","title":"Close twice"}`),
		play: func(s *still) { s.edits("{\n  \"owner\": \"ada\",\n  \"owner\": \"bob\"\n}\n", judgement{}) },
	},
	"unfit": {play: func(s *still) {
		s.edits("\n", judgement{err: fmt.Errorf("edit r1: %w: %w", broker.ErrInvalid, errors.New(`"command" is empty`))})
	}},
	"gone": {play: func(s *still) {
		s.edits("npm run test a -- --ci\n", judgement{})
		r := settled(s.m.Board.Cards["r1"].Req, broker.Expired, broker.Actor{Kind: broker.ByDeadline}, "", s.at)
		s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Request: &r}}})
		s.told()
	}},
	"file": {
		call: tuitest.NewCall("r1", "s1", "Write", seconds(3), `{"file_path":"/home/ada/src/infra/main.tf","content":"a\nb\n"}`),
		play: func(s *still) {
			s.files("a\n", nil)
			s.pass(time.Second)
			s.edits("a\nbee\n", judgement{})
		},
	},
	"new text": {
		call: tuitest.NewCall("r1", "s1", "Edit", seconds(3), `{"file_path":"/home/ada/src/infra/main.go","old_string":"a := 1","new_string":"a := \"two\"\n\tb := 3"}`),
		play: func(s *still) {
			s.files("x\n\ta := 1\ny\n", nil)
			s.pass(time.Second)
			s.edits("a := \"two\"\n\tb := 4\n", judgement{})
		},
	},
	"as JSON": {
		call: tuitest.NewCall("r1", "s1", "mcp__github__create_issue", seconds(8), `{"owner":"ada","repo":"api-server","title":"Close twice"}`),
		play: func(s *still) { s.edits(`{"owner":"ada","title":"Close once","labels":["bug"]}`, judgement{}) },
	},
	"left": {play: func(s *still) {
		s.edits("npm run test a -- --ci\n", judgement{})
		s.keys("esc")
	}},
}

func newEditScene(t *testing.T, call broker.Request) *still {
	t.Helper()
	if call.ID == "" {
		call = bash("r1", "s1", seconds(62), "npm run test a")
	}
	return newRuleScene(t, []broker.Request{call})
}

func TestGoldenEdit(t *testing.T) {
	for name, sc := range editScenes {
		t.Run(name, func(t *testing.T) {
			goldenScene(t, "edit-"+name, func(width, height int) *still {
				s := newEditScene(t, sc.call)
				s.draw(width, height)
				sc.play(s)
				return s
			})
		})
	}
}

// The screens of edited calls fit windows of any size.
func TestEditInEveryWindow(t *testing.T) {
	for name, sc := range editScenes {
		t.Run(name, func(t *testing.T) {
			s := newEditScene(t, sc.call)
			sc.play(s)
			s.fitsEveryWindow(t)
		})
	}
}

// Where the window is too small to judge a call in, the edited call says so and no key counts.
func TestEditInASmallWindow(t *testing.T) {
	s := newEditScene(t, broker.Request{})
	editScenes["asked"].play(s)
	if view := s.draw(39, 11); !strings.Contains(view, "needs 40×12") {
		t.Errorf("it is not said:\n%s", view)
	}
	s.draw(39, 11, "a")
	if s.m.Guard.Held != nil || s.m.Guard.Drawn != (guard.Drawn{}) {
		t.Errorf("a counts about %+v", s.m.Guard.Drawn)
	}
}

// The guard knows which text the question is about: a key that was meant for the one before is
// about another thing.
func TestGuardKnowsWhichText(t *testing.T) {
	s := newEditScene(t, broker.Request{})
	s.draw(80, 24)
	editScenes["asked"].play(s)
	first := s.m.Guard.Drawn
	if first.ID != "edit of r1" || first.Digest == "" {
		t.Fatalf("the guard has %+v", first)
	}
	s.m.Update(keyMsg("a"))
	held := s.m.Guard.HeldGen
	s.m.Update(keyMsg("e")) // right behind it: takes the a back, and does nothing else
	s.pass(2 * time.Second)
	exec := s.m.shared.outside.Exec
	s.m.shared.outside.Exec = func(run *external.Run, done func(error) tea.Msg) tea.Cmd { return s.keep(exec(run, done)) }
	s.m.Update(keyMsg("e"))
	s.m.Update(guard.DueMsg{Gen: s.m.Guard.HeldGen})
	s.told()
	s.m.Update(desk.Look{})
	if next := s.m.Guard.Drawn; next.ID != first.ID || next == first || !s.m.Guard.Deaf(s.m.At) {
		t.Errorf("judged anew, the guard has %+v, deaf %v", next, s.m.Guard.Deaf(s.m.At))
	}
	if s.m.Update(guard.DueMsg{Gen: held}); s.m.Board.Cards["r1"].Sending != "" {
		t.Error("a key for the text before allowed this one")
	}
}
