package far

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// drawnAs is what a mirror shows: by place what it was told as, "boot number".
func drawnAs(m *Mirror) map[string]string {
	all := map[string]string{}
	for u := range m.All() {
		switch {
		case u.Session != nil:
			all[told.PlaceOfState(&u)] = u.Session.Mode
		case u.Request != nil && u.Request.State == broker.Pending:
			all[told.PlaceOfState(&u)] = u.Request.Description
		}
	}
	return all
}

func toldAs(boot string, set map[string]uint64) map[string]string {
	all := map[string]string{}
	for place, n := range set {
		all[place] = fmt.Sprint(boot, " ", n)
	}
	return all
}

// screen draws what a mirror tells: by place, as drawnAs has it.
type screen map[string]string

// apply takes in what changed, or all where that is to be drawn anew.
func (s screen) apply(m *Mirror, list []broker.Update) {
	if m.Anew() {
		clear(s)
		maps.Copy(s, drawnAs(m))
		return
	}
	for _, u := range list {
		place := told.PlaceOfState(&u)
		switch {
		case u.Session != nil && !u.Session.Removed():
			s[place] = u.Session.Mode
		case u.Request != nil && u.Request.State == broker.Pending:
			s[place] = u.Request.Description
		default:
			delete(s, place)
		}
	}
}

