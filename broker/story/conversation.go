package story

import (
	"encoding/json"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
)

// Entry is one part of a session as it is told: what somebody said, or a call with what
// became of it. Its texts are untrusted. Two builds of the same parts give equal Keys, so a
// screen finds its place again after more was read.
type Entry struct {
	Key   string         // names it, whatever is read before and after it
	By    agents.Speaker // SaidResult and SaidFailed only where the call is not there
	Text  string
	AtMS  int64  // milliseconds since 1970 UTC; 0 when nobody tells
	Whose string // the sub-agent, "" for the session's main agent
	Tool  string // SaidCall: as its agent names it

	Call     *broker.Request // SaidCall: on record, else made of what the file says
	OnRecord bool            // Call is what this broker was asked
	Large    bool            // the input of Call was too large to be kept
	Retold   bool            // it was, and what Call has is the file's
	InFile   *broker.Request // the call as the file has it, where that is another one; else nil
	Ran      *broker.RanData // what the tool gave back; nil while that is not known
	Moment   *Moment         // an event of the log that is no call

	seq int64 // of what is not in the file: where in the log it stands
}

// Spent is what a session cost, as its agent says.
type Spent = agents.Spent

// Both bounds hold at once. They are far above what a person reads in one sitting.
const (
	conversationParts = 6000     // that a Conversation keeps
	conversationBytes = 16 << 20 // of text, likewise
)

// Conversation puts the parts of a transcript together, in whatever order they are read: it
// holds a stretch that grows at the end that is read and is cut at the other. The zero value is
// empty and ready. It is for one goroutine; Entries are made anew by each Add, so an old slice
// stays as it is.
type Conversation struct {
	parts   []conversationPart
	file    FileMark
	agent   string
	cwd     string
	atStart bool
	atEnd   bool

	Entries []Entry
	Model   string
	Spent   Spent
	Whole   bool // Spent is of the whole session, not of what was read of it
}

// conversationPart is one part as it was read. Its raw lines are not kept.
type conversationPart struct {
	span    TranscriptSpan
	said    []Said
	moments []Moment
	bytes   int
}

// Span is what is held. The caller hands it to Reader.Transcript to read on before or after it.
func (t *Conversation) Span() TranscriptSpan {
	s := TranscriptSpan{File: t.file}
	for i, p := range t.parts {
		if i == 0 {
			s.From = p.span.From
		}
		s.To = p.span.To
		// A part may have no events of its own.
		if s.First == 0 {
			s.First = p.span.First
		}
		s.Last = max(s.Last, p.span.Last)
	}
	return s
}

// AtStart and AtEnd report whether there is nothing before what is held, and nothing after
// it as far as was looked.
func (t *Conversation) AtStart() bool { return t.atStart }

// AtEnd is told with AtStart.
func (t *Conversation) AtEnd() bool { return t.atEnd }

// Add takes a part in. A newest or oldest part takes the place of all that was there. Parts must
// come in the order of their spans: each begins where what is held ends, or ends where it begins.
func (t *Conversation) Add(p Transcript) {
	// Nothing came since; what is held stays, down to its slices.
	if p.Same {
		t.atEnd = t.atEnd || p.AtEnd
		return
	}
	part := conversationPart{span: p.Span, said: p.Said, moments: p.Moments, bytes: weight(p)}
	switch p.Part {
	// What was held may be of another stretch, or of another file.
	case NewestPart, OldestPart:
		*t = Conversation{parts: []conversationPart{part}, agent: p.Agent, cwd: p.CWD, file: p.Span.File, atStart: p.AtStart, atEnd: p.AtEnd}
	case EarlierPart:
		t.parts = append([]conversationPart{part}, t.parts...)
		t.atStart = p.AtStart
	case LaterPart:
		if t.append(part); p.Span.File != (FileMark{}) {
			t.file = p.Span.File
		}
		t.atEnd = p.AtEnd
	}
	// Trimming comes before building, so nothing is built to be thrown away.
	t.trim(p.Part)
	t.build()
}

// append adds a part at the end. Small ones become one.
func (t *Conversation) append(p conversationPart) {
	// A session that is watched grows by a line or two at a time. Without this each would be a
	// part.
	const small = 200
	n := len(t.parts) - 1
	if n < 0 || len(t.parts[n].said)+len(t.parts[n].moments) > small || n == 0 {
		t.parts = append(t.parts, p)
		return
	}
	last := &t.parts[n]
	last.said, last.moments = append(last.said, p.said...), append(last.moments, p.moments...)
	last.span.To, last.bytes = p.span.To, last.bytes+p.bytes
	if last.span.First == 0 {
		last.span.First = p.span.First
	}
	last.span.Last = max(last.span.Last, p.span.Last)
}

// weight is roughly how much memory a part holds, in bytes of text.
func weight(p Transcript) int {
	n := 0
	for _, s := range p.Said {
		n += len(s.Text)
	}
	for _, m := range p.Moments {
		n += len(m.Event.Data)
		if m.Call != nil {
			n += len(m.Call.ToolInput)
		}
	}
	return n
}

// trim lets go of parts at the end that is not read.
func (t *Conversation) trim(grew TranscriptPart) {
	for len(t.parts) > 2 {
		n, size := 0, 0
		for _, p := range t.parts {
			n, size = n+len(p.said)+len(p.moments), size+p.bytes
		}
		if n <= conversationParts && size <= conversationBytes {
			return
		}
		// Whoever reads backwards has left the end; it is read again when they come back.
		if grew == EarlierPart {
			t.parts, t.atEnd = t.parts[:len(t.parts)-1], false
			continue
		}
		// A copy, so that the memory of the part that goes is set free.
		t.parts, t.atStart = append([]conversationPart(nil), t.parts[1:]...), false
	}
}

// requestOf is a call as the file tells it, in the shape of a request. An input that is no JSON
// is wrapped, so that whoever draws calls gets an object always.
func (t *Conversation) requestOf(s Said) *broker.Request {
	name, input := agents.InHookWords(t.agent, s.Tool, json.RawMessage(s.Text))
	if !json.Valid(input) {
		input, _ = json.Marshal(map[string]string{"input": s.Text})
	}
	return &broker.Request{SessionID: "", Agent: t.agent, ToolName: name, ToolInput: input, ToolUseID: s.ID, CWD: t.cwd}
}

// spend sums what the agent says of its tokens, and finds its model. Whole is true also when the
// file is held from its first line, since then nothing is missing in the sum.
func (t *Conversation) spend() {
	t.Model = ""
	var b books
	for _, p := range t.parts {
		for _, s := range p.said {
			if s.Model != "" {
				t.Model = s.Model
			}
			b.add(s)
		}
	}
	t.Spent, t.Whole = b.sum(), b.total != nil || t.atStart
}
