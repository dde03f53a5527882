package service_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/policy"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
)

// team is who may allow what takes two: ana, ben and cem, at any console.
type team struct {
	everywhere atomic.Bool
	gone       atomic.Value // somebody who is no operator any more
}

func (e *team) NeedsTwo(folders ...string) bool {
	return e.everywhere.Load() || strings.Contains(strings.Join(folders, " "), "/src")
}

func (e *team) Operator(by broker.Actor) (id, name string, err error) {
	who, _, _ := strings.Cut(by.ID, "@")
	if !strings.Contains("ana ben cem", who) || who == "" || who == e.gone.Load() {
		return "", "", errors.New("nobody knows who this is")
	}
	return who, who, nil
}

func as(who string) broker.Actor { return broker.Actor{Kind: broker.ByOperator, ID: who} }

func allowAs(t *testing.T, b *service.Broker, r broker.Request, who string) (broker.Request, error) {
	t.Helper()
	return b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: as(who), Digest: r.Digest, Dangerous: true})
}

// waits fails the test unless the call waits, with an allow of one of two on its card.
func waits(t *testing.T, b *service.Broker, id, first string) {
	t.Helper()
	r := must2(b.Request(t.Context(), id))
	if r.State != broker.Pending || !r.NeedsTwo() || r.Assessment.AllowedBy != first {
		t.Fatalf("the call is %s, needs two: %t, allowed by %q, want %q", r.State, r.NeedsTwo(), r.Assessment.AllowedBy, first)
	}
}

func withTeam(t *testing.T, st broker.Store, opts service.Options) (*service.Broker, *team) {
	t.Helper()
	b, e := newBroker(t, st, opts), &team{}
	e.gone.Store("")
	b.NeedTwo(e)
	return b, e
}

func TestTwoOperators(t *testing.T) {
	st := brokertest.NewMemory()
	b, e := withTeam(t, st, service.Options{})
	r := submit(t, b, bash("s", "1", "rm -rf /"))
	waits(t, b, r.ID, "")
	for _, who := range []string{"", "token:x", "mallory"} {
		if _, err := allowAs(t, b, r, who); !errors.Is(err, broker.ErrTwo) {
			t.Errorf("%q: %v", who, err)
		}
		waits(t, b, r.ID, "")
	}
	// Once, and once more, and at another console: one person.
	for _, who := range []string{"ana@laptop", "ana@laptop", "ana@desk"} {
		if _, err := allowAs(t, b, r, who); !errors.Is(err, broker.ErrTwo) || !strings.Contains(err.Error(), "ana") {
			t.Errorf("%q: %v", who, err)
		}
		waits(t, b, r.ID, "ana")
	}
	on := must2(st.Events(t.Context(), broker.EventFilter{Types: []string{broker.EventAllowedOnce}}))
	if len(on) != 1 || on[0].RequestID != r.ID || !strings.Contains(string(on[0].Data), r.Digest) {
		t.Errorf("on record: %+v", on)
	}
	// Whoever left meanwhile is not the first of two, and the second one begins anew.
	e.gone.Store("ana")
	if _, err := allowAs(t, b, r, "ben"); !errors.Is(err, broker.ErrTwo) {
		t.Errorf("after ana left: %v", err)
	}
	waits(t, b, r.ID, "ben")
	got, err := allowAs(t, b, r, "cem@desk")
	if err != nil || got.State != broker.Allowed || got.Outcome.By.ID != "cem@desk" {
		t.Errorf("two: %s, %v", got.State, err)
	}
	// A no of one ends the next one.
	r = submit(t, b, bash("s", "2", "rm -rf /"))
	_, _ = allowAs(t, b, r, "ben")
	decide(t, b, r.ID, broker.Decision{Verdict: broker.Deny})
	if _, err := allowAs(t, b, r, "cem"); !errors.Is(err, broker.ErrAlreadyDecided) {
		t.Errorf("after a no: %v", err)
	}
	// What is not dangerous, or elsewhere, takes one.
	for _, q := range []broker.Question{bash("s", "3", "make"), at("/tmp", bash("t", "4", "rm -rf /"))} {
		if got := decide(t, b, submit(t, b, q).ID, broker.Decision{Verdict: broker.Allow}); got.State != broker.Allowed {
			t.Errorf("%s: %s", q.ToolInput, got.State)
		}
	}
	// A project that is listed now: its card says so, and one allow is not enough any more.
	r = submit(t, b, at("/tmp", bash("t", "5", "rm -rf /")))
	e.everywhere.Store(true)
	b.NeedTwo(e)
	waits(t, b, r.ID, "")
	if _, err := allowAs(t, b, r, "ben"); !errors.Is(err, broker.ErrTwo) {
		t.Errorf("listed while it waited: %v", err)
	}
}

