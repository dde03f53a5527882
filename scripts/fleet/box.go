//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/broker/vet"
	"github.com/aoctl/aoctl/store"
)

// boxPlan is the first line that a box reads: which machines it holds.
type boxPlan struct {
	Homes  []string            `json:"homes"`
	Fleet  consoles.Membership `json:"fleet"`
	Allow  string              `json:"allow"`  // a command that a rule of each machine allows
	Refuse string              `json:"refuse"` // one that a rule refuses
}

// boxOrder is what a box is to do: one line each.
type boxOrder struct {
	N       uint64 `json:"n"`
	Status  bool   `json:"status,omitempty"` // how the links are
	Machine int    `json:"machine"`          // of the box: the one whose console decides a call
	ID      string `json:"id"`
	Digest  string `json:"digest"`
}

// boxReply is what came of an order. The first, with N 0, says that all brokers listen.
type boxReply struct {
	N     uint64                 `json:"n"`
	Err   string                 `json:"err,omitempty"`
	At    int64                  `json:"at,omitempty"` // when the key was pressed, ns by the box's clock
	Links []consoles.FleetStatus `json:"links,omitempty"`
}

// operator is the person at a machine's own console.
var operator = broker.Actor{Kind: broker.ByOperator, PID: os.Getpid()}

// runBox is a process that holds machines, until its standard input ends. It returns the exit code.
func runBox() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	var plan boxPlan
	if !lines.Scan() {
		return 1
	}
	err := json.Unmarshal(lines.Bytes(), &plan)
	var machines []*machine
	if err == nil {
		go service.SaveMemory(ctx)
		machines, err = openMachines(ctx, plan)
	}
	defer func() {
		for _, m := range machines {
			m.close()
		}
	}()
	var mu sync.Mutex
	say := func(r boxReply) {
		mu.Lock()
		defer mu.Unlock()
		if err := out.Encode(r); err != nil {
			fmt.Fprintln(os.Stderr, "fleet: box:", err)
		}
	}
	if err != nil {
		say(boxReply{Err: err.Error()})
		return 1
	}
	say(boxReply{})
	for lines.Scan() {
		var o boxOrder
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			fmt.Fprintln(os.Stderr, "fleet: box:", err)
			return 1
		}
		go func() { say(obey(ctx, machines, o)) }()
	}
	return 0
}

func obey(ctx context.Context, machines []*machine, o boxOrder) boxReply {
	r := boxReply{N: o.N, At: time.Now().UnixNano()}
	if o.Status {
		for _, m := range machines {
			r.Links = append(r.Links, m.host.Status())
		}
		return r
	}
	if _, err := machines[o.Machine].broker.Decide(ctx, o.ID, broker.Decision{Verdict: broker.Allow, By: operator, Digest: o.Digest}); err != nil {
		r.Err = err.Error()
	}
	return r
}

// machine is a broker with its store, its socket and its part in the fleet, put together as aoctl does.
type machine struct {
	broker  *service.Broker
	host    *link.Host
	closers []func()
}

// openMachines opens all of a box. One process reads for all of them what agents wrote.
func openMachines(ctx context.Context, plan boxPlan) (list []*machine, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	reader := vet.Start(vet.Options{Command: func() *exec.Cmd { return exec.Command(self, "parse-guard") }}) //nolint:noctx // this very program, which ends with its input
	for _, home := range plan.Homes {
		m := &machine{}
		list = append(list, m)
		if err := m.open(ctx, home, plan, reader); err != nil {
			return list, fmt.Errorf("open the machine in %s: %w", home, err)
		}
	}
	list[0].closers = append([]func(){func() { _ = reader.Close() }}, list[0].closers...)
	return list, nil
}

func (m *machine) open(ctx context.Context, home string, plan boxPlan, reader *vet.Guard) error {
	file, err := os.OpenFile(filepath.Join(home, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // G304: in our own folder
	if err != nil {
		return err
	}
	m.onClose(func() { _ = file.Close() })
	log := slog.New(slog.NewJSONHandler(file, nil))
	st, err := store.Open(ctx, filepath.Join(home, "aoctl.db"), store.WithLog(log))
	if err != nil {
		return err
	}
	m.onClose(func() { _ = st.Close() })
	socket := filepath.Join(home, "broker.sock")
	if m.broker, err = service.New(ctx, st, service.Options{Socket: socket, Rate: -1, Vet: reader, Log: log}); err != nil {
		return err
	}
	m.onClose(func() { _ = m.broker.Close() })
	for command, decision := range map[string]rules.Verdict{plan.Allow: rules.Allow, plan.Refuse: rules.Deny} {
		if _, err := m.broker.SaveRule(ctx, rules.Rule{
			Priority: rules.DefaultPriority, Enabled: true, Tool: "Bash", Where: map[string]string{"command": command}, Decision: decision,
		}, operator); err != nil {
			return err
		}
	}
	if err := m.join(ctx, home, plan.Fleet, st, log); err != nil {
		return err
	}
	l, err := api.Listen(socket)
	if err != nil {
		return err
	}
	m.onClose(func() { _ = l.Close() })
	m.beside(ctx, func(ctx context.Context) {
		if err := m.broker.Serve(ctx, l); err != nil && ctx.Err() == nil {
			log.Error("it serves no more", "err", err)
		}
	})
	return nil
}

// join has the machine be in the fleet.
func (m *machine) join(ctx context.Context, home string, fleet consoles.Membership, st *store.Store, log *slog.Logger) error {
	me, err := consoles.LoadIdentity(filepath.Join(home, "broker.key"))
	if err != nil {
		return err
	}
	key, err := keys.New(me.Key())
	if err != nil {
		return err
	}
	screens := consoles.NewServer(consoles.Options{Broker: forScreens{m.broker}, Keys: m.broker, Place: bare{}, Me: me, Log: log})
	m.host = link.NewHost(link.Options{Home: link.Home{Record: m.broker, Callers: service.CallersOf(m.broker), Screens: screens, Log: st}, Key: key, Version: "trial", Log: log, Listed: func(*members.Roster, []byte) {}, Dial: func(ctx context.Context, f consoles.Membership, id string) (link.Line, error) {
		line, err := jet.Dial(ctx, jet.Options{Servers: f.Servers, Pin: f.Pin, Key: key, Fleet: id, Name: "aoctl broker", Log: log})
		return jet.Machine(line), err
	}})
	if err := m.host.Join(ctx, fleet, operator); err != nil {
		return err
	}
	m.beside(ctx, m.host.Run)
	return nil
}

func (m *machine) onClose(do func()) { m.closers = append(m.closers, do) }

// beside has something run until the machine is closed.
func (m *machine) beside(ctx context.Context, do func(context.Context)) {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(ctx)
	}()
	m.onClose(func() {
		stop()
		<-done
	})
}

// close ends what the machine stands on, the last that was opened first.
func (m *machine) close() {
	for i := len(m.closers) - 1; i >= 0; i-- {
		m.closers[i]()
	}
}

// bare is a machine without files or hooks.
type bare struct{}

func (bare) ReadFile(string) ([]byte, error)                             { return nil, os.ErrNotExist }
func (bare) Stamp(string) string                                         { return "" }
func (bare) OurHooks() []string                                          { return nil }
func (bare) OtherHooks(agent, event, tool, project string) (no []string) { return nil }

// forScreens is a broker without the figures that only the record has.
type forScreens struct{ *service.Broker }

func (forScreens) Tally(context.Context, time.Time) (tally.Report, error) {
	return tally.Report{}, nil
}

func (forScreens) Spending(_ context.Context, r tally.Report) (tally.Report, error) { return r, nil }
