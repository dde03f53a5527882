package service_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/policy"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
)

// rule is one rule of a rules file about a command.
func rule(decision, command, more string) string {
	return fmt.Sprintf("[[rule]]\ndecision = %q\ntool = \"Bash\"\n%s[rule.where]\ncommand = %q\n", decision, more, command)
}

func writeRules(t *testing.T, dir, text string) (path string) {
	t.Helper()
	path = filepath.Join(dir, policy.RulesFileName)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// trusting is a broker that trusts the rules file of dir.
func trusting(t *testing.T, dir, text string) *service.Broker {
	t.Helper()
	path := writeRules(t, dir, text)
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	submit(t, b, callIn(dir, "s", "first", "ls"))
	must(t, b.TrustFile(t.Context(), path, b.Rules(t.Context()).Files[0].Digest, operator))
	return b
}

// A number of uses holds for a rule in a trusted file as well.
func TestUsesOfAFilesRule(t *testing.T) {
	dir := project(t)
	b := trusting(t, dir, rule("allow", "make test", "max_uses = 2\n"))
	for i, want := range []broker.State{broker.Allowed, broker.Allowed, broker.Pending, broker.Pending} {
		if got := submit(t, b, callIn(dir, "s", fmt.Sprint(i), "make test")); got.State != want {
			t.Errorf("call %d: %s, want %s", i+1, got.State, want)
		}
	}
}

// However a project's folder is spelled, its file speaks.
func TestProjectThroughALink(t *testing.T) {
	dir := project(t)
	writeRules(t, dir, rule("deny", "rm **", ""))
	link := filepath.Join(filepath.Dir(dir), "link")
	must(t, os.Symlink(dir, link))
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	save(t, b, allowing("rm *"))
	for name, tc := range map[string][2]string{
		"all through the link":       {link, link},
		"the project only":           {link, dir},
		"a slash at its end":         {dir + "/", dir},
		"dots in it":                 {dir + "/../link/.", dir},
		"as it is":                   {dir, dir},
		"no project, a folder of it": {"", link},
	} {
		t.Run(name, func(t *testing.T) {
			q := callIn(tc[1], name, "1", "rm x")
			q.Session.ProjectDir = tc[0]
			if got := submit(t, b, q); got.State != broker.Denied {
				t.Errorf("%s, want denied", got.State)
			}
		})
	}
	if files := b.Rules(t.Context()).Files; len(files) != 1 {
		t.Errorf("one file is known as %d: %+v", len(files), files)
	}
}

// The rules of a folder hold in projects below it, and only as the file is now.
func TestFileOfAnOuterProject(t *testing.T) {
	dir := project(t)
	b := trusting(t, dir, rule("allow", "make test", ""))
	inner := filepath.Join(dir, "inner")
	must(t, os.Mkdir(inner, 0o700))
	if got := submit(t, b, callIn(inner, "s2", "1", "make test")); got.State != broker.Allowed {
		t.Errorf("with the outer file: %s, want allowed", got.State)
	}
	writeRules(t, dir, rule("allow", "make tests", ""))
	if got := submit(t, b, callIn(inner, "s2", "2", "make test")); got.State != broker.Pending {
		t.Errorf("after it was changed: %s, want pending", got.State)
	}
	writeRules(t, dir, "broken")
	save(t, b, allowing("make lint"))
	if got := submit(t, b, callIn(inner, "s2", "3", "make lint")); got.State != broker.Pending {
		t.Errorf("while it cannot be read: %s, want pending", got.State)
	}
}

// A pipe that stands where a rules file was looked for holds nobody up.
func TestRulesFileIsAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rules.toml")
	must(t, unix.Mkfifo(path, 0o600))
	writer, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer func() { _ = writer.Close() }()
	if _, err := policy.ReadRulesFile(path, "/p", ""); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("%v, want that it is no regular file", err)
	}
}

