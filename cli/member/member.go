// Package member is the person at this terminal as a member of a fleet: their key, what they know of
// who is in it, and the way to its servers.
//
// All of it lies in the state folder: the key (console.key, which attaches to brokers too) and
// fleet.json, which Join or Begin wrote. The newest roster that was seen takes the place of the one
// there, when an owner of that signed it (Follow).
//
// What this machine's broker knows of the fleet is another matter, and stands in its log.
package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/hookclient/paths"
)

// fleetFile is where the state folder has which fleet the person is in.
const fleetFile = "fleet.json"

// GoodFor is how long a roster counts after an owner signed it. A machine that no server reaches takes
// orders of its people for so long; owners sign anew when half of it is over (Renew).
const GoodFor = 14 * 24 * time.Hour

// Me is a member. One goroutine uses it at a time.
type Me struct {
	Key     keys.Key
	Servers []string
	Pin     []byte

	book *members.Book
	file string
}

// record is what fleet.json has. Name is for whoever reads the file.
type record struct {
	Name    string   `json:"name"`
	Servers []string `json:"servers"`
	Pin     []byte   `json:"pin,omitempty"`
	Roster  []byte   `json:"roster"` // keys.Signed, CBOR
}

// Load is who this person is. Errors: exit.Error with NotFound where they are in no fleet.
func Load() (*Me, error) {
	me, err := bare()
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(me.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Error{Code: exit.NotFound, Text: "you are in no fleet", Hint: `begin one with "aoctl fleet init NAME", or join one: aoctl fleet join SERVER`}
	}
	var rec record
	if err == nil {
		err = json.Unmarshal(raw, &rec)
	}
	var s keys.Signed
	if err == nil && len(rec.Roster) == 0 {
		err = errors.New("it does not say who is in the fleet")
	}
	if err == nil {
		err = keys.Decode(rec.Roster, &s)
	}
	if err == nil {
		me.book, err = members.NewBook(s)
	}
	if err != nil {
		return nil, exit.Error{Code: exit.Failed, Text: fmt.Sprintf("cannot read %s: %v", me.file, exit.RootCause(err)), Hint: "move it away and join again", Cause: err}
	}
	me.Servers, me.Pin = rec.Servers, rec.Pin
	return me, nil
}

// InNone reports whether err, of Load, says that the person is in no fleet.
func InNone(err error) bool {
	e, ok := errors.AsType[exit.Error](err)
	return ok && e.Code == exit.NotFound
}

// bare is a person with a key and no fleet.
func bare() (*Me, error) {
	dir, err := paths.StateDir()
	if err != nil {
		return nil, err
	}
	if err = state.Prepare(dir); err != nil {
		return nil, err
	}
	k, err := keyIn(ConsoleKey)
	return &Me{Key: k, file: filepath.Join(dir, fleetFile)}, err
}

// MyKey is the person's key.
func MyKey() (keys.Key, error) {
	me, err := bare()
	if err != nil {
		return keys.Key{}, err
	}
	return me.Key, nil
}

// MachineKey is the key of this machine's broker.
func MachineKey() (keys.Key, error) { return keyIn(BrokerKey) }

// New is a person who is about to be in a fleet: they have its roster from somebody whom they trust.
// Nothing is written before Save. Errors: those of members.Read.
func New(roster keys.Signed, servers []string, pin []byte) (*Me, error) {
	me, err := bare()
	if err != nil {
		return nil, err
	}
	me.Servers, me.Pin = servers, pin
	me.book, err = members.NewBook(roster)
	return me, err
}

// Save writes down what is known.
func (me *Me) Save() error {
	s, r := me.book.Signed(), me.book.Roster()
	roster, err := keys.Encode(s)
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(record{r.Name, me.Servers, me.Pin, roster}, "", "  ")
	if err != nil {
		return err
	}
	return state.Replace(me.file, append(raw, '\n'))
}

// Forget removes what is known: the person is in no fleet.
func (me *Me) Forget() error { return os.Remove(me.file) }

// Member is the person as the roster has them. ok is false when it has them no longer.
func (me *Me) Member() (members.Member, bool) {
	r := me.book.Roster()
	return r.Of(me.Key.Public().Sign)
}

// Roster is who is in the fleet now, as far as is known here.
func (me *Me) Roster() members.Roster { return me.book.At(time.Now()) }

// Book is the same, for those who follow it on.
func (me *Me) Book() *members.Book { return me.book }

// Signed is the newest roster.
func (me *Me) Signed() keys.Signed { return me.book.Signed() }

// Dial connects to the fleet's servers. The line connects by itself when they cannot be reached now.
func (me *Me) Dial(ctx context.Context, key keys.Key) (*jet.Line, error) {
	r := me.book.Roster()
	return jet.Dial(ctx, jet.Options{Servers: me.Servers, Pin: me.Pin, Key: key, Fleet: r.Fleet, Name: "aoctl"})
}

// upTime is how long a command waits for a server.
const upTime = 10 * time.Second

// Reach is Dial for a command, which can do nothing without a server. The newest rosters are known
// then, and who joined since. Errors: exit.Error with NoConsole, and with Forbidden where
// the servers do not know the person.
func (me *Me) Reach(ctx context.Context) (*jet.Line, error) {
	if len(me.Servers) == 0 {
		return nil, exit.Error{Code: exit.NoConsole, Text: "your fleet has no server yet", Hint: "run one: aoctl fleet up"}
	}
	line, err := me.Dial(ctx, me.Key)
	if err != nil {
		return nil, err
	}
	if err = me.catchUp(ctx, line); err != nil {
		line.Close()
		return nil, err
	}
	return line, nil
}

