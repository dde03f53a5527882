package jet

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/queue"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// claims is a line as a queue wants it.
type claims struct{ line *Line }

// Machine is l as the link of a machine wants it.
func Machine(l *Line) link.Line { return machine{l} }

type machine struct{ *Line }

// Up reports whether a server is connected, since when that is so or not, and why not.
func (m machine) Up() (up bool, since time.Time, why string) {
	s := m.State()
	return s.Up, s.Since, s.Err
}

// Enrol takes the machine's enrolment back. A server puts out who says so as soon as it has read that, and the
// answer may be lost with the line.
func (m machine) Enrol(ctx context.Context, id string, s keys.Signed) error {
	was := m.State().Up
	if err := m.Line.Enrol(ctx, id, s); !was || !errors.Is(err, ErrOut) {
		return err
	}
	return nil
}

// Queue is the way to claims of calls' ids, and to the machines that made them.
func (m machine) Queue() queue.Line { return claims{m.Line} }

// Put stores a claim, unless there is one.
func (c claims) Put(ctx context.Context, mark string, claim []byte) (taken bool, err error) {
	err = c.line.put(ctx, c.line.names.Claim(mark), claim)
	if errors.Is(err, ErrTaken) {
		return true, nil
	}
	return false, err
}

// Claim is a claim that is there. The server that is asked may not have it yet.
func (c claims) Claim(ctx context.Context, mark string) ([]byte, error) {
	for try := 0; ; try++ {
		seq, body, err := c.line.newest(ctx, told.StreamClaims, c.line.names.Claim(mark))
		switch {
		case err != nil || seq != 0:
			return body, err
		case try == behindTries:
			return nil, ErrBehind
		}
		select {
		case <-time.After(time.Duration(try+1) * 100 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Ask asks a machine what became of a call. Errors: ErrNobody where it is out of reach.
func (c claims) Ask(ctx context.Context, machine string, raw []byte) ([]byte, error) {
	m := nats.NewMsg(c.line.names.At(machine, told.PlaceQueue))
	m.Data = raw
	a, err := c.line.request(ctx, m, mostAsked)
	if err != nil {
		return nil, err
	}
	return a.Data, nil
}

const (
	mostAsked = time.Minute // that an answer is waited for; queue.Desk says how long in truth
	mostAsks  = 1024        // that a machine answers at a time
)

// Take has answer called for what other machines ask, until the context ends.
func (c claims) Take(ctx context.Context, machine string, answer func(ctx context.Context, raw []byte) []byte) error {
	var under sync.WaitGroup
	defer under.Wait()
	room := make(chan struct{}, mostAsks)
	return c.line.serve(ctx, c.line.names.At(machine, told.PlaceQueue), func(m *nats.Msg) {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return
		}
		under.Go(func() {
			defer func() { <-room }()
			if body := answer(ctx, m.Data); body != nil {
				c.line.reply(m, body)
			}
		})
	})
}
