package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"
	client "github.com/nats-io/nats.go"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/far"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

func init() {
	scriptCommands["fleet"] = cmdFleet
	scriptCommands["rogue"] = cmdRogue
}

// fleetHand is somebody who has a key of a fleet and speaks without aoctl's own commands; and the
// server of the fleet, where that is in an attacker's hands.
type fleetHand struct {
	key  keys.Key
	lead record
	book *members.Book
	line *jet.Line
	far  *far.Broker
	end  context.CancelFunc

	played *played // the machine whose key this is
	logins atomic.Int64

	server *nats.Server
	hub    *client.Conn // the hostile server's own connection, which may do everything

	mu   sync.Mutex
	seen []*client.Msg // all that the fleet said by way of the hostile server
}

type handKey struct{}

// record is what fleet.json has.
type record struct {
	Servers []string `json:"servers"`
	Pin     []byte   `json:"pin"`
	Roster  []byte   `json:"roster"`
}

func hand(ts *testscript.TestScript) *fleetHand {
	h, ok := ts.Value(handKey{}).(*fleetHand)
	if !ok {
		ts.Fatalf("no place to keep a fleet's hand")
	}
	return h
}

// cmdFleet is what somebody does with a key of a fleet:
//
//	fleet begin HOME                 somebody called ana owns a fleet with that state folder, and runs its server; AT is where
//	fleet join ROLE NAME HOME        somebody joins it with a code, a machine with its broker
//	fleet as KEYFILE FLEETFILE       what follows is done with that key, at the servers that the file names
//	fleet unknown                    the server does not know the key
//	fleet sees REGEXP                a console of that key draws something that fits, by machine
//	fleet misses REGEXP              it draws nothing that fits
//	fleet allow|deny REF             that console decides the call whose input has the text, when it is drawn
//	fleet stop                       that console stops everything
//	fleet boot VAR MACHINE           the variable gets the run of a machine's broker
//	fleet order FILE MACHINE BOOT allow|deny REF   sign an order about the call that waits at AOCTL_HOME
//	fleet order FILE MACHINE BOOT METHOD   … or of another method; BOOT "waits" is for no run
//	fleet send MACHINE FILE…         give orders to the machine, by way of the hostile server where there is one; prints what it answers
//	fleet roster FILE CHANGE ARG     sign the next roster: owner NAME, out NAME, until DURATION
//	fleet publish SUBJECT FILE       give the server something; prints what it says. SUBJECT is roster, or MACHINE/PLACE
//	fleet machine                    the key is a machine's, and that is there: it beats and answers
//	fleet tell PLACE FILE [MACHINE]  that machine tells a state in JSON, or says that it is another machine
//	fleet bomb                       that machine tells a state that is small, and large when it is decoded
//	fleet opens some|none            of the letters of keys that the rogue server has and hears
//	fleet invite VAR ROLE DURATION   sign a code into the roster, and store it
//	fleet enrol CODE ROLE            ask to be in the fleet with the code; prints what comes of it
//	fleet guesses N                  try N codes, one after the other; prints how many the server refused, and that it has not let one in
func cmdFleet(ts *testscript.TestScript, neg bool, args []string) {
	h := hand(ts)
	if neg || len(args) == 0 {
		ts.Fatalf("usage: fleet as|unknown|sees|… …")
	}
	do, ok := map[string]func(*testscript.TestScript, []string) error{
		"begin": h.begin, "join": h.join, "as": h.as, "unknown": h.unknown, "sees": h.sees, "misses": h.misses, "allow": h.decide, "deny": h.decide, "stop": h.stop,
		"boot": h.boot, "order": h.order, "send": h.send, "roster": h.roster, "publish": h.publish, "machine": h.play, "tell": h.tell,
		"bomb": h.bomb, "opens": h.opens, "invite": h.invite, "enrol": h.enrol, "guesses": h.guesses,
	}[args[0]]
	if !ok {
		ts.Fatalf("unknown: fleet %s", strings.Join(args, " "))
	}
	if args[0] == "allow" || args[0] == "deny" {
		args = append([]string{args[0]}, args...)
	}
	ts.Check(do(ts, args[1:]))
}