// Messages are lost, come twice, late, from an earlier run, at another place or from another machine.
// What is shown was said in one run, is the last of what was heard of its place, and where the mirror
// says that it is whole, it is all that there was and nothing else.
func TestMirrorShowsWhatWasSaidLast(t *testing.T) {
	me := key(t, 100)
	see := members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}
	rapid.Check(t, func(rt *rapid.T) {
		at := noon
		b := newBox(t, 1, "dev-box", see, func() time.Time { return at })
		other := newBox(t, 2, "build", see, func() time.Time { return at })
		m := NewMirror(me, names, b.me)
		sent, drawn := []message{b.letter}, screen{}
		heard := map[string]map[string]uint64{} // by boot and place: the largest number that was delivered
		boots, present := 1, ""                 // present is what the machine said last to a question of ours
		var answers [][]byte
		deliver := func(s message) {
			drawn.apply(m, m.Hear(s.subject, s.body, at))
			if told.IsState(s.place) {
				if heard[s.boot] == nil {
					heard[s.boot] = map[string]uint64{}
				}
				heard[s.boot][s.place] = max(heard[s.boot][s.place], s.number)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"tell": func(rt *rapid.T) {
				id := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(rt, "id")
				switch rapid.IntRange(0, 3).Draw(rt, "what") {
				case 0:
					sent = append(sent, b.session(id))
				case 1:
					sent = append(sent, b.call(id, broker.Denied))
				case 2:
					sent = append(sent, b.tell(told.State{Gone: true, Update: broker.Update{Session: &broker.Session{ID: id}}}))
				default:
					sent = append(sent, b.call(id, broker.Pending))
				}
			},
			"beat":  func(*rapid.T) { sent = append(sent, b.beat()) },
			"turn":  func(*rapid.T) { b.turn(); sent = append(sent, b.letter) },
			"start": func(*rapid.T) { boots++; b.start(fmt.Sprint("b", boots)); sent = append(sent, b.letter) },
			"deliver": func(rt *rapid.T) {
				deliver(rapid.SampledFrom(sent).Draw(rt, "which"))
			},
			"deliver the last": func(rt *rapid.T) {
				for _, s := range sent[max(0, len(sent)-rapid.IntRange(1, 12).Draw(rt, "how many")):] {
					deliver(s)
				}
			},
			"ask": func(rt *rapid.T) {
				nonce := fmt.Appendf(nil, "nonce %d", len(answers))
				m.Ask(nonce, at)
				a := b.hello(nonce)
				answers = append(answers, a.body)
				switch rapid.IntRange(0, 3).Draw(rt, "answer") {
				case 0: // it is lost
				case 1: // an old one
					list, err := m.Answer(rapid.SampledFrom(answers).Draw(rt, "which"), at)
					if drawn.apply(m, list); err == nil && m.shown.boot != b.boot {
						rt.Fatal("an old answer counts")
					}
					if m.sure {
						present = m.shown.boot
					}
				default:
					list, err := m.Answer(a.body, at)
					if drawn.apply(m, list); err == nil {
						present = b.boot
					}
				}
			},
			"forged": func(rt *rapid.T) {
				before, wrong := drawnAs(m), m.wrong.count
				s := rapid.SampledFrom(sent).Draw(rt, "which")
				switch rapid.IntRange(0, 3).Draw(rt, "how") {
				case 0: // another machine says it
					f := other.call("x", broker.Pending)
					m.Hear(names.At(b.id(), f.place), f.body, at)
				case 1: // at another place
					m.Hear(names.At(b.id(), "state.session.00"), s.body, at)
				case 2: // changed
					body := slices.Clone(s.body)
					body[rapid.IntRange(0, len(body)-1).Draw(rt, "byte")] ^= 1
					m.Hear(s.subject, body, at)
				default:
					m.Hear(s.subject, []byte("x"), at)
				}
				if diff := cmp.Diff(before, drawnAs(m)); diff != "" {
					rt.Fatal(diff)
				}
				if m.wrong.count != wrong+1 || m.Machine(at).Problem == "" {
					rt.Fatalf("%d messages were wrong, %q", m.wrong.count-wrong, m.Machine(at).Problem)
				}
			},
			"time": func(rt *rapid.T) {
				at = at.Add(time.Duration(rapid.IntRange(1, 9).Draw(rt, "seconds")) * time.Second)
				m.Tick(at)
			},
			"anew": func(*rapid.T) { // all that was forgotten since is for the sum to tell
				m.Again(at)
				for _, r := range m.runs {
					heard[r.boot] = maps.Clone(r.last)
				}
			},
			"begun": func(*rapid.T) {
				was := m.reading
				drawn.apply(m, m.Begun(at))
				for _, r := range m.runs {
					if was { // what did not come was said to be no more
						heard[r.boot] = maps.Clone(r.last)
					}
				}
			},
			"": func(rt *rapid.T) {
				if m.shown == nil {
					return
				}
				r, shows := m.shown, drawnAs(m)
				if diff := cmp.Diff(map[string]string(drawn), shows); diff != "" {
					rt.Fatalf("the screen does not have what there is: %s", diff)
				}
				if present != "" && r.boot != present {
					rt.Fatalf("%s is shown, and %s is the present run", r.boot, present)
				}
				for place, is := range shows {
					if last := fmt.Sprint(r.boot, " ", heard[r.boot][place]); is != last && r.shut[place] == nil {
						rt.Fatalf("%s is shown as %q, it was heard as %q", place, is, last)
					}
				}
				if r.matched && r.most <= r.beat.States {
					if diff := cmp.Diff(toldAs(r.boot, b.history[r.boot][r.beat.States]), shows); diff != "" {
						rt.Fatalf("it says that it is whole: %s", diff)
					}
				}
				if live := m.Machine(at).Reach == broker.ReachLive; live && at.Sub(r.whole) > lateAfter {
					rt.Fatal("it is old and counts as live")
				}
			},
		})
		// Once everything comes, all is as the machine says.
		m.Again(at)
		for _, s := range sent {
			deliver(s)
		}
		m.Begun(at)
		m.Ask([]byte("last"), at)
		if _, err := m.Answer(b.hello([]byte("last")).body, at); err != nil {
			rt.Fatal(err)
		}
		for _, s := range sent {
			deliver(s)
		}
		m.Tick(at)
		if diff := cmp.Diff(toldAs(b.boot, b.set), drawnAs(m)); diff != "" || m.Machine(at).Reach != broker.ReachLive {
			rt.Fatalf("in the end it is %+v: %s", m.Machine(at), diff)
		}
	})
}

