package far

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
)

const (
	// goodFor is how long an order may be taken, by the machine's clock.
	goodFor = 30 * time.Second
	// waitsFor is the same for one that waits for a machine. Clocks may differ by the hour.
	waitsFor = orders.MostWait - time.Hour
	// tries is how often an order is sent, and answeredIn how long each time is waited.
	tries      = 3
	answeredIn = 10 * time.Second
)

// asker has the consoles' methods ordered from one machine.
type asker struct {
	f  *fleet
	id string
}

// Ask orders a method. Errors: consoles.ErrGone, ErrOut, ErrAnother, orders.ErrRole,
// orders.ErrStranger, RefusedError, and LaterError for what the machine does when it is back.
func (a asker) Ask(ctx context.Context, method string, in, out any) error {
	body, err := consoles.Marshal(in)
	if err != nil {
		return err
	}
	reply, err := a.f.order(ctx, a.id, method, body)
	if err != nil {
		return err
	}
	return consoles.Unmarshal(reply, out)
}

// on are the methods of one machine's broker.
func (f *fleet) on(id string) consoles.Stubs { return consoles.NewStubs(asker{f, id}) }

// may says whether our role suffices. Errors: orders.ErrRole, orders.ErrStranger.
func (f *fleet) may(need orders.Need) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, ok := f.roster.Of(f.o.Key.Public().Sign)
	switch {
	case !ok:
		return orders.ErrStranger
	case !m.Role.Includes(need.Role):
		return fmt.Errorf("you are %s, this takes %s: %w", m.Role.One(), need.Role.One(), orders.ErrRole)
	}
	return nil
}

// present is a machine with its present run and its clock; boot is "" for one that is out of reach.
func (f *fleet) present(id string) (m members.Member, boot string, clock time.Time, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.peers[id]
	if p == nil {
		return m, "", clock, fmt.Errorf("%w: no such machine", broker.ErrNotFound)
	}
	boot, clock = p.mirror.Present(f.now())
	return p.member, boot, clock, nil
}

// order has a machine carry out a method, and returns its reply.
func (f *fleet) order(ctx context.Context, id, method string, body []byte) ([]byte, error) {
	need, err := orders.NeedOf(method, body)
	if err != nil {
		return nil, err
	}
	if err := f.may(need); err != nil {
		return nil, err
	}
	was := ""
	for {
		m, boot, clock, err := f.present(id)
		switch {
		case err != nil:
			return nil, err
		case boot == "" && need.MayWait:
			return nil, f.leave(ctx, m, method, body)
		case boot == "":
			return nil, as(m.Name, ErrOut)
		case was != "" && was != boot && need.Acts && !need.MayWait:
			return nil, as(m.Name, ErrAnother)
		}
		a, err := f.deliver(ctx, m, orders.Order{Boot: boot, Expires: clock.Add(goodFor), Method: method, Body: body})
		switch {
		case errors.Is(err, consoles.ErrGone) && need.MayWait:
			return nil, f.leave(ctx, m, method, body)
		case err != nil:
			return nil, as(m.Name, err)
		case a.Anew && was == "" && f.hello(ctx, id):
			was = boot // nothing came of it: its broker or its clock is another one than we knew
		case a.Refused != "":
			return nil, &RefusedError{m.Name, a.Refused}
		default:
			return a.Reply, nil
		}
	}
}

// sign signs an order for a machine and seals it. Numbers rise, also over a start of the console.
func (f *fleet) sign(m members.Member, o orders.Order) (mark string, raw []byte, err error) {
	f.mu.Lock()
	f.number = max(f.number+1, uint64(f.now().UnixMicro()))
	o.Number = f.number
	f.mu.Unlock()
	o.Fleet, o.Machine = f.names.Fleet, m.ID()
	s, err := o.Sign(f.o.Key)
	if err != nil {
		return "", nil, err
	}
	raw, err = orders.Seal(s, o.Fleet, m.Public)
	return orders.Mark(s), raw, err
}

// deliver sends an order until it is answered: the machine answers the same order the same. Errors:
// consoles.ErrGone.
func (f *fleet) deliver(ctx context.Context, m members.Member, o orders.Order) (a orders.Answer, err error) {
	mark, raw, err := f.sign(m, o)
	if err != nil {
		return a, err
	}
	for range tries {
		sent, end := context.WithTimeout(ctx, answeredIn)
		answer, err := f.o.Line.Order(sent, m.ID(), raw)
		end()
		if err == nil {
			if a, err = orders.OpenAnswer(answer, f.o.Key, f.names.Fleet, m, mark); err == nil {
				return a, nil
			}
			f.wrong(m.ID(), err)
		}
		f.pause(ctx, retryAfter)
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
	}
	return a, consoles.ErrGone
}

