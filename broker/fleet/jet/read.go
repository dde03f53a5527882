package jet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/told"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Kind says what a reader of a line reads. A line has one reader of each kind at a time, so a member
// cannot fill a server with readers, nor touch those of another.
type Kind string

// The kinds of readers, and the stream of each.
const (
	ReadsRosters    Kind = "r" // told.StreamMembers
	ReadsEnrolments Kind = "j" // told.StreamMembers
	ReadsEvents     Kind = "e" // told.StreamEvents
	ReadsStates     Kind = "s" // told.StreamStates
)

// Reader is the name of a line's reader at the server.
func Reader(nkey, token string, kind Kind) string {
	return nkey + "-" + token + "-" + string(kind)
}

const (
	readerBeat   = 2 * time.Second  // a reader that says nothing for twice as long is gone with its server
	membersBeat  = 12 * time.Second // the same for the members' stream, of which every machine has two readers
	readerIdle   = time.Minute      // a reader that is left alone is gone after that
	readMessages = 128              // on the way at a time
	readBytes    = 2 * MaxPayload

	behindTries = 8 // until a replica has what another has
)

// errGap means that a message was lost on its way.
var errGap = errors.New("a message of the fleet did not come")

// reading is what one reads of a stream, in the order in which it was stored.
type reading struct {
	stream string
	kind   Kind
	filter string // the subjects; "" for all of the stream
	from   uint64 // the first sequence number in the stream
	to     uint64 // one that is known to be there: a replica that is behind it has not all yet
	bare   bool   // without bodies
}

// beat is how often the reader says that it is there. Servers that have much to do say it late, and each
// reader that is then made anew is more to do: what every machine reads is given time.
func (r *reading) beat() time.Duration {
	if r.stream == told.StreamMembers {
		return membersBeat
	}
	return readerBeat
}

// taker gets a message and its sequence number in the stream; false ends the reading.
type taker func(m jetstream.Msg, seq uint64) bool

