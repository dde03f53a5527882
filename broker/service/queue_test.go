package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// others are the other machines of a fleet. They have claimed the ids that begin with "their".
type others struct {
	mu      sync.Mutex
	claimed []string
	follows map[string]broker.Request
	fails   error
	says    *broker.Outcome
}

func (o *others) Claim(_ context.Context, r broker.Request) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.claimed = append(o.claimed, r.ID)
	if len(r.Digest) != 64 {
		return "", fmt.Errorf("%q is no digest", r.Digest)
	}
	if o.fails == nil && r.ID[:5] == "their" {
		return "box", nil
	}
	return "", o.fails
}

func (o *others) Follow(_ string, r broker.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.follows[r.ID] = r
}

func (o *others) Response(_ context.Context, id string, _, _ time.Duration) (broker.Request, bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r, ok := o.follows[id]
	if o.says != nil {
		r.State, r.Outcome = o.says.State, o.says
	}
	return r, ok, o.fails
}

func queueBody(id, session, command string) string {
	return fmt.Sprintf(`{"session_id":%q,"tool_name":"Bash","tool_input":{"command":%q},"cwd":"/srv/shop","correlation_id":%q}`, session, command, id)
}

// A call that another machine asks is no call here, and is answered as that machine says.
func TestCallAskedElsewhere(t *testing.T) {
	t.Parallel()
	fleet := &others{follows: map[string]broker.Request{}}
	c := serveOver(t, brokertest.NewMemory(), service.Options{}, func(b *service.Broker) { b.ShareCalls(fleet) })
	for _, body := range []string{queueBody("theirs", "s", "make"), queueBody("theirs", "s", "make"), queueBody("mine0", "s", "make"), queueBody("mine0", "s", "make"), queueBody("", "s", "make")} {
		if status, m := c.do("POST", "/approval-queue", body); status != 200 {
			t.Fatalf("asked %s: %d %v", body, status, m)
		}
	}
	if want := []string{"theirs", "theirs", "mine0"}; !slices.Equal(fleet.claimed, want) {
		t.Errorf("claimed: %v, want %v", fleet.claimed, want)
	}
	if waiting := c.b.Pending(""); len(waiting) != 2 {
		t.Errorf("%d calls wait here", len(waiting))
	}
	get := func(want int, decision any) {
		t.Helper()
		if status, m := c.do("GET", "/response-queue/theirs?timeout=0", ""); status != want || m["decision"] != decision {
			t.Errorf("%d %v, want %d %v", status, m, want, decision)
		}
	}
	fleet.follows["theirs"] = broker.Request{ID: "theirs", SessionID: "s", State: broker.Pending}
	get(202, nil)
	fleet.says = &broker.Outcome{State: broker.Allowed, By: broker.Actor{Kind: broker.ByOperator}}
	get(200, "allow")
	freeze(t, c.b, "s")
	get(202, nil)
	unfreeze(t, c.b, "s")
	get(200, "allow")
	if _, err := c.b.Stop(t.Context(), "s", operator); err != nil {
		t.Fatal(err)
	}
	get(409, nil)
	fleet.says = &broker.Outcome{State: broker.Denied}
	get(200, "deny")
	fleet.fails = fmt.Errorf("%w: box is out of reach", broker.ErrFleetOut)
	get(503, nil)
}

// What cannot be claimed is not asked, and no id is claimed for what cannot be asked.
func TestNothingIsAskedWithoutAClaim(t *testing.T) {
	t.Parallel()
	fleet := &others{follows: map[string]broker.Request{}, fails: fmt.Errorf("%w: no line", broker.ErrFleetOut)}
	c := serveOver(t, brokertest.NewMemory(), service.Options{}, func(b *service.Broker) { b.ShareCalls(fleet) })
	save(t, c.b, denying("make wreck", "no"))
	for name, o := range map[string]struct {
		body   string
		status int
	}{
		"no line":    {queueBody("mine1", "s", "make"), 503},
		"no call":    {`{"session_id":"s","tool_name":"Bash","tool_input":"make","correlation_id":"mine2"}`, 400},
		"no session": {queueBody("mine3", "..", "make"), 400},
	} {
		if status, m := c.do("POST", "/approval-queue", o.body); status != o.status {
			t.Errorf("%s: %d %v", name, status, m)
		}
	}
	if waiting := c.b.Pending(""); len(waiting) != 0 || !slices.Equal(fleet.claimed, []string{"mine1"}) {
		t.Errorf("%d calls wait here, claimed: %v", len(waiting), fleet.claimed)
	}
	fleet.fails = nil
	if status, m := c.do("POST", "/approval-queue", queueBody("theirs", "s", "make wreck")); status != 409 || len(fleet.follows) != 0 {
		t.Errorf("a rule of this machine refuses it: %d %v", status, m)
	}
}

