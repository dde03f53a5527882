package tui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/external"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// editsTo makes the rig's editor one that leaves this text, or fails, after a while.
func (r *rig) editsTo(text string, err error, takes time.Duration) *int {
	opened := 0
	r.m.shared.outside.Exec = func(run *external.Run, done func(error) tea.Msg) tea.Cmd {
		opened++
		return func() tea.Msg {
			time.Sleep(takes)
			run.Got, run.Took = text, takes
			return done(err)
		}
	}
	return &opened
}

// editRig has one waiting call, read to its end.
func editRig(t *testing.T, call broker.Request) *rig {
	t.Helper()
	r := newRig(t, newFake(someSessions(), call), 80, 24)
	r.m.shared.outside.Folder = t.TempDir()
	r.wait(time.Second)
	return r
}

// editsCall reports whether an edited call is on the screen.
func (r *rig) editsCall() bool { return r.m.open() == r.m.rooms[desk.EditCall] }

func (r *rig) lastDecision() broker.Decision {
	r.t.Helper()
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if len(r.c.decided) == 0 {
		r.t.Fatalf("nothing was decided:\n%s", r.view())
	}
	return r.c.decided[len(r.c.decided)-1]
}

func TestEditThenAllow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := editRig(t, tuitest.NewCall("r1", "s1", "Bash", time.Now(), `{"command":"npm test","timeout":1000,"description":"Run <it>"}`))
		r.editsTo("npm test -- --ci\n", nil, 5*time.Second)
		r.press("e")
		r.wait(6 * time.Second)
		for _, text := range []string{"− npm test", "+ npm test -- --ci", "Runs in place of what was asked", "a allow as edited"} {
			r.shows(text)
		}
		r.press("a")
		d := r.lastDecision()
		if got, want := string(d.UpdatedInput), `{"command":"npm test -- --ci","timeout":1000,"description":"Run <it>"}`; got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
		if d.Verdict != broker.Allow || d.Seal != "sealed" || d.Dangerous || d.Digest == "" {
			t.Errorf("sent %+v", d)
		}
		r.shows("allowed as you edited it")
	})
}

// Attack: an edit turns a harmless card into one that destroys: one key is not enough.
func TestEditedDangerTakesTheCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := editRig(t, bash("r1", "s1", time.Now(), "ls"))
		r.c.judge = func(e broker.Edited) broker.Edited {
			e.Request = judgedAsRisk(e.Request, risk.Dangerous, "deletes outside the project")
			return e
		}
		r.editsTo("rm -rf /\n", nil, time.Second)
		r.press("e")
		r.wait(2 * time.Second)
		r.shows("dangerous: deletes outside the project")
		r.press("a")
		if got := r.decisions(); got != "" {
			t.Fatalf("a allowed it: %s", got)
		}
		r.press("4", "8")
		if got := r.decisions(); got != "" {
			t.Fatalf("a wrong code allowed it: %s", got)
		}
		r.press(codeInTests[:1], codeInTests[1:])
		if d := r.lastDecision(); !d.Dangerous || string(d.UpdatedInput) != `{"command":"rm -rf /"}` {
			t.Errorf("sent %+v", d)
		}
	})
}

// Attack: keys that were meant for the editor reach the console when it gives the
// terminal back, before and after the console knows of it.
func TestKeysForTheEditorDecideNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := editRig(t, bash("r1", "s1", time.Now(), "ls"))
		r.editsTo("ls -l\n", nil, 10*time.Second)
		r.press("e")
		r.press("a", "d", "S", "y", "q", "esc") // 4.9 s
		r.wait(10*time.Second - 4900*time.Millisecond)
		for range 10 { // the question comes up among these
			r.send(keyMsg("a"))
			r.wait(50 * time.Millisecond)
		}
		r.wait(time.Second)
		if got := r.decisions(); got != "" || r.quit || r.c.stopAlls > 0 {
			t.Fatalf("keys for the editor decided: %q, quit %v", got, r.quit)
		}
		r.send(keyMsg("a"))
		r.wait(time.Second)
		if got := r.decisions(); got != "allow r1;" || len(r.lastDecision().UpdatedInput) == 0 {
			t.Errorf("decided %q, not what came back from the editor", got)
		}
	})
}

func TestQuestionIsDeafAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := editRig(t, bash("r1", "s1", time.Now(), "ls"))
		r.editsTo("ls -l\n", nil, 0)
		r.send(keyMsg("e"))
		for range 20 {
			r.wait(10 * time.Millisecond)
			if strings.Contains(r.view(), "Runs in place of what was asked") {
				break
			}
		}
		r.wait(100 * time.Millisecond)
		r.send(keyMsg("a"))
		r.wait(time.Second)
		if got := r.decisions(); got != "" {
			t.Errorf("a key 100 ms after the question came up decided: %s", got)
		}
	})
}

func TestEditorTrouble(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		err        error
		want       string
		kept       bool // e brings the text back
	}{
		{"exits 1", "ls\n", errors.New(`the editor "x" failed: exit status 1`), "exit status 1; nothing was changed", false},
		{"exits 1 after a change", "ls -a\n", errors.New(`the editor "x" failed: exit status 1`), "e shows what it left", true},
		{"deletes the file", "ls\n", errors.New(`the editor "x" left no file`), "left no file; nothing was changed", false},
		{"changes nothing", "ls\n", nil, "nothing was changed", false},
		{"empties it", "\n", nil, "this cannot be run: ", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := editRig(t, bash("r1", "s1", time.Now(), "ls"))
				if tt.name == "empties it" {
					r.c.refuseEdit = fmt.Errorf("edit r1: %w: %w", broker.ErrInvalid, errors.New(`"command" is empty`))
				}
				opened := r.editsTo(tt.text, tt.err, 2*time.Second)
				r.press("e")
				r.wait(2 * time.Second)
				r.shows(tt.want)
				if r.editsCall() {
					r.press("a")
					r.press("esc")
				}
				if r.decisions() != "" || r.editsCall() {
					t.Fatalf("it was decided: %q", r.decisions())
				}
				r.press("e")
				if brought := *opened == 1; brought != tt.kept || tt.kept && !r.editsCall() {
					t.Errorf("e opened the editor %d times; the text was to come back: %v", *opened, tt.kept)
				}
				r.wait(3 * time.Second)
			})
		})
	}
}

// The call ends while the editor is open: nothing is decided, it is said, the text is
// kept in a file and comes back on the retry's card.
func TestCallEndsMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := bash("r1", "s1", time.Now(), "ls")
		r := editRig(t, call)
		opened := r.editsTo("ls -l\n", nil, 5*time.Second)
		r.press("e")
		r.c.publish(settled(call, broker.Cancelled, broker.Actor{Kind: broker.ByAgent}, "", time.Now()))
		r.wait(6 * time.Second)
		r.shows("nothing can be")
		r.shows("your text is in")
		files, err := filepath.Glob(filepath.Join(r.m.shared.outside.Folder, "kept-*.sh"))
		if err != nil || len(files) != 1 {
			t.Fatalf("kept are %v, %v", files, err)
		}
		if text, err := os.ReadFile(files[0]); err != nil || string(text) != "ls -l\n" {
			t.Errorf("kept is %q, %v", text, err)
		}
		r.press("a")
		if got := r.decisions(); got != "" {
			t.Fatalf("decided %q", got)
		}
		r.press("esc")
		retry := bash("r2", "s1", time.Now(), "ls")
		r.c.publish(retry)
		r.wait(time.Second)
		r.m.Open(desk.Queue, desk.Subject{Call: &retry})
		r.wait(time.Second)
		r.press("e")
		r.wait(time.Second)
		r.shows("+ ls -l")
		if *opened != 1 {
			t.Errorf("the editor was opened %d times, want the kept text", *opened)
		}
		r.press("a")
		if got := r.decisions(); got != "allow r2;" {
			t.Errorf("decided %q", got)
		}
	})
}