// turn waits until no other reading of a kind is under way.
func (l *Line) turn(ctx context.Context, kind Kind) (done func(), err error) {
	l.mu.Lock()
	c, ok := l.turns[string(kind)]
	if !ok {
		c = make(chan struct{}, 1)
		l.turns[string(kind)] = c
	}
	l.mu.Unlock()
	select {
	case c <- struct{}{}:
		return func() { <-c }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// follow reads what there is, says so (begun), and then what comes, until the context ends. After the
// line was out it goes on behind what it had.
func (l *Line) follow(ctx context.Context, r reading, begun func(), take func(m jetstream.Msg)) error {
	done, err := l.turn(ctx, r.kind)
	if err != nil {
		return err
	}
	defer done()
	say := begun
	for failures := 0; ; failures++ {
		changed, err := l.Ready(ctx)
		if err != nil {
			return err
		}
		during, cancel := l.while(ctx, changed)
		err = l.read(during, r, true, func() {
			if say != nil {
				say()
				say = nil
			}
		}, func(m jetstream.Msg, seq uint64) bool {
			failures, r.from = 0, seq+1
			take(m)
			return true
		})
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l.log.Debug("a reader of the fleet begins again", "stream", r.stream, "err", err)
		select {
		case <-time.After(delay(failures)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// all reads what there is, and ends.
func (l *Line) all(ctx context.Context, r reading, take taker) error {
	done, err := l.turn(ctx, r.kind)
	if err != nil {
		return err
	}
	defer done()
	for try := 0; ; try++ {
		ended := false
		err := l.read(ctx, r, false, func() {}, func(m jetstream.Msg, seq uint64) bool {
			r.from = seq + 1
			ended = !take(m, seq)
			return !ended
		})
		// What is lost on the way comes again.
		if !errors.Is(err, errGap) && (err != nil || ended || r.to < max(r.from, 1)) {
			return l.failed(err)
		}
		if try == behindTries {
			return cmp.Or(l.failed(err), ErrBehind)
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// read makes a reader at the server, and has it deliver. The server numbers what a reader delivers,
// so what is lost on the way is noticed.
func (l *Line) read(ctx context.Context, r reading, goesOn bool, begun func(), take taker) error {
	name := Reader(l.nkey, l.token, r.kind)
	cfg := jetstream.ConsumerConfig{
		Name: name, AckPolicy: jetstream.AckNonePolicy, FilterSubject: r.filter, HeadersOnly: r.bare,
		DeliverPolicy: jetstream.DeliverAllPolicy, InactiveThreshold: readerIdle, MemoryStorage: true, Replicas: 1,
	}
	if r.from > 1 {
		cfg.DeliverPolicy, cfg.OptStartSeq = jetstream.DeliverByStartSequencePolicy, r.from
	}
	c, err := again(ctx, func(ctx context.Context) (jetstream.Consumer, error) {
		_ = l.js.DeleteConsumer(ctx, r.stream, name) // that of an earlier reading
		return l.js.CreateConsumer(ctx, r.stream, cfg)
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", r.stream, err)
	}
	caught := c.CachedInfo().NumPending == 0
	if caught {
		begun()
		if !goesOn {
			return nil
		}
	}
	it, err := c.Messages(jetstream.PullMaxMessagesWithBytesLimit(readMessages, readBytes), jetstream.PullHeartbeat(r.beat()), jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return fmt.Errorf("read %s: %w", r.stream, err)
	}
	defer it.Stop()
	for n := uint64(1); ; n++ {
		m, err := next(ctx, c, it, caught)
		if err == nil && m == nil { // what there was still went away before it came
			begun()
			if caught = true; !goesOn {
				return nil
			}
			m, err = it.Next(jetstream.NextContext(ctx))
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", r.stream, err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return fmt.Errorf("read %s: %w", r.stream, err)
		}
		if meta.Sequence.Consumer != n {
			return errGap
		}
		if !take(m, meta.Sequence.Stream) {
			return nil
		}
		if meta.NumPending == 0 {
			begun()
			if caught = true; !goesOn {
				return nil
			}
		}
	}
}

// again asks for something that may be asked for more than once. In a cluster whose leader changes
// nobody may answer, and nobody says so.
func again[T any](ctx context.Context, ask func(ctx context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, requestWait)
	defer cancel()
	for {
		during, end := context.WithTimeout(ctx, requestWait/5)
		answer, err := ask(during)
		end()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return answer, err
		}
	}
}

// next is the next message. While a reader still has to catch up, and nothing comes, it looks whether
// there is anything left to come: none is returned without an error then. In a cluster what we ask a reader for that
// was just made may be lost on its way, and no heartbeat tells while we come back so often. Errors: errGap.
func next(ctx context.Context, c jetstream.Consumer, it jetstream.MessagesContext, caught bool) (jetstream.Msg, error) {
	if caught {
		return it.Next(jetstream.NextContext(ctx))
	}
	for {
		m, err := it.Next(jetstream.NextMaxWait(2 * time.Second))
		if !errors.Is(err, nats.ErrTimeout) {
			return m, err
		}
		info, err := c.Info(ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case info.NumPending == 0 && info.NumAckPending == 0:
			return nil, nil //nolint:nilnil // said above
		case info.NumWaiting == 0: // nobody asks
			return nil, errGap
		}
	}
}

// newest is the last message whose subject is of a kind, which may have wildcards; 0 for none.
func (l *Line) newest(ctx context.Context, stream, subject string) (seq uint64, body []byte, err error) {
	m, err := again(ctx, func(ctx context.Context) (*nats.Msg, error) {
		return l.request(ctx, nats.NewMsg(NewestOf(stream, subject)), requestWait)
	})
	if err != nil {
		return 0, nil, err
	}
	switch status := m.Header.Get("Status"); status {
	case "":
	case "404":
		return 0, nil, nil
	default:
		return 0, nil, fmt.Errorf("read %s: %s %s", stream, status, m.Header.Get("Description"))
	}
	if seq, err = strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64); err != nil {
		return 0, nil, fmt.Errorf("read %s: %w", stream, err)
	}
	return seq, m.Data, nil
}

// Last is the last message of a subject, as the server has it that leads the stream; 0 for none.
func Last(ctx context.Context, nc *nats.Conn, stream, subject string) (seq uint64, body []byte, err error) {
	ask, err := json.Marshal(map[string]string{"last_by_subj": subject})
	if err != nil {
		return 0, nil, err
	}
	m, err := again(ctx, func(ctx context.Context) (*nats.Msg, error) { return nc.RequestWithContext(ctx, LastOf(stream), ask) })
	if err != nil {
		return 0, nil, err
	}
	var a struct {
		Error   *jetstream.APIError
		Message struct {
			Seq  uint64
			Data []byte
		}
	}
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return 0, nil, fmt.Errorf("read %s: %w", stream, err)
	}
	if a.Error != nil && a.Error.ErrorCode != jetstream.JSErrCodeMessageNotFound {
		return 0, nil, fmt.Errorf("read %s: %w", stream, a.Error)
	}
	return a.Message.Seq, a.Message.Data, nil
}

// LastOf is the subject where Last asks. Whoever may ask there may read all of the stream.
func LastOf(stream string) string { return "$JS.API.STREAM.MSG.GET." + stream }

// NewestOf is the subject where a server is asked for the last message of a subject.
func NewestOf(stream, subject string) string { return "$JS.API.DIRECT.GET." + stream + "." + subject }
