package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// ms makes a moment, or a span, from milliseconds.
func ms(n int64) int64 { return n * int64(time.Millisecond) }

// at places o in time, in milliseconds; a negative return is one that never came.
func (o op) at(inv, ret int64) *op {
	o.Inv, o.Ret = ms(inv), ms(ret)
	if ret < 0 {
		o.Ret = never
	}
	if o.Kind != "stop" && o.Kind != "lift" && o.Kind != "check stop" {
		o.Call = "c"
	}
	return &o
}

var (
	asked   = op{Kind: "ask", Digest: digestA, Out: done}
	lost    = op{Kind: "ask", Digest: digestA, Out: unknown}
	other   = op{Kind: "ask", Digest: digestB, Out: done}
	clash   = op{Kind: "ask", Digest: digestB, Out: conflict}
	allow   = op{Kind: "decide", Allow: true, Out: done, Seen: allowed, By: "operator"}
	maybe   = op{Kind: "decide", Allow: true, Out: unknown}
	deny    = op{Kind: "decide", Out: done, Seen: denied, By: "operator"}
	tooLate = op{Kind: "decide", Allow: true, Out: granted, Seen: expired}
	stopIt  = op{Kind: "stop", Out: done}
	stopCut = op{Kind: "stop", Out: unknown}
	lift    = op{Kind: "lift", Out: done}
	gone    = op{Kind: "cancel"}
	aside   = op{Kind: "see", Out: done, Seen: denied, By: broker.AsideID}
)

func saw(st status) op   { return op{Kind: "see", Out: done, Seen: st} }
func heard(st status) op { return op{Kind: "see", Out: done, Seen: st, Digest: digestA, Road: "told"} }

func checked(stop bool) op {
	return op{Kind: "check stop", Out: done, Stop: stop}
}

// in puts o on another slot.
func (o op) in(slot int) op {
	o.Slot = slot
	return o
}

// calls are the requests of the histories below; each has a second.
func calls() map[string]*request {
	list := map[string]*request{}
	for i, name := range []string{"c-a", "c-b", "c-c"} {
		list[name] = &request{name: name, call: "c", slot: i, timeout: time.Second}
	}
	return list
}