// Anybody can say that he works in some folder: neither files that cannot be read nor
// files full of rules take the room of others.
func TestManyRulesFiles(t *testing.T) {
	dir := project(t)
	c := serve(t, service.Options{})
	explain := func(project string) (int, map[string]any) {
		body, err := json.Marshal(map[string]any{"tool_name": "Bash", "tool_input": map[string]string{"command": "rm x"}, "cwd": project})
		must(t, err)
		return c.do("POST", "/rules/explain", string(body))
	}
	for i := range 300 {
		broken := filepath.Join(dir, fmt.Sprint("broken", i))
		writeRules(t, broken, "x")
		explain(broken)
	}
	full := filepath.Join(dir, "full")
	writeRules(t, full, strings.Repeat("[[rule]]\ndecision=\"deny\"\ntool=\"x\"\n", 3000))
	explain(full)
	book := c.b.Rules(t.Context())
	if len(book.Files) > 256 || len(book.Rules) > 0 {
		t.Errorf("%d files and %d rules are kept", len(book.Files), len(book.Rules))
	}
	mine := filepath.Join(dir, "mine")
	writeRules(t, mine, rule("deny", "rm **", ""))
	if code, got := explain(mine); code != http.StatusOK || got["verdict"] != "deny" {
		t.Errorf("%d %v, want a deny by its own file", code, got["verdict"])
	}
	save(t, c.b, allowing("make test"))
	if got := submit(t, c.b, callIn(mine, "s", "1", "make test")); got.State != broker.Allowed {
		t.Errorf("%s, want allowed", got.State)
	}
}

// No rule can be given the name of one that stands in a file: of two with one name, only
// one could hold.
func TestRuleCannotBorrowAName(t *testing.T) {
	dir := project(t)
	writeRules(t, dir, rule("deny", "rm **", ""))
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	allow := save(t, b, allowing("make *")).Rule
	submit(t, b, callIn(dir, "s", "0", "ls"))
	process := broker.Actor{Kind: broker.ByProcess, PID: 42}
	for name, id := range map[string]string{
		"of a file's rule": b.Rules(t.Context()).Files[0].Rules[0].ID,
		"in capitals":      strings.ToUpper(allow.ID),
		"as an address":    "urn:uuid:" + allow.ID,
		"built in":         broker.RuleReadOnly,
		"not a UUID":       "../x",
	} {
		t.Run(name, func(t *testing.T) {
			r := denying("x", "")
			r.ID = id
			if _, err := b.SaveRule(t.Context(), r, process); !errors.Is(err, broker.ErrInvalid) {
				t.Errorf("%v, want ErrInvalid", err)
			}
		})
	}
	must(t, b.RemoveRule(t.Context(), allow.ID, operator))
	if got := submit(t, b, callIn(dir, "s", "1", "make x")); got.State != broker.Pending {
		t.Errorf("a removed rule: %s, want pending", got.State)
	}
	if got := submit(t, b, callIn(dir, "s", "2", "rm x")); got.State != broker.Denied {
		t.Errorf("the file's rule: %s, want denied", got.State)
	}
}

// What a preview tries out takes no other rule's place.
func TestPreviewHidesNoRule(t *testing.T) {
	dir := project(t)
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	submit(t, b, callIn(dir, "s", "1", "go test ./x"))
	deny := denying("go test ./y", "")
	deny.ID = "00000000-0000-4000-8000-000000000000"
	_, err := b.SaveRule(t.Context(), deny, broker.Actor{Kind: broker.ByProcess})
	must(t, err)
	submit(t, b, callIn(dir, "s", "2", "go test ./y"))
	p, err := b.Preview(t.Context(), allowing("go test *"))
	must(t, err)
	if p.Matched != 0 || len(p.Waiting) != 1 {
		t.Errorf("%d recorded and %d waiting calls, want 0 and 1: the other one stays denied", p.Matched, len(p.Waiting))
	}
}

// A time that no calendar has is the caller's mistake, not the store's.
func TestRuleThatEndsTooLate(t *testing.T) {
	c := serve(t, service.Options{})
	code, got := c.do("POST", "/rules", `{"tool":"Bash","decision":"deny","expires_at":"9999-12-31T23:59:59-23:59"}`)
	if code != http.StatusBadRequest || !strings.Contains(fmt.Sprint(got), "expires_at") {
		t.Errorf("%d %v", code, got)
	}
	if n := len(c.b.Rules(t.Context()).Rules); n != 0 {
		t.Errorf("%d rules", n)
	}
}

