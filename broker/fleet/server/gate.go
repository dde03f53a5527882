package server

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// linesMost is how many lines one member may have at a time, guestsMost those that one invite may,
// joinedMost how many may be there that joined since the roster, and goneMost how many of those that are gone
// are remembered.
const (
	linesMost  = 16
	guestsMost = 256
	joinedMost = 4096
	goneMost   = 4096
)

// gate says who may come in, and puts out who may no longer. NATS asks it for every connection.
type gate struct {
	path   string // where the newest roster is kept
	log    *slog.Logger
	own    ed25519.PrivateKey // of the server's own connection, made anew at each start
	server *nats.Server
	now    func() time.Time
	fleet  string // its id

	mu     sync.Mutex
	begun  bool // it knows the newest roster, and lets members in
	roster members.Roster
	signed keys.Signed
	joined map[uint64]joined // by number in the stream: who joined with an invite
	gone   map[string]gone   // by member's id: who took that back
	lines  map[uint64]line   // by the connection's id
	tries  tries             // with keys that nobody has
	timer  *time.Timer       // when the next invite ends
}

// joined is somebody who joined with an invite of the roster.
type joined struct {
	member members.Member
	invite []byte // its key
}

// gone is a machine that joined with an invite and is gone. What it said of that stays in the stream as long as the
// invite is open: others may have been away, and nobody enrols it again.
type gone struct {
	seq    uint64 // in the stream
	invite []byte // its key
}

// invited is what whoever has an invite's key is let in as.
const invited = "invited"

// line is a connection that was let in.
type line struct {
	nkey string
	role string // what it was let in as
}

// newGate begins with the newest roster that is known: the one in the folder, or first.
func newGate(path string, first keys.Signed, log *slog.Logger) (*gate, error) {
	_, own, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	g := &gate{path: path, log: log, own: own, now: time.Now, joined: map[uint64]joined{}, gone: map[string]gone{}, lines: map[uint64]line{}}
	kept, err := readRoster(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if len(first.Body) == 0 {
			return nil, errors.New("the server knows no roster of a fleet yet: give it the first one")
		}
		if g.roster, err = members.Read(first); err != nil {
			return nil, fmt.Errorf("the fleet's roster: %w", err)
		}
		g.signed, g.fleet = first, g.roster.Fleet
		return g, g.keep()
	case err != nil:
		return nil, fmt.Errorf("the roster in %s: %w", path, err)
	}
	if g.roster, err = members.Read(kept); err != nil {
		return nil, fmt.Errorf("the roster in %s: %w", path, err)
	}
	g.signed, g.fleet = kept, g.roster.Fleet
	if len(first.Body) != 0 {
		if err := g.follow(first); errors.Is(err, members.ErrOther) {
			return nil, fmt.Errorf("the folder %s: %w: give another one with --folder, or move that away", filepath.Dir(path), err)
		} else if err != nil && !errors.Is(err, members.ErrOld) {
			return nil, fmt.Errorf("the fleet's roster: %w", err)
		}
	}
	return g, nil
}

func readRoster(path string) (s keys.Signed, err error) {
	raw, err := os.ReadFile(path) //nolint:gosec // in the folder that the server was given
	if err != nil {
		return s, err
	}
	return s, keys.Decode(raw, &s)
}

func (g *gate) keep() error {
	raw, err := keys.Encode(g.signed)
	if err == nil {
		err = writeFile(g.path, raw)
	}
	if err != nil {
		return fmt.Errorf("keep the roster: %w", err)
	}
	return nil
}

func (g *gate) names() told.Names { return told.Names{Fleet: g.fleet} }

