package far

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

const (
	// lateAfter is how old what is drawn of a machine may be that counts as live. A beat comes every
	// two seconds.
	lateAfter = 6 * time.Second
	// outAfter is how long nothing is heard of a machine that is out of reach.
	outAfter = 30 * time.Second
	// behindAfter is how long something may be on its way.
	behindAfter = 5 * time.Second
	// againAfter is how long something may be missing before everything is read anew.
	againAfter = 15 * time.Second
	// askEvery is how often a machine is asked whether it is the same run still, and what its clock
	// says; askSoon is the same where something tells that this has changed.
	askEvery, askSoon = 20 * time.Second, 3 * time.Second
	// askSpread is how much sooner some are asked than others.
	askSpread = 4 * time.Second
	// answerWithin is how long its answer counts as one.
	answerWithin = 5 * time.Second
	// wrongFor is how long it is said that something was wrong.
	wrongFor = 10 * time.Minute
	// skewFrom is by how much clocks differ before times are shown by ours.
	skewFrom = 2 * time.Second
	// runsKept is how many runs of a machine are kept beside the present one, until it says which it is.
	runsKept = 2
	// lettersKept is how many keys of a machine are known.
	lettersKept = 64
	// sealedMost is how long such a key is at most, as it is sealed: it has 80 bytes.
	sealedMost = 256
)

// errAnswer means that a machine answered, and not to what it was asked last.
var errAnswer = errors.New("this answers another question, or comes too late")

// Mirror has what one machine told. It is for one goroutine at a time.
type Mirror struct {
	me      keys.Key
	names   told.Names
	machine members.Member
	id      string // the machine's
	mine    string // ours

	letters letters
	runs    map[string]*run // by boot
	shown   *run            // what is drawn; nil for nothing
	reading bool            // all that there is comes now
	sure    bool            // the machine said that shown is its present run

	asked   []byte    // what the machine was asked with; nil for no question
	askedAt time.Time // when, also once it was answered
	soon    bool      // something says that it must be asked now

	clock time.Duration // how much its clock is ahead of ours, at least
	skew  time.Duration // the same, as times are shown

	wrong wrong

	updates []broker.Update // for the caller of the method that runs
	anew    bool            // what is drawn must be drawn from a snapshot
	waiting int             // orders that wait for it
	was     broker.Machine  // as it was told last
}

// wrong counts messages that were not what they said.
type wrong struct {
	count int
	last  time.Time // when the last one came
	why   string    // what was wrong with that
}

// letters are the keys of a machine.
type letters struct {
	of      map[string]*letter // by epoch
	missing time.Time          // since when it tells under a key that has not come; zero for no such key
}

// letter is a machine's key for a time.
type letter struct {
	at     time.Time // by the machine's clock
	sealed seals.Letter
	epoch  *seals.Epoch // nil until it is needed
}

// NewMirror makes the mirror of a machine, as a person sees it who has the key me.
func NewMirror(me keys.Key, names told.Names, machine members.Member) *Mirror {
	m := &Mirror{me: me, names: names, machine: machine, id: machine.ID(), mine: me.Public().ID(), letters: letters{of: map[string]*letter{}}, runs: map[string]*run{}, reading: true}
	m.was = m.status(time.Time{})
	return m
}

// Hear takes in what stands at a subject of this machine, and returns what is otherwise now. What is
// forged, of another place or cannot be read is counted (Machine.Problem), and changes nothing.
func (m *Mirror) Hear(subject string, body []byte, now time.Time) []broker.Update {
	t, err := m.hear(subject, body)
	switch {
	case err != nil:
	case told.IsKeys(t.Place):
		err = m.letter(&t, now)
	case told.IsState(t.Place):
		m.state(&t, len(body), now)
	case t.Place == told.PlaceBeat:
		m.beat(&t, now)
	}
	if err != nil {
		m.bad(err, now)
	}
	return m.told(now)
}

func (m *Mirror) hear(subject string, body []byte) (t told.Told, err error) {
	var s keys.Signed
	if err := keys.Decode(body, &s); err != nil {
		return t, err
	}
	return m.names.Hear(subject, s, m.machine)
}

