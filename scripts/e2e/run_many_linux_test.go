package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/store"
)

const (
	manyRuns   = 50
	manyRounds = 4 // questions to each session
	// What a runner and the console may hold for a session.
	mostRunnerMemory = 40 << 20 // bytes of its own
	mostRunnerFiles  = 24
	mostBrokerFiles  = 5
)

// TestManyRuns: the real runner holds many stand-ins for an agent at once. Whatever the order
// in which their calls, questions, messages and interrupts come and are answered, each gets
// the answer to its own; they outlive a console, and one key of the next one ends them all.
func TestManyRuns(t *testing.T) {
	m := newCrowd(t)
	m.open()
	before := len(openFiles(t, os.Getpid()))
	m.startAll()
	m.converse(rand.New(rand.NewPCG(1, 0)))
	m.weigh(before)

	for i := range manyRuns { // half of them wait for an answer at the end, half just work
		text := "mark end-" + strconv.Itoa(i)
		if i%2 == 1 {
			text = "hang"
		}
		m.say(i, text)
	}
	m.rig.soon("the last calls", func() bool { return len(m.rig.pending()) == manyRuns/2 })
	m.close()

	console := m.rig.console("console")
	m.rig.soon("the calls again", func() bool { return len(m.rig.pending()) == manyRuns/2 })
	began := time.Now()
	console.stopAll()
	m.rig.soon("the end of all sessions", func() bool { return m.in(broker.TurnEnded) == manyRuns })
	t.Logf("all ended %v after the key", time.Since(began).Round(time.Millisecond))
	for _, s := range m.rig.sessions() {
		if lives(s.Process.PID) {
			t.Errorf("%s is said to have ended, and process %d lives", s.Name, s.Process.PID)
		}
		m.rig.soon("the end of the runner of "+s.Name, func() bool { return !lives(s.Run.Runner.PID) })
	}
	m.check()
}

// stopAll presses the key that stops everything and says yes, until the sessions are being
// stopped: a y before the question says nothing, and one right behind the S, which nobody
// types, means no.
func (t *terminal) stopAll() {
	t.rig.t.Helper()
	t.rig.until("S and y stopping all", func() bool {
		key := "S"
		if strings.Contains(t.screen(), "stop all "+strconv.Itoa(manyRuns)+" sessions and deny") {
			key = "y"
		}
		t.key(key)
		return t.rig.within(e2eRepeat, func() bool { return len(t.rig.pending()) == 0 })
	})
}

// crowd is many managed sessions of stand-ins.
type crowd struct {
	t      *testing.T
	rig    *rig
	broker *service.Broker
	close  func()
	ids    []string // of the sessions
}

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	dir := t.TempDir()
	p := e2ePrograms{claude: filepath.Join(dir, "claude"), aoctl: filepath.Join(dir, "aoctl")}
	build(t, p.claude, module+"/scripts/standin/claude", "CGO_ENABLED=0")
	build(t, p.aoctl, module)
	build(t, filepath.Join(dir, "aoctl-hook"), module+"/hookclient/aoctl-hook", "CGO_ENABLED=0")
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("no tmux found: the console needs a terminal")
	}
	p.tmux = tmux
	m := &crowd{t: t, rig: newRig(t, p, nil)}
	if err := os.Mkdir(filepath.Join(m.rig.dir, "said"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.rig.endRuns)
	return m
}

// open opens a console without a screen; the test is the person at it.
func (m *crowd) open() {
	m.t.Helper()
	state := filepath.Join(m.rig.dir, "state")
	l, err := api.Listen(filepath.Join(state, "broker.sock"))
	if err != nil {
		m.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	st, err := store.Open(ctx, filepath.Join(state, "aoctl.db"))
	if err != nil {
		m.t.Fatal(err)
	}
	if m.broker, err = service.New(ctx, st, service.Options{Socket: filepath.Join(state, "broker.sock"), Rate: -1}); err != nil {
		m.t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- m.broker.Serve(ctx, l) }()
	m.close = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-served, m.broker.Close(), st.Close()); err != nil {
			m.t.Logf("close the console: %v", err)
		}
		_ = l.Close() // the server may have
	})
	m.t.Cleanup(m.close)
}

