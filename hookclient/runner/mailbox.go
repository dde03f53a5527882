package runner

import (
	"regexp"
	"slices"

	"github.com/aoctl/aoctl/broker/wire"
)

// mailbox knows the console's orders and brings its messages to the agent.
//
// The console repeats an order until it hears that it was done, so each is admitted once.
// A message goes a long way: it waits for the end of the turn, is sent, is taken up by the
// agent, and counts as done only when a model has it, because an agent that is not logged
// in takes up everything. One that no model had may be ordered again. Its maps are bounded by
// maxSeen, since ids are the other side's choice.
type mailbox struct {
	out     *outbox
	session string
	newID   func() string

	known   map[string]bool   // orders that were admitted
	waiting []wire.RunOrder   // messages for after this turn
	sent    map[string]string // messages that the agent has not taken up: their orders, by uuid
	takenUp []string          // orders of those that it took up and that no model is known to have
	missed  map[string]bool   // orders of messages that no model had

	announces bool // the agent says when it takes up a message
}

// newMailbox is one without orders. newID makes the ids of messages that cannot have their
// order's.
func newMailbox(out *outbox, session string, newID func() string) *mailbox {
	return &mailbox{
		out: out, session: session, newID: newID,
		known: map[string]bool{}, sent: map[string]string{}, missed: map[string]bool{},
	}
}

// admit reports whether order was not admitted before.
func (m *mailbox) admit(order string) bool {
	if order == "" || m.known[order] {
		return false
	}
	// To forget them all may carry an order out twice. That is far off, and better than to grow
	// for ever.
	if len(m.known) >= maxSeen {
		clear(m.known)
	}
	m.known[order] = true
	return true
}

// release forgets an order that was not carried out: it is admitted when it comes again,
// here or in another process.
func (m *mailbox) release(order string) { delete(m.known, order) }

// withdraw forgets the messages that wait here and are not among wanted any more. A message that
// was sent already cannot be taken back, and is not looked at.
func (m *mailbox) withdraw(wanted []wire.RunOrder) {
	m.waiting = slices.DeleteFunc(m.waiting, func(w wire.RunOrder) bool {
		gone := !slices.ContainsFunc(wanted, func(o wire.RunOrder) bool { return o.ID == w.ID })
		if gone {
			m.release(w.ID)
		}
		return gone
	})
}

// add queues a message behind those that wait.
func (m *mailbox) add(message wire.RunOrder) { m.waiting = append(m.waiting, message) }

// next takes the message that has waited longest.
func (m *mailbox) next() (message wire.RunOrder, ok bool) {
	if len(m.waiting) == 0 {
		return wire.RunOrder{}, false
	}
	message, m.waiting = m.waiting[0], m.waiting[1:]
	return message, true
}

// empty reports that the agent has taken up all that there was for it.
func (m *mailbox) empty() bool { return len(m.waiting) == 0 && len(m.sent) == 0 }

// isUUID is the form of id that the agent takes for a message.
var isUUID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// send tells the agent a message. The message has the order's id, so that the agent's
// transcript shows which order it was, unless the agent would not take that id or has seen
// it before.
func (m *mailbox) send(message wire.RunOrder) {
	uuid := message.ID
	// The agent passes over a message whose id it has seen before.
	if !isUUID.MatchString(uuid) || m.missed[message.ID] {
		uuid = m.newID()
	}
	m.sent[uuid] = message.ID
	m.out.write(userSays(m.session, uuid, message.Text))
}

// announced takes the agent's word on how far it is with a message.
func (m *mailbox) announced(l message) {
	m.announces = true
	if l.State != "queued" {
		m.tookUp(l.Command)
	}
}

// tookUp notes that the agent has taken up a message.
func (m *mailbox) tookUp(uuid string) {
	if order, ok := m.sent[uuid]; ok {
		delete(m.sent, uuid)
		m.takenUp = append(m.takenUp, order)
	}
}

// reachedModel notes that a model has the messages that were taken up, or why none has.
func (m *mailbox) reachedModel(err error) {
	for _, order := range m.takenUp {
		// The order may come again, and its message then needs another id.
		if m.out.done(order, err); err != nil && len(m.missed) < maxSeen {
			m.missed[order] = true
			m.release(order)
		}
	}
	m.takenUp = nil
}

// turnEnded settles what was taken up in a turn; err says why no model had it. An agent that
// announces nothing has taken everything up by the end of its turn.
func (m *mailbox) turnEnded(err error) {
	if !m.announces {
		for uuid := range m.sent {
			m.tookUp(uuid)
		}
	}
	m.reachedModel(err)
}

// userMessage is a message as the agent reads it.
type userMessage struct {
	Type    string `json:"type"`
	Message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"message"`
	Parent    *string `json:"parent_tool_use_id"`
	SessionID string  `json:"session_id"`
	UUID      string  `json:"uuid"`
}

// userSays is a message of the session's user in the agent's protocol.
func userSays(session, uuid, text string) userMessage {
	m := userMessage{Type: "user", SessionID: session, UUID: uuid}
	m.Message.Role, m.Message.Content = "user", text
	return m
}
