package install

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/installtest"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// allEvents are the hooks of an agent as settings hold them, by event.
func allEvents(t *testing.T, a agent, p Program) map[string]map[string]any {
	t.Helper()
	list := map[string]map[string]any{}
	for _, h := range a.hooks(p, Gate, 10*time.Minute) {
		var handler map[string]any
		if err := json.Unmarshal(jsonc.Compact(h.Handler), &handler); err != nil {
			t.Fatal(err)
		}
		list[h.Event] = handler
	}
	return list
}

// Every agent waits a minute longer than the longest that its client may, on the event that
// decides, and on that of texts; no other hook is given more time than before.
func TestAgentsOutwaitMoreTime(t *testing.T) {
	patient := testProgram
	patient.AtMost = time.Hour
	for _, a := range agents() {
		if a.plugin != nil {
			continue
		}
		before := allEvents(t, a, testProgram)
		for event, handler := range allEvents(t, a, patient) {
			line, _ := handler[a.line].(string)
			if event != a.gate[Gate] && event != ClaudeTexts {
				if fmt.Sprint(handler) != fmt.Sprint(before[event]) {
					t.Errorf("%s %s: %v, and before %v", a.agent, event, handler, before[event])
				}
				continue
			}
			l, ok := hookline.Read(line, a.agent)
			at := profile.Of(a.agent)
			if !ok || !hookline.IsOurs(line, a.agent) || !l.Guarded || l.Timeout != at.Limit(10*time.Minute) || l.AtMost != at.Limit(time.Hour) || l.Longest() != at.Limit(time.Hour) {
				t.Errorf("%s: line %+v", a.agent, l)
			}
			if text := l.Program().Gate(a.agent, l.Timeout); text != line {
				t.Errorf("%s: %s is written anew as %s", a.agent, line, text)
			}
			limit, _ := firstNumber(handler, "timeout", "timeoutSec")
			if a.agent == "gemini" || a.agent == "qwen" && limit >= 1000 {
				limit /= 1000
			}
			want := 3660.0
			if at.HardCap > 0 {
				want = at.HardCap.Seconds()
			}
			if limit != want {
				t.Errorf("%s gives up after %v s, want %v", a.agent, limit, want)
			}
		}
	}
	var c pluginConfig
	text, err := opencodeAgent().plugin.write(nil, Options{Agent: "opencode", Timeout: 10 * time.Minute, Program: patient})
	if err == nil {
		c, _ = opencodeAgent().plugin.config(text)
	}
	if err != nil || c.Limit != 3_605_000 || !strings.Contains(strings.Join(c.Gate, " "), "--at-most 1h0m0s") || strings.Contains(strings.Join(c.Watch, " "), "--at-most") {
		t.Errorf("the plugin has %+v, %v", c, err)
	}
}

func firstNumber(handler map[string]any, names ...string) (float64, bool) {
	for _, name := range names {
		if v, ok := handler[name].(float64); ok {
			return v, true
		}
	}
	return 0, false
}

// An installation of before is brought up to date by another one, in place, and both are
// taken out again to the last byte.
func TestInstallOverAnOldInstallation(t *testing.T) {
	const own = `{
  "model": "opus",
  "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "audit"}]}]}
}
`
	o, path := home(t)
	installtest.Put(t, path, own)
	install(t, o)
	if r := uninstall(t, o); !r.Restored || installtest.Read(t, path) != own {
		t.Fatalf("the old one leaves %s", installtest.Read(t, path))
	}
	install(t, o)
	o.Program.AtMost = time.Hour
	if r := install(t, o); !r.Changed || r.Wait != time.Hour+time.Minute {
		t.Errorf("the new one waits %v, changed %v", r.Wait, r.Changed)
	}
	text := installtest.Read(t, path)
	if n := strings.Count(text, "--timeout 1m0s"); n != 2 || strings.Count(text, "--timeout 1m0s --at-most 1h0m0s") != 2 || !strings.Contains(text, `"timeout": 3660`) {
		t.Errorf("the settings are now\n%s", text)
	}
	if r := install(t, o); r.Changed {
		t.Error("and the same once more changes them")
	}
	if r := uninstall(t, o); installtest.Read(t, path) != own {
		t.Errorf("%+v leaves\n%s", r, installtest.Read(t, path))
	}
}

func TestAtMostIsChecked(t *testing.T) {
	for atMost, fine := range map[time.Duration]bool{
		0: true, time.Minute: true, time.Hour: true, MaxTimeout: true,
		time.Second: false, MaxTimeout + time.Second: false, -time.Second: false,
	} {
		o, path := home(t)
		o.Program.AtMost = atMost
		if _, err := Install(o); (err == nil) != fine {
			t.Errorf("at most %v: %v", atMost, err)
		}
		if said := "--at-most " + atMost.String(); fine && strings.Contains(installtest.Read(t, path), said) != (atMost > 0) {
			t.Errorf("at most %v: the line does not say so, or says %q by itself", atMost, said)
		}
	}
}
