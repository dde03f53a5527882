package story

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
)

// TranscriptPart says which part of a transcript is wanted, or came.
type TranscriptPart string

// The parts.
const (
	NewestPart  TranscriptPart = "newest"
	OldestPart  TranscriptPart = "oldest"
	EarlierPart TranscriptPart = "earlier" // than what the caller has
	LaterPart   TranscriptPart = "later"
)

// TranscriptSpan is a stretch of a transcript: bytes [From, To) of the agent's file, and
// events First to Last of the log. The zero span is that of nothing.
type TranscriptSpan struct {
	File  FileMark `json:"file,omitzero"` // zero when the file was not read
	From  int64    `json:"from"`
	To    int64    `json:"to"`
	First int64    `json:"first_event"` // 0: none was looked at
	Last  int64    `json:"last_event"`
}

// Transcript is a part of what was said and done in a session: what its agent wrote down,
// and what is on record of it. It is a value to send: nothing in it is shared with the Reader.
type Transcript struct {
	Agent  string // the session's
	CWD    string
	Path   string // the file, as the agent's hook named it
	NoFile string // why that was not read, so that the record tells alone; "" when it was

	Part    TranscriptPart
	Span    TranscriptSpan // of this part
	Size    int64          // of the file
	AtStart bool           // nothing comes before it
	AtEnd   bool           // nothing comes after it yet
	Anew    bool           // what the caller had is of another file: this is the newest part
	Same    bool           // LaterPart: there is nothing new

	Said    []Said
	Moments []Moment // in their order; of very large calls without their input
}

// Said is one part of a transcript's file.
type Said = agents.Said

const (
	transcriptEvents = 400         // events of a part
	maxMomentInput   = 64 << 10    // bytes of a call's input that a moment keeps
	clockSlack       = time.Second // by which the agent's writing may come after what our log says of it
)

// transcriptTypes are the types of event that a transcript tells of.
var transcriptTypes = []string{
	broker.EventUser, broker.EventMessage, broker.EventTurnEnd, broker.EventSubagentStop, broker.EventRequestCreated, broker.EventRequestDecided, broker.EventPostTool,
	broker.EventStopRequested, broker.EventStopLifted, broker.EventSessionKilled, broker.EventRanOtherwise, broker.EventRunStarted, broker.EventRunEnded,
	broker.EventMessageQueued, broker.EventMessageDropped, broker.EventInterruptAsked, broker.EventDeferred, broker.EventResumed, broker.EventTakenUpAgain,
	broker.EventSessionStart, broker.EventSessionStop, broker.EventSessionEnd,
}

// Transcript reads a part of what was said and done in a session: the newest, the oldest, or
// the one before or after what the caller has. A Conversation puts them together. Where the agent's
// file cannot be read, what is on record tells alone. Errors: ErrNotFound, and those of reading.
func (r *Reader) Transcript(ctx context.Context, sessionID string, part TranscriptPart, have TranscriptSpan) (Transcript, error) {
	s, err := r.calls.Session(ctx, sessionID)
	if err != nil {
		return Transcript{}, err
	}
	// The head is read before the events: one that comes in between is then read again and not
	// passed over.
	head, _ := r.log.Head()
	return ReadTranscript(ctx, recordsOf{r.calls, r.log}, head, s, part, have)
}

// Records are where a transcript's record is read: a Store, or a reader of its file.
type Records interface {
	Request(ctx context.Context, id string) (broker.Request, error)
	Events(ctx context.Context, f broker.EventFilter) ([]broker.Event, error)
}

// recordsOf is the memory of a broker that runs: what waits is as it is now.
type recordsOf struct {
	Calls
	Log
}

// ReadTranscript reads a part of the transcript of s. newest is the number of the newest
// event of the log, or of an earlier one. It is for "aoctl transcript" as well, which reads the
// store's file without a console.
func ReadTranscript(ctx context.Context, rec Records, newest int64, s broker.Session, part TranscriptPart, have TranscriptSpan) (Transcript, error) {
	t := Transcript{Agent: s.Agent, CWD: cmp.Or(s.ProjectDir, s.CWD), Path: s.Transcript, Part: part}
	f, err := openTranscript(s.Transcript)
	if err != nil {
		// It is no error for the caller: the record tells alone, and says why.
		t.NoFile = err.Error()
	} else {
		defer f.Close()
	}
	// What the caller has is of a file that is gone. To put the two together would tell a story
	// that nobody lived.
	if (part == EarlierPart || part == LaterPart) && !f.still(have) {
		t.Part, t.Anew = NewestPart, true
	}
	if f != nil {
		if err := t.read(f, have); err != nil {
			return t, fmt.Errorf("transcript of %s: %w", broker.Clip(s.ID), err)
		}
	}
	if err := t.addMoments(ctx, rec, newest, s.ID, have); err != nil {
		return t, fmt.Errorf("transcript of %s: %w", broker.Clip(s.ID), err)
	}
	t.Same = t.Part == LaterPart && len(t.Said) == 0 && len(t.Moments) == 0 && t.Span.To == have.To
	return t, nil
}