// steps are commands of a script, one a line.
func steps(ts *testscript.TestScript, text string) {
	for line := range strings.Lines(text) {
		words := strings.Fields(os.Expand(line, ts.Getenv))
		if words[0] == "env" {
			ts.Setenv(words[1], words[2])
			continue
		}
		scriptCommands[words[0]](ts, false, words[1:])
	}
}

func (h *fleetHand) begin(ts *testscript.TestScript, args []string) error {
	ts.Setenv("O", ts.MkAbs(args[0]))
	steps(ts, `env AOCTL_HOME $O
exits 0 aoctl fleet init acme --as ana
screen to server
screen start aoctl fleet up --listen 127.0.0.1:0 --address 127.0.0.1:0
screen waitfor server is at 127.0.0.1:
screen env AT 127\.0\.0\.1:\d+
`)
	return nil
}

func (h *fleetHand) join(ts *testscript.TestScript, args []string) error {
	was := ts.Getenv("AOCTL_HOME")
	ts.Setenv("ROLE", args[0])
	ts.Setenv("NAME", args[1])
	ts.Setenv("HIS", ts.MkAbs(args[2]))
	steps(ts, `env AOCTL_HOME $O
screen to invite
screen start aoctl fleet invite --role $ROLE
screen waitfor It is good until
screen env CODE ([0-9A-Z]{4}-){3}[0-9A-Z]{4}
env AOCTL_HOME $HIS
`)
	if args[0] == "machine" {
		steps(ts, `screen to $NAME
screen start aoctl serve --pair
waitfor console
screen waitfor and type
screen env PAIR [a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}
`)
	}
	steps(ts, `screen to join
screen start aoctl fleet join $AT --as $NAME
screen waitfor Code of the fleet:
screen type $CODE<enter>
`)
	if args[0] == "machine" {
		steps(ts, `screen waitfor Code:
screen type $PAIR<enter>
`)
	}
	steps(ts, `screen exits 0
screen to invite
screen exits 0
`)
	ts.Setenv("AOCTL_HOME", was)
	return nil
}

func (h *fleetHand) as(ts *testscript.TestScript, args []string) error {
	h.away()
	id, err := consoles.ReadIdentity(ts.MkAbs(args[0]))
	if err != nil {
		return err
	}
	if h.key, err = keys.New(id.Key()); err != nil {
		return err
	}
	h.lead = record{}
	if err := json.Unmarshal([]byte(ts.ReadFile(args[1])), &h.lead); err != nil {
		return err
	}
	var s keys.Signed
	if err := keys.Decode(h.lead.Roster, &s); err != nil {
		return err
	}
	h.book, err = members.NewBook(s)
	ts.Defer(h.away)
	return err
}

// away ends what was done with a key.
func (h *fleetHand) away() {
	if h.end != nil {
		h.end()
	}
	if h.line != nil {
		h.line.Close()
	}
	h.line, h.far, h.end = nil, nil, nil
}

func (h *fleetHand) names() told.Names { return told.Names{Fleet: h.book.Roster().Fleet} }

func (h *fleetHand) options(k keys.Key) jet.Options {
	return jet.Options{Servers: h.lead.Servers, Pin: h.lead.Pin, Key: k, Fleet: h.book.Roster().Fleet, Name: "script"}
}

// up is a line with the key, and what it tells of who is in the fleet.
func (h *fleetHand) up() error {
	if h.line == nil {
		line, err := jet.Dial(context.Background(), h.options(h.key))
		if err != nil {
			return err
		}
		h.line = line
	}
	if !eventually(func() bool { return h.line.State().Up }) {
		return fmt.Errorf("the line is out: %s", h.line.State().Err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), waitTime)
	defer cancel()
	rosters, joined, err := h.line.Members(ctx, h.book.Roster().Number)
	if err != nil {
		return err
	}
	for _, s := range rosters {
		_ = h.book.Follow(s) // one that is not good is none
	}
	for _, s := range joined {
		_, _ = h.book.Join(s, time.Now())
	}
	return nil
}

