package service_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// The script that was allowed while its call was put off is another when the agent asks
// again: at the same console, which has seen it, and at the next one, which has its times.
// Where the person wrote another input, the files of that one count.
func TestDeferredAnswerIsForTheFilesOfItsTime(t *testing.T) {
	t.Parallel()
	for _, input := range []string{"", `{"command":"bash other.sh"}`} {
		for _, restart := range []bool{false, true} {
			for _, changed := range []string{"", "run.sh", "other.sh"} {
				dir := t.TempDir()
				for _, name := range []string{"run.sh", "other.sh"} {
					must(t, os.WriteFile(filepath.Join(dir, name), []byte("echo tests\n"), 0o600))
				}
				afterTick(t, dir)
				st := brokertest.NewMemory()
				b := newBroker(t, st, service.Options{})
				q := headless("toolu_1", "bash run.sh", "talk 1")
				q.CWD = dir
				r := putOff(t, b, submit(t, b, q).ID)
				ended(t, b)
				decide(t, b, r.ID, broker.Decision{Verdict: broker.Allow, UpdatedInput: []byte(input), Dangerous: input != ""})
				if changed != "" {
					afterTick(t, dir)
					must(t, os.WriteFile(filepath.Join(dir, changed), []byte("echo evil\n"), 0o600))
				}
				if restart {
					b = newBroker(t, st, service.Options{})
				}
				q.Correlation = "talk 2"
				got, err := hears(t, b, q)
				want := changed != "" && (changed == "other.sh") == (input != "")
				if refused := errors.Is(err, broker.ErrAnsweredBefore) && strings.Contains(err.Error(), "file that it names changed"); refused != want || !want && got.State != broker.Allowed {
					t.Errorf("input %q, restart %v, %q changed: %s %v", input, restart, changed, got.State, err)
				}
			}
		}
	}
}

// An input that the person wrote is judged by the rules of the day as it will run.
func TestDeferredEditedInputIsJudged(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	r := putOff(t, b, submit(t, b, headless("toolu_1", "make", "talk 1")).ID)
	ended(t, b)
	decide(t, b, r.ID, broker.Decision{Verdict: broker.Allow, UpdatedInput: []byte(`{"command":"make install"}`), Dangerous: true})
	save(t, b, denying("make install", "not now"))
	if got, err := hears(t, b, headless("toolu_1", "make", "talk 2")); !errors.Is(err, broker.ErrAnsweredBefore) || !strings.Contains(err.Error(), "rule denies it") {
		t.Errorf("told %s %v", got.State, err)
	}
}
