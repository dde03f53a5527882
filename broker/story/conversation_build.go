package story

import (
	"bytes"
	"cmp"
	"encoding/json"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/wire"
)

// builder makes entries of what is held. It lives for one build. Places in file are kept as
// indexes, as the slice moves while it grows.
type builder struct {
	t     *Conversation
	file  []Entry          // in the file's order
	calls map[string]int   // where in file, by the call's id; the last one of that id
	alike map[string][]int // those before it, of other input
	seen  map[string]int   // the same of what may be written again
	line  int64            // that the last part is of
	nth   int              // and which of its parts it is

	record []Entry                    // of the log alone, in its order
	asked  map[string]*broker.Request // by request id, as it was seen last
	order  []string                   // of the ids in asked
	ran    map[string]*endOfCall      // by request id
	seq    map[string]int64           // by request id: the first event about it
}

// endOfCall is what a report said of a call's end, and when it came.
type endOfCall struct {
	data broker.RanData
	at   time.Time
}

// build makes all entries anew from the parts that are held. What the agent's file says comes
// first, then the calls on record are joined to the file's, then the other events are put where
// their time says. To build anew saves all the cases of joining to what was built before.
func (t *Conversation) build() {
	b := builder{t: t, calls: map[string]int{}, alike: map[string][]int{}, seen: map[string]int{}, asked: map[string]*broker.Request{}, ran: map[string]*endOfCall{}, seq: map[string]int64{}}
	for _, p := range t.parts {
		// First the whole file, so that a call of the record finds its entry whichever part that
		// is in.
		for _, s := range p.said {
			b.said(s)
		}
	}
	for _, p := range t.parts {
		for i := range p.moments {
			b.call(&p.moments[i])
		}
	}
	// All calls of the record are known by now, with the newest that is said of each.
	b.join()
	for _, p := range t.parts {
		for i := range p.moments {
			b.moment(&p.moments[i])
		}
	}
	t.Entries = b.merged()
	t.spend()
}

// said takes a part of the file in.
func (b *builder) said(s Said) {
	// They tell of settings and costs, which spend reads.
	if s.By == agents.SaidOther && s.Tool != "" {
		return // the agent's books
	}
	// A line's place in the file names it for good: files only grow.
	e := Entry{Key: "f" + strconv.FormatInt(s.Line, 10), By: s.By, Text: s.Text, AtMS: ms(s.At)}
	if s.Line != b.line {
		b.line, b.nth = s.Line, 0
	}
	if b.nth++; b.nth > 1 { // several of one line
		e.Key += "." + strconv.Itoa(b.nth)
	}
	// The file says only that it is a sub-agent; the record may name it.
	if s.Side {
		e.Whose = "sub-agent"
	}
	switch s.By {
	case agents.SaidResult, agents.SaidFailed:
		// A result is told with its call. One whose call lies before what is held stands alone.
		if i, ok := b.calls[s.ID]; ok && s.ID != "" {
			b.file[i].Ran = gaveBack(s)
			return
		}
		e.Ran, e.Text = gaveBack(s), ""
	case agents.SaidCall:
		e.Call, e.Tool, e.Text = b.t.requestOf(s), s.Tool, ""
		// The file has it still; what is kept here is for a list.
		if e.Large = len(s.Text) > maxMomentInput; e.Large {
			e.Call.ToolInput = nil
		}
		if i, ok := b.calls[s.ID]; ok && s.ID != "" {
			// Some agents write a message a second time when its calls are done.
			if writtenAgain(b.file[i].Call, e.Call) {
				return
			}
			b.alike[s.ID] = append(b.alike[s.ID], i)
		}
		b.calls[s.ID] = len(b.file)
	case agents.SaidUser, agents.SaidAgent, agents.SaidThought, agents.SaidOther:
		if s.ID != "" {
			key := string(s.By) + s.ID
			// The later text is the whole one; the entry keeps its place.
			if i, ok := b.seen[key]; ok {
				b.file[i].Text = s.Text
				return
			}
			b.seen[key] = len(b.file)
		}
	}
	b.file = append(b.file, e)
}

// ms is a time as an Entry has it; 0 for none.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// gaveBack is what a tool gave back in the form that the log has, cut to the same length.
func gaveBack(s Said) *broker.RanData {
	text := strings.ToValidUTF8(s.Text, "\uFFFD")
	d := &broker.RanData{Failed: s.By == agents.SaidFailed, OutputBytes: len(text), ToolUseID: s.ID}
	d.Output, d.CutAt = broker.HeadAndTail(text, broker.MaxOutput)
	return d
}

