package sim

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// orderChecks are the promises about a machine's orders. What may be carried out is worked out here once more,
// from what was signed and from what the machine has on record.
type orderChecks struct {
	m       *machine
	carried map[string]int  // by mark: how often an order took effect
	misused map[string]bool // by mark: somebody else handed it over, so a refusal may be all that comes of it
	hand    inHand
	shown   map[string]bool // by mark: that it was turned away
}

// inHand is the order that was handed over last.
type inHand struct {
	orders.Order

	mark   string
	by     []byte
	waited bool
	must   bool // it is good, waited and was not turned away before: it has to take effect
}

// arrives takes note of what is handed over.
func (c *orderChecks) arrives(raw []byte, waited bool) {
	c.hand = inHand{waited: waited}
	s, err := orders.Open(raw, c.m.f.names.Fleet, c.m.key)
	if err != nil || s.Open(keys.KindOrder, &c.hand.Order) != nil {
		return
	}
	c.hand.mark, c.hand.by = orders.Mark(s), s.By
	c.hand.must = waited && !c.misused[c.hand.mark] && !c.shown[c.hand.mark] && c.carried[c.hand.mark] == 0 && c.wrong() == ""
}

// wrong says why the order in hand must not take effect, "" when it may.
func (c *orderChecks) wrong() string {
	o, now := &c.hand.Order, c.m.clock()
	need, err := orders.NeedOf(o.Method, o.Body)
	if err != nil {
		return "it is none"
	}
	roster, err := c.m.onRecord()
	if err != nil {
		return err.Error()
	}
	who, ok := roster.Of(c.hand.by)
	switch {
	case o.Machine != c.m.id || o.Fleet != roster.Fleet:
		return "it is for another machine"
	case !ok:
		return "it is of somebody who is not in the fleet"
	case !who.Role.Includes(need.Role):
		return "it is of a " + string(who.Role)
	case o.Boot != c.m.boot && (o.Boot != "" || !need.MayWait):
		return "it is for an earlier run"
	case !now.Before(o.Expires):
		return "it has expired"
	case !need.Refuses && !now.Before(roster.Until):
		return "its roster is over"
	}
	return ""
}

// effect checks that what is carried out may be.
func (c *orderChecks) effect(by broker.Actor, method string, body []byte) {
	h, fail := &c.hand, c.m.f.fail
	roster, _ := c.m.onRecord()
	who, _ := roster.Of(h.by)
	switch {
	case h.mark == "" || method != h.Method || !bytes.Equal(body, h.Body):
		fail("%s carries out what no order says", c.m.name)
	case c.wrong() != "":
		fail("%s carries out an order, and %s", c.m.name, c.wrong())
	case by.ID != broker.FleetID(who.ID(), who.Name):
		fail("%s carries out an order as another one's", c.m.name)
	case !c.onRecord(h.mark):
		fail("%s carries out an order that is not on record", c.m.name)
	case c.carried[h.mark] > 0 && (h.Boot != "" || c.answered(h.mark)):
		fail("%s carries out an order twice", c.m.name)
	}
	c.carried[h.mark]++
}

// taken checks what became of an order that waited, once the link is done with it.
func (c *orderChecks) taken(lived bool) {
	h := &c.hand
	switch {
	case !lived || !h.waited || h.mark == "" || c.carried[h.mark] > 0 || c.misused[h.mark]:
	case h.must:
		c.m.f.fail("an order that waited for %s is good, and was not carried out", c.m.name)
	case !c.shown[h.mark]:
		c.m.f.fail("an order that waited for %s was turned away, and nobody is told", c.m.name)
	}
}

// onRecord reports whether the log has that an order was taken, and answered that it was answered.
func (c *orderChecks) onRecord(mark string) bool {
	return c.logged(broker.EventFleetOrder, func(data []byte) bool {
		var t orders.Taken
		return json.Unmarshal(data, &t) == nil && t.Mark == mark
	})
}

func (c *orderChecks) answered(mark string) bool {
	return c.logged(broker.EventFleetAnswered, func(data []byte) bool {
		var a link.AnsweredData
		return json.Unmarshal(data, &a) == nil && a.Mark == mark
	})
}