func (h *fleetHand) unknown(*testscript.TestScript, []string) error {
	h.away()
	line, err := jet.Dial(context.Background(), h.options(h.key))
	if err != nil {
		return err
	}
	defer line.Close()
	if !eventually(func() bool { return line.State().Up || line.State().Err == jet.ErrUnknown.Error() }) || line.State().Up {
		return fmt.Errorf("the line is %+v", line.State())
	}
	return nil
}

// machine is a machine of the fleet, by name.
func (h *fleetHand) machine(name string) (members.Member, error) {
	all := h.book.At(time.Now())
	for _, m := range all.Members {
		if m.Name == name {
			return m, nil
		}
	}
	return members.Member{}, fmt.Errorf("no %s is in the fleet: %+v", name, all.Members)
}

// console is a console without a screen, of all machines.
func (h *fleetHand) console() (*far.Broker, error) {
	if err := h.up(); err != nil {
		return nil, err
	}
	if h.far == nil {
		h.far = far.New(far.Options{Key: h.key, Roster: h.book.At(time.Now()), Line: h.line, Log: slog.New(slog.DiscardHandler)})
		ctx, end := context.WithCancel(context.Background())
		h.end = end
		go h.far.Run(ctx)
	}
	h.far.SetRoster(h.book.At(time.Now()))
	return h.far, nil
}

// drawn is what the console draws, a line for each thing.
func (h *fleetHand) drawn() (string, []broker.Request, error) {
	b, err := h.console()
	if err != nil {
		return "", nil, err
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	snap, _ := b.Watch(ctx)
	var text strings.Builder
	machines, sessions := map[string]string{}, map[string]string{}
	for _, m := range snap.Machines {
		machines[m.ID] = m.Name
		fmt.Fprintf(&text, "machine %s %s %s\n", m.Name, m.Reach, m.Problem)
	}
	for _, s := range snap.Sessions {
		sessions[s.ID] = machines[s.Machine]
	}
	for _, r := range snap.Requests {
		fmt.Fprintf(&text, "call %s %s %s\n", sessions[r.SessionID], r.State, r.ToolInput)
	}
	return text.String(), snap.Requests, nil
}

func (h *fleetHand) sees(_ *testscript.TestScript, args []string) error {
	return h.look(args, true)
}

func (h *fleetHand) misses(_ *testscript.TestScript, args []string) error {
	return h.look(args, false)
}

func (h *fleetHand) look(args []string, want bool) error {
	fits, err := regexp.Compile("(?m)" + args[0])
	if err != nil {
		return err
	}
	var text string
	if !eventually(func() bool {
		text, _, err = h.drawn()
		return err != nil || fits.MatchString(text) == want
	}) {
		return fmt.Errorf("want %s drawn: %v; this is:\n%s", fits, want, text)
	}
	return err
}

func (h *fleetHand) decide(ts *testscript.TestScript, args []string) error {
	var call broker.Request
	var text string
	if !eventually(func() bool {
		all, requests, err := h.drawn()
		text = fmt.Sprint(all, err)
		i := slices.IndexFunc(requests, func(r broker.Request) bool {
			return r.State == broker.Pending && bytes.Contains(r.ToolInput, []byte(args[1]))
		})
		if i >= 0 {
			call = requests[i]
		}
		return i >= 0 || err != nil
	}) || call.ID == "" {
		return fmt.Errorf("no call that fits %q is drawn: %s", args[1], text)
	}
	d := broker.Decision{Verdict: broker.Verdict(args[0]), Digest: call.Digest, By: broker.Actor{Kind: broker.ByOperator}}
	_, err := h.far.Decide(context.Background(), call.ID, d)
	_, _ = fmt.Fprintf(ts.Stdout(), "decided: %v\n", err)
	return nil
}

func (h *fleetHand) stop(ts *testscript.TestScript, _ []string) error {
	b, err := h.console()
	if err == nil {
		_, _, err = b.StopAll(context.Background(), broker.Actor{Kind: broker.ByOperator})
		_, _ = fmt.Fprintf(ts.Stdout(), "stopped: %v\n", err)
		err = nil
	}
	return err
}