// bad counts a message that was not what it said.
func (m *Mirror) bad(err error, now time.Time) {
	m.wrong = wrong{m.wrong.count + 1, now, err.Error()}
}

// letter keeps the key that a letter has for us, and opens what waited for it.
func (m *Mirror) letter(t *told.Told, now time.Time) error {
	l, err := t.Letter()
	if err != nil {
		return err
	}
	mine := l.For[m.mine]
	if known := m.letters.of[l.Epoch]; known != nil && (len(mine) == 0 || known.ours(m.mine)) {
		return nil
	}
	if len(mine) > sealedMost {
		return seals.ErrSealed
	}
	// One that is not for us was sealed before we were in the fleet, or after. We know then that the key
	// will not come.
	l.For = map[string][]byte{m.mine: mine}
	m.letters.of[l.Epoch], m.letters.missing = &letter{at: t.At, sealed: l}, time.Time{}
	if len(m.letters.of) > lettersKept {
		delete(m.letters.of, slices.MinFunc(slices.Collect(maps.Keys(m.letters.of)), func(x, y string) int {
			return cmp.Or(m.letters.of[x].at.Compare(m.letters.of[y].at), cmp.Compare(x, y))
		}))
	}
	for _, r := range m.runs {
		for _, place := range slices.Sorted(maps.Keys(r.shut)) {
			if waits := r.shut[place]; waits.Sealed.Epoch == l.Epoch {
				m.open(r, waits, now)
			}
		}
		r.look(now)
	}
	return nil
}

// ours reports whether the key is sealed for a member.
func (l *letter) ours(id string) bool { return len(l.sealed.For[id]) > 0 }

// said is the key under which a machine says now that it is there; nil for one that we do not know.
func (m *Mirror) said(id string, now time.Time) *seals.Epoch {
	e := m.epoch(id)
	if e == nil && m.letters.of[id] == nil && m.letters.missing.IsZero() {
		m.letters.missing = now
	}
	return e
}

// epoch is a key of the machine that we know, nil for another one.
func (m *Mirror) epoch(id string) *seals.Epoch {
	l := m.letters.of[id]
	if l == nil {
		return nil
	}
	if l.epoch == nil && l.ours(m.mine) {
		l.epoch, _ = l.sealed.Open(m.me) // one that cannot be opened is none
	}
	return l.epoch
}

// run is the run that something was told in. A run that is not the one that is shown is kept until the
// machine says which it is.
func (m *Mirror) run(boot string) *run {
	r := m.runs[boot]
	if r != nil {
		return r
	}
	var p *pass
	if m.reading {
		p = newPass()
	}
	r = newRun(boot, p)
	m.runs[boot] = r
	if m.shown == nil {
		m.shown = r
	}
	m.soon = true
	var others []*run
	for _, o := range m.runs {
		if o != m.shown && o != r {
			others = append(others, o)
		}
	}
	if len(others) >= runsKept {
		oldest := slices.MinFunc(others, func(x, y *run) int { return cmp.Or(x.newest.Compare(y.newest), cmp.Compare(x.boot, y.boot)) })
		delete(m.runs, oldest.boot) // should it be the present one after all, its sum says what is missing
	}
	return r
}

// state takes in a state.
func (m *Mirror) state(t *told.Told, size int, now time.Time) {
	r := m.run(t.Boot)
	if !r.take(t, size) {
		return
	}
	// Until the machine has said which its present run is, what it told last is shown, as old.
	if !m.sure && r != m.shown && r.newest.After(m.shown.newest) {
		m.show(r)
	}
	m.open(r, t, now)
	if r.most >= r.beat.States && !r.matched {
		r.look(now)
	}
}

// show has another run drawn.
func (m *Mirror) show(r *run) {
	if r != m.shown {
		m.shown, m.anew = r, true
	}
}

