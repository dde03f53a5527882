package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// edits has the selected card edited into text, and judged.
func (s *still) edits(text string, msg editJudgedMsg) {
	s.m.Update(keyMsg("e"))
	s.m.Update(guard.DueMsg{Gen: s.m.Guard.HeldGen})
	s.m.Update(editedMsg{gen: s.m.editGen, run: &editRun{got: text, took: time.Minute}})
	if e := s.m.edit; e != nil && msg.judged.Request.ID == "" && msg.err == nil {
		msg.judged.Request = e.req
		msg.judged.Request.ToolInput = e.input
		if msg.judged.Request.Assessment == nil {
			msg.judged.Request = judgedAsRisk(msg.judged.Request, risk.Normal, "")
		}
	}
	if e := s.m.edit; e != nil {
		msg.gen, msg.version = e.gen, e.version
		s.m.Update(msg)
	}
	s.pass(700 * time.Millisecond)
}

// editScenes are the screens of an edited call, each from its own start.
var editScenes = map[string]struct {
	call broker.Request
	play func(*still)
}{
	"asked": {play: func(s *still) {
		s.edits("npm run test a -- --ci\n", editJudgedMsg{others: []string{"/home/ada/.claude/settings.json:12: rewrite --all\x1b[2J"}})
	}},
	"several lines": {play: func(s *still) {
		s.edits("npm run test a\nnpm run lint \\\n  --fix\u202e\n"+strings.Repeat("echo more\n", 30), editJudgedMsg{})
	}},
	"dangerous": {play: func(s *still) {
		r := deadly(s.m.Board.Cards["r1"].Req)
		r.ToolInput = []byte(`{"command":"rm -rf ~"}`)
		s.edits("rm -rf ~\n", editJudgedMsg{judged: broker.Edited{Request: r}})
		s.keys("a")
	}},
	"own files": {play: func(s *still) {
		r := judgedAsRisk(s.m.Board.Cards["r1"].Req, risk.Normal, "")
		r.Assessment.Guarded = true
		r.ToolInput = []byte(`{"command":"ls ~/.local/state/aoctl"}`)
		s.edits("ls ~/.local/state/aoctl\n", editJudgedMsg{judged: broker.Edited{Request: r}})
	}},
	"refused": {play: func(s *still) {
		s.edits("git push\n", editJudgedMsg{judged: broker.Edited{Deny: "we push by hand"}})
		s.keys("a")
	}},
	"broken": {
		call: tuitest.NewCall("r1", "s1", "mcp__github__create_issue", seconds(8), `{"owner":"ada","repo":"api-server","title":"Close twice"}`),
		play: func(s *still) { s.edits("{\n  \"owner\": \"ada\",\n  \"owner\": \"bob\"\n}\n", editJudgedMsg{}) },
	},
	"unfit": {play: func(s *still) {
		s.edits("\n", editJudgedMsg{err: fmt.Errorf("edit r1: %w: %w", broker.ErrInvalid, errors.New(`"command" is empty`))})
	}},
	"gone": {play: func(s *still) {
		s.edits("npm run test a -- --ci\n", editJudgedMsg{})
		r := settled(s.m.Board.Cards["r1"].Req, broker.Expired, broker.Actor{Kind: broker.ByDeadline}, "", s.at)
		s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Request: &r}}})
		s.m.Update(editKeptMsg{gen: s.m.editGen, path: "/home/ada/.local/state/aoctl/edits/kept-4711-1.sh"})
	}},
	"file": {
		call: tuitest.NewCall("r1", "s1", "Write", seconds(3), `{"file_path":"/home/ada/src/infra/main.tf","content":"a\nb\n"}`),
		play: func(s *still) {
			s.files("a\n", nil)
			s.pass(time.Second)
			s.edits("a\nbee\n", editJudgedMsg{})
		},
	},
	"as JSON": {
		call: tuitest.NewCall("r1", "s1", "mcp__github__create_issue", seconds(8), `{"owner":"ada","repo":"api-server","title":"Close twice"}`),
		play: func(s *still) { s.edits(`{"owner":"ada","title":"Close once","labels":["bug"]}`, editJudgedMsg{}) },
	},
	"left": {play: func(s *still) {
		s.edits("npm run test a -- --ci\n", editJudgedMsg{})
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