// Attack: one operator alone allows at another machine, which may lie, what takes two here, or what a rule
// refuses here, as another input.
func TestAllowElsewhereIsOneAllow(t *testing.T) {
	t.Parallel()
	fleet, team := &others{follows: map[string]broker.Request{}}, &team{}
	team.gone.Store("")
	team.everywhere.Store(true)
	c := serveOver(t, brokertest.NewMemory(), service.Options{}, func(b *service.Broker) { b.ShareCalls(fleet) })
	save(t, c.b, denying("make wreck", "no"))
	for _, o := range []struct {
		two            bool
		command, input string
		want           int
	}{
		{false, "rm -rf /", "", 200},
		{true, "rm -rf /", "", 409},
		{true, "make", "", 200},
		{true, "make", "make all", 200},
		{true, "make", "rm -rf /", 409},
		{true, "make", "make wreck", 409},
	} {
		if o.two {
			c.b.NeedTwo(team)
		}
		id := fmt.Sprintf("their-%s-%s-%t", o.command[:2], o.input, o.two)
		id = strings.NewReplacer(" ", "", "/", "").Replace(id)
		fleet.says = nil
		if status, m := c.do("POST", "/approval-queue", queueBody(id, "s", o.command)); status != 200 {
			t.Fatalf("asked %q: %d %v", o.command, status, m)
		}
		fleet.says = &broker.Outcome{State: broker.Allowed, By: broker.Actor{Kind: broker.ByOperator}}
		if o.input != "" {
			fleet.says.UpdatedInput = json.RawMessage(fmt.Sprintf(`{"command":%q}`, o.input))
		}
		if status, m := c.do("GET", "/response-queue/"+id+"?timeout=0", ""); status != o.want {
			t.Errorf("%q, allowed as %q, two: %t: %d %v", o.command, o.input, o.two, status, m)
		}
	}
}

// Who asks for another machine's caller waits as a caller does, and is one that polls.
func TestAwaitCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{Hold: 25 * time.Second})
		callers := service.CallersOf(b)
		if _, err := callers.AwaitCall(t.Context(), "none", time.Second, 0); !errors.Is(err, broker.ErrNotFound) {
			t.Errorf("no call: %v", err)
		}
		q := bash("s", "1", "make")
		q.Event, q.Bound = "", false
		r := submit(t, b, q)
		began := time.Now()
		if got, err := callers.AwaitCall(t.Context(), r.ID, time.Minute, 0); err != nil || got.State != broker.Pending || time.Since(began) != 25*time.Second {
			t.Errorf("while it waits: %s, %v after %s", got.State, err, time.Since(began))
		}
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		began = time.Now()
		if _, err := callers.AwaitCall(ctx, r.ID, 20*time.Second, 0); time.Since(began) != time.Second {
			t.Errorf("when the other machine leaves: %v after %s", err, time.Since(began))
		}
		time.AfterFunc(2*time.Second, func() {
			if _, err := b.Decide(context.Background(), r.ID, broker.Decision{Verdict: broker.Deny, By: operator}); err != nil {
				t.Error(err)
			}
		})
		began = time.Now()
		if got, err := callers.AwaitCall(t.Context(), r.ID, 20*time.Second, 0); err != nil || got.State != broker.Denied || time.Since(began) != 2*time.Second {
			t.Errorf("when it ends: %s, %v after %s", got.State, err, time.Since(began))
		}
	})
}