// A server that keeps a message back, or shows an old one, cannot have it drawn as new.
func TestMirrorSaysThatItIsBehind(t *testing.T) {
	me := key(t, 100)
	see := members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}
	for name, keepBack := range map[string]func(list []message) []message{
		"the last":             func(l []message) []message { return l[:len(l)-1] },
		"one in the middle":    func(l []message) []message { return slices.Delete(slices.Clone(l), 1, 2) },
		"an old one instead":   func(l []message) []message { return []message{l[0], l[1], l[3]} },
		"the letter":           func(l []message) []message { return l },
		"nothing is kept back": nil,
	} {
		t.Run(name, func(t *testing.T) {
			at := noon
			b := newBox(t, 1, "dev-box", see, func() time.Time { return at })
			m := NewMirror(me, names, b.me)
			m.Hear(b.letter.subject, b.letter.body, at)
			list := []message{b.call("x", broker.Pending), b.session("s"), b.call("x", broker.Denied), b.call("y", broker.Pending)}
			if name == "the letter" {
				b.turn()
				list = append(list, b.call("z", broker.Pending))
			}
			if keepBack != nil {
				list = keepBack(list)
			}
			for _, s := range list {
				m.Hear(s.subject, s.body, at)
			}
			old := b.epoch
			if name == "the letter" { // the answer can be read, a state cannot
				b.epoch = m.epochs()[0]
			}
			m.Ask([]byte("n"), at)
			if _, err := m.Answer(b.hello([]byte("n")).body, at); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				at = at.Add(2 * time.Second)
				s := b.beat()
				m.Hear(s.subject, s.body, at)
				m.Tick(at)
			}
			b.epoch = old
			got := m.Machine(at)
			if whole := keepBack == nil; whole != (got.Reach == broker.ReachLive && got.Problem == "") {
				t.Errorf("%+v", got)
			}
			if _, again := m.Wants(at.Add(againAfter)); again == (keepBack == nil) {
				t.Errorf("all is read anew: %t", again)
			}
		})
	}
}

// What a machine does on its clock is shown by ours; orders are good by its own.
func TestMirrorKnowsTheClock(t *testing.T) {
	me := key(t, 100)
	see := members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}
	at := noon
	b := newBox(t, 1, "dev-box", see, func() time.Time { return at })
	b.clock = -10 * time.Minute
	m := NewMirror(me, names, b.me)
	for _, s := range []message{b.letter, b.call("x", broker.Pending)} {
		m.Hear(s.subject, s.body, at)
	}
	m.Ask([]byte("n"), at)
	if _, err := m.Answer(b.hello([]byte("n")).body, at); err != nil {
		t.Fatal(err)
	}
	if !m.Anew() {
		t.Error("nothing is drawn anew")
	}
	for u := range m.All() {
		if got := u.Request.ExpiresAt; !got.Equal(at.Add(time.Hour)) {
			t.Errorf("the call is good until %s", got)
		}
	}
	if boot, clock := m.Present(at); boot != "b1" || !clock.Equal(b.now()) {
		t.Errorf("%s at %s", boot, clock)
	}
	// A beat that somebody kept back says how old it is.
	s := b.beat()
	at = at.Add(20 * time.Second)
	m.Hear(s.subject, s.body, at)
	if got := m.Machine(at); got.Reach != broker.ReachLate || !got.Heard.Equal(noon) {
		t.Errorf("%+v", got)
	}
	if at = at.Add(20 * time.Second); m.Machine(at).Reach != broker.ReachOut {
		t.Errorf("%+v", m.Machine(at))
	}
	if boot, _ := m.Present(at); boot != "" {
		t.Errorf("it is out of reach, and runs as %s", boot)
	}
}

// A machine that was not heard of since the console began is drawn as it was left, and out of reach.
func TestMirrorBeforeTheMachineIsThere(t *testing.T) {
	me := key(t, 100)
	see := members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}
	at := noon.Add(-time.Hour)
	b := newBox(t, 1, "dev-box", see, func() time.Time { return at })
	m := NewMirror(me, names, b.me)
	list := []message{b.letter, b.call("x", broker.Pending)}
	b.start("b2")
	at = at.Add(time.Minute)
	list = append(list, b.letter, b.call("y", broker.Pending))
	for _, s := range append(list, list[1]) { // an old one once more
		m.Hear(s.subject, s.body, noon)
		m.Anew()
	}
	if diff := cmp.Diff(toldAs("b2", b.set), drawnAs(m)); diff != "" {
		t.Error(diff)
	}
	if got := m.Machine(noon); got.Reach != broker.ReachOut || !got.Heard.Equal(at) {
		t.Errorf("%+v", got)
	}
}

