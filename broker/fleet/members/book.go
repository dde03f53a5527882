package members

import (
	"errors"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/keys"
)

// Book is what one member knows of who is in the fleet: the newest roster, and the machines that
// joined since with an invite of it. It is for one goroutine at a time.
type Book struct {
	roster Roster
	signed keys.Signed
	guests []guest // in the order in which they joined
	early  []early // in the order in which they came
}

// early is an enrolment with an invite that is not known yet: a server hands over lists and enrolments side by side,
// and each enrolment once. The invite may be in a list that is on its way.
type early struct {
	enrolment keys.Signed
	at        time.Time
}

// maxEarly bounds what is kept of those, in bytes: the oldest go first.
const maxEarly = 1 << 20

// guest is a machine that joined with an invite. Its enrolment was verified when it came, and is not
// looked at again: there may be thousands, and who is in the fleet is asked all the time.
type guest struct {
	member Member
	invite []byte // its key
	gone   bool   // it took that back, and does not come again with that invite
}

// maxGuests bounds what machines that are in no roster may take.
const maxGuests = maxMembers

// NewBook begins with a roster that is known to be the fleet's. Errors: those of Read.
func NewBook(first keys.Signed) (*Book, error) {
	r, err := Read(first)
	return &Book{roster: r, signed: first}, err
}

// Follow takes a later roster, and enrolments with its invites that came before it. Errors: those of Roster.Follow.
func (b *Book) Follow(s keys.Signed) error {
	next, err := b.roster.Follow(s)
	if err != nil {
		return err
	}
	b.roster, b.signed = next, s
	// Whoever the owners took out comes back with no old invite.
	b.guests = slices.DeleteFunc(b.guests, func(g guest) bool { return !b.roster.invites(g.invite) })
	again := b.early
	b.early = nil
	for _, e := range again {
		_, _ = b.Join(e.enrolment, e.at) // one that is not good is none
	}
	return nil
}

// Join takes an enrolment, and says who it is of. A machine is in the fleet from then on (At), until it
// takes that back (Withdraw), which Join takes as well. One that is there already joins once. Errors: those of
// Admit and Withdrawn.
func (b *Book) Join(s keys.Signed, now time.Time) (Member, error) {
	if i := slices.IndexFunc(b.guests, func(g guest) bool { return g.is(s.By) && !g.gone }); i >= 0 {
		return b.guests[i].member, b.leave(i, s)
	}
	m, err := b.roster.Admit(s, now)
	if err != nil {
		if !b.roster.invites(s.By) {
			b.keep(early{s, now})
		}
		return m, err
	}
	if _, ok := b.roster.Of(m.Sign); ok || m.Role != Machine || b.CameWith(m.Sign, s.By) {
		return m, nil
	}
	if living := len(b.guests) - b.gone(); living >= maxGuests {
		return m, errors.Join(ErrInvite, errors.New("too many machines joined with invites"))
	}
	b.guests = append(b.guests, guest{member: m, invite: s.By})
	return m, nil
}

// keep keeps an enrolment for the next roster.
func (b *Book) keep(e early) {
	b.early = append(b.early, e)
	size := 0
	for i := len(b.early) - 1; i >= 0; i-- {
		s := &b.early[i].enrolment
		if size += len(s.Body) + len(s.By) + len(s.Sig); size > maxEarly {
			b.early = slices.Clone(b.early[i+1:])
			return
		}
	}
}

// leave takes what a guest signed that takes its enrolment back. Of those that are gone the last are remembered.
func (b *Book) leave(i int, s keys.Signed) error {
	bye, err := Withdrawn(s, b.roster.Fleet)
	switch g := &b.guests[i]; {
	case err != nil:
		return err
	case bye.ID() != g.member.ID(), !slices.Equal(bye.Invite, g.invite):
		return ErrOther
	}
	b.guests[i].gone = true
	if b.gone() > maxGuests {
		first := slices.IndexFunc(b.guests, func(g guest) bool { return g.gone })
		b.guests = slices.Delete(b.guests, first, first+1)
	}
	return nil
}

// gone is how many of the guests are gone.
func (b *Book) gone() (n int) {
	for i := range b.guests {
		if b.guests[i].gone {
			n++
		}
	}
	return n
}

func (g *guest) is(sign []byte) bool { return slices.Equal(g.member.Sign, sign) }

// Signed is the newest roster as its owner signed it.
func (b *Book) Signed() keys.Signed { return b.signed }

// Roster is the newest roster, without machines that joined since.
func (b *Book) Roster() Roster { return b.roster }

// At is who is in the fleet at now: the roster, and the machines that joined since.
func (b *Book) At(now time.Time) Roster {
	r := b.roster
	r.Members = slices.Clone(r.Members)
	in := make(map[string]bool, len(r.Members))
	for i := range r.Members {
		in[string(r.Members[i].Sign)] = true
	}
	for _, g := range b.guests {
		invite, ok := b.roster.invite(g.invite)
		if ok && !g.gone && now.Before(invite.Until) && !in[string(g.member.Sign)] {
			in[string(g.member.Sign)] = true
			r.Members = append(r.Members, g.member)
		}
	}
	return r
}

// CameWith reports whether a machine that is in no roster joined with an invite.
func (b *Book) CameWith(sign, invite []byte) bool {
	return slices.ContainsFunc(b.guests, func(g guest) bool { return g.is(sign) && slices.Equal(g.invite, invite) })
}
