package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/coder/websocket"

	"github.com/aoctl/aoctl/broker"
)

// Protocol is the subprotocol of the WebSocket. A client need not name it; one that names others
// beside it gets this one.
const Protocol = "aoctl"

const (
	maxHeard = 4 << 10                // bytes of one message of a client's, which is dropped
	goodbye  = 500 * time.Millisecond // that a client has to answer a close
	revoked  = "the token was revoked"
)

// The messages of a WebSocket.
type (
	initMessage struct {
		Type        string `json:"type"`
		Sessions    []any  `json:"sessions"`
		LastEventID int64  `json:"last_event_id"` // every later event follows
	}
	// sessionMessage is a session_updated, session_deleted or session_stopping.
	sessionMessage struct {
		Type      string `json:"type"`
		SessionID string `json:"session_id,omitempty"`
		Session   any    `json:"session,omitempty"`
	}
	approvalMessage struct {
		Type      string          `json:"type"`
		RequestID string          `json:"request_id"`
		SessionID string          `json:"session_id"`
		ToolName  string          `json:"tool_name"`
		ToolInput json.RawMessage `json:"tool_input"`
		Timeout   float64         `json:"timeout"` // seconds from created_at on
		CreatedAt time.Time       `json:"created_at"`
	}
)

// approvalOf says that r waits for an answer. A call without a deadline has a timeout of 0.
func approvalOf(r broker.Request) approvalMessage {
	m := approvalMessage{"approval_request", r.ID, r.SessionID, r.ToolName, r.ToolInput, 0, r.CreatedAt}
	if !r.ExpiresAt.IsZero() {
		m.Timeout = r.ExpiresAt.Sub(r.CreatedAt).Seconds()
	}
	return m
}

// Socket makes a WebSocket of the request and writes to it until the client leaves, is too slow or
// may read no longer, or the feed closes. An error means that nothing was written: ErrReaders,
// broker.ErrClosed, or the store's. A request that is no WebSocket's is answered here.
func (f *Feed) Socket(w http.ResponseWriter, r *http.Request, still func() bool) error {
	t, leave, err := f.join()
	if err != nil {
		return err
	}
	defer leave()
	s := &socket{t: t, still: still}
	if err = s.prepare(r.Context(), f.o); err != nil {
		return err
	}
	taken := &hijacker{ResponseWriter: w}
	if s.c, err = websocket.Accept(taken, r, &websocket.AcceptOptions{Subprotocols: []string{Protocol}}); err != nil {
		return nil // the client was told
	}
	s.conn = taken.conn
	s.c.SetReadLimit(maxHeard)
	// The request's own context says nothing any more once its connection was taken.
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	go s.listen(ctx, cancel)
	go s.ping(ctx, cancel)
	code, why := s.run(ctx, f.closed)
	stop := time.AfterFunc(goodbye, cancel) // which cuts the connection
	defer stop.Stop()
	_ = s.c.Close(code, why)
	return nil
}

// socket is one client of a WebSocket.
type socket struct {
	t     *tail
	c     *websocket.Conn
	conn  *heldConn // below c
	still func() bool

	place   int
	first   []any           // what is said before all else
	waiting map[string]bool // the calls among that
}

// prepare takes the place in the ring before it looks at what there is. So what changes in between
// is told twice, and not lost.
func (s *socket) prepare(ctx context.Context, o Options) error {
	hello := initMessage{Type: "init", Sessions: []any{}}
	s.place, hello.LastEventID = s.t.end()
	list, err := o.Records.Sessions(ctx)
	if err != nil {
		return fmt.Errorf("list the sessions: %w", err)
	}
	for i := range list {
		hello.Sessions = append(hello.Sessions, o.View(list[i]))
	}
	s.first, s.waiting = []any{hello}, map[string]bool{}
	for _, r := range o.Records.Pending("") {
		s.first = append(s.first, approvalOf(r))
		s.waiting[r.ID] = true
	}
	return nil
}

// listen drops what the client says. To read is what answers its pings, and shows that it left.
func (s *socket) listen(ctx context.Context, cancel context.CancelFunc) {
	defer cancel()
	for {
		_, r, err := s.c.Reader(ctx)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if err != nil {
			return
		}
	}
}

// ping finds out whether the client is still there. One that does not answer is cut off.
func (s *socket) ping(ctx context.Context, cancel context.CancelFunc) {
	defer cancel()
	t := time.NewTicker(pingEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		limit, done := context.WithTimeout(ctx, writeTime)
		err := s.c.Ping(limit)
		done()
		if err != nil {
			return
		}
	}
}

// run writes until there is a reason to stop, which it returns in the words of a close.
func (s *socket) run(ctx context.Context, closed <-chan struct{}) (websocket.StatusCode, string) {
	for _, m := range s.first {
		if s.write(encoded(m)) != nil {
			return websocket.StatusGoingAway, ""
		}
	}
	s.first = nil
	check := time.NewTicker(beatEvery)
	defer check.Stop()
	for {
		list, news, ok := s.t.from(s.place)
		if !ok {
			return websocket.StatusTryAgainLater, "too slow; connect again"
		}
		s.place += len(list)
		if len(list) > 0 {
			news = open
		}
		if slices.ContainsFunc(list, func(e *entry) bool { return e.event == broker.EventTokenRevoked }) && !s.still() {
			return websocket.StatusPolicyViolation, revoked
		}
		if s.tellAll(list) != nil {
			return websocket.StatusGoingAway, ""
		}
		select {
		case <-ctx.Done():
			return websocket.StatusGoingAway, ""
		case <-closed:
			return websocket.StatusGoingAway, "the console is being closed"
		case <-check.C:
			if !s.still() {
				return websocket.StatusPolicyViolation, revoked
			}
		case <-news:
		}
	}
}

// tellAll writes list, with as few system calls as there can be.
func (s *socket) tellAll(list []*entry) error {
	_ = s.conn.hold(true)
	for _, e := range list {
		if err := s.tell(e); err != nil {
			return err
		}
	}
	return s.conn.hold(false)
}

// tell writes e, unless it is passed over or was said at the beginning.
func (s *socket) tell(e *entry) error {
	if e.whole == nil || e.message() && s.waiting[e.request] {
		return nil
	}
	return s.write(e.whole)
}

// write takes no context: the connection has a deadline of its own, and is cut when ctx ends.
func (s *socket) write(message []byte) error {
	return s.c.Write(context.Background(), websocket.MessageText, message)
}