// What ends is told, and does not come back; an ended call that nobody answered is kept for a while.
func TestMirrorForgets(t *testing.T) {
	me := key(t, 100)
	see := members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}
	at := noon
	b := newBox(t, 1, "dev-box", see, func() time.Time { return at })
	m := NewMirror(me, names, b.me)
	hear := func(s message) []broker.Update { return m.Hear(s.subject, s.body, at) }
	hear(b.letter)
	first := b.call("w", broker.Pending)
	hear(b.call("w", broker.Denied))
	if list := hear(first); len(list) != 0 {
		t.Errorf("an old one came after its end: %+v", list)
	}
	m.Begun(at)
	old := b.call("x", broker.Pending)
	hear(old)
	if list := hear(b.call("x", broker.Expired)); len(list) != 1 || list[0].Request.State != broker.Expired {
		t.Errorf("%+v", list)
	}
	if list := hear(old); len(list) != 0 {
		t.Errorf("an old one came back: %+v", list)
	}
	late := func() (n int) {
		for range m.All() {
			n++
		}
		return n
	}
	if late() != 1 || len(m.shown.last) != 0 || m.shown.bytes != 0 {
		t.Errorf("%d late, %v, %d bytes", late(), m.shown.last, m.shown.bytes)
	}
	hear(b.session("s"))
	if list := hear(b.tell(told.State{Gone: true, Update: broker.Update{Session: &broker.Session{ID: "s"}}})); len(list) != 1 || !list[0].Session.Removed() {
		t.Errorf("%+v", list)
	}
	if at = at.Add(lateFor); late() != 1 {
		t.Error("it is forgotten too early")
	}
	if m.Tick(at); late() != 0 {
		t.Error("it is kept too long")
	}
}

// A machine that wants to fill its people's consoles tells huge calls that end, and huge keys.
func TestMirrorKeepsLittleOfAHostileMachine(t *testing.T) {
	me := key(t, 100)
	see := members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}
	at := noon
	b := newBox(t, 1, "dev-box", see, func() time.Time { return at })
	m := NewMirror(me, names, b.me)
	m.Hear(b.letter.subject, b.letter.body, at)
	kept := func() (bytes int) {
		for u := range m.All() {
			bytes += len(u.Request.Description)
		}
		return bytes
	}
	huge := strings.Repeat("x", 1<<20)
	for round := range 2 {
		for i := range 12 {
			s := b.tell(told.State{Update: broker.Update{Request: &broker.Request{
				ID: fmt.Sprint(round, i), State: broker.Expired, Description: huge, Outcome: &broker.Outcome{State: broker.Expired, By: broker.Actor{Kind: broker.ByDeadline}},
			}}})
			m.Hear(s.subject, s.body, at)
		}
		if n := kept(); n < 1<<20 || n > mostPast {
			t.Errorf("round %d: %d bytes of calls that ended are kept", round, n)
		}
		at = at.Add(lateFor)
		if m.Tick(at); kept() != 0 || m.shown.past != 0 {
			t.Errorf("round %d: %d bytes are kept for ever, and %d counted", round, kept(), m.shown.past)
		}
	}
	l := seals.Letter{Machine: b.id(), Epoch: "0123456789abcdef", For: map[string][]byte{me.Public().ID(): make([]byte, 1<<20)}}
	s, err := b.speaker().TellKeys(l, at)
	huger := b.message(s, err, told.PlaceOfKeys(l.Epoch), 0)
	if m.Hear(huger.subject, huger.body, at); m.letters.of[l.Epoch] != nil || m.wrong.count != 1 {
		t.Errorf("a key of a megabyte is kept: %d are wrong", m.wrong.count)
	}
}

// epochs are the keys that m has opened.
func (m *Mirror) epochs() (list []*seals.Epoch) {
	for _, l := range m.letters.of {
		if l.epoch != nil {
			list = append(list, l.epoch)
		}
	}
	return list
}

// What is short on its way may be large here: it is what it takes here that is bounded.
func TestWhatGrowsFindsNoRoom(t *testing.T) {
	me := key(t, 100)
	b := newBox(t, 1, "dev-box", members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}, func() time.Time { return noon })
	m := NewMirror(me, names, b.me)
	m.Hear(b.letter.subject, b.letter.body, noon)
	sent := 0
	for _, id := range []string{"a", "b", "c"} {
		s := b.tell(told.State{Update: broker.Update{Session: &broker.Session{ID: id, State: broker.SessionActive, Subagents: make([]broker.Subagent, 60_000)}}})
		sent += len(s.body)
		m.Hear(s.subject, s.body, noon)
	}
	if sent > mostBytes {
		t.Fatalf("%d bytes were sent, so nothing is shown", sent)
	}
	if n := len(m.shown.states); n != 2 || !m.shown.lacks || m.shown.bytes > mostBytes {
		t.Errorf("%d of 3 are kept, lacks %v, %d bytes", n, m.shown.lacks, m.shown.bytes)
	}
}

