package server

import (
	"time"

	nats "github.com/nats-io/nats-server/v2/server"

	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// may is what one line may use.
type may struct{ publish, hear []string }

// answerTime is how long a machine may take to answer a live order.
const answerTime = 3 * time.Minute

func (m *may) permissions(answers bool) *nats.Permissions {
	p := &nats.Permissions{Publish: &nats.SubjectPermission{Allow: m.publish}, Subscribe: &nats.SubjectPermission{Allow: m.hear}}
	if answers {
		p.Response = &nats.ResponsePermission{MaxMsgs: 1, Expires: answerTime}
	}
	return p
}

// reads lets a line have the one reader of a kind that is its own. The filter is part of the subject
// under which a reader is made, "" for all of the stream.
func (m *may) reads(nkey, token, stream string, kind jet.Kind, filter string) {
	name := jet.Reader(nkey, token, kind)
	made := "$JS.API.CONSUMER.CREATE." + stream + "." + name
	if filter != "" {
		made += "." + filter
	}
	m.publish = append(m.publish, made, "$JS.API.CONSUMER.DELETE."+stream+"."+name, "$JS.API.CONSUMER.INFO."+stream+"."+name, "$JS.API.CONSUMER.MSG.NEXT."+stream+"."+name)
}

// everybody is what all lines may: hear answers, and follow the rosters.
func everybody(n told.Names, nkey, token string) may {
	m := may{hear: []string{jet.Inbox(nkey) + ".>"}}
	m.reads(nkey, token, told.StreamMembers, jet.ReadsRosters, n.Rosters())
	return m
}

// mayMember is what a member may, by its role.
func mayMember(n told.Names, who *members.Member, nkey, token string) *nats.Permissions {
	m := everybody(n, nkey, token)
	m.reads(nkey, token, told.StreamMembers, jet.ReadsEnrolments, n.Enrolment("*"))
	if who.Role == members.Machine {
		m.machine(n, who.ID(), nkey, token)
		return m.permissions(true)
	}
	m.person(n, who.Role, nkey, token)
	return m.permissions(false)
}

// mayGuest is what whoever has an invite's key may.
func mayGuest(n told.Names, nkey, token string) *nats.Permissions {
	m := everybody(n, nkey, token)
	anyFleet := told.Names{Fleet: "*"}
	m.publish = append(m.publish, n.Enrolment("*"), jet.NewestOf(told.StreamMembers, anyFleet.Invite("*")))
	return m.permissions(false)
}

// machine: it tells under its own id, also that it is gone, reads its own events and states, and takes its own orders. It claims
// ids of calls, reads the claim of an id that it knows, and asks other machines what became of calls.
func (m *may) machine(n told.Names, id, nkey, token string) {
	waits := n.At(id, told.PlaceWaits)
	m.publish = append(m.publish,
		n.EventsOf(id), n.StatesOf(id), n.KeysOf(id), n.At(id, told.PlaceBeat), n.Enrolment(told.Gone(id)),
		jet.NewestOf(told.StreamEvents, n.EventsOf(id)),
		"$JS.API.CONSUMER.CREATE."+told.StreamOrders+"."+id+"."+waits,
		"$JS.API.CONSUMER.INFO."+told.StreamOrders+"."+id,
		"$JS.API.CONSUMER.MSG.NEXT."+told.StreamOrders+"."+id,
		"$JS.ACK."+told.StreamOrders+"."+id+".>",
		n.Claim("*"), jet.NewestOf(told.StreamClaims, n.Claim("*")), n.At("*", told.PlaceQueue),
	)
	m.hear = append(m.hear, n.At(id, told.PlaceHello), n.At(id, told.PlaceOrders), n.At(id, told.PlaceQueue))
	m.reads(nkey, token, told.StreamEvents, jet.ReadsEvents, n.EventsOf(id))
	m.reads(nkey, token, told.StreamStates, jet.ReadsStates, n.StatesOf(id))
}

// person: a watcher hears everything and says nothing but hello, a guard leaves orders, an owner says
// who is in the fleet. What an order may do is the machine's to judge.
func (m *may) person(n told.Names, role members.Role, nkey, token string) {
	m.hear = append(m.hear, n.At("*", told.PlaceBeat))
	m.publish = append(m.publish, n.At("*", told.PlaceHello), "$JS.API.STREAM.INFO."+told.StreamOrders, jet.LastOf(told.StreamEvents))
	m.reads(nkey, token, told.StreamEvents, jet.ReadsEvents, n.EventsOf("*"))
	m.reads(nkey, token, told.StreamStates, jet.ReadsStates, "")
	if role.Includes(members.Guard) {
		m.publish = append(m.publish, n.At("*", told.PlaceOrders), n.At("*", told.PlaceWaits))
	}
	if role.Includes(members.Owner) {
		m.publish = append(m.publish, n.Rosters(), n.Invite("*"), n.Dropped("*"))
	}
}
