package store_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/store"
)

// childEnv makes the test program a child that records decisions in the named
// database until it is killed.
const childEnv = "AOCTL_TEST_CRASHING_STORE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := record(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if spec := os.Getenv(archiveEnv); spec != "" {
		fmt.Fprintln(os.Stderr, archiveAndDie(spec))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// record asks and decides without end, 16 at a time, and prints a line for each
// change once it is acknowledged.
func record(path string) error {
	ctx := context.Background()
	st, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	s := gather(ctx, st)
	run, _ := st.Head() // differs from life to life
	errs := make(chan error)
	for caller := range 16 {
		go func() {
			for i := 0; ; i++ {
				if err := recordOne(s, fmt.Sprintf("%d-%d-%d", run, caller, i), i); err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	return <-errs
}

// gathered takes changes from many callers. As in the broker, all that come while one
// transaction is on its way are recorded together in the next.
type gathered chan sent

type sent struct {
	change *broker.Change
	err    chan error
}

func gather(ctx context.Context, st *store.Store) gathered {
	s := make(gathered, 16)
	go func() {
		for first := range s {
			all, list := []sent{first}, []*broker.Change{first.change}
			for range len(s) {
				next := <-s
				all, list = append(all, next), append(list, next.change)
			}
			err := st.Record(ctx, list...)
			for _, c := range all {
				c.err <- err
			}
		}
	}()
	return s
}

func (s gathered) record(c *broker.Change) error {
	err := make(chan error)
	s <- sent{c, err}
	return <-err
}

func recordOne(s gathered, id string, i int) error {
	if i%4 == 1 {
		return recordRule(s, ruleMark+id, i)
	}
	r, o := brokertest.PendingRequest(id, "s1"), decisionFor(id, i)
	if i%4 == 0 { // as a rule decides: not synced, which a kill must not undo either
		c := brokertest.DecidedAtOnce(r, o)
		if err := s.record(c); err != nil {
			return err
		}
		return acknowledge(id, o)
	}
	if err := s.record(brokertest.Asked(r)); err != nil {
		return err
	}
	if err := acknowledge(id, broker.Outcome{State: broker.Pending}); err != nil {
		return err
	}
	if err := s.record(brokertest.Ended(r, o)); err != nil {
		return err
	}
	return acknowledge(id, o)
}

// ruleMark begins the ids of rules, in the ledger and in the store.
const ruleMark = "rule/"

// recordRule saves a rule, edits it, counts a use and, of every other one, removes it.
func recordRule(s gathered, id string, i int) error {
	for version := 1; version <= 2; version++ {
		c := brokertest.Saved(crashRule(id, version))
		c.Used = []string{id}
		if err := s.record(c); err != nil {
			return err
		}
		if err := acknowledge(id, broker.Outcome{State: ruleSaved, Reason: strconv.Itoa(version)}); err != nil {
			return err
		}
	}
	if i%8 != 1 {
		return nil
	}
	if err := s.record(brokertest.Removed(id)); err != nil {
		return err
	}
	return acknowledge(id, broker.Outcome{State: ruleRemoved})
}

// What the ledger says of a rule; the reason is its version.
const ruleSaved, ruleRemoved = "saved", "removed"

func crashRule(id string, version int) rules.Rule {
	r := brokertest.NewRule(id)
	r.Version, r.Reason = version, fmt.Sprint("version ", version, " of ", id)
	return r
}

func decisionFor(id string, i int) broker.Outcome {
	o := brokertest.Outcome([]broker.State{broker.Allowed, broker.Denied, broker.Expired}[i%3])
	o.Reason = "decision-of-" + id
	return o
}

// acknowledge writes one line in one system call, so that lines do not mix.
func acknowledge(id string, o broker.Outcome) error {
	_, err := fmt.Fprintf(os.Stdout, "%s %s %s.\n", id, o.State, o.Reason)
	return err
}

// Killed at any moment, nothing that was acknowledged is lost, changed or doubled.
// AOCTL_CRASHES says how many times (10 by default).
func TestKilledUnderLoad(t *testing.T) {
	t.Parallel()
	crashes := 10
	if n, err := strconv.Atoi(os.Getenv("AOCTL_CRASHES")); err == nil {
		crashes = n
	}
	path := filepath.Join(t.TempDir(), "aoctl.db")
	ledger := map[string]string{} // id → what was acknowledged last
	lines := 0
	random := rand.New(rand.NewPCG(1, 0))
	for range crashes {
		life := map[string]string{}
		lines += crash(t, path, 1+random.IntN(600), life)
		checkLedger(t, path, life)
		if t.Failed() {
			return
		}
		maps.Copy(ledger, life)
	}
	checkLedger(t, path, ledger)
	t.Logf("%d crashes, %d acknowledged changes of %d requests, none lost", crashes, lines, len(ledger))
}

// crash runs a child until it has acknowledged so many changes, kills it
// and notes in the ledger all that it acknowledged.
func crash(t *testing.T, path string, kill int, ledger map[string]string) (lines int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+path)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadString('\n')
		if err == io.EOF && !strings.HasSuffix(line, ".\n") {
			break // a line cut short was not acknowledged in full
		}
		id, rest, _ := strings.Cut(strings.TrimSuffix(line, ".\n"), " ")
		ledger[id] = rest
		if lines++; lines == kill {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed
	if lines < kill {
		t.Fatalf("the child ended by itself after %d changes: %s", lines, &stderr)
	}
	return lines
}

// checkLedger opens what the crash left and compares it with what was acknowledged.
func checkLedger(t *testing.T, path string, ledger map[string]string) {
	t.Helper()
	checkClean(t, openReader(t, path))
	s := openAt(t, path)
	defer closeStore(t, s)
	checkRules(t, s, ledger)
	for id, want := range ledger {
		if strings.HasPrefix(id, ruleMark) {
			continue
		}
		r, err := s.Request(t.Context(), id)
		if err != nil {
			t.Errorf("acknowledged as %s: %v", want, err)
			continue
		}
		got := string(r.State) + " "
		if r.Outcome != nil {
			got += r.Outcome.Reason
		}
		if got != want && want != "pending " { // its decision may have come too late to be acknowledged
			t.Errorf("%s is %q, acknowledged was %q", id, got, want)
		}
	}
	checkClean(t, s)
	if lost := s.Tampered(); len(lost) != 0 {
		t.Errorf("Tampered = %v", lost)
	}
}

// checkRules compares the rules that the crash left with those that were acknowledged.
// The next step of a rule may have been recorded without coming to be acknowledged.
func checkRules(t *testing.T, s *store.Store, ledger map[string]string) {
	t.Helper()
	saved, err := s.Load(t.Context())
	if err != nil || saved.Doubt != "" {
		t.Fatalf("in doubt: %q, %v", saved.Doubt, err)
	}
	list, err := s.Rules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hold := map[string]rules.Rule{}
	for _, r := range list {
		hold[r.ID] = r
	}
	for id, want := range ledger {
		state, version, _ := strings.Cut(want, " ")
		if !strings.HasPrefix(id, ruleMark) {
			continue
		}
		r, held := hold[id]
		acknowledged, _ := strconv.Atoi(version)
		switch {
		case state == ruleRemoved && held:
			t.Errorf("%s was removed, and holds in version %d", id, r.Version)
		case state == ruleSaved && !held && acknowledged < 2:
			t.Errorf("%s is lost", id)
		case held && (r.Version < acknowledged || r.Reason != crashRule(id, r.Version).Reason):
			t.Errorf("%s came back as version %d, %q; acknowledged was %q", id, r.Version, r.Reason, want)
		}
		if uses := saved.RuleUse[id].Uses; uses < acknowledged || held && uses != r.Version {
			t.Errorf("%s was used %d times; acknowledged was %q", id, uses, want)
		}
	}
}
