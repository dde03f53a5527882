package story

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/wire"
)

// SpentBy is what a session has spent so far, as its agent says: to the runner of a managed session, or
// else in its transcript. told is false where it says nothing. There is no price where the agent
// names none, and where it names no total, what its sub-agents used is not in the sum.
//
// The file can be long, so its end is looked at first, where an agent that keeps books has its
// last total. Otherwise all lines are gone through that can tell of tokens. An agent that is at
// work writes on while the file is read; the sum is then of what was there when its end was
// reached.
func SpentBy(ctx context.Context, s broker.Session) (spent Spent, told bool, err error) {
	if r := s.Run; r != nil && (r.Cost > 0 || r.Usage != wire.RunUsage{}) {
		return Spent{Cost: r.Cost, Usage: r.Usage}, true, nil
	}
	f, err := openTranscript(s.Transcript)
	if errors.Is(err, broker.ErrNoTranscript) {
		return Spent{}, false, nil
	}
	if err != nil {
		return Spent{}, false, fmt.Errorf("transcript of %s: %w", broker.Clip(s.ID), err)
	}
	defer f.Close()
	b, err := f.spending(ctx)
	if err != nil {
		return Spent{}, false, fmt.Errorf("transcript of %s: %w", broker.Clip(s.ID), err)
	}
	return b.sum(), b.total != nil || len(b.replies) > 0, nil
}

// spending adds up what the file says.
func (f *transcriptFile) spending(ctx context.Context) (books, error) {
	var end books
	p, err := f.before(f.size)
	if err != nil {
		return end, err
	}
	// A total in the last stretch is the session's; without one every reply must be read.
	if end.addLines(p.lines); end.total != nil || p.from == 0 {
		return end, nil
	}
	var all books
	for at := int64(0); ; {
		p, err := f.after(at)
		// The caller may be a screen that was left.
		if err != nil || ctx.Err() != nil {
			return all, errors.Join(err, ctx.Err())
		}
		all.addLines(p.lines)
		if p.atEnd {
			return all, nil
		}
		at = p.to
	}
}

// books add up what an agent says of its tokens.
type books struct {
	replies map[string]wire.RunUsage // by the reply; several lines may tell of the same one
	total   *Spent                   // the last that a line names, of all so far
}

// add takes in what a line says. A later line about the same reply takes the earlier one's place:
// agents write a reply's usage more than once, and the last is whole.
func (b *books) add(s Said) {
	if s.Total != nil {
		b.total = s.Total
	}
	if s.Reply != "" {
		if b.replies == nil {
			b.replies = map[string]wire.RunUsage{}
		}
		b.replies[s.Reply] = s.Usage
	}
}

// addLines adds what whole lines of a transcript say.
func (b *books) addLines(lines []byte) {
	for line := range bytes.Lines(lines) {
		if !agents.TellsTokens(line) {
			continue
		}
		for _, s := range agents.ReadTranscript(line) {
			b.add(s)
		}
	}
}

// sum is the total, or the sum of the replies.
func (b *books) sum() (s Spent) {
	if b.total != nil {
		return *b.total
	}
	for _, u := range b.replies {
		s.Usage = s.Usage.Add(u)
	}
	return s
}
