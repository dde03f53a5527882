package server_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/aoctl/aoctl/broker/fleet/fleettest"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/server"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

var names = told.Names{Fleet: fleettest.ID}

func id(t *testing.T, seed byte) string {
	t.Helper()
	return fleettest.Key(t, seed).Public().ID()
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

const token = "0123456789abcdef"

// hostile is a member with a key that does what it likes.
type hostile struct {
	nc   *nats.Conn
	js   jetstream.JetStream
	nkey string
}

func connect(t *testing.T, f *fleettest.Fleet, k keys.Key) *hostile {
	t.Helper()
	nkey, err := jet.Nkey(k.Public().Sign)
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{nkey: nkey}
	h.nc, err = nats.Connect(f.Servers[0].URL(), nats.Secure(jet.TLS(f.Servers[0].Pin())), nats.Name(token), nats.CustomInboxPrefix(jet.Inbox(nkey)),
		nats.Nkey(nkey, func(nonce []byte) ([]byte, error) { return ed25519.Sign(k.Private(), nonce), nil }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.nc.Close)
	if h.js, err = jetstream.New(h.nc); err != nil {
		t.Fatal(err)
	}
	return h
}

// writes reports whether the server lets h publish.
func (h *hostile) writes(t *testing.T, subject string) bool {
	t.Helper()
	if err := h.nc.Publish(subject, []byte("junk")); err != nil {
		t.Fatal(err)
	}
	return !h.refused(t, subject)
}

// hears reports whether the server lets h listen.
func (h *hostile) hears(t *testing.T, subject string) bool {
	t.Helper()
	sub, err := h.nc.SubscribeSync(subject)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	return !h.refused(t, subject)
}

// refused reports whether the server's last error is about a subject.
func (h *hostile) refused(t *testing.T, subject string) bool {
	t.Helper()
	if err := h.nc.Flush(); err != nil { // errors come before its answer
		t.Fatal(err)
	}
	err := h.nc.LastError()
	return err != nil && strings.Contains(strings.ToLower(err.Error()), strings.ToLower(strconv.Quote(subject)))
}

// Each role may use the subjects that its work takes, and no other.
func TestEachRoleMayDoItsWorkAlone(t *testing.T) {
	t.Parallel()
	f, code := invited(t, members.Watcher, time.Hour)
	guest, err := code.Key()
	if err != nil {
		t.Fatal(err)
	}
	who := map[string]*hostile{"guest": connect(t, f, guest)}
	for name, seed := range map[string]byte{"owner": fleettest.Owner, "operator": fleettest.Operator, "guard": fleettest.Guard, "watcher": fleettest.Watcher, "machine": fleettest.Machine} {
		who[name] = connect(t, f, fleettest.Key(t, seed))
	}
	const (
		all     = "owner operator guard watcher machine guest"
		persons = "owner operator guard watcher"
		nobody  = ""
	)
	m, other := id(t, fleettest.Machine), id(t, fleettest.Machine2)
	api := "$JS.API."
	for _, c := range []struct{ subject, may string }{
		{names.At(m, "events.s"), "machine"},
		{names.At(m, "state.health"), "machine"},
		{names.At(m, "keys.e"), "machine"},
		{names.At(m, "beat"), "machine"},
		{names.At(other, "events.s"), nobody},
		{names.At(other, "state.health"), nobody},
		{names.At(other, "keys.e"), nobody},
		{names.At(other, "beat"), nobody},
		{names.At(m, "hello"), persons},
		{names.At(m, "orders.now"), "owner operator guard"},
		{names.At(m, "orders.wait"), "owner operator guard"},
		{names.At(other, "queue"), "machine"},
		{names.Claim("abc"), "machine"},
		{names.Roster(7), "owner"},
		{names.Invite("abc"), "owner"},
		{names.Dropped("abc"), "owner"},
		{names.Enrolment(other), "guest"},
		{"aoctl.other-fleet." + m + ".events.s", nobody},
		{"aoctl.other-fleet.roster.7", nobody},
		{jet.Inbox(who["owner"].nkey) + ".x", nobody},
		{"$SYS.REQ.SERVER.PING", nobody},
		{"$JS.ACK." + told.StreamOrders + "." + other + ".1.1.1.1.1", nobody},
		{api + "INFO", nobody},
		{api + "STREAM.NAMES", nobody},
		{api + "STREAM.LIST", nobody},
		{api + "STREAM.CREATE.X", nobody},
		{api + "STREAM.UPDATE." + told.StreamEvents, nobody},
		{api + "STREAM.DELETE." + told.StreamEvents, nobody},
		{api + "STREAM.PURGE." + told.StreamEvents, nobody},
		{api + "STREAM.SNAPSHOT." + told.StreamEvents, nobody},
		{api + "STREAM.RESTORE." + told.StreamEvents, nobody},
		{api + "STREAM.MSG.DELETE." + told.StreamMembers, nobody},
		{api + "STREAM.MSG.GET." + told.StreamEvents, persons},
		{api + "STREAM.MSG.GET." + told.StreamMembers, nobody},
		{api + "STREAM.LEADER.STEPDOWN." + told.StreamEvents, nobody},
		{api + "META.LEADER.STEPDOWN", nobody},
		{api + "DIRECT.GET." + told.StreamEvents, nobody},
		{api + "DIRECT.GET." + told.StreamEvents + "." + names.EventsOf(other), nobody},
		{api + "DIRECT.GET." + told.StreamEvents + "." + names.EventsOf(m), "machine"},
		{api + "DIRECT.GET." + told.StreamMembers + "." + names.Invite("abc"), "guest"},
		{api + "DIRECT.GET." + told.StreamMembers + "." + names.Roster(1), nobody},
		{api + "DIRECT.GET." + told.StreamClaims + "." + names.Claim("abc"), "machine"},
		{api + "DIRECT.GET." + told.StreamClaims, nobody},
		{api + "STREAM.MSG.GET." + told.StreamClaims, nobody},
		{api + "CONSUMER.CREATE." + told.StreamClaims + ".x." + names.Claim("*"), nobody},
		{api + "CONSUMER.CREATE." + told.StreamEvents, nobody},
		{api + "CONSUMER.CREATE." + told.StreamEvents + ".x", nobody},
		{api + "CONSUMER.CREATE." + told.StreamEvents + ".x." + names.EventsOf(m), nobody},
		{api + "CONSUMER.CREATE." + told.StreamEvents + "." + jet.Reader(who["machine"].nkey, token, jet.ReadsEvents) + "." + names.EventsOf(other), nobody},
		{api + "CONSUMER.CREATE." + told.StreamEvents + "." + jet.Reader(who["machine"].nkey, token, jet.ReadsEvents) + "." + names.EventsOf(m), "machine"},
		{api + "CONSUMER.CREATE." + told.StreamEvents + "." + jet.Reader(who["watcher"].nkey, token, jet.ReadsEvents) + "." + names.EventsOf(m), "watcher"},
		{api + "CONSUMER.CREATE." + told.StreamStates + "." + jet.Reader(who["machine"].nkey, token, jet.ReadsStates), nobody},
		{api + "CONSUMER.CREATE." + told.StreamStates + "." + jet.Reader(who["watcher"].nkey, token, jet.ReadsStates), "watcher"},
		{api + "CONSUMER.CREATE." + told.StreamOrders + "." + m + "." + names.At(m, "orders.wait"), "machine"},
		{api + "CONSUMER.CREATE." + told.StreamOrders + "." + m + "." + names.At(other, "orders.wait"), nobody},
		{api + "CONSUMER.CREATE." + told.StreamOrders + "." + other + "." + names.At(other, "orders.wait"), nobody},
		{api + "CONSUMER.CREATE." + told.StreamMembers + "." + jet.Reader(who["guest"].nkey, token, jet.ReadsEnrolments) + "." + names.Enrolment("*"), nobody},
		{api + "CONSUMER.DELETE." + told.StreamOrders + "." + m, nobody},
		{api + "CONSUMER.DELETE." + told.StreamStates + "." + jet.Reader(who["watcher"].nkey, token, jet.ReadsStates), "watcher"},
		{api + "CONSUMER.DURABLE.CREATE." + told.StreamEvents + ".x", nobody},
		{api + "CONSUMER.NAMES." + told.StreamEvents, nobody},
		{api + "STREAM.INFO." + told.StreamOrders, persons},
		{api + "STREAM.INFO." + told.StreamEvents, nobody},
	} {
		for _, name := range strings.Fields(all) {
			if may := slices.Contains(strings.Fields(c.may), name); who[name].writes(t, c.subject) != may {
				t.Errorf("%s publishes at %s: %v, want %v", name, c.subject, !may, may)
			}
		}
	}
	for _, c := range []struct{ subject, may string }{
		{names.At("*", "beat"), persons},
		{names.At(m, "hello"), "machine"},
		{names.At(m, "orders.now"), "machine"},
		{names.At(other, "orders.now"), nobody},
		{names.At("*", "orders.now"), nobody},
		{names.At(m, "orders.wait"), nobody},
		{names.At(m, "queue"), "machine"},
		{names.At(other, "queue"), nobody},
		{names.Claim("abc"), nobody},
		{names.At(other, "events.>"), nobody},
		{names.Rosters(), nobody},
		{names.Dropped("*"), nobody},
		{"$SYS.>", nobody},
		{"$JS.>", nobody},
		{">", nobody},
		{"_INBOX.>", nobody},
		{jet.Inbox(who["owner"].nkey) + ".>", "owner"},
	} {
		for _, name := range strings.Fields(all) {
			if may := slices.Contains(strings.Fields(c.may), name); who[name].hears(t, c.subject) != may {
				t.Errorf("%s listens at %s: %v, want %v", name, c.subject, !may, may)
			}
		}
	}
}

// Whoever cannot sign the server's nonce with the key of a member does not come in.
func TestOnlyMembersComeIn(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	k, stranger := fleettest.Key(t, fleettest.Owner), fleettest.Key(t, 99)
	nkey, err := jet.Nkey(k.Public().Sign)
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := jet.Nkey(stranger.Public().Sign)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(k keys.Key, nonce func([]byte) []byte) nats.SignatureHandler {
		return func(raw []byte) ([]byte, error) { return ed25519.Sign(k.Private(), nonce(raw)), nil }
	}
	same := func(raw []byte) []byte { return raw }
	pin := nats.Secure(jet.TLS(f.Servers[0].Pin()))
	for name, o := range map[string][]nats.Option{
		"without a key":      {pin, nats.Name(token)},
		"another's key":      {pin, nats.Name(token), nats.Nkey(nkey, sign(stranger, same))},
		"another nonce":      {pin, nats.Name(token), nats.Nkey(nkey, sign(k, func([]byte) []byte { return []byte("old") }))},
		"an unknown key":     {pin, nats.Name(token), nats.Nkey(unknown, sign(stranger, same))},
		"the server's name":  {pin, nats.Name("server"), nats.UserInfo("server", "")},
		"a wildcard's token": {pin, nats.Name("*"), nats.Nkey(nkey, sign(k, same))},
		"no token":           {pin, nats.Nkey(nkey, sign(k, same))},
	} {
		if nc, err := nats.Connect(f.Servers[0].URL(), o...); err == nil {
			nc.Close()
			t.Errorf("%s comes in", name)
		} else if !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if nc, err := nats.Connect(strings.Replace(f.Servers[0].URL(), "tls:", "nats:", 1), nats.Name(token), nats.Nkey(nkey, sign(k, same))); err == nil {
		nc.Close()
		t.Error("somebody comes in whom nothing tells which server this is")
	}
}

// A member has so many lines and no more, and room again when one ends.
func TestLinesOfOneMemberAreBounded(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	k := fleettest.Key(t, fleettest.Machine)
	var list []*hostile
	for range 16 {
		list = append(list, connect(t, f, k))
	}
	nkey := list[0].nkey
	again := func() error {
		nc, err := nats.Connect(f.Servers[0].URL(), nats.Secure(jet.TLS(f.Servers[0].Pin())), nats.Name(token),
			nats.Nkey(nkey, func(nonce []byte) ([]byte, error) { return ed25519.Sign(k.Private(), nonce), nil }))
		if err == nil {
			nc.Close()
		}
		return err
	}
	if err := again(); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("one line more: %v", err)
	}
	connect(t, f, fleettest.Key(t, fleettest.Machine2)) // others are not in it
	list[0].nc.Close()
	for ctx := within(t); again() != nil; {
		if ctx.Err() != nil {
			t.Fatal("there is no room again")
		}
	}
}

// A member that connects again and again, each time as another line, would leave a reader behind that
// stays: the server would be full of them in the end.
func TestNoReaderStaysBehind(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	h := connect(t, f, fleettest.Key(t, fleettest.Machine))
	name, mine := jet.Reader(h.nkey, token, jet.ReadsStates), names.StatesOf(id(t, fleettest.Machine))
	c := jetstream.ConsumerConfig{Name: name, Durable: name, FilterSubject: mine, AckPolicy: jetstream.AckNonePolicy, InactiveThreshold: 24 * time.Hour}
	if _, err := h.js.CreateConsumer(within(t), told.StreamStates, c); err == nil {
		t.Error("a reader that nobody uses stays for a day")
	}
	c.InactiveThreshold = 0
	made, err := h.js.CreateConsumer(within(t), told.StreamStates, c)
	if err != nil {
		t.Fatal(err)
	}
	if idle := made.CachedInfo().Config.InactiveThreshold; idle <= 0 || idle > 5*time.Minute {
		t.Errorf("a reader that says nothing of it stays for %s", idle)
	}
}

// Nothing stays of what there is at a machine that is out: the servers would fill up with jobs that were killed.
// What a machine told that goes on in a later roster stays, and so does what is of nobody for the first time.
func TestNoStateOfWhoIsOutStays(t *testing.T) {
	t.Parallel()
	f, code := invited(t, members.Machine, time.Hour)
	ctx := within(t)
	k, err := code.Key()
	if err != nil {
		t.Fatal(err)
	}
	guest := up(t, f, k)
	const job, kept = 77, 78
	for _, seed := range []byte{job, kept} {
		s, err := members.Enrol(code, fleettest.Key(t, seed), fleettest.ID, "dev", members.Machine, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if err := guest.Enrol(ctx, id(t, seed), s); err != nil {
			t.Fatal(err)
		}
	}
	for _, seed := range []byte{fleettest.Machine, fleettest.Machine2, job, kept} {
		l := up(t, f, fleettest.Key(t, seed))
		if err := l.States(id(t, seed)).Put(ctx, []link.Message{{Subject: names.At(id(t, seed), "state.health"), Body: []byte("x")}, {Subject: letter(t, seed), Body: []byte("key")}}); err != nil {
			t.Fatal(err)
		}
		taking, end := context.WithCancel(ctx)
		go func() {
			_ = l.TakeOrders(taking, id(t, seed), func(context.Context, []byte, bool) []byte { return nil })
		}()
		for list := 0; list == 0; list = len(readers(ctx, t, f, id(t, seed))) {
			if ctx.Err() != nil {
				t.Fatal("it does not look for orders")
			}
		}
		end()
	}
	// there are the machines of which a console reads states.
	there := func() (list []string) {
		reading, end := context.WithCancel(ctx)
		defer end()
		_ = f.As(t, fleettest.Owner).Watch(reading, func(subject string, _ []byte) {
			if machine, place, _ := names.Split(subject); place == "state.health" {
				list = append(list, machine)
			}
		}, end)
		slices.Sort(list)
		return list
	}
	next := f.Roster
	next.Number, next.Invites = 2, nil
	next.Members = append(slices.DeleteFunc(slices.Clone(next.Members), func(m members.Member) bool { return m.ID() == id(t, fleettest.Machine) }), fleettest.Member(t, kept, members.Machine))
	if err := f.As(t, fleettest.Owner).PutRoster(ctx, 2, fleettest.Sign(t, next)); err != nil {
		t.Fatal(err)
	}
	again(ctx, t, f, func(*server.Options) {}) // it was away when the job's invite ended
	sweep := func(was map[string]bool) map[string]bool {
		for {
			out, err := f.Servers[0].Sweep(ctx, was)
			if err == nil {
				return out
			}
			if ctx.Err() != nil {
				t.Fatal(err)
			}
		}
	}
	out := sweep(nil)
	if list := there(); len(list) != 4 || len(out) != 2 || !out[id(t, fleettest.Machine)] || !out[id(t, job)] {
		t.Fatalf("there are states of %q, and out are %v", list, out)
	}
	out = sweep(out)
	want := []string{id(t, fleettest.Machine2), id(t, kept)}
	slices.Sort(want)
	if list := there(); !slices.Equal(list, want) || len(out) > 0 {
		t.Errorf("there are states of %q, not of %q, and out are %v", list, want, out)
	}
	for seed, ends := range map[byte]bool{job: true, kept: false} { // its events need it
		if m, err := stream(ctx, t, f, told.StreamStates).GetLastMsgForSubject(ctx, letter(t, seed)); err != nil || string(m.Data) != "key" || (m.Header.Get(jetstream.MsgTTLHeader) != "") != ends {
			t.Errorf("a letter of keys, which ends %t: %+v, %v", ends, m, err)
		}
	}
	if left := readers(ctx, t, f, id(t, job)); len(left) > 0 || len(readers(ctx, t, f, id(t, kept))) == 0 {
		t.Errorf("the job looks for orders still: %q", left)
	}
}

// readers are those of waiting orders that have a name.
func readers(ctx context.Context, t *testing.T, f *fleettest.Fleet, name string) (list []string) {
	t.Helper()
	for n := range stream(ctx, t, f, told.StreamOrders).ConsumerNames(ctx).Name() {
		if n == name {
			list = append(list, n)
		}
	}
	return list
}

func stream(ctx context.Context, t *testing.T, f *fleettest.Fleet, name string) jetstream.Stream {
	t.Helper()
	s, err := f.Servers[0].Stream(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// letter is where a machine's letter of keys lies.
func letter(t *testing.T, seed byte) string {
	t.Helper()
	return names.At(id(t, seed), "keys.e")
}

// Whoever is put out of the roster, or has another role in it, loses the line at once.
func TestWhoIsPutOutIsOutAtOnce(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	ctx := within(t)
	owner, machine, operator := f.As(t, fleettest.Owner), f.As(t, fleettest.Machine), f.As(t, fleettest.Operator)
	next := f.Roster
	next.Number = 2
	next.Members = slices.DeleteFunc(slices.Clone(next.Members), func(m members.Member) bool { return m.ID() == id(t, fleettest.Machine) })
	next.Members[1].Role = members.Watcher // the operator
	if err := owner.PutRoster(ctx, 2, fleettest.Sign(t, next)); err != nil {
		t.Fatal(err)
	}
	fleettest.Until(t, machine, func(s jet.State) bool { return s.Err == jet.ErrUnknown.Error() })
	if err := machine.Beat(id(t, fleettest.Machine), nil); !errors.Is(err, jet.ErrOut) {
		t.Errorf("it still tells: %v", err)
	}
	fleettest.Until(t, operator, func(s jet.State) bool { return s.Up && s.Since.After(owner.State().Since) })
	short, end := context.WithTimeout(ctx, 500*time.Millisecond)
	defer end()
	if err := operator.LeaveOrder(short, id(t, fleettest.Machine2), "x", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("who is a watcher now orders: %v", err)
	}
	if !owner.State().Up {
		t.Error("the owner is out as well")
	}
	// A server that starts anew knows it from its folder, whatever roster it is given.
	f.Servers[0].Close()
	s, err := server.Start(ctx, f.Options[0])
	if err != nil {
		t.Fatal(err)
	}
	f.Servers[0] = s
	fleettest.Until(t, f.Line(t, fleettest.Key(t, fleettest.Machine)), func(s jet.State) bool { return s.Err == jet.ErrUnknown.Error() })
}

// An invite ends by time, for who has its key and for the machine that joined with it.
// invited is a fleet whose roster has the invite of a code.
func invited(t *testing.T, most members.Role, open time.Duration) (*fleettest.Fleet, members.Code) {
	t.Helper()
	code := members.NewCode()
	return fleettest.Start(t, 1, func(_ *server.Options, r *members.Roster) {
		invite, err := code.Invite(most, time.Now().Add(open))
		if err != nil {
			t.Fatal(err)
		}
		r.Invites = []members.Invite{invite}
	}), code
}

// up is a line that is up, of who has a key.
func up(t *testing.T, f *fleettest.Fleet, k keys.Key) *jet.Line {
	t.Helper()
	l := f.Line(t, k)
	fleettest.Until(t, l, func(s jet.State) bool { return s.Up })
	return l
}

func TestInvitesEnd(t *testing.T) {
	t.Parallel()
	f, code := invited(t, members.Watcher, 3*time.Second)
	k, err := code.Key()
	if err != nil {
		t.Fatal(err)
	}
	guest, mine := up(t, f, k), fleettest.Key(t, 77)
	s, err := members.Enrol(code, mine, fleettest.ID, "dev", members.Machine, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := guest.Enrol(within(t), mine.Public().ID(), s); err != nil {
		t.Fatal(err)
	}
	machine := up(t, f, mine)
	fleettest.Until(t, machine, func(s jet.State) bool { return s.Err == jet.ErrUnknown.Error() })
	fleettest.Until(t, guest, func(s jet.State) bool { return s.Err == jet.ErrUnknown.Error() })
}

// A machine that took its enrolment back is out, and nobody enrols it again while its invite is open, whatever
// server was away meanwhile. Others read so long that it is gone.
func TestWhoIsGoneStaysGone(t *testing.T) {
	t.Parallel()
	f, code := invited(t, members.Machine, time.Hour)
	ctx := within(t)
	k, err := code.Key()
	if err != nil {
		t.Fatal(err)
	}
	guest, mine := up(t, f, k), fleettest.Key(t, 77)
	enrol := func() {
		t.Helper()
		s, err := members.Enrol(code, mine, fleettest.ID, "dev", members.Machine, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if err := guest.Enrol(ctx, mine.Public().ID(), s); err != nil {
			t.Fatal(err)
		}
	}
	enrol()
	machine := up(t, f, mine)
	bye, err := members.Withdraw(mine, fleettest.ID, k.Public().Sign)
	if err != nil {
		t.Fatal(err)
	}
	if err := jet.Machine(machine).Enrol(ctx, told.Gone(mine.Public().ID()), bye); err != nil {
		t.Fatal(err)
	}
	out := func(l *jet.Line) {
		fleettest.Until(t, l, func(s jet.State) bool { return s.Err == jet.ErrUnknown.Error() })
	}
	out(machine)
	// stands waits until so many enrolments stand in the stream, and as many words that somebody is gone.
	stands := func(enrolments, gone int) {
		t.Helper()
		owner := f.As(t, fleettest.Owner)
		for {
			_, list, err := owner.Members(ctx, 0)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, s := range list {
				if _, err := members.Withdrawn(s, fleettest.ID); err == nil {
					n++
				}
			}
			if n == gone && len(list)-n == enrolments {
				return
			}
		}
	}
	stands(0, 1)
	again(ctx, t, f, func(*server.Options) {})
	stands(0, 1)
	guest = up(t, f, k)
	enrol()
	stands(0, 1)
	out(f.Line(t, mine))
	next := f.Roster
	next.Number, next.Invites = 2, nil
	if err := f.As(t, fleettest.Owner).PutRoster(ctx, 2, fleettest.Sign(t, next)); err != nil {
		t.Fatal(err)
	}
	stands(0, 0) // the invite is over
}

// What is no enrolment of that member keeps nobody's place, and no roster that is not an owner's does.
func TestJunkKeepsNoPlace(t *testing.T) {
	t.Parallel()
	f, code := invited(t, members.Watcher, time.Hour)
	ctx := within(t)
	k, err := code.Key()
	if err != nil {
		t.Fatal(err)
	}
	guest, mine, other := f.Line(t, k), fleettest.Key(t, 77), fleettest.Key(t, 78)
	fleettest.Until(t, guest, func(s jet.State) bool { return s.Up })
	enrol := func(k keys.Key) keys.Signed {
		s, err := members.Enrol(code, k, fleettest.ID, "dev", members.Machine, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, s := range map[string]keys.Signed{"junk": {Body: []byte("junk")}, "another's": enrol(other)} {
		err := guest.Enrol(ctx, mine.Public().ID(), s)
		for errors.Is(err, jet.ErrTaken) { // by the one before, which is taken out
			err = guest.Enrol(ctx, mine.Public().ID(), s)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	err = guest.Enrol(ctx, mine.Public().ID(), enrol(mine))
	for errors.Is(err, jet.ErrTaken) && ctx.Err() == nil {
		err = guest.Enrol(ctx, mine.Public().ID(), enrol(mine))
	}
	if err != nil {
		t.Fatal(err)
	}
	fleettest.Until(t, f.Line(t, mine), func(s jet.State) bool { return s.Up })
	if err := guest.Enrol(ctx, mine.Public().ID(), enrol(mine)); !errors.Is(err, jet.ErrTaken) {
		t.Errorf("an enrolment that holds is replaced: %v", err)
	}

	owner := f.As(t, fleettest.Owner)
	next := f.Roster
	next.Number = 2
	forged, err := other.Sign(keys.KindRoster, next)
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.PutRoster(ctx, 2, forged); err != nil {
		t.Fatal(err)
	}
	err = owner.PutRoster(ctx, 2, fleettest.Sign(t, next))
	for errors.Is(err, jet.ErrTaken) && ctx.Err() == nil {
		err = owner.PutRoster(ctx, 2, fleettest.Sign(t, next))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A full stream says so, and takes more when there is room again.
func TestFullStream(t *testing.T) {
	t.Parallel()
	const most = 4 << 20
	f := fleettest.Start(t, 1, func(o *server.Options, _ *members.Roster) { o.MaxEvents = most })
	ctx := within(t)
	m := id(t, fleettest.Machine)
	e := f.As(t, fleettest.Machine).Events(m)
	var after uint64
	list := func(n int) (list []link.Message) {
		for i := range 4 {
			list = append(list, link.Message{Subject: names.At(m, "events.s"), ID: fmt.Sprintf("%d/%d", n, i), Body: make([]byte, 100<<10)})
		}
		return list
	}
	var err error
	var seq uint64
	n := 0
	for ; n < 20; n++ {
		if seq, err = e.Append(ctx, after, list(n)); err != nil {
			break
		}
		after = seq
	}
	if !errors.Is(err, link.ErrFull) {
		t.Fatalf("after %d times: %v", n, err)
	}
	if _, err := e.Append(ctx, after, list(n)[:1]); err == nil {
		after++ // one alone may fit still
	} else if !errors.Is(err, link.ErrFull) {
		t.Errorf("one alone: %v", err)
	}
	if last, err := e.Newest(ctx); err != nil || last.Seq != after {
		t.Errorf("the newest is %d, %v; want %d", last.Seq, err, after)
	}
	f.Servers[0].Close()
	f.Options[0].MaxEvents = 2 * most
	if f.Servers[0], err = server.Start(ctx, f.Options[0]); err != nil {
		t.Fatal(err)
	}
	e = f.As(t, fleettest.Machine).Events(m)
	if _, err := e.Append(ctx, after, list(n+1)); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// Whoever starts the servers with less room than before keeps what is there: the stream is full then.
func TestLessRoomThanBefore(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			f := fleettest.Start(t, n, func(o *server.Options, _ *members.Roster) { o.MaxEvents = 8 << 30 })
			ctx := within(t)
			m := id(t, fleettest.Machine)
			list := func(n int) (list []link.Message) {
				for i := range 4 {
					list = append(list, link.Message{Subject: names.At(m, "events.s"), ID: fmt.Sprintf("%d/%d", n, i), Body: make([]byte, 100<<10)})
				}
				return list
			}
			after, err := f.As(t, fleettest.Machine).Events(m).Append(ctx, 0, list(0))
			if err != nil {
				t.Fatal(err)
			}
			again(ctx, t, f, func(o *server.Options) { o.MaxEvents = 64 << 10 })
			e := f.As(t, fleettest.Machine).Events(m)
			if last, err := e.Newest(ctx); err != nil || last.Seq != after {
				t.Errorf("the newest is %d, %v; want %d", last.Seq, err, after)
			}
			if _, err := e.Append(ctx, after, list(1)); !errors.Is(err, link.ErrFull) {
				t.Errorf("there is no room: %v", err)
			}
		})
	}
}

// again ends all servers, and starts them with other options.
func again(ctx context.Context, t *testing.T, f *fleettest.Fleet, change func(*server.Options)) {
	t.Helper()
	for _, s := range f.Servers {
		s.Close()
	}
	var all sync.WaitGroup
	for i := range f.Servers {
		change(&f.Options[i])
		all.Go(func() {
			var err error
			if f.Servers[i], err = server.Start(ctx, f.Options[i]); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// A machine that begins batches and ends none, as many as the server takes, keeps no other from telling.
func TestOpenBatchesKeepNobodyOut(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	ctx := within(t)
	h := connect(t, f, fleettest.Key(t, fleettest.Machine2))
	begin := func(n int) string {
		m := nats.NewMsg(names.At(id(t, fleettest.Machine2), "events.s"))
		m.Data = []byte("junk")
		m.Header.Set("Nats-Batch-Id", fmt.Sprint("open", n))
		m.Header.Set("Nats-Batch-Sequence", "1")
		a, err := h.nc.RequestMsgWithContext(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		return string(a.Data)
	}
	n := 0
	for ; begin(n) == ""; n++ {
		if n > 1000 {
			t.Fatal("the server takes any number of batches")
		}
	}
	m := id(t, fleettest.Machine)
	w := &writer{events: f.As(t, fleettest.Machine).Events(m), machine: m, batch: 20}
	if err := w.until(ctx, 40); err != nil {
		t.Fatal(err)
	}
	if again := begin(n + 1); again == "" {
		t.Error("there was room for a batch all the time")
	}
	wantAll(t, f.As(t, fleettest.Watcher), m, 40)
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	first := fleettest.Sign(t, fleettest.NewRoster(t))
	foreign := fleettest.NewRoster(t)
	foreign.Fleet, foreign.Number = "other-fleet", 2
	for name, change := range map[string]func(*server.Options){
		"no roster":    func(o *server.Options) { o.Fleet = keys.Signed{} },
		"a forged one": func(o *server.Options) { o.Fleet.Sig = make([]byte, 64) },
		"no address":   func(o *server.Options) { o.Listen = "somewhere" },
		"no free port": func(o *server.Options) { o.Listen = "127.0.0.1:99999" },
		"a broken route": func(o *server.Options) {
			o.Cluster = server.Cluster{Name: "c", Listen: "127.0.0.1:0", Routes: []string{"nowhere"}}
		},
	} {
		o := server.Options{Folder: t.TempDir(), Listen: "127.0.0.1:0", Fleet: first}
		change(&o)
		if s, err := server.Start(within(t), o); err == nil {
			s.Close()
			t.Errorf("%s: it starts", name)
		}
	}
	o := server.Options{Folder: t.TempDir(), Listen: "127.0.0.1:0", Fleet: first}
	s, err := server.Start(within(t), o)
	if err != nil {
		t.Fatal(err)
	}
	pin := s.Pin()
	if two, err := server.Start(within(t), o); err == nil {
		two.Close()
		t.Error("two servers have one folder")
	}
	s.Close()
	o.Fleet = fleettest.Sign(t, foreign)
	if s, err := server.Start(within(t), o); !errors.Is(err, members.ErrOther) {
		t.Errorf("with another fleet's roster: %v", err)
		s.Close()
	}
	o.Fleet = keys.Signed{}
	if s, err = server.Start(within(t), o); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !slices.Equal(s.Pin(), pin) {
		t.Error("it has another key now")
	}
}

// Events are kept for as long as the server is told.
func TestKeep(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, func(o *server.Options, _ *members.Roster) { o.Keep = 48 * time.Hour })
	s, err := f.Servers[0].Stream(within(t), told.StreamEvents)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.CachedInfo().Config.MaxAge; got != 48*time.Hour {
		t.Errorf("they are kept for %v", got)
	}
}