// Check says whether a connection is let in, and what it may.
func (g *gate) Check(c nats.ClientAuthentication) bool {
	if c.Kind() != nats.CLIENT {
		return false
	}
	o := c.GetOpts()
	sign, ok := proved(o.Nkey, o.Sig, c.GetNonce())
	if !ok {
		return false
	}
	if slices.Equal(sign, g.own.Public().(ed25519.PublicKey)) { //nolint:forcetypeassert // ed25519 has no other
		c.RegisterUser(&nats.User{Username: "server"})
		return true
	}
	token, _, _ := strings.Cut(o.Name, " ")
	if !isToken(token) {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.begun {
		return false
	}
	role, user, most := g.user(sign, o.Nkey, token)
	if from := host(c.RemoteAddress()); user == nil {
		g.tries.note(from, g.now())
		return false
	} else if role == invited && g.tries.tooMany(from, g.now()) {
		g.log.Warn("too many codes were tried from an address", "address", from)
		return false
	}
	has := 0
	for id, l := range g.lines {
		if l.nkey != o.Nkey {
			continue
		}
		if g.server.GetClient(id) == nil {
			delete(g.lines, id)
			continue
		}
		has++
	}
	if has >= most {
		g.log.Warn("a member has too many lines", "member", user.Username, "lines", has)
		return false
	}
	g.lines[c.GetID()] = line{o.Nkey, role}
	c.RegisterUser(user)
	return true
}

// proved is the ed25519 key of who signed the nonce.
func proved(nkey, sig string, nonce []byte) ([]byte, bool) {
	if len(nonce) == 0 {
		return nil, false
	}
	sign, err := nkeys.Decode(nkeys.PrefixByteUser, []byte(nkey))
	if err != nil || len(sign) != ed25519.PublicKeySize {
		return nil, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(sig)
	return sign, err == nil && ed25519.Verify(sign, nonce, raw)
}

// isToken reports whether a line's token is one: it stands in subjects.
func isToken(s string) bool {
	return len(s) == 16 && strings.Trim(s, "0123456789abcdef") == ""
}

// user is what somebody with a key may be now, nil for nobody. role changes when that does.
func (g *gate) user(sign []byte, nkey, token string) (role string, u *nats.User, most int) {
	if m, ok := g.member(sign); ok {
		return string(m.Role), &nats.User{Username: m.Name, Permissions: mayMember(g.names(), &m, nkey, token)}, linesMost
	}
	if g.open(sign) {
		return invited, &nats.User{Username: invited, Permissions: mayGuest(g.names(), nkey, token)}, guestsMost
	}
	return "", nil, 0
}

// member is who has a key: by the roster, or by an invite that is open.
func (g *gate) member(sign []byte) (members.Member, bool) {
	if m, ok := g.roster.Of(sign); ok {
		return m, true
	}
	for _, j := range g.joined {
		if j.member.Role == members.Machine && slices.Equal(j.member.Sign, sign) && g.open(j.invite) {
			return j.member, true
		}
	}
	return members.Member{}, false
}

// open reports whether an invite is open now.
func (g *gate) open(key []byte) bool {
	return slices.ContainsFunc(g.roster.Invites, func(in members.Invite) bool { return slices.Equal(in.Key, key) && g.now().Before(in.Until) })
}

// follow takes a later roster, and puts out who is no longer in it.
func (g *gate) follow(s keys.Signed) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	next, err := g.roster.Follow(s)
	if err != nil {
		return err
	}
	g.roster, g.signed = next, s
	if err := g.keep(); err != nil {
		g.log.Error("the newest roster is not kept", "err", err) // it is in the stream as well
	}
	g.log.Info("the fleet has another roster", "number", next.Number, "members", len(next.Members))
	return nil
}

// join takes an enrolment that stands under a member's id, as number seq of the stream.
func (g *gate) join(seq uint64, id string, s keys.Signed) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	m, err := g.roster.Admit(s, g.now())
	switch {
	case err != nil:
		return err
	case m.ID() != id:
		return members.ErrOther
	case g.isGone(id):
		return fmt.Errorf("%w: it took its enrolment back", members.ErrInvite)
	case len(g.joined) >= joinedMost && !g.has(seq):
		return fmt.Errorf("%w: too many joined with invites", members.ErrInvite)
	}
	g.joined[seq] = joined{member: m, invite: s.By}
	g.log.Info("somebody joined with an invite", "member", broker.Clip(m.Name), "role", string(m.Role))
	return nil
}

