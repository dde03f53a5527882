package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/hookclient/install/installtest"
)

// fakeCodex puts a program called codex on PATH that speaks as "codex app-server" does: it
// keeps in state.json of its home which hook it trusts, by the text of the hook.
func fakeCodex(t *testing.T, mood string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "codex")
	installtest.Put(t, path, `#!/usr/bin/env python3
import json, os, sys, hashlib
mood, home = "`+mood+`", os.environ["CODEX_HOME"]
state = {}
def hooks():
    out = []
    text = json.load(open(home + "/hooks.json"))
    for event, groups in text["hooks"].items():
        for g, group in enumerate(groups):
            for n, h in enumerate(group["hooks"]):
                snake = "".join("_" + c.lower() if c.isupper() else c for c in event).lstrip("_")
                key = "%s/hooks.json:%s:%d:%d" % (home, snake, g, n)
                digest = "sha256:" + hashlib.sha256(json.dumps(h).encode()).hexdigest()
                trusted = state.get(key, {}).get("trusted_hash") == digest and mood != "stubborn"
                out.append({"key": key, "command": h["command"], "sourcePath": home + "/hooks.json", "enabled": True,
                            "currentHash": digest, "trustStatus": "trusted" if trusted else "untrusted"})
    return out
assert sys.argv[1:] == ["app-server"]
if mood == "mute": sys.exit(0)
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    print(json.dumps({"method": "configWarning", "params": {"id": m["id"]}}), flush=True)
    if m["method"] == "hooks/list":
        if mood == "angry":
            print(json.dumps({"id": m["id"], "error": {"code": -1, "message": "no such method"}}), flush=True)
            continue
        result = {"data": [{"cwd": m["params"]["cwds"][0], "hooks": hooks()}]}
    elif m["method"] == "config/batchWrite":
        edit = m["params"]["edits"][0]
        assert edit["keyPath"] == "hooks.state" and edit["mergeStrategy"] == "upsert"
        state.update(edit["value"])
        before = open(home + "/config.toml").read()
        with open(home + "/config.toml", "a") as f:
            if "[hooks.state]" not in before: f.write("\n[hooks.state]\n" if before else "[hooks.state]\n")
            for key in sorted(edit["value"]):
                f.write('\n[hooks.state."%s"]\ntrusted_hash = "%s"\n' % (key, edit["value"][key]["trusted_hash"]))
        result = {"status": "ok"}
    else:
        result = {}
    print(json.dumps({"id": m["id"], "result": result}), flush=True)
`)
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// codexHome installs for Codex beside a hook of somebody else.
func codexHome(t *testing.T, config string) (Options, string) {
	t.Helper()
	o := otherHome(t)
	o.Agent = "codex"
	dir := filepath.Join(os.Getenv("HOME"), ".codex")
	installtest.Put(t, filepath.Join(dir, "hooks.json"), `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`)
	installtest.Put(t, filepath.Join(dir, "config.toml"), config)
	install(t, o)
	return o, dir
}

// Codex trusts the hooks of aoctl and nobody else's, and forgets them with the hooks.
func TestTrustCodex(t *testing.T) {
	for name, config := range map[string]string{
		"none": "", "some": "model = \"x\" # mine\n\n[features]\nhooks = true\n",
		"others": "[hooks.state]\n\n[hooks.state.\"/x/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			o, dir := codexHome(t, config)
			program := fakeCodex(t, "")
			n, err := TrustCodex(t.Context(), program, dir)
			if want := 1 + len(codexEvents); err != nil || n != want {
				t.Fatalf("trusted %d of %d: %v", n, want, err)
			}
			trusted := installtest.Read(t, filepath.Join(dir, "config.toml"))
			if !strings.Contains(trusted, dir+"/hooks.json:stop:1:0") || strings.Contains(trusted, dir+"/hooks.json:stop:0:0") {
				t.Errorf("trusted:\n%s", trusted)
			}
			o.Now = o.Now.Add(time.Second)
			uninstall(t, o)
			got, err := os.ReadFile(filepath.Join(dir, "config.toml"))
			if string(got) != config || config != "" && err != nil {
				t.Errorf("%v: %s", err, cmp.Diff(config, string(got)))
			}
		})
	}
}