// FuzzHear has foreign bytes heard: as they are, and signed by the machine.
func FuzzHear(f *testing.F) {
	me := key(f, 100)
	see := members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}
	at := noon
	b := newBox(f, 1, "dev-box", see, func() time.Time { return at })
	for _, s := range []message{b.letter, b.call("x", broker.Pending), b.session("s"), b.beat()} {
		f.Add(s.body, s.place)
		var signed keys.Signed
		if err := keys.Decode(s.body, &signed); err != nil {
			f.Fatal(err)
		}
		f.Add(signed.Body, s.place)
	}
	f.Fuzz(func(t *testing.T, raw []byte, place string) {
		b.tb = t
		m := NewMirror(me, names, b.me)
		m.Hear(b.letter.subject, b.letter.body, at)
		kept := b.call("kept", broker.Pending)
		m.Hear(kept.subject, kept.body, at)
		before := drawnAs(m)
		m.Hear(names.At(b.id(), place), raw, at)
		_, _ = m.Answer(raw, at)

		// The machine itself says something odd: it may be shown, under its own place alone.
		var plain told.State
		if keys.DecodeKnown(raw, &plain) == nil && !strings.ContainsAny(place, "\x00") {
			s, err := b.speaker().Tell(b.epoch, place, 1<<40, at, plain)
			if err == nil {
				body, err := keys.Encode(s)
				if err != nil {
					t.Fatal(err)
				}
				m.Hear(names.At(b.id(), place), body, at)
			}
		}
		for was, is := range before {
			if now := drawnAs(m)[was]; now != is && was != place {
				t.Fatalf("%s is %q by now, through %q", was, now, place)
			}
		}
		m.Tick(at.Add(time.Minute))
	})
}

// Once the machine has said that a call is no more, nobody brings it back: neither who kept it back
// until then, nor who shows it again.
func TestMirrorRefusesWhatWasKeptBack(t *testing.T) {
	me := key(t, 100)
	see := members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}
	b := newBox(t, 1, "dev-box", see, func() time.Time { return noon })
	m := NewMirror(me, names, b.me)
	m.Hear(b.letter.subject, b.letter.body, noon)
	kept := b.call("x", broker.Pending)
	b.call("x", broker.Denied)
	m.Ask([]byte("n"), noon)
	if _, err := m.Answer(b.hello([]byte("n")).body, noon); err != nil || m.Machine(noon).Reach != broker.ReachLive {
		t.Fatalf("%+v: %v", m.Machine(noon), err)
	}
	if list := m.Hear(kept.subject, kept.body, noon); len(list) != 0 || len(drawnAs(m)) != 0 {
		t.Errorf("%+v", list)
	}
}

// What is no more when all is read anew goes, also where nobody heard how it ended.
func TestMirrorSweeps(t *testing.T) {
	me := key(t, 100)
	see := members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}
	b := newBox(t, 1, "dev-box", see, func() time.Time { return noon })
	m := NewMirror(me, names, b.me)
	stays, ends := b.call("x", broker.Pending), b.call("y", broker.Pending)
	b.call("y", broker.Denied) // it is lost
	for _, s := range []message{b.letter, stays, ends} {
		m.Hear(s.subject, s.body, noon)
	}
	m.Begun(noon)
	m.Ask([]byte("n"), noon)
	_, err := m.Answer(b.hello([]byte("n")).body, noon)
	if _, again := m.Wants(noon.Add(time.Minute)); err != nil || len(drawnAs(m)) != 2 || !again {
		t.Fatalf("%v: %v, anew %t", err, drawnAs(m), again)
	}
	m.Anew()
	m.Again(noon)
	m.Hear(stays.subject, stays.body, noon)
	m.Begun(noon)
	if diff := cmp.Diff(toldAs("b1", b.set), drawnAs(m)); diff != "" || !m.Anew() || m.Machine(noon).Reach != broker.ReachLive {
		t.Errorf("%+v: %s", m.Machine(noon), diff)
	}
}

// A state says what its place is about, and nothing else: else one call could be drawn twice.
func TestMirrorRefusesAStateOfAnotherPlace(t *testing.T) {
	me := key(t, 100)
	see := members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}
	b := newBox(t, 1, "dev-box", see, func() time.Time { return noon })
	m := NewMirror(me, names, b.me)
	m.Hear(b.letter.subject, b.letter.body, noon)
	x, y := b.call("x", broker.Pending), broker.Update{Request: &broker.Request{ID: "y", State: broker.Pending}}
	m.Hear(x.subject, x.body, noon)
	s, err := b.speaker().Tell(b.epoch, x.place, 9, noon, told.State{Update: y})
	moved := b.message(s, err, x.place, 9)
	if list := m.Hear(moved.subject, moved.body, noon); len(list) != 1 || list[0].Machine == nil || list[0].Machine.Problem == "" {
		t.Errorf("%+v", list)
	}
	for u := range m.All() {
		if u.Request.ID != "x" {
			t.Errorf("%s is drawn", u.Request.ID)
		}
	}
}

