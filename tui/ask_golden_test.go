package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/question"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// askInput asks three questions: one answer, with a preview; several; one again.
const askInput = `{"questions":[` +
	`{"question":"Which database should the service use?","header":"Database","multiSelect":false,"options":[` +
	`{"label":"Postgres","description":"Managed, already in production, and the team knows how to run it"},` +
	`{"label":"SQLite","description":"One file, no server","preview":"shop.db\n  orders   (id, total)\n\u001b[2Jitems"}]},` +
	`{"question":"Which parts may change?","header":"Parts","multiSelect":true,"options":[` +
	`{"label":"API","description":"internal/http"},{"label":"UI","description":"web/"},{"label":"Docs","description":"docs/"}]},` +
	`{"question":"What is it called?","header":"Name","multiSelect":false,"options":[{"label":"shop","description":""},{"label":"store","description":""}]}` +
	`],"metadata":{"source":"plan"}}`

// personal is r as the rules judge what only a person may answer.
func personal(r broker.Request) broker.Request {
	why := rules.Personal(r.ToolName)
	r.Assessment = &rules.Assessment{Verdict: rules.Ask, Reason: why, Elements: []rules.Judged{{Kind: "tool", Text: r.ToolName, Verdict: rules.Ask, Why: why}}}
	return r
}

func askCall(input string) broker.Request {
	return personal(tuitest.NewCall("r1", "s1", "AskUserQuestion", seconds(5), input))
}

func planCall(input any) broker.Request {
	return personal(tuitest.NewCall("r1", "s1", "ExitPlanMode", seconds(5), input))
}

func TestGoldenAsk(t *testing.T) {
	one := `{"questions":[{"question":"Go on?","header":"","multiSelect":false,"options":[{"label":"Yes"},{"label":"No"}]}]}`
	first := []string{"enter", "2"}
	second := append(first, "enter", "1", "j", " ", "j", "o", "C", "L", "I", "enter")
	third := append(second, "enter", "1", "enter")
	mute := someSessions()
	mute[1].Asks = &broker.Asks{RequestID: "x", Text: "Which region?", At: seconds(20)}
	past := settled(askCall(askInput), broker.Allowed, broker.Actor{Kind: broker.ByOperator}, "", seconds(1))
	past.Outcome.UpdatedInput = []byte(strings.TrimSuffix(askInput, "}") + `,"answers":{"Which database should the service use?":"SQLite","Which parts may change?":"API, Docs","What is it called?":"shop"}}`)
	for name, sc := range map[string]struct {
		request  broker.Request
		sessions []broker.Session
		keys     []string
	}{
		"closed":      {request: askCall(askInput)},
		"opened":      {request: askCall(askInput), keys: []string{"enter"}},
		"preview":     {request: askCall(askInput), keys: first},
		"multi":       {request: askCall(askInput), keys: second},
		"other":       {request: askCall(askInput), keys: append(second, "enter", "o", "c", "o", "r", "n", "e", "r")},
		"overview":    {request: askCall(askInput), keys: third},
		"one":         {request: askCall(one), keys: []string{"enter", "enter"}},
		"declined":    {request: askCall(one), keys: []string{"enter", "D", "n", "o"}},
		"not a form":  {request: askCall(strings.ReplaceAll(askInput, `"header":"Name"`, `"header":"Name","secret":1`))},
		"late":        {request: settled(askCall(one), broker.Expired, broker.Actor{Kind: broker.ByDeadline}, "", seconds(1))},
		"past":        {request: past, keys: []string{"h", "enter"}},
		"in terminal": {request: broker.Request{}, sessions: mute},
		"plan":        {request: planCall(map[string]any{"plan": tuitest.Plan, "planFilePath": "/home/ada/.claude/plans/close-twice.md"})},
		"plan end":    {request: planCall(map[string]any{"plan": tuitest.Plan, "planFilePath": "/home/ada/.claude/plans/close-twice.md"}), keys: []string{"enter", "G"}},
		"plan back":   {request: planCall(map[string]any{"plan": "# Short\n"}), keys: []string{"d", "t", "e", "s", "t"}},
		"plan none":   {request: planCall(`{}`)},
	} {
		t.Run(name, func(t *testing.T) {
			goldenScene(t, "ask-"+name, func(width, height int) *still {
				snap := broker.Snapshot{Sessions: someSessions(), Health: broker.Health{Socket: "/run/user/1000/aoctl/broker.sock", LogHash: "4f2a91c0ffee"}}
				if sc.sessions != nil {
					snap.Sessions = sc.sessions
				}
				var past []broker.Request
				switch {
				case sc.request.ID == "":
				case sc.request.State == broker.Allowed:
					past = []broker.Request{sc.request}
				default:
					snap.Requests = []broker.Request{sc.request}
				}
				s := newStill(t, snap, past, termenv.Ascii)
				s.draw(width, height)
				s.playAsk(width, height, sc.keys)
				s.pass(tuitest.Noon.Sub(s.at))
				return s
			})
		})
	}
}

// inForm reports whether the keys are those of a form.
func (s *still) inForm() bool {
	k, ok := matching(s.m.topmost().Keys(), keyMsg("enter"))
	return ok && k.Help().Desc == question.Next.Help().Desc
}

// playAsk presses keys at leisure, and lets what is held for a moment happen. Where the
// end of a question has no room it is read first, as a person would have to.
func (s *still) playAsk(width, height int, keys []string) {
	for _, k := range keys {
		if k == "enter" && s.inForm() && s.m.prompt == nil {
			s.draw(width, height, "ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d")
		}
		s.m.Update(keyMsg(k))
		if g := s.m.Guard.Held; g != nil {
			s.at = g.Due
			s.m.Update(guard.DueMsg{Gen: g.Gen})
		}
		s.pass(700 * time.Millisecond)
	}
}

// A form and a plan fit every window.
func TestAskEveryWindow(t *testing.T) {
	for _, r := range []broker.Request{askCall(askInput), planCall(map[string]any{"plan": tuitest.Plan})} {
		for _, keys := range [][]string{nil, {"enter", "2"}, {"enter", "2", "enter", "1", "enter", "1", "enter"}, {"D", "x"}} {
			s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{r}}, nil, termenv.Ascii)
			s.draw(80, 24)
			s.playAsk(80, 24, keys)
			for width, height := range everyWindow(15) {
				if problem := tuitest.Misfit(s.draw(width, height), width, height); problem != "" {
					t.Fatalf("%s %v %d×%d: %s", r.ToolName, keys, width, height, problem)
				}
			}
		}
	}
}
