package doctor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/cli/output"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
)

func TestNamedSettingsMustBeThere(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{filepath.Join(dir, "nope.json"): "is not there", dir: "is a folder"} {
		o := options{settings: path}
		if err := o.readSettings(); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// At 40 cells the words of a cure are broken, and its command is not.
func TestACommandIsNotBroken(t *testing.T) {
	for cure, want := range map[string]string{
		"start a console with: aoctl run --detach":                                  "          → start a console with:\n            aoctl run --detach\n",
		"write the hook again: aoctl install claude --mode gate, to see every call": "          → write the hook again:\n    aoctl install claude --mode gate\n            to see every call\n",
		"aoctl install claude --mode gate, now":                                     "          →\n    aoctl install claude --mode gate\n            now\n",
		"aoctl rules list":                                                          "          → aoctl rules list\n",
	} {
		var b bytes.Buffer
		p := painter{out: bufio.NewWriter(&b), width: 40}
		p.cure("          → ", cure, "            ")
		_ = p.out.Flush()
		if b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
}

// A small window keeps most of its width for what was seen.
func TestChecksInASmallWindow(t *testing.T) {
	var b bytes.Buffer
	p := painter{out: bufio.NewWriter(&b), width: 40, names: 15}
	p.check(check{Name: "folder", Status: agentcheck.Warn, Seen: "there is none yet, and no console has run", Cure: "aoctl"})
	_ = p.out.Flush()
	if want := "  warn  folder\n        there is none yet, and no\n        console has run\n        → aoctl\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// A path that does not fit behind other words gets a line, and none is broken at a slash.
func TestAPathIsNotBroken(t *testing.T) {
	var b bytes.Buffer
	p := painter{out: bufio.NewWriter(&b), width: 60, names: 7}
	p.check(check{Name: "socket", Status: agentcheck.Fail, Seen: "nobody listens on /run/user/1000/aoctl-of-mine/broker.sock today"})
	_ = p.out.Flush()
	if want := "  FAIL  socket   nobody listens on\n                 /run/user/1000/aoctl-of-mine/broker.sock\n                 today\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// What a hook comes to is judged as the agents judge it.
func TestDrillVerdicts(t *testing.T) {
	for _, tt := range []struct{ script, verdict, reason string }{
		{"echo 'aoctl: no console' >&2; exit 2", "DENY", "no console"},
		{"exit 2", "DENY", "without a word"},
		{"exit 1", "OPEN", "the call runs"},
		{"exit 127", "OPEN", "the call runs"},
		{"exit 0", "OPEN", "said nothing"},
		{"echo; exit 0", "OPEN", "said nothing"},
		{"echo '{junk'; exit 0", "OPEN", "not an answer"},
		{"echo go on; exit 0", "OPEN", "not an answer"},
		{"echo '{}'", "OPEN", "decides nothing"},
		{`echo '{"hookSpecificOutput":{"permissionDecision":"maybe"}}'`, "OPEN", "decides nothing"},
		{`echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}'`, "DENY", "no"},
		{`echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'; exit 1`, "OPEN", "the call runs"},
		{`echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`, "ALLOW", "allowed"},
		{`echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`, "ASK", ""},
		{`echo '{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"not now"}}}'`, "DENY", "not now"},
		{`echo '{"decision":"block","reason":"no"}'`, "DENY", "no"},
		{`echo '{"permission":"deny","user_message":"no"}'`, "DENY", "no"},
		{`echo '{"permissionDecision":"deny"}'`, "DENY", ""},
		{"kill -KILL $$", "OPEN", "a signal"},
	} {
		var out, words bytes.Buffer
		cmd := exec.CommandContext(t.Context(), "sh", "-c", tt.script)
		cmd.Stdout, cmd.Stderr = &out, &words
		err := cmd.Run()
		r := drillResult{Exit: cmd.ProcessState.ExitCode()}
		r.judge(t.Context(), err, out.Bytes(), strings.TrimSpace(words.String()))
		if r.Verdict != tt.verdict || !strings.Contains(r.Reason, tt.reason) {
			t.Errorf("%s: %s, %q, want %s, %q", tt.script, r.Verdict, r.Reason, tt.verdict, tt.reason)
		}
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	r := drillResult{}
	if r.judge(late, errors.New("killed"), nil, ""); r.Verdict != "OPEN" || !strings.Contains(r.Reason, "did not end") {
		t.Errorf("a hook that hangs is %s, %q", r.Verdict, r.Reason)
	}
}

// Only modes of files of our own are changed, and never behind a link.
func TestCloseFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if did, err := closeFile(link, 0o600); err == nil {
		t.Errorf("a link was followed: %s", did)
	}
	if did, err := closeFile(path, 0o600); err != nil || !strings.Contains(did, "0600 instead of 0644") {
		t.Errorf("got %q, %v", did, err)
	}
	if did, err := closeFile(path, 0o600); err != nil || did != "" {
		t.Errorf("the second time it did %q, %v", did, err)
	}
	sock := filepath.Join(dir, "s")
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := os.Chmod(sock, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := closeFile(sock, 0o600); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(sock); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// A socket that another process serves than the one that holds the lock was replaced, and
// one that says nothing is not waited for.
func TestDoctorTellsWhoServes(t *testing.T) {
	dir, err := drillFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	g := &drillGround{dir: dir}
	if err := g.openSilent(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.close)
	e := &examination{}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	e.answers(ctx, g.socket("silent"), os.Getpid())
	if e.Failed != 1 || !strings.Contains(e.Checks[0].Seen, "does not answer") {
		t.Errorf("of a console that says nothing: %+v", e.Checks)
	}
	if err := g.openConsole(t.Context()); err != nil {
		t.Fatal(err)
	}
	e = &examination{}
	e.answers(t.Context(), g.socket("console"), os.Getpid()+1)
	if e.Failed != 1 || !strings.Contains(e.Checks[0].Seen, "the socket was replaced: process "+strconv.Itoa(os.Getpid())) {
		t.Errorf("of a replaced socket: %+v", e.Checks)
	}
}

func TestLasting(t *testing.T) {
	rule := func(change func(*rules.Rule)) rules.Rule {
		r := rules.Rule{Enabled: true, Decision: rules.Allow, Tool: "Bash", Where: map[string]string{"command": "git *"}}
		change(&r)
		return r
	}
	for name, tc := range map[string]struct {
		change func(*rules.Rule)
		want   bool
	}{
		"pattern": {func(*rules.Rule) {}, true},
		"exact":   {func(r *rules.Rule) { r.Where["command"] = "git status" }, false},
		"denies":  {func(r *rules.Rule) { r.Decision = rules.Deny }, false},
		"off":     {func(r *rules.Rule) { r.Enabled = false }, false},
		"uses":    {func(r *rules.Rule) { r.MaxUses = 3 }, false},
		"session": {func(r *rules.Rule) { r.Scope.Session = "s" }, false},
		"all":     {func(r *rules.Rule) { r.Where = nil }, true},
	} {
		if got := lasting(rule(tc.change)); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The report fits its terminal to the last path, and as JSON says the same.
func TestDoctorReport(t *testing.T) {
	e := &examination{Checks: []check{}, Fixed: []string{}}
	e.section("console")
	e.add(agentcheck.Fail, "socket", "chmod 600 /run/user/1000/aoctl/broker.sock", "%s", strings.Repeat("/a-long-folder", 12)+" is open to others \x1b[2J")
	e.section("codex")
	e.add(agentcheck.Skipped, "program", "", "not found")
	e.section("rules")
	e.add(agentcheck.OK, "rules", "never shown", "0 rules")
	var plain, narrow bytes.Buffer
	if err := e.print(&plain, &output.Format{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Console\n  FAIL  socket ", "Not found here\n  Codex\n", "\n1 ok, 0 warnings, 1 failure, 1 skipped\n", `\x1b[2J`} {
		if !strings.Contains(plain.String(), want) {
			t.Errorf("%q is not in:\n%s", want, plain.String())
		}
	}
	if strings.Contains(plain.String(), "\x1b") || strings.Contains(plain.String(), "never shown") {
		t.Errorf("unsafe or too much:\n%q", plain.String())
	}
	p := painter{out: bufio.NewWriter(&narrow), width: 60, names: 7}
	p.check(e.Checks[0])
	if err := p.out.Flush(); err != nil {
		t.Fatal(err)
	}
	// The terminal breaks the path, so that it is copied in one piece.
	if path := strings.Repeat("/a-long-folder", 12); !strings.Contains(narrow.String(), path+"\n") {
		t.Errorf("the path is broken:\n%s", narrow.String())
	}
	var doc bytes.Buffer
	asJSON := output.JSON()
	if err := e.print(&doc, &asJSON); err != nil {
		t.Fatal(err)
	}
	var back examination
	if err := json.Unmarshal(doc.Bytes(), &back); err != nil || len(back.Checks) != 3 || back.Checks[0].Status != agentcheck.Fail {
		t.Errorf("got %+v, %v", back, err)
	}
}

// The drill's call is taken for one of the very agent whose hook is tried.
func TestDrillPayloadIsTheAgents(t *testing.T) {
	for _, agent := range agents.Names() {
		traits := agents.TraitsOf(agent)
		payload := drillPayload(agent, traits.Gate, "drill-1", "/work", 1)
		if agent == "opencode" || agent == "generic" {
			continue // no hook line of theirs is installed
		}
		env := map[string]string{}
		for _, v := range tellTales(agent, "drill-1", "/work") {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		name, err := agents.Recognise(agent, payload, env)
		if err != nil || name != agent {
			t.Errorf("%s: taken for %q: %v", agent, name, err)
		}
		d, err := agents.For(agent)
		if err != nil {
			t.Fatal(err)
		}
		if h, err := d.Decode(payload); err != nil || h.Kind != agents.Gate {
			t.Errorf("%s: decoded as %+v: %v", agent, h, err)
		}
	}
}

// Lines run at the same time, and the console takes two equal calls of one session for the
// same call: so that each is judged by its own answer, each has its own session.
func TestDrillLinesHaveSessionsOfTheirOwn(t *testing.T) {
	e := &examination{}
	lines := e.drillable([]agentcheck.GateHook{
		{Agent: "claude", Event: "PreToolUse", Command: "/bin/aoctl-hook claude --socket /s", Own: true},
		{Agent: "claude", Event: "PermissionRequest", Command: "/bin/aoctl-hook claude --socket /s", Own: true},
	})
	if len(lines) != 2 || lines[0].session == lines[1].session {
		t.Fatalf("got %+v, %+v", lines, e.Checks)
	}
	for _, l := range lines {
		if payload := drillPayload(l.Agent, l.Event, l.session, "/work", 1); !bytes.Contains(payload, []byte(`"session_id":"`+l.session+`"`)) {
			t.Errorf("session %s asks as %s", l.session, payload)
		}
	}
}

// What is well has one line in a terminal, unless --verbose asks for all of it.
func TestDoctorSaysLittleOfWhatIsWell(t *testing.T) {
	c := check{Name: "hooks", Status: agentcheck.OK, Seen: strings.Repeat("gate of one more event, ", 12)}
	for name, tt := range map[string]struct {
		status  agentcheck.Status
		verbose bool
		whole   bool
	}{
		"well":          {agentcheck.OK, false, false},
		"well, verbose": {agentcheck.OK, true, true},
		"a problem":     {agentcheck.Warn, false, true},
	} {
		var out bytes.Buffer
		p := painter{out: bufio.NewWriter(&out), width: 80, names: 7, verbose: tt.verbose}
		c.Status = tt.status
		p.check(c)
		if err := p.out.Flush(); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); (lines > 1) != tt.whole || p.cut == tt.whole {
			t.Errorf("%s: %d lines, cut %v:\n%s", name, lines, p.cut, out.String())
		}
	}
}
