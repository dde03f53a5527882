// Package members says who belongs to a fleet, and what each may do.
//
// A Roster is the whole list, with a number that rises. An owner signs each new one, and whoever
// has the one before takes the new one only if its signer is an owner in that (Follow). So a member
// that trusted the first roster can follow all later ones, whoever hands them over: a server that
// lies can at most keep a roster back. That is why a roster is good for a time only (Until); after
// it nobody's allow counts before an owner was heard of again.
//
// One joins with a code that an owner's screen shows (Code): it is the seed of a key that the roster
// lists as an Invite, and whoever knows it signs an Enrolment with that key. A machine that was
// invited is in the fleet from then on, as long as the invite is. A person who is to decide for
// others is in the fleet when an owner has put them into the next roster.
//
// The package has no clock, file or network.
package members

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
)

// Why a roster or an enrolment is not taken.
var (
	ErrRoster  = errors.New("this roster is not good")
	ErrSigner  = errors.New("no owner of the fleet signed this")
	ErrOld     = errors.New("a newer roster is known here")
	ErrOther   = errors.New("this is of another fleet")
	ErrInvite  = errors.New("no invite is open for this: have one made again")
	ErrExpired = errors.New("this has expired")
)

// Role is what a member may do.
type Role string

// The roles. Each of the last four may do what the one before may.
const (
	Machine  Role = "machine"  // its broker tells what happens and takes orders; it gives none
	Watcher  Role = "watcher"  // sees
	Guard    Role = "guard"    // denies, stops, freezes
	Operator Role = "operator" // allows
	Owner    Role = "owner"    // says who is in the fleet
)

// rank orders the roles.
func (r Role) rank() int { return slices.Index([]Role{Machine, Watcher, Guard, Operator, Owner}, r) }

// One is somebody with r: "a guard", "an operator".
func (r Role) One() string {
	if r == Operator || r == Owner {
		return "an " + string(r)
	}
	return "a " + string(r)
}

// Known reports whether r is a role.
func (r Role) Known() bool { return r.rank() >= 0 }

// Includes reports whether who has r may do what least may. No machine gives orders.
func (r Role) Includes(least Role) bool {
	return r.rank() > 0 && least.rank() > 0 && r.rank() >= least.rank()
}

// Member is one that belongs to a fleet.
type Member struct {
	keys.Public

	Name string `json:"name"`
	Role Role   `json:"role"`
}

// Invite lets whoever has its key join.
type Invite struct {
	Key   []byte    `json:"key"`  // ed25519 public key
	Role  Role      `json:"role"` // the most that who joins with it may be
	Until time.Time `json:"until"`
	Many  bool      `json:"many,omitempty"` // any number of machines joins with it, each for as long as it runs
}

// ID names in for people: it has the shape of a member's, and is none's. It says nothing of the code.
func (in *Invite) ID() string { return keys.Public{Sign: in.Key}.ID() }

// Roster is who is in a fleet.
type Roster struct {
	Fleet    string    `json:"fleet"`  // its id, which stands in subjects
	Name     string    `json:"name"`   // what people call it
	Number   uint64    `json:"number"` // from 1; a larger one replaces a smaller one
	At       time.Time `json:"at"`
	Until    time.Time `json:"until"`
	Members  []Member  `json:"members"`
	Invites  []Invite  `json:"invites,omitempty"`
	FourEyes []string  `json:"four_eyes,omitempty"` // projects where a dangerous call needs two operators; see CheckProject
}

// What bounds a roster, so that one message holds it.
const (
	maxMembers  = 4096
	maxProjects = 256
)