// call notes what an event tells of a call.
func (b *builder) call(m *Moment) {
	id := m.Event.RequestID
	if m.Call == nil || id == "" {
		return
	}
	switch known := b.asked[id]; {
	// The first event about it says where in the log it belongs.
	case known == nil:
		b.order = append(b.order, id)
		b.seq[id] = m.Event.Seq
		b.asked[id] = m.Call
	// A later event may come with an older state of its call, as pages are read at different
	// times.
	case !known.State.Terminal() || m.Call.State.Terminal(): // an end stays one
		b.asked[id] = m.Call
	}
	if m.Event.Type != broker.EventPostTool {
		return
	}
	end := endOfCall{at: m.Event.At}
	// A report without a digest is a program's own, of another shape.
	if json.Unmarshal(m.Event.Data, &end.data) == nil && end.data.Digest != "" {
		b.ran[id] = &end
	}
}

// join finds the entries of the calls on record: by their ids or, where the agent tells
// its hooks none or others, by what they are. Calls that are not in the file get entries. The
// first question about a call makes its entry. A second one only fills it when it is still open.
func (b *builder) join() {
	for _, id := range b.order {
		r := b.asked[id]
		i, ok := b.find(r)
		if !ok {
			e := Entry{Key: "r" + id, By: agents.SaidCall, AtMS: ms(r.CreatedAt), Tool: r.ToolName, seq: b.seq[id]}
			b.fill(&e, r)
			b.record = append(b.record, e)
			continue
		}
		e := &b.file[i]
		if e.OnRecord && (r.State != broker.Pending || e.Call.State == broker.Pending) {
			continue // an agent may ask twice for a call: when it is about to run, and when its own rules ask
		}
		b.fill(e, r)
	}
}

// fill makes e tell of r, the call on record. What the file says of the same call is kept beside
// it where the two differ: the record says what was asked and allowed, the file only what the
// agent wrote.
func (b *builder) fill(e *Entry, r *broker.Request) {
	// It is what the file has, or nil where the entry is of the record alone.
	input := e.Call
	if e.OnRecord {
		input = e.InFile // of an earlier question about the same call
	}
	e.Call, e.OnRecord, e.Large, e.Retold, e.InFile = r, true, len(r.ToolInput) == 0, false, nil
	switch {
	case input == nil || len(input.ToolInput) == 0:
	// Large inputs are not kept with events; see maxMomentInput.
	case e.Large: // the file has it, as far as that is to be believed
		// The request itself is shared with moments, so a copy gets the file's input.
		both := *r
		both.ToolInput, e.Large, e.Retold = input.ToolInput, false, true
		e.Call = &both
	case !agents.TraitsOf(b.t.agent).OwnNames && input.ToolName != r.ToolName || !tellsOf(input.ToolInput, r.ToolInput):
		e.InFile = input
	}
	if r.SubagentType != "" || r.SubagentID != "" {
		e.Whose = cmp.Or(r.SubagentType, r.SubagentID)
	}
	end := b.ran[r.ID]
	switch {
	case end == nil:
	case e.Ran == nil:
		e.Ran = &end.data
	// The file has the output in full; only the log knows how long the call took.
	default:
		e.Ran.DurationMS = end.data.DurationMS
		e.Ran.Failed = e.Ran.Failed || end.data.Failed
	}
}

// writtenAgain reports whether two calls of the file are one, written twice.
func writtenAgain(a, b *broker.Request) bool {
	return a != nil && b != nil && a.ToolName == b.ToolName && (len(a.ToolInput) == 0 && len(b.ToolInput) == 0 || wire.Same(a.ToolInput, b.ToolInput))
}

// tellsOf reports whether all that the file has of an input is in the recorded one, to which
// an agent may have added what is the rule where nothing is said.
func tellsOf(file, recorded json.RawMessage) bool {
	if bytes.Equal(file, recorded) {
		return true
	}
	var told, known map[string]json.RawMessage
	if json.Unmarshal(file, &told) != nil || json.Unmarshal(recorded, &known) != nil {
		return wire.Same(file, recorded)
	}
	for key, value := range told {
		if !wire.Same(value, known[key]) {
			return false
		}
	}
	return len(told) > 0 || len(known) == 0
}