// A call that ended, and was sealed before we were in the fleet, is none of what there is now.
func TestMirrorOfWhoJustJoined(t *testing.T) {
	me := key(t, 100)
	at := noon
	b := newBox(t, 1, "dev-box", members.Roster{Fleet: fleetID}, func() time.Time { return at })
	old := b.letter
	b.call("x", broker.Pending)
	ended := b.call("x", broker.Denied)
	b.see.Members = []members.Member{member(me, "ada", members.Operator)}
	b.turn()
	m := NewMirror(me, names, b.me)
	hello := func() broker.Machine {
		at = at.Add(2 * time.Second)
		m.Ask([]byte("n"), at)
		if _, err := m.Answer(b.hello([]byte("n")).body, at); err != nil {
			t.Fatal(err)
		}
		return m.Machine(at)
	}
	for _, s := range []message{old, ended, b.letter} {
		m.Hear(s.subject, s.body, at)
	}
	m.Begun(at)
	if got := hello(); got.Reach != broker.ReachLive || got.Problem != "" || !got.Heard.Equal(at) {
		t.Errorf("%+v", got)
	}
	// What is there and cannot be opened is missing.
	epoch := b.epoch
	b.epoch = seals.NewEpoch()
	s := b.call("y", broker.Pending)
	b.epoch = epoch
	m.Hear(s.subject, s.body, at)
	was := at
	if got := hello(); !got.Heard.Equal(was) {
		t.Errorf("%+v", got)
	}
}

// Our clock is set back: nothing was heard since, whatever the times say.
func TestMirrorWhenOurClockIsSetBack(t *testing.T) {
	me := key(t, 100)
	at := noon
	b := newBox(t, 1, "dev-box", members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}, func() time.Time { return at })
	m := NewMirror(me, names, b.me)
	m.Hear(b.letter.subject, b.letter.body, at)
	m.Begun(at)
	ask := func() {
		m.Ask([]byte("n"), at)
		if _, err := m.Answer(b.hello([]byte("n")).body, at); err != nil {
			t.Fatal(err)
		}
		if got := m.Machine(at); got.Reach != broker.ReachLive {
			t.Errorf("%+v", got)
		}
	}
	ask()
	at = at.Add(-10 * time.Minute)
	m.Tick(at)
	if got := m.Machine(at); got.Reach == broker.ReachLive {
		t.Errorf("nobody knows, and it is drawn as %+v", got)
	}
	if hello, _ := m.Wants(at); !hello {
		t.Error("the machine is not asked")
	}
	ask()
}

// A key that did not come is looked for among all that there is, until it is known that it is for others.
func TestMirrorLooksForAKey(t *testing.T) {
	me := key(t, 100)
	at := noon
	ada := member(me, "ada", members.Operator)
	b := newBox(t, 1, "dev-box", members.Roster{Fleet: fleetID, Members: []members.Member{ada}}, func() time.Time { return at })
	m := NewMirror(me, names, b.me)
	hear := func(s message) { m.Hear(s.subject, s.body, at) }
	wants := func() bool {
		m.Again(at)
		m.Begun(at)
		hear(b.beat())
		at = at.Add(againAfter + time.Second)
		_, again := m.Wants(at)
		return again
	}
	for range 2 {
		if !wants() {
			t.Error("nobody looks for the key")
		}
	}
	hear(b.letter)
	if wants() {
		t.Error("the key is there, and all is read anew")
	}
	b.see.Members = nil
	b.turn()
	hear(b.letter)
	if wants() {
		t.Error("the key is for others, and all is read anew")
	}
	// Who is in the fleet again gets the same key.
	b.see.Members = []members.Member{ada}
	l, err := b.epoch.Letter(b.id(), &b.see)
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.speaker().TellKeys(l, b.now())
	hear(b.message(s, err, told.PlaceOfKeys(l.Epoch), 0))
	m.Ask([]byte("n"), at)
	if _, err := m.Answer(b.hello([]byte("n")).body, at); err != nil {
		t.Error(err)
	}
}
