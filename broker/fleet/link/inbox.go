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
	"github.com/aoctl/aoctl/broker/fleet/queue"
)

// Broker is what a link needs of the broker to have orders carried out.
type Broker interface {
	Screens
	Notes
}

// Screens are the consoles of the broker.
type Screens interface {
	// Carry carries out a method of the consoles for somebody, and returns its reply.
	Carry(ctx context.Context, by broker.Actor, method string, body []byte) ([]byte, error)
}

// Notes is where the broker writes down what came of orders.
type Notes interface {
	// NoteOrder puts an event into the log, so that it survives a power cut.
	NoteOrder(typ string, data any) error
	// NoteRefusal records that somebody was turned away, and shows it.
	NoteRefusal(about broker.Request, d broker.RefusedData)
}

// AnsweredData is the data of an EventFleetAnswered.
type AnsweredData struct {
	Mark   string `json:"mark"`
	Failed string `json:"failed,omitempty"`
}

// How many answers are kept for those who ask again, and their bytes. Who asks later than that gives a
// new order.
const (
	answersKept = 1024
	answerBytes = 8 << 20
)

// inbox takes orders. An order that changes something is on record before it is carried out, and
// what came of it afterwards. Several goroutines may use it.
type inbox struct {
	broker   Broker
	requests Requests
	key      keys.Key // the machine's
	now      func() time.Time
	pause    func(ctx context.Context, d time.Duration, wake <-chan struct{})
	fleet    string
	doubt    func() string // why the log cannot say who is in the fleet, "" when it can

	mu       sync.Mutex
	desk     *orders.Desk
	under    map[string]chan struct{} // by mark: orders that are being carried out
	answers  map[string]orders.Answer // by mark
	row      []string                 // their marks, the oldest first
	bytes    int                      // of the replies in answers
	unsolved map[string]orders.Taken  // by mark: taken by an earlier broker, which ended before it answered
}

// answer carries out what arrived, and returns what came of it, sealed for whoever gave the order. nil
// where there is nothing to say, or nobody to say it to: what cannot be read, an order of somebody who
// is not in the fleet, and one that was still being carried out when ctx ended. waited says that it
// lay among those that wait: such a one comes again where the server did not hear that it was taken.
func (in *inbox) answer(ctx context.Context, raw []byte, waited bool) []byte {
	s, err := orders.Open(raw, in.fleet, in.key)
	if err != nil {
		in.refuse("", "", err)
		return nil
	}
	a, ok := in.take(ctx, s, waited)
	to, member := in.member(s.By)
	if !ok || !member {
		return nil
	}
	sealed, err := a.Seal(in.key, in.fleet, to.Public)
	if err != nil {
		in.refuse(to.Name, "", err)
		return nil
	}
	return sealed
}

// member is the member of the fleet that signs with a key.
func (in *inbox) member(sign []byte) (members.Member, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.desk.Roster().Of(sign)
}

// take carries out an order, and says what came of it. The same order again is told the same.
func (in *inbox) take(ctx context.Context, s keys.Signed, waited bool) (a orders.Answer, ok bool) {
	mark := orders.Mark(s)
	for {
		a, wait, ok := in.known(mark)
		if ok {
			return a, true
		}
		if wait == nil {
			break
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return a, false
		}
	}
	a = in.carryOut(ctx, s, waited)
	a.Mark = mark
	in.keep(mark, a)
	return a, ctx.Err() == nil // whatever came of it then, nobody knows
}

// known is the answer to an order that came before. wait is closed when one that is under way ends;
// without both the caller carries it out.
func (in *inbox) known(mark string) (a orders.Answer, wait <-chan struct{}, ok bool) {
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
func (in *inbox) keep(mark string, a orders.Answer) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.answers[mark], in.row = a, append(in.row, mark)
	in.bytes += len(a.Reply)
	for len(in.row) > answersKept || in.bytes > answerBytes && len(in.row) > 1 {
		in.bytes -= len(in.answers[in.row[0]].Reply)
		delete(in.answers, in.row[0])
		in.row = in.row[1:]
	}
	close(in.under[mark])
	delete(in.under, mark)
}

// carryOut looks whether an order may be taken, and does what it says.
func (in *inbox) carryOut(ctx context.Context, s keys.Signed, waited bool) orders.Answer {
	o, t, err := in.judge(s)
	if err != nil {
		if !waited || !errors.Is(err, orders.ErrRepeated) {
			in.refuse(t.Name, o.Method, err)
		}
		return orders.Answer{Refused: err.Error(), Anew: errors.Is(err, orders.ErrBoot) || errors.Is(err, orders.ErrLate)}
	}
	need, err := orders.NeedOf(o.Method, o.Body)
	if err != nil {
		return orders.Answer{Refused: err.Error()}
	}
	if why := in.doubt(); why != "" && !need.Refuses {
		in.refuse(t.Name, o.Method, errors.New(why))
		return orders.Answer{Refused: "only refusals count while the log is in doubt: " + why}
	}
	t.Signed = in.evidence(ctx, s, &o)
	if need.Acts {
		if err := in.record(ctx, &t, waited); err != nil {
			return orders.Answer{Refused: err.Error()}
		}
	}
	by := broker.Actor{Kind: broker.ByOperator, ID: broker.FleetID(t.Operator, t.Name)}
	reply, err := in.broker.Carry(ctx, by, o.Method, o.Body)
	a := orders.Answer{Reply: reply}
	if err != nil {
		a = orders.Answer{Refused: err.Error()}
	}
	if need.Acts && ctx.Err() == nil {
		// The link may have ended in the middle: what came of the order is not known then.
		// Where this is not recorded, the order may be carried out once more by a later broker: it is
		// one that refuses, or it was for this run alone.
		_ = in.broker.NoteOrder(broker.EventFleetAnswered, AnsweredData{Mark: t.Mark, Failed: a.Refused})
	}
	return a
}

// evidence is an order that allows a call which other machines may be asked about: one under an id of
// its caller's own. It is kept whole, since they take nobody else's word for it.
func (in *inbox) evidence(ctx context.Context, s keys.Signed, o *orders.Order) []byte {
	raw, id := queue.Evidence(s, o)
	if raw == nil {
		return nil
	}
	if r, err := in.requests.Request(ctx, id); err != nil || r.Key != broker.OwnKey(id) {
		return nil
	}
	return raw
}

// record puts an order on record. One that waited was promised to whoever gave it, and nobody gives it
// again: where the disk is full it goes on waiting.
func (in *inbox) record(ctx context.Context, t *orders.Taken, waited bool) error {
	for failures := 0; ; failures++ {
		err := in.broker.NoteOrder(broker.EventFleetOrder, t)
		if err == nil || !waited || ctx.Err() != nil {
			return err
		}
		in.pause(ctx, backoff(failures), nil)
	}
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