func (me *Me) catchUp(ctx context.Context, line *jet.Line) error {
	ctx, stop := context.WithTimeout(ctx, upTime)
	defer stop()
	if err := Up(ctx, line); err != nil {
		return me.unreached(line, err)
	}
	known := me.book.Roster().Number
	rosters, joined, err := line.Members(ctx, known)
	if err != nil {
		return me.unreached(line, err)
	}
	for _, s := range rosters {
		if err := me.book.Follow(s); err != nil && !errors.Is(err, members.ErrOld) {
			return exit.Error{Code: exit.Unverified, Text: "the fleet's servers have a roster that cannot be taken: " + err.Error(), Hint: "ask an owner of the fleet; nothing was changed", Cause: err}
		}
	}
	for _, s := range joined {
		_, _ = me.book.Join(s, time.Now()) // one that is not good is none
	}
	if me.book.Roster().Number == known {
		return nil
	}
	return me.Save()
}

func (me *Me) unreached(line *jet.Line, err error) error {
	at := list(me.Servers)
	if errors.Is(err, jet.ErrUnknown) {
		return exit.Error{Code: exit.Forbidden, Text: fmt.Sprintf("the fleet's server at %s does not know you: you are in the fleet no longer, or not yet", at), Hint: "ask an owner of the fleet", Cause: err}
	}
	why := exit.RootCause(err).Error()
	if s := line.State(); s.Err != "" {
		why = s.Err
	}
	return exit.Error{Code: exit.NoConsole, Text: fmt.Sprintf("no server of the fleet answers at %s: %s", at, why), Hint: "look whether a server runs there: aoctl fleet up", Cause: err}
}

// unknownFor is how long servers may say that they do not know a key, before that is taken for an
// answer: one of several may not have the newest roster yet.
const unknownFor = 2 * time.Second

// refusedFor is how long a server may refuse connections that is being started.
const refusedFor = 3 * time.Second

var errRefused = errors.New("connection refused") // as systems say it

// Up waits until a line is up, for a command. Errors: jet.ErrUnknown, errRefused, and that of ctx.
func Up(ctx context.Context, line *jet.Line) error {
	var told, refused <-chan time.Time
	for {
		changed := line.Changed()
		s := line.State()
		switch {
		case s.Up:
			return nil
		case s.Err == jet.ErrUnknown.Error() && told == nil:
			told = time.After(unknownFor)
		case strings.HasSuffix(s.Err, errRefused.Error()) && refused == nil:
			refused = time.After(refusedFor)
		}
		select {
		case <-changed:
		case <-refused:
			if refused = nil; strings.HasSuffix(line.State().Err, errRefused.Error()) {
				return errRefused
			}
		case <-told:
			return jet.ErrUnknown
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// list is the addresses as a person types them.
func list(servers []string) string {
	first := strings.TrimPrefix(servers[0], "tls://")
	if len(servers) == 1 {
		return first
	}
	return fmt.Sprintf("%s and %d more", first, len(servers)-1)
}

// Change has an owner sign the next roster, and gives it to the fleet. change gets a copy of the one
// there is. Where another owner was quicker it is done anew on top of theirs. Errors: exit.Error with
// Forbidden for somebody who is no owner.
func (me *Me) Change(ctx context.Context, line *jet.Line, change func(r *members.Roster) error) error {
	for {
		m, ok := me.Member()
		if !ok || m.Role != members.Owner {
			return exit.Error{Code: exit.Forbidden, Text: "only an owner of the fleet may do this", Hint: "aoctl fleet list says who is"}
		}
		now := time.Now().UTC().Truncate(time.Second)
		next := me.book.Roster() // machines that joined with an invite stay as long as that is open
		next.Members = slices.Clone(next.Members)
		next.Number++
		next.At, next.Until = now, now.Add(GoodFor)
		next.Invites = stillOpen(next.Invites, now)
		if err := change(&next); err != nil {
			return err
		}
		if err := next.Check(); err != nil {
			return err
		}
		s, err := me.Key.Sign(keys.KindRoster, next)
		if err != nil {
			return err
		}
		err = line.PutRoster(ctx, next.Number, s)
		if errors.Is(err, jet.ErrTaken) {
			if err = me.catchUp(ctx, line); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return me.unreached(line, err)
		}
		if err := me.book.Follow(s); err != nil {
			return err
		}
		return me.Save()
	}
}

func stillOpen(invites []members.Invite, now time.Time) (open []members.Invite) {
	for _, in := range invites {
		if now.Before(in.Until) {
			open = append(open, in)
		}
	}
	return open
}

// Renew signs the roster anew when half of its time is over and the person is an owner.
func (me *Me) Renew(ctx context.Context, line *jet.Line) error {
	r := me.book.Roster()
	if m, ok := me.Member(); !ok || m.Role != members.Owner || time.Until(r.Until) > GoodFor/2 {
		return nil
	}
	return me.Change(ctx, line, func(*members.Roster) error { return nil })
}

// Serve notes where servers of the fleet are reached, with the pin of their key: all have one. Servers
// with another pin take the place of those that are known.
func (me *Me) Serve(pin []byte, at ...string) error {
	if !slices.Equal(me.Pin, pin) {
		me.Servers, me.Pin = nil, pin
	}
	for _, s := range at {
		if !slices.Contains(me.Servers, s) {
			me.Servers = append(me.Servers, s)
		}
	}
	return me.Save()
}
