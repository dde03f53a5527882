// Package clients tries the packages for other languages, in js and python, against a real broker and
// against programs that only pretend to be one. What goes in is a call, as the Agent SDK hands it over;
// what comes out is the SDK's allow or deny. Anything but the operator's allow must be a deny.
//
// It has tests only. A language whose interpreter is not here is skipped.
package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/brokertest/operated"
	"github.com/aoctl/aoctl/broker/forms"
)

// TestMain lets many wait at once: the programs wait more than they compute.
func TestMain(m *testing.M) {
	brokertest.AtOnce(8)
	os.Exit(m.Run())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// language is how a program in it is started.
type language struct {
	interpreter, file string
	limits            map[string]float64 // of the package, in seconds; its own where they are not here
}

// languages are those in which there is a package.
var languages = []language{{interpreter: "node", file: "ask.mjs"}, {interpreter: "python3", file: "ask.py"}}

// hasty is l with limits that a test can wait for.
func (l language) hasty() language {
	l.limits = map[string]float64{"silence": 2, "away": 0.5}
	return l
}

// needed skips the test where the language is not here. Else it runs beside others.
func (l language) needed(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath(l.interpreter); err != nil {
		t.Skipf("there is no %s on the PATH", l.interpreter)
	}
	t.Parallel()
}

// question is what the programs in testdata are asked.
type question struct {
	Call    map[string]any `json:"call"`
	Options map[string]any `json:"options,omitempty"`
	Hook    string         `json:"hook,omitempty"` // the event; empty: canUseTool
	Ends    bool           `json:"ends,omitempty"` // the session is over after it
}

// call is a call of canUseTool.
func call(tool, input string) map[string]any {
	return map[string]any{"tool": tool, "input": json.RawMessage(input)}
}

// answer is what the SDK would get.
type answer struct {
	Behavior     string          `json:"behavior"`
	UpdatedInput json.RawMessage `json:"updatedInput"`
	Message      string          `json:"message"`
	Interrupt    bool            `json:"interrupt"`

	HookSpecificOutput struct {
		PermissionDecision       string          `json:"permissionDecision"`
		PermissionDecisionReason string          `json:"permissionDecisionReason"`
		UpdatedInput             json.RawMessage `json:"updatedInput"`
	} `json:"hookSpecificOutput"`
}

// asking is a program that asks.
type asking struct {
	t           *testing.T
	cmd         *exec.Cmd
	out, errout bytes.Buffer
}

// ask starts a program that asks all the questions at once, with more variables.
func (l language) ask(t *testing.T, questions []question, env ...string) *asking {
	t.Helper()
	raw, err := json.Marshal(struct {
		Questions []question         `json:"questions"`
		Limits    map[string]float64 `json:"limits,omitempty"`
	}{questions, l.limits})
	must(t, err)
	file, err := filepath.Abs(filepath.Join("testdata", l.file))
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	a := &asking{t: t, cmd: exec.CommandContext(ctx, l.interpreter, file, string(raw))}
	a.cmd.Stdout, a.cmd.Stderr, a.cmd.Dir = &a.out, &a.errout, t.TempDir()
	a.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "PYTHONDONTWRITEBYTECODE=1"}, env...)
	must(t, a.cmd.Start())
	return a
}

// one is ask of one question.
func (l language) one(t *testing.T, q question, env ...string) *asking {
	t.Helper()
	return l.ask(t, []question{q}, env...)
}

// answers waits for the program's answers.
func (a *asking) answers() []answer {
	a.t.Helper()
	var got []answer
	if err := errors.Join(a.cmd.Wait(), json.Unmarshal(a.out.Bytes(), &got)); err != nil {
		a.t.Fatalf("%v: it printed %q\n%s", err, a.out.String(), a.errout.String())
	}
	return got
}

// answer is the answer to one question.
func (a *asking) answer() answer {
	a.t.Helper()
	list := a.answers()
	if len(list) != 1 {
		a.t.Fatalf("there are %d answers, want one", len(list))
	}
	return list[0]
}

// refused checks that the one answer is a deny with the words.
func (a *asking) refused(words string) {
	a.t.Helper()
	a.answer().refused(a.t, words)
}

// refused checks that the answer is a deny, or a hook's, whose one sentence holds the words.
func (got answer) refused(t *testing.T, words string) {
	t.Helper()
	verdict, why, input := got.Behavior, got.Message, got.UpdatedInput
	if hook := got.HookSpecificOutput; hook.PermissionDecision != "" {
		verdict, why, input = hook.PermissionDecision, hook.PermissionDecisionReason, hook.UpdatedInput
	}
	if verdict != "deny" || !strings.Contains(why, words) || strings.Contains(why, "\n") || input != nil {
		t.Errorf("the answer is %+v, want a deny with %q", got, words)
	}
}

const making = `{"command":"make <all> 1.50 ü","n":7}`