// find is the entry in the file of the call that r asked for. The most certain sign comes first:
// the same id and input, then the id, then name and input within the time in which an agent may
// have written it.
func (b *builder) find(r *broker.Request) (int, bool) {
	// An id may come twice with different inputs, when a call was edited.
	for _, i := range b.alike[r.ToolUseID] {
		if c := b.file[i].Call; c.ToolName == r.ToolName && wire.Same(c.ToolInput, r.ToolInput) {
			return i, true
		}
	}
	if i, ok := b.calls[r.ToolUseID]; ok && r.ToolUseID != "" {
		return i, true
	}
	// A sub-agent of some agents has a file of its own, which is not read here.
	if r.ToolUseID != "" && r.SubagentID != "" { // written down elsewhere
		return 0, false
	}
	for i := range b.file {
		e := &b.file[i]
		if e.Call == nil || e.OnRecord || e.Call.ToolName != r.ToolName || e.AtMS > 0 && !b.near(e.AtMS, r) {
			continue
		}
		if wire.Same(e.Call.ToolInput, r.ToolInput) {
			return i, true
		}
	}
	return 0, false
}

// maxApart is how long before it asks for a call, or after the call's end, an agent may
// write it down.
const maxApart = time.Minute

// near reports whether what was written down at a time may be the call of r. A call that may run
// has no end before its report comes, however long it takes.
func (b *builder) near(atMS int64, r *broker.Request) bool {
	// Written long before it was asked: another call with the same words.
	if atMS < ms(r.CreatedAt)-maxApart.Milliseconds() {
		return false
	}
	end := time.Time{}
	if ran := b.ran[r.ID]; ran != nil {
		end = ran.at
	} else if r.Outcome != nil && r.State != broker.Allowed {
		end = r.Outcome.At
	}
	return end.IsZero() || atMS < ms(end)+maxApart.Milliseconds()
}

// moment makes an entry of an event that is not told otherwise. Where there is no file,
// the hooks' words are told as well.
func (b *builder) moment(m *Moment) {
	e := Entry{Key: "e" + strconv.FormatInt(m.Event.Seq, 10), AtMS: ms(m.Event.At), By: agents.SaidOther, seq: m.Event.Seq}
	switch m.Event.Type {
	// These are told with their call.
	case broker.EventRequestCreated, broker.EventRequestDecided, broker.EventPostTool, broker.EventTakenUpAgain:
		return
	case broker.EventUser, broker.EventMessage, broker.EventTurnEnd, broker.EventSubagentStop:
		if b.t.file != (FileMark{}) || !b.words(m, &e) {
			return
		}
	case broker.EventSessionStart, broker.EventSessionStop, broker.EventSessionEnd, broker.EventRunStarted:
		if b.t.file != (FileMark{}) {
			return
		}
		e.Moment = m
	// What has no words of its own is drawn as an event.
	default:
		e.Moment = m
	}
	b.record = append(b.record, e)
}

// words are what an event says that somebody said; false for nothing new. An end of turn repeats
// what the agent said last, so it is told only where it says more.
func (b *builder) words(m *Moment, e *Entry) bool {
	var d struct {
		UserData

		SubagentID   string `json:"subagent_id"`
		SubagentType string `json:"subagent_type"`
	}
	if json.Unmarshal(m.Event.Data, &d) != nil || strings.TrimSpace(d.Words()) == "" {
		return false
	}
	e.Text, e.By, e.Whose = d.Words(), agents.SaidAgent, cmp.Or(d.SubagentType, d.SubagentID)
	switch {
	case m.Event.Type == broker.EventUser && d.FromAgent:
		e.By = agents.SaidOther
	case m.Event.Type == broker.EventUser:
		e.By = agents.SaidUser
	case m.Event.Type == broker.EventTurnEnd: // it may end with what was just said
		// Only this turn is looked at: it goes back to what the user said last.
		for i := len(b.record) - 1; i >= 0 && b.record[i].By != agents.SaidUser; i-- {
			if b.record[i].By == agents.SaidAgent {
				return !strings.HasPrefix(b.record[i].Text, strings.TrimSuffix(e.Text, "…"))
			}
		}
	}
	return true
}

// merged is the file in its order, with what is only on record put in by its time. An entry
// without a time stays where the file has it.
func (b *builder) merged() []Entry {
	// The log's order is sure; its times may be equal, or a clock may have been set back.
	sort.SliceStable(b.record, func(i, j int) bool { return b.record[i].seq < b.record[j].seq })
	list := make([]Entry, 0, len(b.file)+len(b.record))
	rest := b.record
	for i := range b.file {
		for at := b.file[i].AtMS; at > 0 && len(rest) > 0 && rest[0].AtMS < at; rest = rest[1:] {
			list = append(list, rest[0])
		}
		list = append(list, b.file[i])
	}
	return append(list, rest...)
}
