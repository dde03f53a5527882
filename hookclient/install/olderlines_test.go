package install

import (
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/aoctl/aoctl/broker/brokertest/seeded" // rapid draws the same in every run
	"github.com/aoctl/aoctl/hookclient/install/installtest"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// What aoctl writes around the client.
const (
	loudGuard = " || { echo 'aoctl: hook client failed, call refused' >&2; exit 2; }"
	watchTail = " || : 'aoctl only observes here'"
	shut      = "; }"
)

// Lines of before are known for what they are: brought up to date where they stand, and taken
// out again.
func TestOlderLines(t *testing.T) {
	o := otherHome(t)
	for _, agent := range []string{"codex", "copilot", "gemini", "qwen"} {
		t.Run(agent, func(t *testing.T) {
			o := o
			o.Agent = agent
			first := install(t, o)
			now := installtest.Read(t, first.File)
			a, _ := agentNamed(agent)
			older := now
			for from, to := range map[string]string{
				jsonText(headOf(o.Program, agent)): "", `"timeout": 3`: `"timeout": 5`, jsonText(" --gate"): "", jsonText(" || exit 2; }"): jsonText(loudGuard + shut), "--timeout 50s": "--timeout 10m0s",
			} {
				older = strings.ReplaceAll(older, from, to)
			}
			if older == now {
				t.Fatalf("nothing is older in %s", now)
			}
			installtest.Put(t, first.File, older)
			if r := install(t, o); !r.Changed || len(a.programs([]byte(older))) != len(a.watched)+1 {
				t.Errorf("changed %v, programs %q", r.Changed, a.programs([]byte(older)))
			}
			if got := installtest.Read(t, first.File); got != now {
				t.Errorf("brought up to date it is\n%s\nwant\n%s", got, now)
			}
			installtest.Put(t, first.File, older)
			if r := uninstall(t, o); r.Removed != len(a.watched)+1 {
				t.Errorf("%d hooks went", r.Removed)
			}
			if text, err := os.ReadFile(first.File); err == nil && strings.Contains(string(text), "aoctl") {
				t.Errorf("left behind: %s", text)
			}
		})
	}
}

// jsonText is s as it stands inside a JSON string that aoctl wrote.
func jsonText(s string) string {
	text := string(jsonc.Compact(jsonc.Object{{"s", s}}))
	return strings.TrimSuffix(strings.TrimPrefix(text, `{"s":"`), `"}`)
}

// headOf is what stands before the client in the line of a gate.
func headOf(p Program, agent string) string {
	head, _, _ := strings.Cut(strings.TrimPrefix(p.Gate(agent, time.Minute), "{ "), "'"+p.Path)
	return head
}
