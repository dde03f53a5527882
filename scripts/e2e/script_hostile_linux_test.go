package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoctl/aoctl/broker"
)

func init() {
	scriptCommands["hostile"] = cmdHostile
	scriptCommands["longcall"] = cmdLongcall
}

// terminalAttacks are texts that act on a terminal, hide, or pass for others. The
// sequences among them are such as the console itself never sends.
var terminalAttacks = []string{
	"\x1b]0;owned\a", "\x1b]52;c;b3duZWQ=\a", "\x1b[3J\x1b[13;37H", "\x1b[97;45mZ", "\x1bP+q544e\x1b\\", "\x1b[6n\x1b[c", "\x1bc",
	"\x1b_G\x1b\\", "\x1b[?1049l", "\x1b[20t", "\x1b(0", "\u009b3J", "\u009d0;owned\u009c", "ls\rowned", "a\b\b\bb", "\x01\a\x0e\x7f",
	"\u202egnp.exe", "\u2066x\u2069", "r\u200bm", "\ufeff", "\u00ad", "\u3164", "\u2800", "\U000e0041", "\ufe0f", "\u0085", "\u2028",
}

// cmdHostile asks, with the real hook, about calls whose every field is such a text:
//
//	hostile ask       each text in turn, looked at on every screen, then denied
//
// A console must run at a terminal; see cmdScreen.
func cmdHostile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || args[0] != "ask" {
		ts.Fatalf("usage: hostile ask")
	}
	values, _ := ts.Value(consoleKey{}).(*scriptConsole)
	all, ok := values.screens.(*screens)
	if !ok {
		ts.Fatalf("no console at a terminal was started")
	}
	for i, text := range terminalAttacks {
		tool := []string{"Bash", "Edit", "Write"}[i%3]
		ts.Check(askHostile(ts, all.named[all.at], fmt.Sprint(i), tool, text))
	}
}

// askHostile has one call asked, drawn and denied.
func askHostile(ts *testscript.TestScript, s *screen, id, tool, text string) error {
	api := newScriptAPI(ts.Getenv("AOCTL_HOME"))
	sign := fmt.Sprintf("sign%x", id)
	input := map[string]any{
		"command": sign + text, "file_path": "/" + text, "old_string": text, "new_string": text + "x", "content": text, "description": text, text: text,
		"list": []any{text, map[string]any{text: text}}, "note": sign,
	}
	name := "n" // control characters in names are refused before anything is drawn
	if !strings.ContainsFunc(text, unicode.IsControl) {
		name = text
	}
	session := fmt.Sprintf("s-%x", text)
	start, err := hostileHook(ts, map[string]any{
		"session_id": session, "hook_event_name": "SessionStart", "cwd": "/" + text, "source": "startup", "session_title": text, "model": text,
	})
	if err == nil {
		err = start.end()
	}
	if err != nil {
		return err
	}
	ask, err := hostileHook(ts, map[string]any{
		"session_id": session, "transcript_path": text, "cwd": "/" + text, "permission_mode": name, "agent_id": name, "agent_type": name,
		"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": id + name, text: text,
	})
	if err != nil {
		return err
	}
	var waiting []broker.Request
	if !eventually(func() bool { return api.get("/approval-requests?status=pending", &waiting) == nil && len(waiting) == 1 }) {
		return fmt.Errorf("the call with %q does not wait: %s", text, ask.saidSoFar())
	}
	if !eventually(func() bool { return strings.Contains(s.text(), sign) }) {
		return fmt.Errorf("the call with %q was not drawn", text)
	}
	const escape = "\x1b" // which never ends the console, whatever is open
	for _, look := range [][2]string{{"b", "exact bytes"}, {escape, ""}, {"\r", ""}, {escape, ""}} {
		if err := s.pressAndSee(look[0], look[1]); err != nil {
			return err
		}
	}
	if err := api.post("/approval-requests/"+waiting[0].ID+"/decide", `{"decision":"deny","reason":"no"}`); err != nil {
		return err
	}
	return ask.end()
}

// hook is a running hook.
type hook struct {
	cmd  *exec.Cmd
	said bytes.Buffer
}

// hostileHook starts the real hook with a payload.
func hostileHook(ts *testscript.TestScript, payload map[string]any) (*hook, error) {
	text, err := json.Marshal(payload)
	if err != nil {
		return nil, err
	}
	h := &hook{cmd: exec.Command("aoctl", "hook", "claude")}
	h.cmd.Env = []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "AOCTL_HOME=" + ts.Getenv("AOCTL_HOME")}
	h.cmd.Stdin, h.cmd.Stdout, h.cmd.Stderr = bytes.NewReader(text), &h.said, &h.said
	return h, h.cmd.Start()
}

