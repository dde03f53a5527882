package install

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/installtest"
)

// pluginDriver calls the plugin as opencode does: it reads steps from its arguments and
// prints what came of each. From a step with "hurry" on, timers run so many times as fast.
const pluginDriver = `
import { pathToFileURL } from "node:url"
const [file, steps] = process.argv.slice(2)
const exported = await import(pathToFileURL(file).href)
const names = Object.keys(exported)
const hooks = await exported[names[0]]({ directory: "/work", worktree: "/work", client: {} })
const results = [names.length]
const timer = globalThis.setTimeout
for (const s of JSON.parse(steps)) {
  if (s.hurry) globalThis.setTimeout = (f, ms) => timer(f, ms / s.hurry)
  if (s.event) {
    await hooks.event({ event: s.event })
    continue
  }
  const output = { args: s.args }
  const later = s.later ? new Promise((r) => setTimeout(r, s.later.after)).then(() => hooks.event({ event: s.later.event })) : null
  try {
    if (s.prompt) await hooks["chat.message"]({ sessionID: s.sessionID }, { message: {}, parts: s.prompt })
    else if (s.after) await hooks["tool.execute.after"]({ tool: "bash", sessionID: s.sessionID, callID: "c1", args: s.args }, s.after)
    else await hooks["tool.execute.before"]({ tool: "bash", sessionID: s.sessionID || "ses_1", callID: "c1" }, output)
    results.push({ ran: output.args, same: output.args === s.args })
  } catch (e) {
    results.push({ refused: e.message })
  }
  if (later) await later
}
console.log(JSON.stringify(results))
`

type pluginResult struct {
	Ran     map[string]any `json:"ran"`
	Same    bool           `json:"same"`
	Refused string         `json:"refused"`
}

