package e2e

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	client "github.com/nats-io/nats.go"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

func (h *fleetHand) boot(ts *testscript.TestScript, args []string) error {
	if err := h.up(); err != nil {
		return err
	}
	m, err := h.machine(args[1])
	if err != nil {
		return err
	}
	at := h.names().At(m.ID(), told.PlaceHello)
	if !eventually(func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		var s keys.Signed
		var t told.Told
		raw, e := h.line.Hello(ctx, m.ID(), []byte("script"))
		if e == nil {
			e = keys.Decode(raw, &s)
		}
		if e == nil {
			t, e = h.names().Hear(at, s, m)
		}
		err = e
		ts.Setenv(args[0], t.Boot)
		return e == nil
	}) {
		return fmt.Errorf("%s does not say which run of its broker this is: %w", args[1], err)
	}
	return nil
}

func (h *fleetHand) order(ts *testscript.TestScript, args []string) error {
	m, err := h.machine(args[1])
	if err != nil {
		return err
	}
	o := orders.Order{Fleet: h.names().Fleet, Machine: m.ID(), Boot: args[2], Number: uint64(time.Now().UnixNano()), Expires: time.Now().Add(orders.MostLive - 5*time.Second), Method: args[3]}
	if o.Boot == "waits" {
		o.Boot, o.Expires = "", time.Now().Add(orders.MostWait-time.Hour)
	}
	var in any = struct{}{}
	switch args[3] {
	case "allow", "deny":
		call, err := waitingAt(ts.Getenv("AOCTL_HOME"), args[4])
		if err != nil {
			return err
		}
		o.Method = "Calls.Decide"
		in = consoles.Decided{ID: call.ID, Decision: broker.Decision{Verdict: broker.Verdict(args[3]), Digest: call.Digest}}
	case "Calls.Freeze":
		in = consoles.Switch{On: true}
	}
	if o.Body, err = consoles.Marshal(in); err != nil {
		return err
	}
	s, err := o.Sign(h.key)
	return errors.Join(err, writeSigned(ts.MkAbs(args[0]), s))
}

// waitingAt is the call that waits at the broker of a state folder and whose input has a text.
func waitingAt(home, ref string) (broker.Request, error) {
	var waiting []broker.Request
	if err := newScriptAPI(home).get("/approval-requests?status=pending", &waiting); err != nil {
		return broker.Request{}, err
	}
	for _, r := range waiting {
		if bytes.Contains(r.ToolInput, []byte(ref)) {
			return r, nil
		}
	}
	return broker.Request{}, fmt.Errorf("no call that fits %q waits", ref)
}

func writeSigned(file string, s keys.Signed) error {
	raw, err := keys.Encode(s)
	if err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o600)
}

func readSigned(ts *testscript.TestScript, file string) (s keys.Signed, raw []byte, err error) {
	raw = []byte(ts.ReadFile(file))
	return s, raw, keys.Decode(raw, &s)
}

// send gives a machine orders. Who sends them is not who signed them.
func (h *fleetHand) send(ts *testscript.TestScript, args []string) error {
	m, err := h.machine(args[0])
	if err != nil {
		return err
	}
	nc := h.hub
	if nc == nil {
		if nc, err = h.raw(h.key); err != nil {
			return err
		}
		defer nc.Close()
	}
	for _, file := range args[1:] {
		s, _, err := readSigned(ts, file)
		if err != nil {
			return err
		}
		sealed, err := orders.Seal(s, h.names().Fleet, m.Public)
		if err != nil {
			return err
		}
		answer := "nothing"
		if !eventually(func() bool { // it may be on its way back to this server
			raw, e := nc.Request(h.names().At(m.ID(), told.PlaceOrders), sealed, 2*time.Second)
			if e == nil && len(raw.Data) > 0 {
				answer = "it is not for this key"
				if a, e := orders.OpenAnswer(raw.Data, h.key, h.names().Fleet, m, orders.Mark(s)); e == nil {
					answer = "done " + a.Refused
				}
			}
			err = e
			return e == nil || h.hub == nil
		}) {
			return err
		}
		if err != nil {
			answer = fmt.Sprint(err, " ", nc.LastError())
		}
		_, _ = fmt.Fprintf(ts.Stdout(), "%s: %s\n", file, answer)
	}
	return nil
}

// raw is a connection with a key, without what aoctl's own lines do for themselves.
func (h *fleetHand) raw(k keys.Key) (*client.Conn, error) {
	nkey, err := jet.Nkey(k.Public().Sign)
	if err != nil {
		return nil, err
	}
	private := k.Private()
	return client.Connect(h.lead.Servers[0], client.Name("0123456789abcdef script"), client.Secure(jet.TLS(h.lead.Pin)), client.CustomInboxPrefix(jet.Inbox(nkey)),
		client.Nkey(nkey, func(nonce []byte) ([]byte, error) { return ed25519.Sign(private, nonce), nil }), client.NoReconnect(),
		client.ErrorHandler(func(*client.Conn, *client.Subscription, error) {})) // see LastError
}