// saidSoFar ends the hook and is what it printed.
func (h *hook) saidSoFar() string {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
	return h.said.String()
}

// end waits for the hook; what it said goes to a terminal too, or to an agent.
func (h *hook) end() error {
	_ = h.cmd.Wait() // the verdict is another script's story
	if found := dirt(h.said.Bytes()); found != "" {
		return fmt.Errorf("the hook printed %s", found)
	}
	return nil
}

// pressAndSee presses a key and waits until the console has drawn something with a text in it.
func (s *screen) pressAndSee(keys, text string) error {
	before := s.drawn()
	if _, err := s.master.WriteString(keys); err != nil {
		return err
	}
	if !eventually(func() bool { return s.drawn() > before && strings.Contains(s.textBehind(before), text) }) {
		return fmt.Errorf("the console draws no %q more", text)
	}
	return nil
}

func (s *screen) drawn() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Len()
}

// ownSequences are the control sequences that the console may send: colours, moving and
// clearing within its own screen, and switching the terminal's modes on and off.
var ownSequences = regexp.MustCompile(`^\x1b\[(?:[0-9;]*[mKABCDG]|(?:[0-9]*;[0-9]*)?H|[02]?J|\?(?:25|1002|1004|1006|1049|2004)[hl])`)

// unfinished is the beginning of a sequence of ours, and then nothing more.
var unfinished = regexp.MustCompile(`^\x1b(?:\[\??[0-9;]*)?$`)

// forbiddenSequences are of a kind that the console sends too, with numbers that only the attacks have.
var forbiddenSequences = []string{"\x1b[13;37H", "\x1b[97;45m"}

// startQuery is what the console asks the terminal before it draws: its background.
const startQuery = "\x1b]11;?\x1b\\\x1b[c"

// dirt is what in the raw bytes of a terminal is none of ours, "" when nothing is.
func dirt(raw []byte) string {
	raw = bytes.TrimPrefix(raw, []byte(startQuery))
	for _, f := range forbiddenSequences {
		if at := bytes.Index(raw, []byte(f)); at >= 0 {
			return fmt.Sprintf("%q at byte %d", f, at)
		}
	}
	for i := 0; i < len(raw); {
		if n := len(ownSequences.Find(raw[i:])); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && n == 1 && !utf8.FullRune(raw[i:]) || unfinished.Match(raw[i:]) {
			return "" // the last character, or the last sequence, is still on its way
		}
		hidden := !unicode.IsPrint(r) && !slices.Contains([]rune{'\r', '\n'}, r)
		if hidden || r == utf8.RuneError || r == 0x3164 || r == 0x2800 || unicode.Is(unicode.Variation_Selector, r) {
			return fmt.Sprintf("%q at byte %d", raw[i:min(len(raw), i+12)], i)
		}
		i += n
	}
	return ""
}

// notice is a notification of plain words: a bell, OSC 9, 777 and 99.
var notice = regexp.MustCompile(`\a\x1b\]9;(aoctl: [ ?A-Za-z0-9_./-]+)\a\x1b\]777;notify;aoctl;[ ?A-Za-z0-9_./-]+\x1b\\\x1b\]99;i=aoctl;(aoctl: [ ?A-Za-z0-9_./-]+)\x1b\\`)

// withoutNotices takes the notifications out of the raw bytes of a terminal, and counts
// them.
func withoutNotices(raw []byte) (rest []byte, notices int) {
	return notice.ReplaceAll(raw, nil), len(notice.FindAll(raw, -1))
}

// cmdLongcall writes a hook payload whose command has a long head, and a field that no
// tool has: longcall FILE "2000 blanks"|"500 breaks"|comment TAIL.
func cmdLongcall(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: longcall FILE HEAD TAIL")
	}
	heads := map[string]string{
		"2000 blanks": "true;" + strings.Repeat(" ", 2000), "500 breaks": "true" + strings.Repeat("\n", 500),
		"comment": strings.Repeat("# a harmless comment of which there is much\n", 20<<10/44+1),
	}
	head, ok := heads[args[1]]
	if !ok {
		ts.Fatalf("there is no head %q", args[1])
	}
	text, err := json.Marshal(map[string]any{
		"session_id": "s-long", "cwd": "/tmp/api-server", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_" + args[1],
		"tool_input": map[string]any{"command": head + args[2], "extra-field": "extra"},
	})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o600))
}
