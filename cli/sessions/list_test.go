package sessions

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
)

// What is still to be answered is listed without --all, by the word and the name that the screen has
// for it; what is over is not.
func TestListIsAsTheScreen(t *testing.T) {
	over := broker.SessionEnd{EndedAt: time.Unix(5, 0)}
	known := known(t,
		broker.Session{ID: "0197-7185", Name: "shop", State: broker.SessionActive},
		broker.Session{ID: "0197-4444", Name: "shop", State: broker.SessionIdle},
		broker.Session{ID: "0198-1111", Name: "docs", State: broker.SessionFinished, SessionEnd: over, Deferred: 1},
		broker.Session{ID: "0199-2222", Name: "gone", State: broker.SessionGone, SessionEnd: over},
		broker.Session{ID: "0199-3333", Name: "shot", State: broker.SessionFinished, SessionEnd: over, Run: &broker.Run{Turn: broker.TurnEnded, Error: "the agent was killed"}},
	)
	for _, tc := range []struct {
		all  bool
		want string
	}{
		{false, "shop-7185 working, shop-4444 idle, docs deferred"},
		{true, `shop-7185 working, shop-4444 idle, docs deferred, gone ended, shot killed, problem: the agent was killed`},
	} {
		var out strings.Builder
		if err := printSessions(known, sessionsOptions{all: tc.all}, &out, time.Unix(9, 0)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			cells := strings.Split(line, "\t")
			got = append(got, cells[1]+" "+cells[3])
		}
		if list := strings.Join(got, ", "); list != tc.want {
			t.Errorf("all %v: %s", tc.all, list)
		}
	}
}

// The end of an id stands behind a name on the screen, so the list shows that end, and other
// commands take it.
func TestListHasTheEndsOfIDs(t *testing.T) {
	const shop, other = "0197aaaa-5c1b-7e40-ba7e-d8da748a3c62", "0197aaaa-5c1c-7e40-ba7e-d8da748a7185"
	known := known(t, broker.Session{ID: shop, Name: "shop", State: broker.SessionActive}, broker.Session{ID: other, Name: "shop", State: broker.SessionActive})
	var out strings.Builder
	if err := printSessions(known, sessionsOptions{}, &out, time.Unix(9, 0)); err != nil {
		t.Fatal(err)
	}
	shown, rest, _ := strings.Cut(out.String(), "\t")
	if shown != "748a3c62" || !strings.HasPrefix(rest, "shop-3c62\t") {
		t.Errorf("listed as:\n%s", out.String())
	}
	if s, err := client.FindSession(client.Plain(known), shown, client.Living...); err != nil || s.ID != shop {
		t.Errorf("%q is %q, %v", shown, s.ID, err)
	}
}

// known are sessions as a console sends them.
func known(t *testing.T, list ...broker.Session) (all []client.Session) {
	t.Helper()
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// A deferred call waits for an answer, although no agent does.
func TestStatusTellsOfDeferredCalls(t *testing.T) {
	for want, s := range map[string]broker.Status{
		"1 session, 1 deferred":                       {Sessions: 1, PutOff: 1},
		"1 session, nothing waits":                    {Sessions: 1},
		"2 sessions, 1 waiting, 1 deferred":           {Sessions: 2, Waiting: 1, PutOff: 1},
		"1 session, 1 stopped, nothing waits":         {Sessions: 1, Stopped: 1},
		"0 sessions, 1 alarm, nothing waits":          {Alarms: 1},
		"1 session, FROZEN, nothing waits":            {Sessions: 1, FrozenAll: true},
		"1 session, 1 dangerous, nothing waits":       {Sessions: 1, Dangerous: 1},
		"3 sessions, 2 deferred, 1 failed":            {Sessions: 3, PutOff: 2, Failed: 1},
		"1 session, 1 waiting, FROZEN, 1 call frozen": {Sessions: 1, Waiting: 1, FrozenAll: true, Held: 1},
		"1 session, holding nothing, 1 deferred":      {Sessions: 1, Observing: true, PutOff: 1},
	} {
		if got := plainLine(status{Running: true, Status: &s}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