// Check says what is wrong with r. Errors: ErrRoster.
func (r *Roster) Check() error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrRoster, fmt.Sprintf(format, args...))
	}
	switch {
	case !idGood(r.Fleet):
		return wrong("the fleet's id is no id")
	case broker.CheckName("name", r.Name) != nil || r.Name == "":
		return wrong("the fleet's name is none")
	case r.Number == 0:
		return wrong("it has no number")
	case !r.At.Before(r.Until):
		return wrong("it ends before it begins")
	case len(r.Members) > maxMembers:
		return wrong("it has more than %d members", maxMembers)
	}
	seen, owners := map[string]bool{}, 0
	for i := range r.Members {
		m := &r.Members[i]
		switch {
		case m.Check() != nil:
			return wrong("a member's key is none")
		case !m.Role.Known():
			return wrong("there is no role %q", broker.Clip(string(m.Role)))
		case m.Name == "" || broker.CheckName("name", m.Name) != nil:
			return wrong("a member's name is none")
		case seen[m.ID()]:
			return wrong("%s is in it twice", broker.Clip(m.Name))
		}
		seen[m.ID()] = true
		if m.Role == Owner {
			owners++
		}
	}
	if owners == 0 {
		return wrong("it has no owner")
	}
	if len(r.FourEyes) > maxProjects {
		return wrong("it has more than %d projects that need two operators", maxProjects)
	}
	for _, p := range r.FourEyes {
		if err := CheckProject(p); err != nil {
			return wrong("%v", err)
		}
	}
	for _, in := range r.Invites {
		if len(in.Key) != inviteKeySize || !in.Role.Known() || in.Role == Owner || in.Many && in.Role != Machine {
			return wrong("an invite is none")
		}
	}
	return nil
}

// idGood reports whether id may be the id of a fleet: it stands in subjects.
func idGood(id string) bool {
	return len(id) >= 8 && len(id) <= 32 && !slices.ContainsFunc([]byte(id), func(c byte) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-'
	})
}

// Of is the member that signs with a key.
func (r *Roster) Of(sign []byte) (Member, bool) {
	i := slices.IndexFunc(r.Members, func(m Member) bool { return slices.Equal(m.Sign, sign) })
	if i < 0 {
		return Member{}, false
	}
	return r.Members[i], true
}

// invite is the invite that has a key.
func (r *Roster) invite(key []byte) (Invite, bool) {
	i := slices.IndexFunc(r.Invites, func(in Invite) bool { return slices.Equal(in.Key, key) })
	if i < 0 {
		return Invite{}, false
	}
	return r.Invites[i], true
}

// invites reports whether a key is that of an invite.
func (r *Roster) invites(key []byte) bool {
	_, ok := r.invite(key)
	return ok
}

// Member is the member of an id.
func (r *Roster) Member(id string) (Member, bool) {
	for i := range r.Members {
		if r.Members[i].ID() == id {
			return r.Members[i], true
		}
	}
	return Member{}, false
}

// Fresh reports whether r is good at now. Before At it is: clocks differ.
func (r *Roster) Fresh(now time.Time) bool { return now.Before(r.Until) }

// Begin is the first roster of a fleet, signed by its owner k.
func Begin(k keys.Key, r Roster) (keys.Signed, error) {
	if err := r.Check(); err != nil {
		return keys.Signed{}, err
	}
	if m, ok := r.Of(k.Public().Sign); !ok || m.Role != Owner {
		return keys.Signed{}, ErrSigner
	}
	return k.Sign(keys.KindRoster, r)
}

// Read opens a roster by itself: one that is known to be the fleet's, such as the one that an
// invite came with. Its signer is an owner in it, so no owner takes themselves out: another one
// does. Errors: ErrRoster, ErrSigner, keys.ErrForged.
func Read(s keys.Signed) (Roster, error) {
	var r Roster
	if err := s.Open(keys.KindRoster, &r); err != nil {
		return Roster{}, err
	}
	if err := r.Check(); err != nil {
		return Roster{}, err
	}
	if m, ok := r.Of(s.By); !ok || m.Role != Owner {
		return Roster{}, ErrSigner
	}
	return r, nil
}

// Follow opens the roster that comes after r. Errors: those of Read, ErrOther, ErrOld, and ErrSigner
// where its signer is no owner in r.
func (r *Roster) Follow(s keys.Signed) (Roster, error) {
	next, err := Read(s)
	if err == nil {
		err = r.before(&next, s.By)
	}
	if err != nil {
		return Roster{}, err
	}
	return next, nil
}

// Before reports whether next, which signer has signed, comes after r; see Follow.
func (r *Roster) Before(next *Roster, signer []byte) bool { return r.before(next, signer) == nil }

func (r *Roster) before(next *Roster, signer []byte) error {
	m, ok := r.Of(signer)
	switch {
	case next.Fleet != r.Fleet:
		return ErrOther
	case next.Number <= r.Number:
		return ErrOld
	case !ok || m.Role != Owner:
		return ErrSigner
	}
	return nil
}