// open opens what came for a place, where its key is known.
func (m *Mirror) open(r *run, t *told.Told, now time.Time) {
	e := m.epoch(t.Sealed.Epoch)
	if e == nil {
		return
	}
	var s told.State
	plain, err := t.Unseal(e)
	if err == nil {
		err = keys.DecodeKnown(plain, &s)
	}
	if err != nil {
		m.bad(err, now)
		return
	}
	s.Update = one(s.Update)
	if place := told.PlaceOfState(&s.Update); place != t.Place && (place != "" || !s.Gone) {
		m.bad(told.ErrPlace, now)
		return
	}
	before := r.open(t, s, keys.Weight(plain), now)
	if r != m.shown {
		return
	}
	if _, kept := r.last[t.Place]; !kept && !s.Leaves() {
		m.anew = true // there was no room for it
		return
	}
	if s.Gone {
		s.Update = over(before.Update)
	}
	if s.Update != (broker.Update{}) {
		m.updates = append(m.updates, m.local(s.Update))
	}
}

// beat takes in a beat.
func (m *Mirror) beat(t *told.Told, now time.Time) {
	r := m.run(t.Boot)
	if t.Number <= r.beats {
		return
	}
	var b told.Beat
	e := m.said(t.Sealed.Epoch, now)
	if e == nil {
		return // its key is on its way
	}
	if err := t.Read(e, &b); err != nil {
		m.bad(err, now)
		return
	}
	if !m.sure || r != m.shown {
		m.soon = true // somebody is there
		return
	}
	said := b.Now.Add(-m.clock)
	if said.After(now.Add(time.Second)) || said.Before(now.Add(-lateAfter)) {
		m.soon = true // its clock was set, or ours; or somebody kept the beat back
	}
	if said.After(now) {
		said = now
	}
	r.hear(t.Number, b, said)
	r.look(now)
}

// Ask says that the machine is asked with a nonce of the caller's, which nobody can guess.
func (m *Mirror) Ask(nonce []byte, now time.Time) { m.asked, m.askedAt, m.soon = nonce, now, false }

// Answer takes in what the machine answered: which its present run is, and what its clock says.
// Errors: why it is no answer.
func (m *Mirror) Answer(body []byte, now time.Time) ([]broker.Update, error) {
	err := m.answer(body, now)
	return m.told(now), err
}

func (m *Mirror) answer(body []byte, now time.Time) error {
	t, err := m.hear(m.names.At(m.id, told.PlaceHello), body)
	if err != nil {
		m.bad(err, now)
		return err
	}
	e := m.said(t.Sealed.Epoch, now)
	if e == nil {
		return seals.ErrSealed
	}
	var h told.Hello
	if err := t.Read(e, &h); err != nil {
		m.bad(err, now)
		return err
	}
	if m.asked == nil || string(h.Asked) != string(m.asked) || now.Sub(m.askedAt) > answerWithin {
		return errAnswer
	}
	m.asked = nil
	r := m.run(t.Boot)
	m.show(r)
	for boot := range m.runs {
		if boot != r.boot {
			delete(m.runs, boot)
		}
	}
	m.sure = true
	m.clock = h.Now.Sub(now)
	if d := m.clock - m.skew; d.Abs() >= skewFrom {
		m.skew, m.anew = m.clock, true
	}
	r.hear(max(t.Number, r.beats), h.Beat, m.askedAt)
	r.look(now)
	return nil
}

// Tick looks what has become old by now.
func (m *Mirror) Tick(now time.Time) []broker.Update {
	for _, r := range m.runs {
		for place, e := range r.ended {
			if !now.Before(e.until) {
				r.expire(place)
			}
		}
		if !r.matched {
			r.look(now)
		}
	}
	return m.told(now)
}

// Wants says what is to be done for the mirror: hello, that the machine is to be asked (Ask), and
// again, that all that it told is to be read anew (Again, Begun).
func (m *Mirror) Wants(now time.Time) (hello, again bool) {
	// Those that were asked together once are not asked together for ever.
	pause := askEvery - askSpread*time.Duration(m.id[0]%8)/8
	if m.soon || m.sure && since(now, m.shown.said) > lateAfter && since(now, m.shown.said) < 2*outAfter {
		pause = askSoon
	}
	hello = since(now, m.askedAt) >= pause
	again = m.sure && m.shown.behindFor(now) > againAfter
	return hello, again || !m.letters.missing.IsZero() && since(now, m.letters.missing) > againAfter
}