// read takes the part's lines from the file. A line's place is counted from the part's beginning
// while it is read, and from the file's when it is told.
func (t *Transcript) read(f *transcriptFile, have TranscriptSpan) error {
	var p filePart
	var err error
	switch t.Part {
	case NewestPart:
		p, err = f.before(f.size)
	case EarlierPart:
		p, err = f.before(have.From)
	case LaterPart:
		p, err = f.after(have.To)
	case OldestPart:
		p, err = f.after(0)
	}
	if err != nil {
		return err
	}
	t.Span = TranscriptSpan{From: p.from, To: p.to}
	if t.Span.File, err = f.mark(p.to); err != nil {
		return err
	}
	t.Size, t.AtStart, t.AtEnd = f.size, p.from == 0, p.atEnd
	t.Said = agents.ReadTranscript(p.lines)
	for i := range t.Said {
		t.Said[i].Line += p.from
	}
	// The reader is told that something is missing, and how much.
	if p.leftOut > 0 {
		t.Said = append(t.Said, Said{By: agents.SaidOther, Text: fmt.Sprintf("a line of more than %d bytes is left out", p.leftOut), Line: p.from})
	}
	return nil
}

// addMoments adds what is on record of the same stretch of time.
func (t *Transcript) addMoments(ctx context.Context, rec Records, newest int64, sessionID string, have TranscriptSpan) error {
	f := t.filter(sessionID, have)
	list, err := momentsOf(ctx, rec, f)
	if err != nil {
		return err
	}
	all := len(list) < f.Limit
	forward := f.After != 0
	switch {
	case t.NoFile == "":
		t.AtStart, t.AtEnd = t.AtStart && (all || forward), t.AtEnd && (all || !forward)
	case forward:
		t.AtStart, t.AtEnd = t.Part == OldestPart, all
	default:
		t.AtStart, t.AtEnd = all, t.Part == NewestPart
	}
	if !forward {
		slices.Reverse(list)
	}
	t.Moments = list
	// A part without events leaves the numbers at 0, unless it is the newest.
	if n := len(list); n > 0 {
		t.Span.First, t.Span.Last = list[0].Event.Seq, list[n-1].Event.Seq
	}
	// Events of other sessions have numbers too, so the next part begins after the newest of all.
	if t.Part == NewestPart { // later ones have larger numbers
		t.Span.Last = max(t.Span.Last, newest)
		t.Span.First = cmp.Or(t.Span.First, t.Span.Last+1)
	}
	return nil
}

// filter selects the events that go with the lines of t. Times bound the events only where the
// file has lines on that side. At its beginning and its end everything on record belongs.
func (t *Transcript) filter(sessionID string, have TranscriptSpan) broker.EventFilter {
	f := broker.EventFilter{SessionID: sessionID, Types: transcriptTypes, Limit: transcriptEvents}
	first, last := span(t.Said)
	if t.NoFile != "" || t.AtStart {
		first = time.Time{}
	}
	if t.NoFile != "" || t.AtEnd {
		last = time.Time{}
	}
	switch t.Part {
	case NewestPart:
		f.Since = first
	case EarlierPart:
		f.Since, f.Before = first, max(have.First, 1)
	case OldestPart:
		f.Until, f.After = last, -1
	case LaterPart:
		f.Until, f.After = last, cmp.Or(have.Last, -1)
	}
	return f
}

// span is from when to when a list was said, with some slack; zero where nobody tells.
func span(list []Said) (first, last time.Time) {
	for _, s := range list {
		if s.At.IsZero() {
			continue
		}
		// The list is in the file's order, so the first time is the earliest.
		if first.IsZero() {
			first = s.At.Add(-clockSlack)
		}
		last = s.At.Add(clockSlack)
	}
	return first, last
}

// momentsOf are a page of events with the calls that they are about.
func momentsOf(ctx context.Context, rec Records, f broker.EventFilter) ([]Moment, error) {
	events, err := rec.Events(ctx, f)
	if err != nil {
		return nil, err
	}
	calls := map[string]*broker.Request{}
	list := make([]Moment, 0, len(events))
	for _, e := range events {
		r, known := calls[e.RequestID]
		if !known && e.RequestID != "" {
			if got, err := rec.Request(ctx, e.RequestID); err == nil {
				if r = &got; len(got.ToolInput) > maxMomentInput {
					r.ToolInput = nil
				}
			}
			calls[e.RequestID] = r
		}
		list = append(list, Moment{Event: e, Call: r})
	}
	return list, nil
}