// fakeClient writes a program that stands in for the hook client: it keeps what it was
// given on its standard input, and goes on with script.
func fakeClient(t *testing.T, script string) (program, told string) {
	t.Helper()
	dir := t.TempDir()
	program, told = filepath.Join(dir, "aoctl-hook"), filepath.Join(dir, "told")
	installtest.Put(t, program, "#!/bin/sh\nin=$(cat)\nprintf '%s %s\\n' \"$3\" \"$in\" >> '"+told+"'\n"+script+"\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	return program, told
}

// drive runs the steps on the plugin as installed for program.
func drive(t *testing.T, program, steps string, timeout time.Duration) []pluginResult {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node to run the plugin with")
	}
	dir := t.TempDir()
	text, err := opencodeAgent().plugin.write(nil, Options{
		Agent: "opencode", Timeout: timeout,
		Program: Program{Path: program, Console: Console{Socket: "/run/a b/it's.sock"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	installtest.Put(t, filepath.Join(dir, "plugin.mjs"), string(text))
	installtest.Put(t, filepath.Join(dir, "driver.mjs"), pluginDriver)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, node, filepath.Join(dir, "driver.mjs"), filepath.Join(dir, "plugin.mjs"), steps).Output()
	if err != nil {
		t.Fatalf("node: %v %s", err, out)
	}
	var all []json.RawMessage
	if err = json.Unmarshal(out, &all); err != nil || string(all[0]) != "1" {
		t.Fatalf("%v: %s", err, out) // opencode takes every export for a plugin
	}
	var results []pluginResult
	for _, r := range all[1:] {
		var one pluginResult
		if err = json.Unmarshal(r, &one); err != nil {
			t.Fatal(err)
		}
		results = append(results, one)
	}
	return results
}

// Nothing but an explicit allow lets a call run.
func TestPluginFailsClosed(t *testing.T) {
	for name, tc := range map[string]struct{ script, refused string }{
		"deny":           {`echo '{"decision":"deny","reason":"Ana: not on Friday"}'`, "Ana: not on Friday"},
		"silent deny":    {`echo '{"decision":"deny"}'`, "denied"},
		"exit 2":         {`echo 'aoctl: no console is listening' >&2; exit 2`, "aoctl: no console is listening"},
		"exit 1":         {`echo '{"decision":"allow"}'; exit 1`, "exit code 1"},
		"silent exit 2":  {`exit 2`, "exit code 2"},
		"killed":         {`echo '{"decision":"allow"}'; kill -9 $$`, "SIGKILL"},
		"nothing":        {`true`, "cannot be read"},
		"junk":           {`echo 'allow'`, "cannot be read"},
		"cut off":        {`printf '{"decision":"allow"'`, "cannot be read"},
		"text behind":    {`echo '{"decision":"allow"} and more'`, "cannot be read"},
		"null":           {`echo null`, "decides nothing"},
		"a list":         {`echo '["allow"]'`, "decides nothing"},
		"other word":     {`echo '{"decision":"approve"}'`, "decides nothing"},
		"no decision":    {`echo '{}'`, "decides nothing"},
		"odd args":       {`echo '{"decision":"allow","args":["x"]}'`, "no object"},
		"args are null":  {`echo '{"decision":"allow","args":null}'`, "no object"},
		"no answer":      {`exec sleep 30`, "no answer in time"},
		"is deaf":        {`trap '' TERM; exec sleep 30`, "no answer in time"},
		"no such client": {"", "cannot be started"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, _ := fakeClient(t, tc.script)
			timeout, step := 20*time.Second, `{"args":{"command":"x"}}`
			if strings.Contains(tc.script, "sleep") {
				timeout = -3 * time.Second // with the plugin's grace, two seconds
				step = `{"args":{"command":"x"},"hurry":10}`
			}
			if tc.script == "" {
				program += "-gone"
			}
			r := drive(t, program, "["+step+"]", timeout)
			if len(r) != 1 || r[0].Ran != nil || !strings.Contains(r[0].Refused, tc.refused) {
				t.Errorf("got %+v, want a refusal with %q", r, tc.refused)
			}
		})
	}
}

// An allowed call runs with the very arguments, or with those of the answer in the same
// object, which is what opencode runs.
func TestPluginAllows(t *testing.T) {
	program, told := fakeClient(t, `echo '{"decision":"allow"}'`)
	r := drive(t, program, `[{"args":{"command":"ls","n":1}}]`, time.Minute)
	if len(r) != 1 || r[0].Refused != "" || !r[0].Same || r[0].Ran["command"] != "ls" || r[0].Ran["n"] != 1.0 {
		t.Errorf("got %+v", r)
	}
	var p map[string]any
	words, payload, _ := strings.Cut(installtest.Read(t, told), " ")
	if err := json.Unmarshal([]byte(payload), &p); err != nil || words != "1m0s" {
		t.Fatalf("%v: told %s", err, installtest.Read(t, told))
	}
	for name, want := range map[string]string{
		"event": "tool.execute.before", "tool": "bash", "sessionID": "ses_1", "callID": "c1", "directory": "/work", "worktree": "/work",
	} {
		if p[name] != want {
			t.Errorf("%s is %v, want %s", name, p[name], want)
		}
	}
	program, _ = fakeClient(t, `echo '{"decision":"allow","args":{"command":"ls -l"}}'`)
	r = drive(t, program, `[{"args":{"command":"rm -r x","timeout":5}}]`, time.Minute)
	if len(r) != 1 || !r[0].Same || len(r[0].Ran) != 1 || r[0].Ran["command"] != "ls -l" {
		t.Errorf("changed arguments: %+v", r)
	}
}

// A call of a session that was ended is refused at once, and nobody waits for its answer.
func TestPluginEndsTheWaiting(t *testing.T) {
	program, _ := fakeClient(t, `[ "$3" = 3s ] || exec sleep 30`)
	begun := time.Now()
	r := drive(t, program, `[
		{"event":{"type":"session.created","properties":{"info":{"id":"ses_kid","parentID":"ses_1"}}}},
		{"args":{"command":"x"},"sessionID":"ses_1","later":{"after":300,"event":{"type":"session.idle","properties":{"sessionID":"ses_1"}}}},
		{"args":{"command":"x"},"sessionID":"ses_kid","later":{"after":300,"event":{"type":"session.error","properties":{"sessionID":"ses_1"}}}}]`, time.Minute)
	if len(r) != 2 || !strings.Contains(r[0].Refused, "SIGTERM") || !strings.Contains(r[1].Refused, "SIGTERM") {
		t.Errorf("got %+v", r)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// What the console is only told of comes in order, names the session that began it all,
// and fails nothing.
func TestPluginTells(t *testing.T) {
	program, told := fakeClient(t, `[ "$3" = 3s ] && exit 2; echo '{"decision":"allow"}'`)
	r := drive(t, program, `[
		{"event":{"type":"session.created","properties":{"info":{"id":"ses_1"}}}},
		{"event":{"type":"session.updated","properties":{"info":{"id":"ses_kid","parentID":"ses_1"}}}},
		{"event":{"type":"session.updated","properties":{"info":{"id":"ses_grandkid","parentID":"ses_kid"}}}},
		{"event":{"type":"file.edited","properties":null}},
		{"event":{"type":"session.error","properties":{"sessionID":"ses_1","error":{"name":"APIError","data":{"message":"401 no key"}}}}},
		{"event":{"type":"session.error","properties":{"sessionID":"ses_1","error":{"name":"UnknownError"}}}},
		{"event":{"type":"session.error","properties":{"sessionID":"ses_1","error":{"name":"MessageAbortedError","data":{"message":"Aborted"}}}}},
		{"prompt":[{"type":"text","text":"do it"},{"type":"text","text":"not said","synthetic":true},{"type":"file"},null],"sessionID":"ses_1"},
		{"args":{"command":"x"},"sessionID":"ses_grandkid"},
		{"args":{"command":"x"},"after":{"output":"made","title":"Made"},"sessionID":"ses_grandkid"},
		{"args":{"command":"x"},"after":{"content":[{"text":"from afar"}]},"sessionID":"ses_1"},
		{"prompt":null,"args":{"command":"x"},"sessionID":"ses_1"}]`, time.Minute)
	if len(r) != 5 {
		t.Fatalf("got %+v", r)
	}
	for _, one := range r {
		if one.Refused != "" {
			t.Errorf("refused: %s", one.Refused)
		}
	}
	var got []string
	for line := range strings.Lines(installtest.Read(t, told)) {
		_, payload, _ := strings.Cut(line, " ")
		var p struct{ Event, SessionID, ParentID, Text, Output, Title, Error string }
		if err := json.Unmarshal([]byte(payload), &p); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		got = append(got, strings.TrimRight(strings.Join([]string{p.Event, p.SessionID, p.ParentID, p.Text + p.Output + p.Error, p.Title}, " "), " "))
	}
	want := []string{
		"session.created ses_1",
		"session.error ses_1  401 no key",
		"session.error ses_1  UnknownError",
		"session.error ses_1",
		"chat.message ses_1  do it",
		"tool.execute.before ses_grandkid ses_1",
		"tool.execute.after ses_grandkid ses_1 made Made",
		"tool.execute.after ses_1  from afar",
		"tool.execute.before ses_1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A plugin that was edited by hand is kept as a backup, and one of somebody else is left.
func TestPluginByHand(t *testing.T) {
	o := otherHome(t)
	o.Agent = "opencode"
	path := userFile(t, opencodeAgent())
	if r := install(t, o); r.File != path || !r.Created {
		t.Errorf("report %+v", r)
	}
	whole := installtest.Read(t, path)
	installtest.Put(t, path, whole+"// mine\n")
	o.Now = o.Now.Add(time.Second)
	if r := install(t, o); r.Backup == "" || installtest.Read(t, r.Backup) != whole+"// mine\n" || installtest.Read(t, path) != whole {
		t.Errorf("report %+v", r)
	}
	installtest.Put(t, path, "export const Mine = 1\n")
	if r := uninstall(t, o); r.Changed || installtest.Read(t, path) != "export const Mine = 1\n" {
		t.Errorf("removed somebody's: %+v", r)
	}
}