func at(folder string, q broker.Question) broker.Question {
	q.CWD = folder
	return q
}

// Nothing but two operators lets such a call run.
func TestNoWayAroundTwo(t *testing.T) {
	danger := func(key string) broker.Question { return bash("s", key, "rm -rf /") }
	allow := broker.Decision{Verdict: broker.Allow, By: as("ben"), Dangerous: true}
	for name, try := range map[string]func(t *testing.T, b *service.Broker, r broker.Request){
		"a rule": func(t *testing.T, b *service.Broker, _ broker.Request) {
			t.Helper()
			rule := rules.Rule{Enabled: true, Priority: 100, Decision: rules.Allow, Tool: "Bash", Where: map[string]string{"command": "dd if=/dev/zero of=/dev/sda"}, Dangerous: true}
			alone := newBroker(t, brokertest.NewMemory(), service.Options{})
			for _, b := range []*service.Broker{alone, b} {
				save(t, b, rule)
			}
			q := bash("s", "2", rule.Where["command"])
			if got := submit(t, alone, q); got.State != broker.Allowed {
				t.Fatalf("without a fleet the rule leaves it %s: %+v", got.State, got.Assessment)
			}
			waits(t, b, submit(t, b, q).ID, "")
		},
		"observing": func(t *testing.T, b *service.Broker, _ broker.Request) {
			t.Helper()
			must(t, b.Observe(t.Context(), "s", true, operator))
			waits(t, b, submit(t, b, danger("2")).ID, "")
			must(t, b.Observe(t.Context(), "", true, operator))
			waits(t, b, submit(t, b, danger("3")).ID, "")
		},
		"the agent's own prompt": func(t *testing.T, b *service.Broker, r broker.Request) {
			t.Helper()
			d := broker.Decision{Verdict: broker.Ask, By: as("ben"), Digest: r.Digest}
			_, err := b.Decide(t.Context(), r.ID, d)
			isTwo(t, err)
			_, err = b.DecideAll(t.Context(), []broker.Pick{{ID: r.ID, Digest: r.Digest}}, d)
			isTwo(t, err)
		},
		"several at once": func(t *testing.T, b *service.Broker, r broker.Request) {
			t.Helper()
			_, err := b.DecideAll(t.Context(), []broker.Pick{{ID: r.ID, Digest: r.Digest}}, allow)
			isTwo(t, err)
			_, err = b.DecideAll(t.Context(), []broker.Pick{{ID: r.ID, Digest: r.Digest}}, allow)
			isTwo(t, err)
		},
		"another input": func(t *testing.T, b *service.Broker, r broker.Request) {
			t.Helper()
			d := allow
			d.Digest, d.UpdatedInput = r.Digest, command("rm -rf /home")
			_, err := b.Decide(t.Context(), r.ID, d)
			isTwo(t, err)
			d.UpdatedInput = command("true")
			_, err = b.Decide(t.Context(), r.ID, d)
			isTwo(t, err)
			plain := submit(t, b, bash("s", "2", "make"))
			d.Digest, d.UpdatedInput = plain.Digest, command("rm -rf /")
			_, err = b.Decide(t.Context(), plain.ID, d)
			isTwo(t, err)
			if got := must2(b.Request(t.Context(), plain.ID)); got.State != broker.Pending {
				t.Errorf("the harmless call is %s", got.State)
			}
		},
		"without a digest": func(t *testing.T, b *service.Broker, r broker.Request) {
			t.Helper()
			for _, who := range []string{"ben", "ana"} {
				d := allow
				d.By = as(who)
				_, err := b.Decide(t.Context(), r.ID, d)
				isTwo(t, err)
			}
		},
		"by a rule's name": func(t *testing.T, b *service.Broker, r broker.Request) {
			t.Helper()
			_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: broker.Actor{Kind: broker.ByRule}, Digest: r.Digest})
			isTwo(t, err)
		},
		"frozen": func(t *testing.T, b *service.Broker, r broker.Request) {
			t.Helper()
			must(t, b.Freeze(t.Context(), "", true, operator))
			if _, err := allowAs(t, b, r, "ana"); !errors.Is(err, broker.ErrFrozen) {
				t.Errorf("while all is frozen: %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := withTeam(t, brokertest.NewMemory(), service.Options{})
			r := submit(t, b, danger("1"))
			try(t, b, r)
			waits(t, b, r.ID, "")
		})
	}
}