func runName(i int) string { return fmt.Sprintf("run-%02d", i) }

// startAll starts all sessions, a few at a time.
func (m *crowd) startAll() {
	m.t.Helper()
	began := time.Now()
	slots := make(chan struct{}, 8)
	var starting sync.WaitGroup
	for i := range manyRuns {
		slots <- struct{}{}
		starting.Go(func() {
			defer func() { <-slots }()
			ctx, cancel := context.WithTimeout(context.Background(), e2eWait)
			defer cancel()
			cmd := exec.CommandContext(ctx, m.rig.aoctl, "run", "--detach", "--name", runName(i), "--", m.rig.claude, "say hello")
			cmd.Env, cmd.Dir = append(m.rig.env(), "STANDIN_LOG="+m.said(i)), m.rig.project
			if out, err := cmd.CombinedOutput(); err != nil {
				m.t.Errorf("%s: %v\n%s", runName(i), err, out)
			}
		})
	}
	starting.Wait()
	m.rig.soon("all sessions", func() bool { return m.in(broker.TurnIdle) == manyRuns })
	for i := range manyRuns {
		m.ids = append(m.ids, m.rig.session(runName(i)).ID)
	}
	m.t.Logf("%d sessions were ready after %v", manyRuns, time.Since(began).Round(time.Millisecond))
}

func (m *crowd) said(i int) string { return filepath.Join(m.rig.dir, "said", runName(i)) }

// in counts the sessions whose agent does that.
func (m *crowd) in(state broker.TurnState) (n int) {
	for _, s := range m.rig.sessions() {
		if s.Run != nil && s.Run.Turn == state {
			n++
		}
	}
	return n
}

var operator = broker.Actor{Kind: broker.ByOperator}

func (m *crowd) say(i int, text string) {
	m.t.Helper()
	if _, err := m.broker.Say(m.t.Context(), m.ids[i], text, operator); err != nil {
		m.t.Fatalf("say %q to %s: %v", text, runName(i), err)
	}
}

// mark is what question n to session i is about.
func mark(i, n int) string { return fmt.Sprintf("M-%02d-%d-", i, n) }

var marked = regexp.MustCompile(`M-\d\d-\d-`)

// converse asks every session its questions and answers them, all in a random order; some of
// them are put while another is open, some turns are interrupted and their question put anew.
func (m *crowd) converse(random *rand.Rand) {
	m.t.Helper()
	todo := make([][]string, manyRuns)
	of := map[string]int{} // session by id
	for i := range todo {
		of[m.ids[i]] = i
		for n := range manyRounds {
			todo[i] = append(todo[i], []string{"mark ", "ask "}[random.IntN(2)]+mark(i, n))
		}
	}
	began, interrupted := time.Now(), map[string]bool{} // request by id
	for left := manyRuns * manyRounds; left > 0; {
		if time.Since(began) > 2*e2eWait {
			m.t.Fatalf("%d questions are left: %v\n%s", left, todo, m.rig.runLogs())
		}
		for _, i := range random.Perm(manyRuns) {
			if len(todo[i]) == 0 || random.IntN(2) == 0 {
				continue
			}
			if s, err := m.broker.Session(m.t.Context(), m.ids[i]); err == nil && s.Message == nil {
				m.say(i, todo[i][0])
				todo[i] = todo[i][1:]
			}
		}
		m.rig.within(e2ePoll, func() bool { return len(m.broker.Pending("")) > 0 })
		waiting := m.broker.Pending("")
		random.Shuffle(len(waiting), func(a, b int) { waiting[a], waiting[b] = waiting[b], waiting[a] })
		for _, q := range waiting[:len(waiting)-len(waiting)/3] { // the rest a little later
			switch i := of[q.SessionID]; {
			case interrupted[q.ID]:
			case random.IntN(10) == 0:
				if err := m.broker.Interrupt(m.t.Context(), q.SessionID, operator); err != nil {
					m.t.Fatal(err)
				}
				interrupted[q.ID] = true
				todo[i] = append(todo[i], "mark "+marked.FindString(string(q.ToolInput)))
			default:
				m.answer(q, random)
				left--
			}
		}
	}
	m.rig.soon("the end of all turns", func() bool { return m.in(broker.TurnIdle) == manyRuns })
	m.t.Logf("%d questions answered after %v, %d turns interrupted", manyRuns*manyRounds, time.Since(began).Round(time.Millisecond), len(interrupted))
}

