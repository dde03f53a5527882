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
	guests []keys.Signed // enrolments that an invite of some roster may be open for
}

// maxGuests bounds what machines that are in no roster may take.
const maxGuests = maxMembers

// NewBook begins with a roster that is known to be the fleet's. Errors: those of Read.
func NewBook(first keys.Signed) (*Book, error) {
	r, err := Read(first)
	return &Book{roster: r, signed: first}, err
}

// Follow takes a later roster. Errors: those of Roster.Follow.
func (b *Book) Follow(s keys.Signed) error {
	next, err := b.roster.Follow(s)
	if err != nil {
		return err
	}
	b.roster, b.signed = next, s
	// Whoever the owners took out comes back with no old invite.
	b.guests = slices.DeleteFunc(b.guests, func(g keys.Signed) bool { return !b.invited(g) })
	return nil
}

// invited reports whether the roster has the invite that an enrolment was made with.
func (b *Book) invited(s keys.Signed) bool {
	return slices.ContainsFunc(b.roster.Invites, func(in Invite) bool { return slices.Equal(in.Key, s.By) })
}

// Join takes an enrolment, and says who it is of. A machine is in the fleet from then on (At). One
// that is there already joins once. Errors: those of Admit.
func (b *Book) Join(s keys.Signed, now time.Time) (Member, error) {
	m, err := b.roster.Admit(s, now)
	if err != nil {
		return m, err
	}
	for _, g := range b.guests {
		if was, err := b.roster.Admit(g, now); err == nil && was.ID() == m.ID() {
			return m, nil
		}
	}
	if _, ok := b.roster.Member(m.ID()); ok || m.Role != Machine {
		return m, nil
	}
	if len(b.guests) >= maxGuests {
		return m, errors.Join(ErrInvite, errors.New("too many machines joined with invites"))
	}
	b.guests = append(b.guests, s)
	return m, nil
}

// Signed is the newest roster as its owner signed it.
func (b *Book) Signed() keys.Signed { return b.signed }

// Roster is the newest roster, without machines that joined since.
func (b *Book) Roster() Roster { return b.roster }

// At is who is in the fleet at now: the roster, and the machines that joined since.
func (b *Book) At(now time.Time) Roster {
	r := b.roster
	r.Members = slices.Clone(r.Members)
	for _, g := range b.guests {
		m, err := b.roster.Admit(g, now)
		if _, ok := r.Member(m.ID()); err == nil && !ok {
			r.Members = append(r.Members, m)
		}
	}
	return r
}
