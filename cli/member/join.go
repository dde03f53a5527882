package member

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/usage"
)

// DefaultPort is that of "aoctl fleet up".
const DefaultPort = "4222"

// ServerAt reads an address: "office", "office:4222" or "tls://office:4222".
func ServerAt(text string) (string, error) {
	wrong := usage.Error{Text: fmt.Sprintf("%q is no address of a server", text), Hint: "it is a host and a port, such as office:4222"}
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		if u.Scheme != "tls" && u.Scheme != "nats" || u.User != nil || strings.Trim(u.Path, "/") != "" {
			return "", wrong
		}
		text = u.Host
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = strings.Trim(text, "[]"), DefaultPort
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil || host == "" || strings.ContainsAny(host, " /,") || strings.Contains(host, ":") && !isAddr(host) {
		return "", wrong
	}
	return "tls://" + net.JoinHostPort(host, port), nil
}

func isAddr(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// PlainServer is an address as a person types it.
func PlainServer(url string) string { return strings.TrimPrefix(url, "tls://") }

// ReadCode reads the code of an invite: the first line. Errors: usage.Error.
func ReadCode(from io.Reader) (members.Code, error) {
	typed, err := bufio.NewReader(io.LimitReader(from, 256)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return members.Code{}, err
	}
	code, err := members.ParseCode(typed)
	if err != nil {
		return code, usage.Error{Text: err.Error(), Hint: `"aoctl fleet invite" shows one on an owner's screen`}
	}
	return code, nil
}

// letterTime is how long a server has to hand over the invite's letter.
const letterTime = 15 * time.Second

// Fetch gets the invite's letter. Nothing vouches for the server yet: the letter does, which only the code
// opens.
func Fetch(ctx context.Context, at string, code members.Code) (in members.Invited, err error) {
	ctx, stop := context.WithTimeout(ctx, letterTime)
	defer stop()
	key, err := code.Key()
	if err != nil {
		return in, err
	}
	line, err := jet.Dial(ctx, jet.Options{Servers: []string{at}, Unproved: true, Key: key, Name: "aoctl fleet join"})
	if err != nil {
		return in, err
	}
	defer line.Close()
	if err = Up(ctx, line); err != nil {
		return in, notUp(at, line, err)
	}
	raw, err := line.Invite(ctx, code.ID())
	if err == nil {
		in, err = open(code, key, raw)
	}
	if err != nil {
		return in, noInvite(at, err.Error())
	}
	return in, nil
}

// open opens the letter of a code, whose key is key.
func open(code members.Code, key keys.Key, raw []byte) (in members.Invited, err error) {
	var sealed seals.Sealed
	if err = keys.Decode(raw, &sealed); err != nil {
		return in, err
	}
	plain, err := seals.Of(code.Secret()).Open(code.ID(), sealed)
	if err != nil {
		return in, err
	}
	var s keys.Signed
	if err = keys.Decode(plain, &s); err != nil {
		return in, err
	}
	return members.ReadLetter(s, key.Public().Sign)
}

// PutLetter leaves what one who joins with the invite of code must know.
func (me *Me) PutLetter(ctx context.Context, line *jet.Line, code members.Code, in members.Invite) error {
	l := members.Letter{Invite: in.Key, Roster: me.Signed(), Servers: me.Servers, Pin: me.Pin}
	s, err := l.Sign(me.Key)
	if err != nil {
		return err
	}
	plain, err := keys.Encode(s)
	if err != nil {
		return err
	}
	letter, err := keys.Encode(seals.Of(code.Secret()).Seal(code.ID(), plain))
	if err != nil {
		return err
	}
	return line.PutInvite(ctx, code.ID(), letter)
}

// notUp says why a line with an invite's key is not up.
func notUp(at string, line *jet.Line, err error) error {
	if errors.Is(err, jet.ErrUnknown) {
		return noInvite(at, "it has no such code, or no longer")
	}
	return exit.Error{Code: exit.NoConsole, Text: fmt.Sprintf("no server of a fleet answers at %s: %s", PlainServer(at), line.State().Err), Hint: "look at the address, and whether the server runs there: aoctl fleet up", Cause: err}
}

func noInvite(at, why string) error {
	return exit.Error{Code: exit.Forbidden, Text: fmt.Sprintf("the server at %s does not let you in: %s", PlainServer(at), why), Hint: `have a new code shown, which is good once and for a short time: aoctl fleet invite`}
}

// Enrol tells the fleet who joins, and returns what was told. Errors: exit.Error.
func (me *Me) Enrol(ctx context.Context, code members.Code, key keys.Key, name string, role members.Role) (keys.Signed, error) {
	invite, err := code.Key()
	if err != nil {
		return keys.Signed{}, err
	}
	line, err := me.Dial(ctx, invite)
	if err != nil {
		return keys.Signed{}, err
	}
	defer line.Close()
	if err := Up(ctx, line); err != nil {
		return keys.Signed{}, notUp(me.Servers[0], line, err)
	}
	s, err := members.Enrol(code, key, me.Roster().Fleet, name, role, time.Now().UTC())
	if err != nil {
		return s, err
	}
	// The owner's screen closes the invite as soon as it was used, and the server this line with it: the
	// answer may be lost then. Whoever is not in the fleet after that hears so.
	if err := line.Enrol(ctx, key.Public().ID(), s); err != nil && !errors.Is(err, jet.ErrOut) {
		return s, noInvite(me.Servers[0], err.Error())
	}
	return s, nil
}

// EnrolMachine has this machine be in the fleet that a letter is of, and returns what its broker must know.
// Errors: exit.Error.
func EnrolMachine(ctx context.Context, letter members.Letter, code members.Code, name string) (m consoles.Membership, err error) {
	key, err := MachineKey()
	if err != nil {
		return m, err
	}
	me, err := New(letter.Roster, letter.Servers, letter.Pin)
	if err != nil {
		return m, err
	}
	joined, err := me.Enrol(ctx, code, key, name, members.Machine)
	if err != nil {
		return m, err
	}
	return me.Membership(&joined)
}

// Membership is what a machine's broker must know to be in the fleet. joined is the machine's enrolment, nil where
// the roster has the machine.
func (me *Me) Membership(joined *keys.Signed) (m consoles.Membership, err error) {
	m.Servers, m.Pin = me.Servers, me.Pin
	if m.Roster, err = keys.Encode(me.Signed()); err == nil && joined != nil {
		m.Joined, err = keys.Encode(*joined)
	}
	return m, err
}

// MachineName is what the fleet calls the machine.
func MachineName(as string) (string, error) {
	if as == "" {
		as, _ = os.Hostname() // then GoodName asks for one
	}
	return GoodName(as)
}

// GoodName is a name that the fleet can call somebody. Errors: usage.Error.
func GoodName(as string) (string, error) {
	if as == "" || broker.CheckName("name", as) != nil {
		return "", usage.Error{Text: fmt.Sprintf("the fleet cannot call anybody %q", as), Hint: "choose a short name with --as"}
	}
	return as, nil
}