// answer answers a call with the mark that it has, in one of the ways there are.
func (m *crowd) answer(q broker.Request, random *rand.Rand) {
	m.t.Helper()
	word := marked.FindString(string(q.ToolInput))
	d := broker.Decision{Verdict: broker.Deny, By: operator, Digest: q.Digest, Reason: "answer " + word}
	switch {
	case q.ToolName == "AskUserQuestion":
		d.Verdict, d.Reason = broker.Allow, ""
		d.UpdatedInput = with(m.t, q.ToolInput, "answers", map[string]string{word: "answer " + word})
	case random.IntN(2) == 0:
		d.Verdict, d.Reason = broker.Allow, ""
		d.UpdatedInput = with(m.t, q.ToolInput, "command", ": answer "+word)
	}
	if _, err := m.broker.Decide(m.t.Context(), q.ID, d); err != nil {
		m.t.Errorf("answer %s: %v", q.ToolInput, err)
	}
}

// with is an input of which one field is another.
func with(t *testing.T, input json.RawMessage, name string, value any) json.RawMessage {
	t.Helper()
	var fields map[string]any
	err := json.Unmarshal(input, &fields)
	if err != nil {
		t.Fatal(err)
	}
	fields[name] = value
	if input, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	return input
}

// check reads what the agents have seen.
func (m *crowd) check() {
	m.t.Helper()
	for i := range manyRuns {
		text, err := os.ReadFile(m.said(i))
		if err != nil {
			m.t.Error(err)
			continue
		}
		for _, bad := range []string{"WRONG", "BROKEN", "UNASKED"} {
			if strings.Contains(string(text), bad) {
				m.t.Errorf("%s saw:\n%s", runName(i), text)
			}
		}
		for n := range manyRounds {
			if strings.Count(string(text), "right "+mark(i, n)) != 1 {
				m.t.Errorf("%s got no answer, or more than one, to %s:\n%s", runName(i), mark(i, n), text)
			}
		}
	}
}

// weigh measures what the sessions cost, with all of them idle.
func (m *crowd) weigh(before int) {
	m.t.Helper()
	var memory, files []int
	for _, s := range m.rig.sessions() {
		memory = append(memory, ownMemory(m.t, s.Run.Runner.PID))
		files = append(files, len(openFiles(m.t, s.Run.Runner.PID)))
	}
	now := len(openFiles(m.t, os.Getpid()))
	m.t.Logf("runners: %.1f MB of their own each (most %.1f), %d descriptors at most; console: %d descriptors more than without them",
		float64(sum(memory))/float64(len(memory))/(1<<20), float64(most(memory))/(1<<20), most(files), now-before)
	if most(memory) > mostRunnerMemory || most(files) > mostRunnerFiles || now-before > mostBrokerFiles*manyRuns {
		m.t.Errorf("that is more than %d MB, %d descriptors and %d for each session", mostRunnerMemory>>20, mostRunnerFiles, mostBrokerFiles)
	}
}

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

func most(list []int) (n int) {
	for _, v := range list {
		n = max(n, v)
	}
	return n
}

// ownMemory is what a process has of its own, in bytes.
func ownMemory(t *testing.T, pid int) (bytes int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var kb int
		if n, _ := fmt.Sscanf(line, "Private_Dirty: %d kB", &kb); n == 1 {
			bytes += kb << 10
		}
		if n, _ := fmt.Sscanf(line, "Private_Clean: %d kB", &kb); n == 1 {
			bytes += kb << 10
		}
	}
	return bytes
}

func openFiles(t *testing.T, pid int) []os.DirEntry {
	t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return list
}