func TestTrustCodexFails(t *testing.T) {
	for mood, want := range map[string]string{
		"mute": "ended without an answer", "angry": "no such method", "stubborn": "still does not run",
	} {
		_, dir := codexHome(t, "")
		if n, err := TrustCodex(t.Context(), fakeCodex(t, mood), dir); err == nil || n != 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d, %v", mood, n, err)
		}
	}
	_, dir := codexHome(t, "")
	if _, err := TrustCodex(t.Context(), filepath.Join(dir, "none"), dir); err == nil || !strings.Contains(err.Error(), "start codex") {
		t.Errorf("no program: %v", err)
	}
}

// A conversation of many short lines is as good as one of few; neither a line nor the whole
// fills the memory.
func TestBoundedLines(t *testing.T) {
	long := strings.Repeat("x", 5000) // more than is read at once
	for name, tt := range map[string]struct {
		text        string
		most, total int
		lines       int
		problem     string
	}{
		"short lines":  {"a\nbc\n", 3, 100, 2, "EOF"},
		"a long one":   {"a\n" + long + "\n", 6000, 6000, 2, "EOF"},
		"too long":     {"a\n" + long + "\n", 4999, 100_000, 1, "a line of more than 4999 bytes"},
		"without end":  {long + long + long, 6000, 100_000, 0, "a line of more than 6000 bytes"},
		"too much":     {strings.Repeat("abc\n", 10), 4, 20, 5, "more than 20 bytes"},
		"half a line":  {"a\nb", 4, 20, 1, "EOF"},
		"just as much": {strings.Repeat("abc\n", 5), 4, 20, 5, "EOF"},
	} {
		l, n := newBoundedLines(strings.NewReader(tt.text), tt.most, tt.total), 0
		_, err := l.next()
		for err == nil {
			n++
			_, err = l.next()
		}
		if n != tt.lines || !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%s: %d lines, then %v", name, n, err)
		}
	}
}

// The real Codex, where there is one, trusts and forgets in the same way.
func TestTrustRealCodex(t *testing.T) {
	program := os.Getenv("AOCTL_E2E_CODEX")
	if program == "" {
		t.Skip("AOCTL_E2E_CODEX names no codex")
	}
	const config = "model = \"x\" # mine\n\n[features]\nhooks = true\n"
	o, dir := codexHome(t, config)
	hooks, err := CodexHooks(program, dir, dir)
	if err != nil || len(hooks) != 2+len(codexEvents) || hooks[0].Runs() {
		t.Fatalf("before: %v, %+v", err, hooks)
	}
	if n, err := TrustCodex(t.Context(), program, dir); err != nil || n != 1+len(codexEvents) {
		t.Fatalf("trusted %d: %v", n, err)
	}
	o.Now = o.Now.Add(time.Second)
	uninstall(t, o)
	if got := installtest.Read(t, filepath.Join(dir, "config.toml")); got != config {
		t.Error(cmp.Diff(config, got))
	}
}

// A hook of somebody else that changes its place is named, because Codex then skips it.
func TestCodexPlaces(t *testing.T) {
	o := otherHome(t)
	o.Agent = "codex"
	path := userFile(t, codexAgent())
	foreign := `{"hooks": [{"type": "command", "command": "lint"}]}`
	installtest.Put(t, path, `{"hooks": {"PreToolUse": [`+foreign+`]}}`)
	if r := install(t, o); strings.Contains(strings.Join(r.Warnings, "\n"), "another place") {
		t.Errorf("an installation moves nobody: %q", r.Warnings)
	}
	if r := uninstall(t, o); strings.Contains(strings.Join(r.Warnings, "\n"), "another place") {
		t.Errorf("nor does its removal: %q", r.Warnings)
	}
	install(t, o)
	later := strings.Replace(installtest.Read(t, path), `]}}`, `]}}`, 1)
	at := strings.LastIndex(later[:strings.Index(later, `"PostToolUse"`)], "]")
	installtest.Put(t, path, later[:at]+", "+foreign+later[at:])
	o.Now = o.Now.Add(time.Second)
	if r := uninstall(t, o); !strings.Contains(strings.Join(r.Warnings, "\n"), "1 hook of others in "+path+" now stand") {
		t.Errorf("the hook behind ours moved: %q", r.Warnings)
	}
}
