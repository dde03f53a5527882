package link

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/broker/fleet/seals"
)

// Broker is what a link needs of the broker to have orders carried out.
type Broker interface {
	// Carry carries out a method of the consoles for somebody, and returns its reply.
	Carry(ctx context.Context, by broker.Actor, method string, body []byte) ([]byte, error)
	// NoteOrder puts an event into the log, so that it survives a power cut.
	NoteOrder(typ string, data any) error
	// NoteRefusal records that somebody was turned away, and shows it.
	NoteRefusal(about broker.Request, d broker.RefusedData)
}

// Answer is what became of an order.
type Answer struct {
	Reply   []byte `json:"reply,omitempty"`   // of the consoles' method, CBOR
	Refused string `json:"refused,omitempty"` // why it was not taken; nothing came of it
	Anew    bool   `json:"anew,omitempty"`    // not taken, and a new order of the same may be: the keys or the broker are others now
}

// AnsweredData is the data of an EventFleetAnswered.
type AnsweredData struct {
	Mark   string `json:"mark"`
	Failed string `json:"failed,omitempty"`
}

// answersKept is how many answers are kept for those who ask again.
const answersKept = 1024

// inbox takes orders. An order that changes something is on record before it is carried out, and
// what came of it afterwards. Several goroutines may use it.
type inbox struct {
	broker  Broker
	epochs  *seals.Ring
	now     func() time.Time
	fleet   string
	machine string
	doubt   func() string // why the log cannot say who is in the fleet, "" when it can

	mu       sync.Mutex
	desk     *orders.Desk
	under    map[string]chan struct{} // by mark: orders that are being carried out
	answers  map[string]Answer        // by mark
	row      []string                 // their marks, the oldest first
	unsolved map[string]orders.Taken  // by mark: taken by an earlier broker, which ended before it answered
}

// place is what an order is sealed for.
func place(fleet, machine string) string { return "aoctl fleet order 1\x00" + fleet + "\x00" + machine }

// take carries out what arrived, and says what came of it. The same order again is told the same.
// waited says that it lay among those that wait: such a one comes again where the server did not
// hear that it was taken.
func (in *inbox) take(ctx context.Context, raw []byte, waited bool) Answer {
	s, err := in.open(raw)
	if err != nil {
		in.refuse("", "", err)
		return Answer{Refused: err.Error(), Anew: errors.Is(err, seals.ErrSealed)}
	}
	mark := orders.Mark(s)
	for {
		a, wait, ok := in.known(mark)
		if ok {
			return a
		}
		if wait == nil {
			break
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return Answer{Refused: ctx.Err().Error(), Anew: true}
		}
	}
	a := in.carryOut(ctx, s, waited)
	in.keep(mark, a)
	return a
}

// open reads what operators seal: a signed order.
func (in *inbox) open(raw []byte) (s keys.Signed, err error) {
	var sealed seals.Sealed
	if err = keys.Decode(raw, &sealed); err != nil {
		return s, err
	}
	plain, err := in.epochs.Open(place(in.fleet, in.machine), sealed)
	if err != nil {
		return s, err
	}
	return s, keys.Decode(plain, &s)
}

// known is the answer to an order that came before. wait is closed when one that is under way ends;
// without both the caller carries it out.
func (in *inbox) known(mark string) (a Answer, wait <-chan struct{}, ok bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if a, ok = in.answers[mark]; ok {
		return a, nil, true
	}
	if c, ok := in.under[mark]; ok {
		return a, c, false
	}
	in.under[mark] = make(chan struct{})
	return a, nil, false
}

// keep remembers an answer, and wakes those who asked the same meanwhile.
func (in *inbox) keep(mark string, a Answer) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.answers[mark], in.row = a, append(in.row, mark)
	for len(in.row) > answersKept {
		delete(in.answers, in.row[0])
		in.row = in.row[1:]
	}
	close(in.under[mark])
	delete(in.under, mark)
}

// carryOut looks whether an order may be taken, and does what it says.
func (in *inbox) carryOut(ctx context.Context, s keys.Signed, waited bool) Answer {
	o, t, err := in.judge(s)
	if err != nil {
		if !waited || !errors.Is(err, orders.ErrRepeated) {
			in.refuse(t.Name, o.Method, err)
		}
		return Answer{Refused: err.Error(), Anew: errors.Is(err, orders.ErrBoot) || errors.Is(err, orders.ErrLate)}
	}
	need, err := orders.NeedOf(o.Method, o.Body)
	if err != nil {
		return Answer{Refused: err.Error()}
	}
	if why := in.doubt(); why != "" && !need.Refuses {
		in.refuse(t.Name, o.Method, errors.New(why))
		return Answer{Refused: "only refusals count while the log is in doubt: " + why}
	}
	if need.Acts {
		if err := in.broker.NoteOrder(broker.EventFleetOrder, t); err != nil {
			return Answer{Refused: err.Error()}
		}
	}
	by := broker.Actor{Kind: broker.ByOperator, ID: broker.FleetID(t.Operator, t.Name)}
	reply, err := in.broker.Carry(ctx, by, o.Method, o.Body)
	a := Answer{Reply: reply}
	if err != nil {
		a = Answer{Refused: err.Error()}
	}
	if need.Acts {
		// Where this is not recorded, the order may be carried out once more by a later broker: it is
		// one that refuses, or it was for this run alone.
		_ = in.broker.NoteOrder(broker.EventFleetAnswered, AnsweredData{Mark: t.Mark, Failed: a.Refused})
	}
	return a
}

// judge takes an order. One that an earlier broker took and did not answer is taken once more.
func (in *inbox) judge(s keys.Signed) (orders.Order, orders.Taken, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	mark := orders.Mark(s)
	o, t, err := in.desk.Take(s, in.now())
	if _, ok := in.unsolved[mark]; ok && errors.Is(err, orders.ErrRepeated) {
		err = nil
	}
	delete(in.unsolved, mark)
	return o, t, err
}

// refuse shows what was turned away. who and method may be "".
func (in *inbox) refuse(who, method string, why error) {
	detail := why.Error()
	if method != "" {
		detail = broker.Clip(method) + ": " + detail
	}
	in.broker.NoteRefusal(broker.Request{}, broker.RefusedData{Kind: broker.FleetOrder, Wanted: broker.WantsOrder, Detail: detail, By: broker.Actor{Exe: broker.Clip(who)}})
}

// setRoster has orders judged by another roster from now on.
func (in *inbox) setRoster(r members.Roster) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.desk.SetRoster(r)
}