func (h *fleetHand) roster(ts *testscript.TestScript, args []string) error {
	if err := h.up(); err != nil {
		return err
	}
	next := h.book.Roster()
	next.Members = slices.Clone(next.Members)
	next.Number++
	next.At, next.Until = time.Now().UTC().Truncate(time.Second), time.Now().UTC().Add(time.Hour).Truncate(time.Second)
	i := slices.IndexFunc(next.Members, func(m members.Member) bool { return m.Name == args[2] })
	switch {
	case args[1] == "owner" && i >= 0:
		next.Members[i].Role = members.Owner
	case args[1] == "owner":
		next.Members = append(next.Members, members.Member{Public: h.key.Public(), Name: args[2], Role: members.Owner})
	case args[1] == "out" && i >= 0:
		next.Members = slices.Delete(next.Members, i, i+1)
	case args[1] == "until":
		d, err := time.ParseDuration(args[2])
		if err != nil {
			return err
		}
		next.Until = time.Now().UTC().Add(d)
	default:
		return fmt.Errorf("no such change: %v", args)
	}
	s, err := h.key.Sign(keys.KindRoster, next)
	return errors.Join(err, writeSigned(ts.MkAbs(args[0]), s))
}

// publish gives the server a message, and waits until it has looked at it.
func (h *fleetHand) publish(ts *testscript.TestScript, args []string) error {
	s, raw, err := readSigned(ts, args[1])
	if err != nil {
		return err
	}
	subject := ""
	if args[0] == "roster" {
		var r members.Roster
		if err := s.Open(keys.KindRoster, &r); err != nil {
			return err
		}
		subject = h.names().Roster(r.Number)
	} else {
		name, place, _ := strings.Cut(args[0], "/")
		m, err := h.machine(name)
		if err != nil {
			return err
		}
		subject = h.names().At(m.ID(), place)
	}
	if h.hub != nil {
		return errors.Join(h.hub.Publish(subject, raw), h.hub.Flush())
	}
	nc, err := h.raw(h.key)
	if err != nil {
		return err
	}
	defer nc.Close()
	if err := errors.Join(nc.Publish(subject, raw), nc.Flush()); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(ts.Stdout(), "the server: %v\n", nc.LastError())
	return nil
}

func (h *fleetHand) invite(ts *testscript.TestScript, args []string) error {
	if err := h.up(); err != nil {
		return err
	}
	open, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	code := members.NewCode()
	in, err := code.Invite(members.Role(args[1]), time.Now().Add(open))
	if err != nil {
		return err
	}
	next := h.book.Roster()
	next.Number++
	next.At, next.Until = time.Now(), time.Now().Add(time.Hour)
	next.Invites = append(slices.Clone(next.Invites), in)
	s, err := h.key.Sign(keys.KindRoster, next)
	if err != nil {
		return err
	}
	ts.Setenv(args[0], code.String())
	return h.line.PutRoster(context.Background(), next.Number, s)
}

// enrol asks to be in with a code, as a new key.
func (h *fleetHand) enrol(ts *testscript.TestScript, args []string) error {
	code, err := members.ParseCode(args[0])
	if err != nil {
		return err
	}
	invite, err := code.Key()
	if err != nil {
		return err
	}
	_, sign, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	me, err := keys.New(sign)
	if err != nil {
		return err
	}
	s, err := members.Enrol(code, me, h.names().Fleet, "mal", members.Role(args[1]), time.Now())
	if err != nil {
		return err
	}
	line, err := jet.Dial(context.Background(), h.options(invite))
	if err != nil {
		return err
	}
	defer line.Close()
	if !eventually(func() bool { return line.State().Up || line.State().Err == jet.ErrUnknown.Error() }) || !line.State().Up {
		_, _ = fmt.Fprintf(ts.Stdout(), "%s\n", line.State().Err)
		return nil
	}
	if err := line.Enrol(context.Background(), me.Public().ID(), s); err != nil {
		return err
	}
	h.away()
	h.key = me
	_, _ = fmt.Fprintf(ts.Stdout(), "it asked\n")
	return nil
}

// guesses tries codes.
func (h *fleetHand) guesses(ts *testscript.TestScript, args []string) error {
	n, refused := 0, 0
	if _, err := fmt.Sscan(args[0], &n); err != nil {
		return err
	}
	begun := time.Now()
	for range n {
		k, err := members.NewCode().Key()
		if err != nil {
			return err
		}
		nc, err := h.raw(k)
		if err == nil {
			nc.Close()
			return errors.New("a guess was let in")
		}
		if errors.Is(err, client.ErrAuthorization) {
			refused++
		}
	}
	_, _ = fmt.Fprintf(ts.Stdout(), "%d refused\n", refused)
	ts.Logf("%.0f guesses a second", float64(n)/time.Since(begun).Seconds())
	return nil
}
