package fakemodel

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Cursor's agents are sent their calls by Cursor's servers: a run is one streamed reply
// (RunSSE), and what the agent says in it comes in requests of their own (BidiAppend) that
// name the run. Connect's envelopes and protocol buffers; the numbers are the fields of
// agent.v1 and aiserver.v1 in @cursor/sdk 1.0.32.

// Cursor's agents are sent their calls by Cursor's servers: a run is one streamed
// reply (RunSSE), and what the agent says in it comes in requests of their own
// (BidiAppend) that name the run. Connect's envelopes and protocol buffers; the
// numbers are the fields of agent.v1 and aiserver.v1 in @cursor/sdk 1.0.32.
const (
	cursorRun    = "/agent.v1.AgentService/RunSSE"
	cursorAppend = "/aiserver.v1.BidiService/BidiAppend"
	cursorLogin  = "/auth/exchange_user_api_key"
	cursorModels = "/v1/models"

	envelope = 5 // bytes before a message: flags and length
)

// cursorShell are the two ways to ask for a command: with one result, and streamed.
// The number is the field of the request and of the result.
var cursorShell = map[string]uint64{"Shell": 2, "ShellStream": 14}

// cursor answers a request to Cursor's servers. It reports whether it is one. What is
// not known here gets an empty message: the agent asks for much that it can do
// without.
func (m *Model) cursor(w http.ResponseWriter, r *http.Request) (bool, error) {
	switch path := r.URL.Path; {
	case r.Header.Get("X-Cursor-Client-Type") == "" && path != cursorLogin:
		return false, nil
	case path == cursorRun:
		return true, m.cursorRun(w, r)
	case path == cursorAppend:
		w.Header().Set("Content-Type", "application/proto")
		return true, m.cursorAppend(r)
	case path == cursorLogin:
		fmt.Fprint(w, `{"accessToken":"a.b.c"}`)
	case path == cursorModels:
		fmt.Fprint(w, `{"items":[{"id":"fake"}]}`)
	case r.Header.Get("Content-Type") == "application/proto":
		w.Header().Set("Content-Type", "application/proto") // a message without fields
	default:
		fmt.Fprint(w, `{}`)
	}
	return true, nil
}

// cursorInbox is what the agent says in a run. It comes over several connections,
// numbered from 0, and not always in that order.
type cursorInbox struct {
	said  chan []byte
	ahead map[uint64][]byte // came before what was said earlier
	next  uint64
}

// inbox is a run's; the caller holds m.mu. Whoever comes first makes it, the run or
// what is said in it.
func (m *Model) inbox(run string) *cursorInbox {
	if m.inboxes[run] == nil {
		m.inboxes[run] = &cursorInbox{said: make(chan []byte, 1000), ahead: map[uint64][]byte{}}
	}
	return m.inboxes[run]
}

// cursorAppend takes one message of the agent: its bytes in hex are field 1, the run's
// id is field 2 and its number field 3.
func (m *Model) cursorAppend(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	msg, err := hex.DecodeString(string(field(body, 1)))
	if err != nil {
		return fmt.Errorf("read what the agent said: %w", err)
	}
	no, _ := binary.Uvarint(field(body, 3)) // 0 is not written
	m.mu.Lock()
	defer m.mu.Unlock()
	in := m.inbox(string(field(body, 2, 1)))
	in.ahead[no] = msg
	// Messages are handed on in their order; one that came early waits here.
	for in.ahead[in.next] != nil {
		// The lock is held, so a full channel must not be waited for.
		select {
		case in.said <- in.ahead[in.next]:
		default:
			return errors.New("the agent said too much in one run")
		}
		delete(in.ahead, in.next)
		in.next++
	}
	return nil
}

// cursorRun plays one conversation. Its id is all that is in the request.
func (m *Model) cursorRun(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil || len(body) < envelope {
		return fmt.Errorf("read the request's envelope: %w", errors.Join(err, io.ErrUnexpectedEOF))
	}
	m.mu.Lock()
	inbox := m.inbox(string(field(body[envelope:], 1))).said
	m.mu.Unlock()
	w.Header().Set("Content-Type", "application/connect+proto")
	_ = m.cursorTalk(r.Context(), w, inbox) // an agent that is gone has no use for an error
	return nil
}

// cursorTalk plays one run of Cursor's agent over one stream: the agent's messages
// come through inbox, each call waits for its result, and the last step ends the turn.
func (m *Model) cursorTalk(ctx context.Context, w io.Writer, inbox <-chan []byte) error {
	request, err := hear(ctx, inbox)
	if err != nil {
		return err
	}
	// This is where the first message of the user stands.
	first := string(field(request, 1, 2, 1, 1, 1))
	for turn := 0; ; turn++ {
		step := m.step(true, first, turn)
		for _, c := range step.Calls {
			if err := m.cursorCall(ctx, w, inbox, c); err != nil {
				return err
			}
		}
		if len(step.Calls) == 0 {
			send(w, 0, message(1, message(1, message(1, []byte(step.Text)))))
			send(w, 0, message(1, message(14))) // the turn has ended
			send(w, 2, []byte(`{}`))
			return nil
		}
	}
}

// cursorCall has the agent run one command and keeps all that it says of it, texts
// among fields, once it has no more to say: it begins to talk before its hooks have
// answered.
func (m *Model) cursorCall(ctx context.Context, w io.Writer, inbox <-chan []byte, c Call) error {
	id := m.newID("tool")
	command, _ := c.Input["command"].(string)
	args := message(cursorShell[c.Tool], message(1, []byte(command)), message(4, []byte(id)), message(8)) // 8: how the servers parsed it
	send(w, 0, message(2, number(1, 1), args, message(15, []byte(id))))
	var said bytes.Buffer
	for {
		msg, err := hear(ctx, inbox)
		if err != nil {
			return err
		}
		said.Write(field(msg, 2))
		said.Write(field(msg, 5, 2)) // thrown
		if end := field(msg, 5); has(end, 1) || has(end, 2) {
			m.tell(id, strings.ToValidUTF8(said.String(), " "))
			return nil
		}
		// A heartbeat for each of its own: an agent that hears nothing of its servers for half a
		// minute takes the connection for dead, and gives up after some more of those.
		send(w, 0, message(1, message(13)))
	}
}

// hear waits for what the agent says next, or for the end of the request.
func hear(ctx context.Context, inbox <-chan []byte) ([]byte, error) {
	select {
	case msg := <-inbox:
		return msg, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// send writes one envelope of Connect; flag 2 ends the stream. It is flushed at once,
// since the agent waits for each message.
func send(w io.Writer, flag byte, msg []byte) {
	head := binary.BigEndian.AppendUint32([]byte{flag}, uint32(len(msg))) //nolint:gosec // a few hundred bytes
	_, _ = w.Write(append(head, msg...))                                  // an agent that is gone has no use for an error
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
