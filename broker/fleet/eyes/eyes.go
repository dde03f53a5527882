// Package eyes says for one machine whose dangerous calls need two operators, and who is one.
//
// The owners' list of the fleet has both: the projects, and the people. What goes in is each list that
// the machine has on record (Set); what comes out is an answer for package calls. A person counts once,
// whatever they used: an order over the fleet, a console that is paired and has their key, the screen of
// this broker where the state folder has it, or a token that they minted. Whoever is not known to be an
// operator of the fleet does not count at all: a second key of one person would be a second person.
//
// The list only gets stricter by what somebody does at the machine: when that leaves the fleet, what
// was listed stays so until its broker ends, and nobody is an operator any more. A list that cannot be
// read when the broker begins counts as one that has all projects, and nobody.
//
// The package reads no file and has no clock of its own.
package eyes

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

// Options are what Eyes need. All of them must be there.
type Options struct {
	Tokens func() []broker.TokenData            // of the broker
	Screen func() (sign []byte)                 // the ed25519 public key of who sits at the broker's own screen; nil when nobody knows
	Fleet  func() (d broker.TokenData, ok bool) // the fleet that the machine is in
	Now    func() time.Time
}

// Eyes are a policy.Eyes. Several goroutines may use them.
type Eyes struct {
	o Options

	mu     sync.Mutex
	roster *members.Roster // the newest; nil before there is one
	blind  bool            // there is one that cannot be read
}

// New makes Eyes of a machine that is in no fleet.
func New(o Options) *Eyes { return &Eyes{o: o} }

// Set has another list hold, which has the signature of signer. Where something was listed before, only a
// later list holds that an owner in the one before has signed: to leave, and to join a fleet of one's own,
// with the same id or an older list, is no way out. It reports whether what is said of waiting calls may
// be another now.
func (e *Eyes) Set(r *members.Roster, signer []byte) (changed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	lists := e.blind || e.roster != nil && len(e.roster.FourEyes) > 0
	if lists && (e.blind || !e.roster.Before(r, signer)) {
		return false
	}
	e.roster = r
	return lists || len(r.FourEyes) > 0
}

// Blind has all dangerous calls be refused: there is a list, and nobody can read it.
func (e *Eyes) Blind() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.blind = true
}

// NeedsTwo reports whether dangerous calls of a project need two operators.
func (e *Eyes) NeedsTwo(folders ...string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.blind || e.roster != nil && e.roster.NeedsTwo(folders...)
}

// Why somebody is not one of two.
var (
	errNoFleet = errors.New("this machine is in no fleet any more, so nobody knows who is an operator")
	errBlind   = errors.New("the list of who is in the fleet cannot be read here")
	errOver    = errors.New("the list of who is in the fleet is over: an owner's console signs it anew")
	errUnknown = errors.New("nobody in the fleet has this console or token; use aoctl --fleet")
	errRole    = errors.New("only an operator or an owner of the fleet counts")
)

// Operator is who by is: a member's id and name. Errors say, as a clause, why by does not count.
func (e *Eyes) Operator(by broker.Actor) (id, name string, err error) {
	e.mu.Lock()
	r, blind := e.roster, e.blind
	e.mu.Unlock()
	d, in := e.o.Fleet()
	switch {
	case blind:
		return "", "", errBlind
	case r == nil || !in || d.ID != r.Fleet:
		return "", "", errNoFleet
	case !r.Fresh(e.o.Now()):
		return "", "", errOver
	}
	m, ok := e.member(r, by)
	switch {
	case !ok:
		return "", "", errUnknown
	case !m.Role.Includes(members.Operator):
		return "", "", errRole
	}
	return m.ID(), m.Name, nil
}

// mostMinted is how many tokens are followed back to who minted the first.
const mostMinted = 8

// member is the member that acts as by.
func (e *Eyes) member(r *members.Roster, by broker.Actor) (members.Member, bool) {
	tokens := e.o.Tokens()
	for range mostMinted {
		if by.Kind != broker.ByOperator {
			break
		}
		member, key := by.Fleet(), by.Console()
		switch token := by.Token(); {
		case member != "":
			return r.Member(member)
		case key != "":
			d, ok := tokenOf(tokens, key)
			if !ok {
				return members.Member{}, false
			}
			return withKey(r, d.Hash)
		case token != "":
			d, ok := tokenOf(tokens, token)
			if !ok {
				return members.Member{}, false
			}
			by = d.By
		case by.ID == "":
			sign := e.o.Screen()
			return r.Of(sign)
		default:
			return members.Member{}, false
		}
	}
	return members.Member{}, false
}

func tokenOf(list []broker.TokenData, id string) (broker.TokenData, bool) {
	for _, d := range list {
		if d.ID == id {
			return d, true
		}
	}
	return broker.TokenData{}, false
}

// withKey is the member whose key a console has; hash is how that is on record.
func withKey(r *members.Roster, hash string) (members.Member, bool) {
	want, err := hex.DecodeString(hash)
	if err != nil {
		return members.Member{}, false
	}
	for _, m := range r.Operators() {
		der, err := x509.MarshalPKIXPublicKey(ed25519.PublicKey(m.Sign))
		if sum := sha256.Sum256(der); err == nil && bytes.Equal(sum[:], want) {
			return m, true
		}
	}
	return members.Member{}, false
}