func isTwo(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, broker.ErrTwo) {
		t.Errorf("%v, want ErrTwo", err)
	}
}

// What is over is not allowed late, and nobody's time leaves it to the agent's prompt.
func TestTwoWhenTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := withTeam(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: time.Minute, OnTimeout: broker.Ask, AskerGrace: time.Hour})
		r := submit(t, b, bash("s", "1", "rm -rf /"))
		_, err := allowAs(t, b, r, "ana")
		isTwo(t, err)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := must2(b.Request(t.Context(), r.ID)); got.State != broker.Expired {
			t.Fatalf("after its time the call is %s", got.State)
		}
		for _, who := range []string{"ben", "ana"} {
			if _, err := allowAs(t, b, r, who); !errors.Is(err, broker.ErrAlreadyDecided) {
				t.Errorf("%s allows it late: %v", who, err)
			}
		}
		waits(t, b, submit(t, b, bash("s", "2", "rm -rf /")).ID, "")
	})
}

// Attack: one person starts the broker anew, so that a call's time is over before the broker has looked at it.
func TestTwoWhenTimeIsOverMeanwhile(t *testing.T) {
	for _, down := range []time.Duration{10 * time.Second, 2 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			st, e := brokertest.NewMemory(), &team{}
			e.gone.Store("")
			o := service.Options{ApprovalTimeout: time.Minute, OnTimeout: broker.Ask, AskerGrace: time.Hour}
			o.Guard.Eyes = func(b *service.Broker) policy.Eyes {
				if _, ok := b.FleetToken(); ok {
					t.Error("the broker is in a fleet")
				}
				return e
			}
			b := newBroker(t, st, o)
			r := submit(t, b, bash("s", "1", "rm -rf /"))
			waits(t, b, r.ID, "")
			must(t, b.Close())
			time.Sleep(down)
			b = newBroker(t, st, o)
			if down < time.Minute {
				waits(t, b, r.ID, "")
				time.Sleep(time.Minute)
			}
			synctest.Wait()
			if got := must2(b.Request(t.Context(), r.ID)); got.State != broker.Expired {
				t.Errorf("after %s without a broker the call is %s", down, got.State)
			}
		})
	}
}

// A grant from before the project was listed lets nothing run.
func TestTwoAfterAGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: time.Minute, AskerGrace: time.Hour})
		r := submit(t, b, bash("s", "1", "rm -rf /"))
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		decide(t, b, r.ID, broker.Decision{Verdict: broker.Allow}) // leaves a grant
		e := &team{}
		e.gone.Store("")
		b.NeedTwo(e)
		waits(t, b, submit(t, b, bash("s", "2", "rm -rf /")).ID, "")
	})
}