// Histories that a correct broker may have, and those with a planted defect beside them.
func TestChecker(t *testing.T) {
	secondAllow := allow.in(1)
	for _, tt := range []struct {
		name string
		good []*op
		bad  []*op // good with one defect
	}{
		{
			"an acknowledged decision is lost",
			[]*op{asked.at(0, 10), maybe.at(20, -1), saw(pending).at(40, 50)},
			[]*op{asked.at(0, 10), allow.at(20, 30), saw(pending).at(40, 50)},
		},
		{
			"a call that was set aside is allowed",
			[]*op{asked.at(0, 10), heard(refused).at(0, 60), aside.at(70, 80)},
			[]*op{asked.at(0, 10), heard(allowed).at(0, 60), aside.at(70, 80)},
		},
		{
			"two decisions of one request are acknowledged",
			[]*op{asked.at(0, 10), allow.at(20, 60), (&op{Kind: "decide", Out: already, Seen: allowed}).at(20, 60)},
			[]*op{asked.at(0, 10), allow.at(20, 60), deny.at(20, 60)},
		},
		{
			"who waits is told something else",
			[]*op{asked.at(0, 50), deny.at(20, 40), heard(denied).at(0, 50)},
			[]*op{asked.at(0, 50), deny.at(20, 40), heard(allowed).at(0, 50)},
		},
		{
			"an accepted question is lost",
			[]*op{lost.at(0, -1), saw(absent).at(20, 30)},
			[]*op{asked.at(0, 10), saw(absent).at(20, 30)},
		},
		{
			"allowed and nobody allowed it",
			[]*op{asked.at(0, 50), maybe.at(20, -1), heard(allowed).at(0, 50)},
			[]*op{asked.at(0, 50), heard(allowed).at(0, 50)},
		},
		{
			"allowed after a stop",
			[]*op{asked.at(0, 10), stopIt.at(20, 30), lift.at(40, 50), asked.in(1).at(60, 70), secondAllow.at(80, 90), saw(denied).at(95, 96)},
			[]*op{asked.at(0, 10), stopIt.at(20, 30), asked.in(1).at(60, 70), secondAllow.at(80, 90), saw(denied).at(95, 96)},
		},
		{
			"a stop leaves a call waiting",
			[]*op{asked.at(0, 10), stopCut.at(20, -1), saw(pending).at(40, 50)},
			[]*op{asked.at(0, 10), stopIt.at(20, 30), saw(pending).at(40, 50)},
		},
		{
			"a stop is forgotten",
			[]*op{stopIt.at(0, 10), checked(true).at(20, 30), lift.at(40, 60), checked(false).at(50, 55)},
			[]*op{stopIt.at(0, 10), checked(true).at(20, 30), checked(false).at(50, 55)},
		},
		{
			"expired before its time",
			[]*op{asked.at(0, 10), saw(expired).at(1000, 1010)},
			[]*op{asked.at(0, 10), saw(expired).at(900, 910)},
		},
		{
			"allowed after its time",
			[]*op{asked.at(0, 10), allow.at(990, 1200)},
			[]*op{asked.at(0, 10), allow.at(1100, 1200)},
		},
		{
			"another call gets the first one's answer",
			[]*op{asked.at(0, 10), clash.at(20, 30)},
			[]*op{asked.at(0, 10), other.at(20, 30)},
		},
		{
			"cancelled while its asker waits",
			[]*op{asked.at(0, 10), gone.at(15, -1), saw(cancelled).at(20, 30)},
			[]*op{asked.at(0, 10), saw(cancelled).at(20, 30)},
		},
		{
			"a grant is used twice",
			[]*op{asked.at(0, 10), tooLate.at(1100, 1110), asked.in(1).at(1120, 1130), saw(allowed).in(1).at(1140, 1150), asked.in(2).at(1160, 1170), saw(pending).in(2).at(1180, 1190)},
			[]*op{asked.at(0, 10), tooLate.at(1100, 1110), asked.in(1).at(1120, 1130), saw(allowed).in(1).at(1140, 1150), asked.in(2).at(1160, 1170), saw(allowed).in(2).at(1180, 1190)},
		},
		{
			"an end changes after a restart",
			[]*op{asked.at(0, 10), deny.at(20, 30), saw(denied).at(40, 50), saw(denied).at(60, 70)},
			[]*op{asked.at(0, 10), deny.at(20, 30), saw(denied).at(40, 50), saw(allowed).at(60, 70)},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := check("s", calls(), slices.Clone(tt.good), ""); err != nil {
				t.Errorf("the good history: %v", err)
			}
			dir := t.TempDir()
			_, err := check("s", calls(), slices.Clone(tt.bad), dir)
			if err == nil {
				t.Fatal("the defect was not seen")
			}
			if !strings.Contains(err.Error(), dir) {
				t.Errorf("%v: does not say where it is drawn", err)
			}
		})
	}
}

// A trial that did next to nothing says so.
func TestTooLittle(t *testing.T) {
	var some tally
	some.count([]*op{asked.at(0, 10), allow.at(20, 30)}, 0)
	if got := some.tooLittle(time.Minute); len(got) != len(least) {
		t.Errorf("one call in a minute: %d of %d numbers are too small: %v", len(got), len(least), got)
	}
	some.undecided++
	if got := some.tooLittle(0); len(got) != 1 {
		t.Errorf("a search that did not end must void the trial: %v", got)
	}
}

// Every deliberate defect still fits the sources; that a trial finds it is what
// "scripts/robustness.sh mutants" tries.
func TestMutantsFit(t *testing.T) {
	t.Chdir("../..")
	for _, m := range mutants {
		if _, err := m.overlay(t.TempDir()); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}