// What the operator decides is what the SDK hears, and the console shows whose call it is. What the
// program does to its input after it asked changes nothing.
func TestDecided(t *testing.T) {
	for name, tt := range map[string]struct {
		decision broker.Decision
		want     answer
	}{
		"allowed": {broker.Decision{Verdict: broker.Allow}, answer{Behavior: "allow", UpdatedInput: json.RawMessage(making)}},
		"edited": {
			broker.Decision{Verdict: broker.Allow, UpdatedInput: json.RawMessage(`{"command":"make -n","n":0.5}`)},
			answer{Behavior: "allow", UpdatedInput: json.RawMessage(`{"command":"make -n","n":0.5}`)},
		},
		"denied": {broker.Decision{Verdict: broker.Deny, Reason: "not today"}, answer{Behavior: "deny", Message: "not today"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, lang := range languages {
				t.Run(lang.interpreter, func(t *testing.T) {
					lang.needed(t)
					path := operated.Socket(t)
					c := operated.Open(t, path)
					a := lang.one(t, question{Call: call("Bash", making), Options: map[string]any{"session": "s-1", "cwd": "/srv/shop", "timeout": 60}, Ends: true}, "AOCTL_SOCKET="+path)
					r := c.Next()
					if r.SessionID != "s-1" || r.Agent != "tester" || r.ToolName != "Bash" || r.ToolUseID != "toolu_1" || r.CWD != "/srv/shop" || !sameJSON(r.ToolInput, []byte(making)) {
						t.Errorf("the console shows %+v", r)
					}
					c.Says(r, tt.decision)
					got := a.answer()
					if got.Behavior != tt.want.Behavior || !strings.HasSuffix(got.Message, tt.want.Message) || got.Interrupt || !sameJSON(got.UpdatedInput, tt.want.UpdatedInput) {
						t.Errorf("the answer is %+v %s, want %+v", got, got.UpdatedInput, tt.want)
					}
					if session, err := c.Session(t.Context(), "s-1"); err != nil || !session.State.Ended() {
						t.Errorf("the session is %s, %v; want it ended", session.State, err)
					}
				})
			}
		})
	}
}

// sameJSON compares what two texts say.
func sameJSON(a, b []byte) bool {
	read := func(text []byte) string {
		var v any
		if json.Unmarshal(text, &v) != nil {
			return string(text)
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return string(text)
		}
		return string(raw)
	}
	return read(a) == read(b)
}

// The operator's answers come with the input, and a question that was let through without any is none.
func TestAnswered(t *testing.T) {
	const asked = `{"questions":[{"question":"Which region?","header":"Region","multiSelect":false,"options":[{"label":"eu","description":"near"},{"label":"us","description":"far"}]}]}`
	for _, lang := range languages {
		t.Run(lang.interpreter, func(t *testing.T) {
			lang.needed(t)
			path := operated.Socket(t)
			c := operated.Open(t, path)
			a := lang.one(t, question{Call: call("AskUserQuestion", asked)}, "AOCTL_SOCKET="+path)
			r := c.Next()
			form, err := forms.Read(r.ToolInput)
			must(t, err)
			filled, err := form.Fill([]forms.Answer{{Picked: []int{1}}})
			must(t, err)
			c.Says(r, broker.Decision{Verdict: broker.Allow, UpdatedInput: filled})
			if got := a.answer(); got.Behavior != "allow" || forms.Said(got.UpdatedInput)["Which region?"] != "us" {
				t.Errorf("the answer is %+v %s", got, got.UpdatedInput)
			}
			a = lang.one(t, question{Call: call("AskUserQuestion", asked)}, "AOCTL_SOCKET="+path)
			c.Says(c.Next(), broker.Decision{Verdict: broker.Allow})
			a.refused("without an answer")
		})
	}
}

// A console that only observes holds nothing, so its word is no permission for canUseTool. A hook leaves
// the call to the program's own rules.
func TestObserved(t *testing.T) {
	for _, lang := range languages {
		t.Run(lang.interpreter, func(t *testing.T) {
			lang.needed(t)
			path := operated.Socket(t)
			c := operated.Open(t, path)
			must(t, c.Observe(t.Context(), "", true, broker.Actor{Kind: broker.ByOperator}))
			list := lang.ask(t, []question{{Call: call("Bash", making)}, either("PreToolUse")}, "AOCTL_SOCKET="+path).answers()
			list[0].refused(t, "the console only observes, so nobody can allow")
			list[0].refused(t, "press O on this session in the console")
			if got := list[1]; got.Behavior != "" || got.HookSpecificOutput.PermissionDecision != "" {
				t.Errorf("the hook answers %+v, want no word", got)
			}
		})
	}
}

