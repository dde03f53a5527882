package jet

import (
	"context"
	"encoding/hex"
	"strconv"
	"sync/atomic"
	"time"

	crand "crypto/rand"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// Headers of a batch: NATS stores all messages of one, or none (ADR-50).
const (
	headerBatch       = "Nats-Batch-Id"
	headerBatchNumber = "Nats-Batch-Sequence"
	headerBatchCommit = "Nats-Batch-Commit"
)

// A few messages go one by one: a server alone writes and syncs a file for each batch, which takes as
// long as ten messages do. So do more when the server has too many batches still after some tries.
// They go in order and behind each other too, so what is stored of them is a beginning of them.
const (
	batchLeast = 8
	batchTries = 4
)

// events is a machine's place in the stream of events.
type events struct {
	line *Line
	all  string // the subjects of its events
	seen atomic.Uint64
}

// Events is the stream of events, for a machine.
func (l *Line) Events(machine string) link.Events {
	return &events{line: l, all: l.names.EventsOf(machine)}
}

// Newest is the last event that is stored. A replica that is behind may answer: what was seen before
// is there, so it is asked again then.
func (e *events) Newest(ctx context.Context) (link.Last, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	for try := 0; ; try++ {
		seq, body, err := e.line.newest(ctx, told.StreamEvents, e.all)
		if err != nil || seq >= e.seen.Load() {
			e.seen.Store(max(seq, e.seen.Load()))
			return link.Last{Seq: seq, Body: body}, err
		}
		// The stream may have lost its end, or let it go by age: then this is true.
		if try == 8 {
			e.seen.Store(seq)
		}
		if err := pause(ctx, try); err != nil {
			return link.Last{}, err
		}
	}
}

// Find reads all of the machine's events.
func (e *events) Find(ctx context.Context, same func(body []byte) (int64, bool)) (most int64, err error) {
	err = e.line.all(ctx, reading{stream: told.StreamEvents, kind: ReadsEvents, filter: e.all, to: e.seen.Load()}, func(m jetstream.Msg, _ uint64) bool {
		if n, ok := same(m.Data()); ok {
			most = max(most, n)
		}
		return true
	})
	return most, err
}

// Append stores messages; see link.Events.
func (e *events) Append(ctx context.Context, after uint64, list []link.Message) (last uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*storeWait)
	defer cancel()
	err = errBusy
	for try := 0; err == errBusy && try < batchTries && len(list) >= batchLeast; try++ { //nolint:errorlint // it is ours
		if try > 0 {
			if err := pause(ctx, try); err != nil {
				return 0, err
			}
		}
		last, err = e.batch(ctx, after, list)
	}
	if err == errBusy { //nolint:errorlint // it is ours
		last, err = e.oneByOne(ctx, after, list)
	}
	if err == nil {
		e.seen.Store(last)
	}
	return last, err
}

// batch stores messages all or none.
func (e *events) batch(ctx context.Context, after uint64, list []link.Message) (uint64, error) {
	var random [16]byte
	_, _ = crand.Read(random[:]) // it never fails
	id := hex.EncodeToString(random[:])
	for i := range list {
		m := message(&list[i])
		m.Header.Set(headerBatch, id)
		m.Header.Set(headerBatchNumber, strconv.Itoa(i+1))
		switch i {
		case 0: // it says whether there is a batch at all
			e.expect(m, after)
			a, err := e.line.request(ctx, m, storeWait)
			if err != nil {
				return 0, err
			}
			if len(a.Data) > 0 {
				if a := read(a); a.err != nil {
					return 0, a.err
				}
			}
		case len(list) - 1:
			m.Header.Set(headerBatchCommit, "1")
			a, err := e.line.request(ctx, m, storeWait)
			if err != nil {
				return 0, err
			}
			end := read(a)
			return end.seq, end.err
		default:
			if err := e.line.nc.PublishMsg(m); err != nil {
				return 0, e.line.failed(err)
			}
		}
	}
	return after, nil
}

// oneByOne stores each message behind the one before.
func (e *events) oneByOne(ctx context.Context, after uint64, list []link.Message) (uint64, error) {
	for i := range list {
		m := message(&list[i])
		e.expect(m, after)
		raw, err := e.line.request(ctx, m, storeWait)
		if err != nil {
			return 0, err
		}
		a := read(raw)
		if a.err == nil && a.duplicate {
			a.err = link.ErrMoved
		}
		if a.err != nil {
			return 0, a.err
		}
		after = a.seq
	}
	return after, nil
}

// expect has m stored only if the machine's newest event is that of after.
func (e *events) expect(m *nats.Msg, after uint64) {
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(after, 10))
	m.Header.Set(jetstream.ExpectedLastSubjSeqSubjHeader, e.all)
}

func message(m *link.Message) *nats.Msg {
	out := nats.NewMsg(m.Subject)
	out.Data = m.Body
	if m.ID != "" {
		out.Header.Set(jetstream.MsgIDHeader, m.ID)
	}
	return out
}

// pause waits a little longer after each try.
func pause(ctx context.Context, try int) error {
	select {
	case <-time.After(delay(try) / 4):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