// since is how long ago something was. What is yet to come was long ago: our clock was set back since.
func since(now, then time.Time) time.Duration {
	if d := now.Sub(then); d >= 0 {
		return d
	}
	return math.MaxInt64
}

func (r *run) behindFor(now time.Time) time.Duration {
	if r.behind.IsZero() {
		return 0
	}
	return since(now, r.behind)
}

// Again says that all that there is comes anew from now on, until Begun.
func (m *Mirror) Again(now time.Time) {
	m.reading = true
	if !m.letters.missing.IsZero() {
		m.letters.missing = now
	}
	for _, r := range m.runs {
		r.pass, r.lacks = newPass(), false
		if !r.behind.IsZero() {
			r.behind = now
		}
	}
}

// Begun says that all has come.
func (m *Mirror) Begun(now time.Time) []broker.Update {
	m.reading = false
	for _, r := range m.runs {
		if r.sweep() && r == m.shown {
			m.anew = true
		}
		r.look(now)
	}
	return m.told(now)
}

// Anew reports whether what is drawn must be drawn from a snapshot, and forgets that.
func (m *Mirror) Anew() bool {
	was := m.anew
	m.anew = false
	return was
}

// Present is the machine's present run, and what its clock says at now, at least; "" while that is
// not known, or it is out of reach.
func (m *Mirror) Present(now time.Time) (boot string, clock time.Time) {
	if m.status(now).Reach == broker.ReachOut {
		return "", now.Add(m.clock)
	}
	return m.shown.boot, now.Add(m.clock)
}

// Proposals is how many processes of the machine ask to be granted something, as it said last.
func (m *Mirror) Proposals() int {
	if m.shown == nil || !m.sure {
		return 0
	}
	return m.shown.beat.Proposals
}

// Waiting notes how many orders wait for the machine.
func (m *Mirror) Waiting(n int, now time.Time) []broker.Update {
	m.waiting = n
	return m.told(now)
}

// told is what the method that runs has to tell.
func (m *Mirror) told(now time.Time) []broker.Update {
	list := m.updates
	m.updates = nil
	s := m.status(now)
	same := s
	if s.Reach == broker.ReachLive {
		same.Heard = m.was.Heard // nobody draws it
	}
	if same != m.was {
		m.was = s
		list = append(list, broker.Update{Machine: &s})
	}
	return list
}

// Machine is the machine as it is drawn at now.
func (m *Mirror) Machine(now time.Time) broker.Machine { return m.status(now) }

func (m *Mirror) status(now time.Time) broker.Machine {
	s := broker.Machine{ID: m.id, Name: m.machine.Name, Reach: broker.ReachOut, Waiting: m.waiting, Problem: m.problem(now)}
	switch r := m.shown; {
	case r == nil:
	case !m.sure:
		s.Heard = r.newest
		if s.Heard.After(now) {
			s.Heard = now
		}
	default:
		s.Heard = r.whole
		switch {
		case since(now, r.said) > outAfter:
		case since(now, r.whole) > lateAfter:
			s.Reach = broker.ReachLate
		default:
			s.Reach = broker.ReachLive
		}
	}
	return s
}

// problem is what is wrong with what the machine tells, a sentence.
func (m *Mirror) problem(now time.Time) string {
	r := m.shown
	switch {
	case m.wrong.count > 0 && now.Sub(m.wrong.last) < wrongFor:
		return fmt.Sprintf("%s in its name that it did not say there, or that cannot be read: %s", messages(m.wrong.count), m.wrong.why)
	case r == nil || !m.sure:
		return ""
	case len(r.shut) > 0 && r.behindFor(now) > behindAfter:
		return "some of what it tells cannot be read here: it is not sealed for you, or its key has not come"
	case r.lacks && r.behindFor(now) > behindAfter:
		return "it tells more than a console can hold"
	case r.behindFor(now) > behindAfter:
		return "some of what it told has not come: what is drawn of it may be old"
	}
	return ""
}

func messages(n int) string {
	if n == 1 {
		return "a message came"
	}
	return fmt.Sprintf("%d messages came", n)
}