// wrong notes an answer that was none.
func (f *fleet) wrong(id string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.peers[id]; p != nil {
		p.mirror.bad(err, f.now())
		f.publish(p, p.mirror.Tick(f.now()))
	}
}

// leave leaves an order for a machine that is out of reach, and says so: a LaterError.
func (f *fleet) leave(ctx context.Context, m members.Member, method string, body []byte) error {
	_, _, clock, err := f.present(m.ID()) // this computer may have slept since the key was pressed
	if err != nil {
		return err
	}
	mark, raw, err := f.sign(m, orders.Order{Expires: clock.Add(waitsFor), Method: method, Body: body})
	if err != nil {
		return err
	}
	for range tries { // once for each id, however often it is left
		left, end := context.WithTimeout(ctx, answeredIn)
		err = f.o.Line.LeaveOrder(left, m.ID(), mark, raw)
		end()
		if err == nil {
			f.count(ctx, m.ID())
			return &LaterError{later: []string{m.Name}}
		}
		f.pause(ctx, retryAfter)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return as(m.Name, fmt.Errorf("%w, and no order can be left for it: %w", ErrOut, err))
}

// result is what one machine made of something.
type result[T any] struct {
	machine broker.Machine
	value   T
	err     error
}

// each has several machines do something at a time, and returns what each said, in the same order.
func each[T any](f *fleet, ids []string, do func(id string) (T, error)) []result[T] {
	list := make([]result[T], len(ids))
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() {
			list[i].machine = f.machine(id)
			list[i].value, list[i].err = do(id)
		})
	}
	all.Wait()
	return list
}

// outcome is nil when all machines confirmed something, and else a LaterError.
func outcome[T any](list []result[T]) error {
	e := LaterError{of: map[string]error{}}
	for _, r := range list {
		e.of[r.machine.ID] = r.err
		var later *LaterError
		switch {
		case r.err == nil:
			e.done = append(e.done, r.machine.Name)
		case errors.As(r.err, &later):
			e.later = append(e.later, later.later...)
		case errors.Is(r.err, orders.ErrRole), errors.Is(r.err, orders.ErrStranger):
			return r.err // it is the same for all
		default:
			e.failed = append(e.failed, failure{r.machine.Name, r.err})
		}
	}
	if len(e.later)+len(e.failed) == 0 {
		return nil
	}
	return &e
}

// said are the values of those that answered. Where none did, the error is that of the first.
func said[T any](list []result[T]) ([]result[T], error) {
	good := slices.DeleteFunc(slices.Clone(list), func(r result[T]) bool { return r.err != nil })
	if len(good) == 0 && len(list) > 0 {
		return nil, list[0].err
	}
	return good, nil
}

// machine is a machine as it is drawn now.
func (f *fleet) machine(id string) broker.Machine {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.peers[id]; p != nil {
		return p.mirror.Machine(f.now())
	}
	return broker.Machine{ID: id}
}

func everyone(*peer) bool { return true }

// inReach are the machines that may be asked something.
func (f *fleet) inReach() []string {
	at := f.now()
	return f.machines(func(p *peer) bool { boot, _ := p.mirror.Present(at); return boot != "" })
}

// home is the machine that something is on. Errors: broker.ErrNotFound.
func (f *fleet) home(n *ids, what, id string) (at, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k, ok := n.in(id)
	if !ok {
		return k, fmt.Errorf("%w: no machine of the fleet has %s %s", broker.ErrNotFound, what, broker.Clip(id))
	}
	return k, nil
}

func (f *fleet) callAt(id string) (at, error)    { return f.home(f.here.requests, "call", id) }
func (f *fleet) sessionAt(id string) (at, error) { return f.home(f.here.sessions, "session", id) }

// ours is a call as it is called here.
func (f *fleet) ours(machine string, r broker.Request) broker.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.peers[machine]
	if p == nil || r.ID == "" {
		return r
	}
	return f.here.request(p.mirror.Machine(f.now()), *p.mirror.local(broker.Update{Request: &r}).Request)
}

func (f *fleet) allOurs(machine string, list []broker.Request) []broker.Request {
	for i := range list {
		list[i] = f.ours(machine, list[i])
	}
	return list
}

// oursToo is ours for a session.
func (f *fleet) oursToo(machine string, s broker.Session) broker.Session {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.peers[machine]
	if p == nil || s.ID == "" {
		return s
	}
	return f.here.session(p.mirror.Machine(f.now()), *p.mirror.local(broker.Update{Session: &s}).Session)
}