func (c *orderChecks) logged(typ string, is func(data []byte) bool) bool {
	for l := c.m.w.disk.now.last; l != nil; l = l.before {
		if l.Type == typ && is(l.Data) {
			return true
		}
	}
	return false
}

// carriedOut checks that the stream has each event of the log once, in order, and somebody can open it. Of a log whose
// end was lost the stream has the old end as well.
func (m *machine) carriedOut() {
	var log []broker.Event // from 1
	log, _ = m.Events(context.Background(), broker.EventFilter{After: -1})
	letters := map[string]bool{}
	for _, k := range m.f.streams.places {
		if _, place, ok := m.f.names.Split(k.Subject); ok && told.IsKeys(place) {
			letters[place] = true
		}
	}
	at := int64(0)
	for _, k := range m.stored().kept {
		var s keys.Signed
		var t told.Told
		if keys.Decode(k.Body, &s) != nil || keys.Decode(s.Body, &t) != nil {
			m.f.fail("the stream has something of %s that cannot be read", m.name)
			return
		}
		if !letters[told.PlaceOfKeys(t.Sealed.Epoch)] {
			m.f.fail("nobody can open event %d of %s: its key is lost", t.Number, m.name)
		}
		n := int64(t.Number) //nolint:gosec // numbers are small
		if n > int64(len(log)) || log[n-1].Hash != t.Hash {
			continue
		}
		if at++; n != at {
			m.f.fail("the stream has event %d of %s where event %d belongs", n, m.name, at)
			return
		}
	}
	if at != int64(len(log)) {
		m.f.fail("the stream has %d events of %s, and the log %d", at, m.name, len(log))
	}
}

// sees reports whether the person may see what machines tell.
func (p *person) sees() bool {
	who, ok := p.f.rosters[p.f.newest()].Of(p.key.Public().Sign)
	return ok && who.Role.Includes(members.Watcher)
}

// behind says what is drawn otherwise than it is on a machine, "" for nothing.
func (p *person) behind(m *machine) string {
	mirror := p.far.Mirror(m.id)
	if is := mirror.Machine(p.f.now.Add(p.skew)); is.Reach != broker.ReachLive {
		return "draws " + m.name + " as not live: " + is.Problem
	}
	drawn := broker.Snapshot{}
	for u := range mirror.All() {
		switch {
		case u.Request != nil:
			drawn.Requests = append(drawn.Requests, *u.Request)
		case u.Session != nil:
			drawn.Sessions = append(drawn.Sessions, *u.Session)
		case u.Health != nil:
			drawn.Health = *u.Health
		case u.Rules != nil:
			drawn.Rules = *u.Rules
		}
	}
	is, draws := things(m.w.loop.View().Snapshot(m.w.now)), things(drawn)
	for _, what := range sortedKeys(is) {
		if !bytes.Equal(is[what], draws[what]) {
			return "does not draw " + what + " of " + m.name + " as it is"
		}
	}
	for _, what := range sortedKeys(draws) {
		if is[what] == nil {
			return "draws " + what + " of " + m.name + ", and there is none"
		}
	}
	return ""
}

// things are all that there is, each by itself, without times: those are drawn by another clock.
func things(s broker.Snapshot) map[string][]byte {
	all := map[string][]byte{}
	add := func(what string, v any) { all[what], _ = keys.Encode(v) } // what was told could be encoded
	for _, r := range s.Requests {
		if r.State == broker.Pending {
			r.CreatedAt, r.ExpiresAt, r.ExtendedAt, r.MayWaitUntil = zero, zero, zero, zero
			add(r.ID, r)
		}
	}
	for _, se := range s.Sessions {
		if !se.Removed() {
			se.Machine, se.StartedAt, se.LastSeenAt, se.StopAskedAt, se.EndedAt = "", zero, zero, zero, zero
			add(se.ID, se)
		}
	}
	add("the health", s.Health)
	add("the rules", s.Rules)
	return all
}