// leave takes what stands as number seq of the stream, where a machine says that its enrolment is over. Errors:
// those of members.Withdrawn, members.ErrInvite.
func (g *gate) leave(seq uint64, id string, s keys.Signed) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	bye, err := members.Withdrawn(s, g.fleet)
	switch {
	case err != nil:
		return err
	case bye.ID() != id:
		return members.ErrOther
	case !g.open(bye.Invite):
		return members.ErrInvite
	}
	for _, j := range g.joined {
		if j.member.ID() == id && !slices.Equal(j.invite, bye.Invite) {
			return members.ErrOther
		}
	}
	g.gone[id] = gone{seq, bye.Invite}
	g.log.Info("a machine that joined with an invite is gone", "member", id)
	return nil
}

// has reports whether an enrolment was taken already: they may be read again.
func (g *gate) has(seq uint64) bool {
	_, is := g.joined[seq]
	return is
}

func (g *gate) isGone(id string) bool {
	_, is := g.gone[id]
	return is
}

// settle puts out every line whose owner is no longer what they were let in as, and returns what stands in the
// stream for nothing any more: enrolments that were taken back, all that no invite is open for, and what is too much:
// whoever has a code could fill the stream with machines that come and go. It comes again when the next invite ends.
func (g *gate) settle(again func()) (over []uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for seq, j := range g.joined {
		if g.isGone(j.member.ID()) || !g.open(j.invite) {
			over = append(over, seq)
			delete(g.joined, seq)
		}
	}
	for id, w := range g.gone {
		if !g.open(w.invite) {
			over = append(over, w.seq)
			delete(g.gone, id)
		}
	}
	for len(g.gone) > goneMost { // the oldest, on all servers
		first := slices.MinFunc(slices.Collect(maps.Keys(g.gone)), func(x, y string) int { return cmp.Compare(g.gone[x].seq, g.gone[y].seq) })
		over = append(over, g.gone[first].seq)
		delete(g.gone, first)
	}
	for id, l := range g.lines {
		role := ""
		if sign, err := nkeys.Decode(nkeys.PrefixByteUser, []byte(l.nkey)); err == nil {
			role = g.role(sign)
		}
		if role != l.role {
			_ = g.server.DisconnectClientByID(id) // one that left by itself is no error
			delete(g.lines, id)
		}
	}
	if g.timer != nil {
		g.timer.Stop()
	}
	if at, ok := g.next(); ok {
		g.timer = time.AfterFunc(at.Sub(g.now()), again)
	}
	return over
}

// ids are those of everybody who is in the fleet.
func (g *gate) ids() map[string]bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	in := make(map[string]bool, len(g.roster.Members)+len(g.joined))
	for i := range g.roster.Members {
		in[g.roster.Members[i].ID()] = true
	}
	for _, j := range g.joined {
		in[j.member.ID()] = true
	}
	return in
}

// role is what somebody is let in as.
func (g *gate) role(sign []byte) string {
	if m, ok := g.member(sign); ok {
		return string(m.Role)
	}
	if g.open(sign) {
		return invited
	}
	return ""
}

// next is when the next invite ends.
func (g *gate) next() (at time.Time, any bool) {
	for _, in := range g.roster.Invites {
		if g.now().Before(in.Until) && (!any || in.Until.Before(at)) {
			at, any = in.Until, true
		}
	}
	return at, any
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.timer != nil {
		g.timer.Stop()
	}
}

// begin lets members in.
func (g *gate) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begun = true
}

// newest is the newest roster.
func (g *gate) newest() (members.Roster, keys.Signed) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.roster, g.signed
}

// ownNkey is how the server's own connection logs in.
func (g *gate) ownNkey() string {
	nkey, err := jet.Nkey(g.own.Public().(ed25519.PublicKey)) //nolint:forcetypeassert // ed25519 has no other
	if err != nil {
		panic(err) // it is a key
	}
	return nkey
}