// A script is noticed to have changed whatever it is called, also after a restart.
func TestScriptChangedWhilePending(t *testing.T) {
	dir, st := project(t), brokertest.NewMemory()
	script := filepath.Join(dir, "deploy")
	write := func(text string) { must(t, os.WriteFile(script, []byte(text), 0o600)) }
	b := newBroker(t, st, service.Options{})
	for name, tc := range map[string]struct {
		command string
		want    error
	}{
		"shell":       {"bash deploy", broker.ErrChanged},
		"dot":         {". ./deploy", broker.ErrChanged},
		"interpreter": {"python3.11 deploy", broker.ErrChanged},
		"input":       {"bash < deploy", broker.ErrChanged},
		"pipe":        {"cat deploy | sh", broker.ErrChanged},
		"makefile":    {"make -f deploy", broker.ErrChanged},
		"cleared":     {"env -i bash deploy", broker.ErrChanged},
		"statements":  {"psql -f deploy", broker.ErrChanged},
		"option":      {"psql --file=deploy", broker.ErrChanged},
		"patch":       {"git apply deploy", broker.ErrChanged},
		"playbook":    {"ansible-playbook deploy", broker.ErrChanged},
		"only shown":  {"pr deploy", nil},
	} {
		t.Run(name, func(t *testing.T) {
			write("echo hi\n")
			r := submit(t, b, callIn(dir, name, name, tc.command))
			write("echo something else\n")
			_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator, Digest: r.Digest})
			if !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
		})
	}
	write("echo hi\n")
	r := submit(t, b, callIn(dir, "s", "again", "bash deploy"))
	must(t, b.Close())
	b = newBroker(t, st, service.Options{})
	if got, err := b.Request(t.Context(), r.ID); err != nil || got.Assessment == nil || got.Assessment.Verdict != rules.Ask {
		t.Errorf("after a restart: %+v %v, want an assessment", got.Assessment, err)
	}
	write("echo something else\n")
	if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); !errors.Is(err, broker.ErrChanged) {
		t.Errorf("changed after a restart: %v", err)
	}
}

// A script that changes after its call was late is noticed when it is allowed late, and
// again when the agent asks for it once more.
func TestScriptChangedWhileLate(t *testing.T) {
	dir := project(t)
	script := filepath.Join(dir, "deploy")
	write := func(text string) { must(t, os.WriteFile(script, []byte(text), 0o600)) }
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: time.Minute, LateFor: 5 * time.Minute, AskerGrace: time.Hour})
		write("echo hi\n")
		r := submit(t, b, callIn(dir, "s", "1", "bash deploy"))
		_, _ = b.Wait(t.Context(), r.ID)
		allow := func() error {
			_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator, Digest: r.Digest})
			return err
		}
		write("echo something else\n")
		if err := allow(); !errors.Is(err, broker.ErrChanged) {
			t.Errorf("allowed late: %v, want ErrChanged", err)
		}
		must(t, allow()) // looked at again
		write("echo another thing\n")
		if got := submit(t, b, callIn(dir, "s", "2", "bash deploy")); got.State != broker.Pending {
			t.Errorf("the retry of another script is %s, want pending", got.State)
		}
	})
}

// A call that ended late can be allowed while its session is stopped: the grant is for when the
// stop is lifted, and nothing passes before.
func TestLateAllowUnderAStop(t *testing.T) {
	dir := project(t)
	must(t, os.WriteFile(filepath.Join(dir, "deploy"), []byte("echo hi\n"), 0o600))
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: time.Minute, LateFor: 5 * time.Minute, AskerGrace: time.Hour})
		r := submit(t, b, callIn(dir, "s", "1", "bash deploy"))
		_, _ = b.Wait(t.Context(), r.ID)
		_, err := b.Stop(t.Context(), "s", operator)
		must(t, err)
		got, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator, Digest: r.Digest})
		if err != nil || got.State != broker.Expired {
			t.Errorf("late allow under a stop: %s, %v", got.State, err)
		}
		if got := submit(t, b, callIn(dir, "s", "2", "bash deploy")); got.State != broker.Denied {
			t.Errorf("the retry under the stop is %s, want denied", got.State)
		}
	})
}
