package spans

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// call is what is known of one. Its times are zero while they are not known.
type call struct {
	trace, root string // ids, hex
	read        time.Time
	recorded    time.Time
	asked       time.Time // the record's own time, to the millisecond
	decided     time.Time // also to the millisecond
	heard       time.Time // of the decision
	mayRun      bool
	ran         *run
	about       []attribute
	sent        bool // all but ran
}

// run is how a call's tool ran.
type run struct {
	took   time.Duration // 0 when its agent does not say
	until  time.Time
	failed bool
}

func newCall() *call { return &call{trace: hex.EncodeToString(random(16)), root: newSpanID()} }

func newSpanID() string { return hex.EncodeToString(random(8)) }

// spans are those of c that were not sent yet. No span begins after its end, and none outlasts the
// call's, but for a "ran" that comes by itself.
func (c *call) spans() (list []span) {
	child := func(name string, from, to time.Time) span {
		return span{TraceID: c.trace, SpanID: newSpanID(), Parent: c.root, Name: name, Kind: internal, Start: nanos(from), End: nanos(to)}
	}
	from, to := c.read, last(c.decided, c.recorded)
	if from.IsZero() {
		from = c.asked
	}
	if !c.sent {
		list = append(list, span{TraceID: c.trace, SpanID: c.root, Name: "call", Kind: internal, Start: nanos(from), Attributes: c.about})
		if !c.read.IsZero() {
			list = append(list, child("judged", c.read, c.recorded))
		}
		if begun := last(c.recorded, c.asked); c.decided.After(begun) {
			list = append(list, child("waited", begun, c.decided))
		}
	}
	if c.ran != nil {
		begun := c.decided
		if c.ran.took > 0 {
			begun = last(begun, c.ran.until.Add(-c.ran.took))
		}
		ran := child("ran", begun, last(begun, c.ran.until))
		ran.Attributes = []attribute{yes("aoctl.failed", c.ran.failed)}
		if c.ran.failed {
			ran.Status = &status{failed}
		}
		list, to = append(list, ran), last(to, c.ran.until)
	}
	if !c.sent {
		list[0].End = nanos(last(from, to))
	}
	return list
}

// last is the later of two times.
func last(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// contentKept is how much of one text of a call is told, bytes.
const contentKept = 4 << 10

// about says of the call r what its span says, at the event of its end.
func (s *Spans) about(ctx context.Context, e broker.Event, d broker.DecidedData, r broker.Request) []attribute {
	list := []attribute{
		text("aoctl.tool", plain(d.ToolName)), text("aoctl.session", s.number(e.SessionID)),
		text("aoctl.status", string(d.Status)), text("aoctl.decided_by", string(d.By.Kind)), yes("aoctl.dangerous", d.Danger != ""), whole("aoctl.event", e.Seq),
	}
	if r.Agent != "" {
		list = append(list, text("aoctl.agent", plain(r.Agent)))
	}
	if r.Assessment != nil {
		list = append(list, text("aoctl.risk", r.Assessment.Class.String()))
	}
	if !s.o.Content {
		return list
	}
	for _, a := range []struct{ key, value string }{
		{"aoctl.request.id", e.RequestID},
		{"aoctl.session.id", e.SessionID},
		{"aoctl.session.name", s.o.SessionName(ctx, e.SessionID)},
		{"aoctl.cwd", r.CWD},
		{"aoctl.tool.name", d.ToolName},
		{"aoctl.tool.input", string(r.ToolInput)},
		{"aoctl.tool.updated_input", string(d.UpdatedInput)},
		{"aoctl.reason", d.Reason},
		{"aoctl.danger", d.Danger},
	} {
		if a.value != "" {
			list = append(list, text(a.key, strings.ToValidUTF8(broker.Cut(a.value, contentKept), "�")))
		}
	}
	return list
}

// number stands for a session: the same for all of its calls, and of use to nobody who does not
// know the key.
func (s *Spans) number(sessionID string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(sessionID))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// plainMost is the length of a plain name.
const plainMost = 64

// plain is a name that an agent chose, as a few plain characters: it can neither be long nor hold
// a sentence, a line or a control sequence.
func plain(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("_-.:/", r) {
			return r
		}
		return '_'
	}, name)
	return clean[:min(len(clean), plainMost)]
}