func TestDecisionsAboutEditedCalls(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"decided elsewhere", broker.ErrAlreadyDecided, "no longer waiting"},
		{"not recorded", broker.ErrNotRecorded, "the agent was told no"},
		{"file changed", broker.ErrChanged, "changed meanwhile: look again"},
		{"a new rule", errors.New("decide r1: a rule refuses the call with this input: no pushes"), "no pushes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := editRig(t, bash("r1", "s1", time.Now(), "ls"))
				r.c.failWith = tt.err
				r.editsTo("ls -l\n", nil, time.Second)
				r.press("e")
				r.wait(2 * time.Second)
				r.press("a")
				r.shows(tt.want)
				if !r.editsCall() {
					t.Error("the edited call is gone")
				}
				r.shows("+ ls -l")
				r.press("esc")
				r.c.failWith = nil
				opened := r.editsTo("", nil, 0)
				r.press("e")
				if *opened > 0 || !r.editsCall() {
					t.Error("the edited text is lost")
				}
				r.shows("+ ls -l")
			})
		})
	}
}

func TestRefusedByRule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := editRig(t, bash("r1", "s1", time.Now(), "ls"))
		r.c.judge = func(e broker.Edited) broker.Edited {
			e.Request, e.Deny = judgedAsRisk(e.Request, risk.Normal, ""), "no pushes"
			return e
		}
		r.m.opts.Hooks.Others = func(agent, event, tool, project string) []string {
			return []string{agent + " " + event + " " + tool + " " + project + ":7: rewrite.sh"}
		}
		r.editsTo("git push\n", nil, time.Second)
		r.press("e")
		r.wait(2 * time.Second)
		r.shows("a rule refuses it: no pushes")
		r.shows("claude PreToolUse Bash")
		r.press("a")
		if got := r.decisions(); got != "" {
			t.Errorf("decided %q", got)
		}
		r.press("u")
		opened := r.editsTo("ls\n", nil, 0)
		if r.press("e"); *opened != 1 || r.editsCall() {
			t.Error("u kept the edited input")
		}
	})
}

// What cannot be edited says why; an agent that takes no other input is offered a denial
// that tells what to run.
func TestNotEdited(t *testing.T) {
	at := func(r broker.Request, change func(*broker.Request)) broker.Request {
		change(&r)
		return r
	}
	for _, tt := range []struct {
		name string
		call func(now time.Time) broker.Request
		want string
	}{
		{"question", func(now time.Time) broker.Request {
			return tuitest.NewCall("r1", "s1", "AskUserQuestion", now, `{"questions":[]}`)
		}, "not edited"},
		{"broken", func(now time.Time) broker.Request {
			return tuitest.NewCall("r1", "s1", "Bash", now, `{"command":"a","command":"b"}`)
		}, "cannot be edited"},
		{"no gate", func(now time.Time) broker.Request {
			return at(bash("r1", "s1", now, "npm test"), func(r *broker.Request) { r.Event = "PostToolUse" })
		}, "D denies it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := editRig(t, tt.call(time.Now()))
				opened := r.editsTo("x", nil, 0)
				r.press("e")
				r.shows(tt.want)
				if *opened > 0 || r.decisions() != "" {
					t.Errorf("opened %d times, decided %q", *opened, r.decisions())
				}
				if tt.name != "no gate" {
					return
				}
				r.press("D")
				r.shows("Run this instead: npm test")
				r.press(" ", "-", "n", "enter")
				if d := r.lastDecision(); d.Verdict != broker.Deny || d.Reason != "Run this instead: npm test -n" {
					t.Errorf("sent %+v", d)
				}
			})
		})
	}
}

func TestEditNeedsReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := editRig(t, bash("r1", "s1", time.Now(), "ls"))
		r.editsTo(strings.Repeat("echo one\n", 60), nil, time.Second)
		r.press("e")
		r.wait(2 * time.Second)
		r.press("a")
		if got := r.decisions(); got != "" {
			t.Fatalf("allowed unread: %s", got)
		}
		r.press("G", "a")
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("decided %q", got)
		}
	})
}