// A first allow that cannot be recorded is none, and one that a restart forgot is none either.
func TestFirstAllowIsOnRecord(t *testing.T) {
	st := brokertest.NewMemory()
	b, e := withTeam(t, st, service.Options{})
	r := submit(t, b, bash("s", "1", "rm -rf /"))
	failCommits(st, errors.New("the disk is full"))
	if _, err := allowAs(t, b, r, "ana"); err == nil || errors.Is(err, broker.ErrTwo) {
		t.Errorf("unrecorded: %v", err)
	}
	failCommits(st, nil)
	waits(t, b, r.ID, "")
	_, err := allowAs(t, b, r, "ana")
	isTwo(t, err)
	must(t, b.Close())
	b = newBroker(t, st, service.Options{})
	b.NeedTwo(e)
	waits(t, b, r.ID, "")
	_, err = allowAs(t, b, r, "ben")
	isTwo(t, err)
	waits(t, b, r.ID, "ben")
}

// The second operator must have seen the files that the first one saw.
func TestTwoSeeTheSameFiles(t *testing.T) {
	b, e := withTeam(t, brokertest.NewMemory(), service.Options{})
	e.everywhere.Store(true)
	script := filepath.Join(t.TempDir(), "x.sh")
	must(t, os.WriteFile(script, []byte("true\n"), 0o600))
	r := submit(t, b, bash("s", "1", "sh "+script+"; rm -rf /"))
	_, err := allowAs(t, b, r, "ana")
	isTwo(t, err)
	waits(t, b, r.ID, "ana")
	must(t, os.WriteFile(script, []byte("false; true\n"), 0o600))
	if _, err := allowAs(t, b, r, "ben"); !errors.Is(err, broker.ErrChanged) {
		t.Errorf("after the script changed: %v", err)
	}
	waits(t, b, r.ID, "")
	_, err = allowAs(t, b, r, "ben")
	isTwo(t, err)
	waits(t, b, r.ID, "ben")
	if got, err := allowAs(t, b, r, "ana"); err != nil || got.State != broker.Allowed {
		t.Errorf("both saw it: %s, %v", got.State, err)
	}
}

// Whatever operators press, in whatever order: what ran was allowed by two, and nobody had said no.
func TestTwoMachine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b, _ := withTeam(t, brokertest.NewMemory(), service.Options{})
		defer func() { _ = b.Close() }()
		r := submit(t, b, bash("s", fmt.Sprint(rapid.Int().Draw(rt, "key")), "rm -rf /"))
		allowed, over := map[string]bool{}, ""
		for range rapid.IntRange(1, 12).Draw(rt, "presses") {
			who := rapid.SampledFrom([]string{"ana", "ana@desk", "ben", "cem", "", "mallory"}).Draw(rt, "who")
			person, _, _ := strings.Cut(who, "@")
			d := broker.Decision{Verdict: broker.Allow, By: as(who), Digest: r.Digest, Dangerous: true}
			switch rapid.SampledFrom([]string{"allow", "allow", "allow", "ask", "stale", "deny"}).Draw(rt, "verdict") {
			case "ask":
				d.Verdict = broker.Ask
			case "stale":
				d.Digest = strings.Repeat("0", 64)
			case "deny":
				d.Verdict = broker.Deny
			case "allow":
				if over == "" && (person == "ana" || person == "ben" || person == "cem") {
					allowed[person] = true
				}
			}
			_, _ = b.Decide(t.Context(), r.ID, d)
			switch {
			case over != "":
			case d.Verdict == broker.Deny:
				over = "denied"
			case len(allowed) == 2:
				over = "allowed"
			}
			want := broker.State(over)
			if over == "" {
				want = broker.Pending
			}
			if got := must2(b.Request(t.Context(), r.ID)); got.State != want {
				rt.Fatalf("the call is %s, want %s; allowed by %v", got.State, want, allowed)
			}
		}
	})
}