// A stop denies the call and ends the turn.
func TestStopped(t *testing.T) {
	for _, lang := range languages {
		t.Run(lang.interpreter, func(t *testing.T) {
			lang.needed(t)
			path := operated.Socket(t)
			c := operated.Open(t, path)
			a := lang.one(t, question{Call: call("Bash", making)}, "AOCTL_SOCKET="+path)
			_, err := c.Stop(t.Context(), c.Next().SessionID, broker.Actor{Kind: broker.ByOperator})
			must(t, err)
			if got := a.answer(); got.Behavior != "deny" || !got.Interrupt || !strings.Contains(got.Message, "Stopped") {
				t.Errorf("the answer is %+v, want the stop", got)
			}
		})
	}
}

// A console that restarts is asked the same question under the same id, and its answer counts.
func TestConsoleRestarts(t *testing.T) {
	for _, hook := range []string{"", "PreToolUse"} {
		for _, lang := range languages {
			t.Run(lang.interpreter, func(t *testing.T) {
				lang.needed(t)
				path := operated.Socket(t)
				c := operated.Open(t, path)
				a := lang.one(t, either(hook), "AOCTL_SOCKET="+path)
				first := c.Next()
				c.Close()
				c = operated.Open(t, path) // with an empty record
				r := c.Next()
				if hook == "" && r.ID != first.ID {
					t.Errorf("it was asked as %s and then as %s", first.ID, r.ID)
				}
				c.Says(r, broker.Decision{Verdict: broker.Allow})
				if got := a.answer(); got.Behavior != "allow" && got.HookSpecificOutput.PermissionDecision != "allow" {
					t.Errorf("the answer is %+v", got)
				}
			})
		}
	}
}

// either is a call as canUseTool or a hook gets it.
func either(hook string) question {
	if hook == "" {
		return question{Call: call("Bash", making)}
	}
	return question{Hook: hook, Call: map[string]any{
		"session_id": "s-1", "cwd": "/srv/shop", "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": json.RawMessage(making),
	}}
}

// A console that ends and stays away lets nothing run.
func TestConsoleEnds(t *testing.T) {
	for _, lang := range languages {
		t.Run(lang.interpreter, func(t *testing.T) {
			lang.needed(t)
			path := operated.Socket(t)
			c := operated.Open(t, path)
			a := lang.hasty().one(t, either(""), "AOCTL_SOCKET="+path)
			c.Next()
			c.Close()
			a.refused("the console ended while this call waited")
		})
	}
}

// A program that takes its question back closes the card.
func TestTakenBack(t *testing.T) {
	for _, hook := range []string{"", "PreToolUse"} {
		for _, lang := range languages {
			t.Run(lang.interpreter, func(t *testing.T) {
				lang.needed(t)
				path := operated.Socket(t)
				c := operated.Open(t, path)
				a := lang.one(t, either(hook), "AOCTL_SOCKET="+path)
				r := c.Next()
				must(t, a.cmd.Process.Signal(os.Interrupt))
				c.Until("the end of the card", func() bool { return len(c.Pending("")) == 0 })
				got, err := c.Store.Request(t.Context(), r.ID)
				must(t, err)
				// A hook only hangs up.
				if got.State != broker.Cancelled || hook == "" && got.Outcome.By.ID != broker.WithdrawnID {
					t.Errorf("the call is %s by %+v, want it taken back", got.State, got.Outcome.By)
				}
				if got := a.answer(); hook == "" && got.Behavior != "deny" {
					t.Errorf("the answer is %+v", got)
				}
			})
		}
	}
}

// The operator's time runs out at the console.
func TestUnanswered(t *testing.T) {
	for _, lang := range languages {
		t.Run(lang.interpreter, func(t *testing.T) {
			lang.needed(t)
			path := operated.Socket(t)
			operated.Open(t, path)
			lang.one(t, question{Call: call("Bash", making), Options: map[string]any{"timeout": 1}}, "AOCTL_SOCKET="+path).refused("within 1s")
		})
	}
}

// Over TCP both sides prove that they know the token. One that the console does not know is of no use.
func TestOverTCP(t *testing.T) {
	for _, lang := range languages {
		t.Run(lang.interpreter, func(t *testing.T) {
			lang.needed(t)
			c := operated.Open(t, operated.Socket(t))
			l, err := api.ListenTCP(t.Context(), "127.0.0.1:0")
			must(t, err)
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- c.ServeTCP(ctx, l) }()
			t.Cleanup(func() {
				cancel()
				if err := <-done; err != nil {
					t.Error(err)
				}
			})
			token, err := c.MintToken(t.Context(), broker.AskingToken, "test", broker.Actor{Kind: broker.ByOperator})
			must(t, err)
			url := "http://localhost" + l.Addr()[strings.LastIndexByte(l.Addr(), ':'):]
			a := lang.one(t, question{Call: call("Bash", making), Options: map[string]any{"url": url, "token": token}})
			c.Says(c.Next(), broker.Decision{Verdict: broker.Allow})
			if got := a.answer(); got.Behavior != "allow" {
				t.Errorf("the answer is %+v", got)
			}
			lang.one(t, question{Call: call("Bash", making)}, "AOCTL_URL="+url, "AOCTL_TOKEN=aoctl_ask_another").refused("turns the token down")
		})
	}
}
