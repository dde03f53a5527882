package stats

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker/calls"
	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/tui/desk"
)

// spans are the times that figures can be of, from short to long.
var spans = []struct {
	name string
	none string // what there is to say when no call ended in it
	days int    // that it has, today included; 0 for all that are on record
}{
	{"today", "No call ended today.", 1},
	{"7 days", "No call ended in these 7 days.", 7},
	{"30 days", "No call ended in these 30 days.", 30},
	{"all", "Nothing to count yet: no call has ended.", 0},
}

// reading is the Report that is there, and the one that was asked for. A question that
// is no longer wanted is cancelled, and its answer has an old number.
type reading struct {
	broker Broker
	span   int // place in spans
	report tally.Report
	took   calls.Took // by this console, whatever the span
	known  bool
	err    error
	since  time.Time // of what was asked for last
	newest string    // id of the call that ended last when it was

	gen    int  // of what was asked for last
	shown  int  // counts what the screen showed
	summed bool // report says what its sessions spent
	asking bool
	giveUp context.CancelFunc
	at     time.Time // when it was asked for, and when it came
	pause  time.Duration
}

// countedMsg brings a Report.
type countedMsg struct {
	gen    int
	report tally.Report
	took   calls.Took
	err    error
}

// spentMsg brings a Report that says also what its sessions spent.
type spentMsg countedMsg

// Between two counts of the same span lies at least leastPause, and pauses times as long as the
// last one took: a long record must not keep a processor busy. After an error it is errorPause.
const (
	leastPause = 5 * time.Second
	pauses     = 20
	errorPause = 30 * time.Second
)

// begins is when the span begins: at a midnight, so that days are whole; zero for the
// whole record.
func (r *reading) begins(now time.Time) time.Time {
	days := spans[r.span].days
	if days == 0 {
		return time.Time{}
	}
	return time.Date(now.Year(), now.Month(), now.Day()-days+1, 0, 0, 0, 0, now.Location())
}

// ask has the calls of the span counted. What was asked for before is given up.
func (r *reading) ask(d *desk.Desk) tea.Cmd {
	r.leave()
	// What was newest is noted before the count: a call that ends during it makes the
	// count due again.
	r.asking, r.at, r.since, r.newest = true, d.At, r.begins(d.At), newest(d)
	since, b := r.since, r.broker
	return r.read(d, func(ctx context.Context, gen int) tea.Msg {
		got, err := b.Tally(ctx, since)
		return countedMsg{gen, got, b.RuleTook(), err}
	})
}

// read is a command that can be given up.
func (r *reading) read(d *desk.Desk, do func(ctx context.Context, gen int) tea.Msg) tea.Cmd {
	ctx, cancel := context.WithCancel(d.Ctx)
	// The desk's context ends with the console, this one also when the span is left.
	r.giveUp = cancel
	gen := r.gen
	return func() tea.Msg {
		defer cancel()
		return do(ctx, gen)
	}
}

// leave gives up what was asked for. It may be called when nothing was.
func (r *reading) leave() {
	if r.giveUp != nil {
		r.giveUp()
	}
	r.gen++
	r.asking = false
}

// choose goes to another span, whose figures are not there yet.
func (r *reading) choose(span int) {
	r.leave()
	r.span, r.report, r.known, r.summed, r.err, r.pause = span, tally.Report{}, false, false, nil, 0
	r.shown++
}

// came takes in what was asked for, unless something else was asked for since, and
// asks what the sessions spent. Where there are figures already, they stay until the
// new ones are whole.
func (r *reading) came(msg countedMsg, d *desk.Desk) tea.Cmd {
	switch {
	case msg.gen != r.gen:
		return nil
	case msg.err != nil:
		r.asking, r.at, r.pause, r.err = false, d.At, errorPause, msg.err
		r.shown++
		return nil
	// The counts are shown at once, without what was spent, only when there is nothing
	// older to show.
	case !r.known:
		r.report, r.known = msg.report, true
		r.shown++
	}
	b, report := r.broker, msg.report
	r.took = msg.took
	return r.read(d, func(ctx context.Context, gen int) tea.Msg {
		got, err := b.Spending(ctx, report)
		return spentMsg{gen: gen, report: got, err: err}
	})
}

// spent takes in the figures with what the sessions spent; when that could not be
// read, without. How long it took decides when to ask again.
func (r *reading) spent(msg spentMsg, now time.Time) {
	if msg.gen != r.gen {
		return
	}
	r.asking, r.summed, r.err = false, true, nil
	// The longer a count takes, the longer the next one is put off.
	r.pause = max(leastPause, pauses*now.Sub(r.at))
	r.at, r.report = now, msg.report
	r.shown++
}

// due reports whether there may be other figures by now: a call has ended since, a day
// has begun, or the last try failed.
func (r *reading) due(d *desk.Desk) bool {
	if r.asking || d.At.Sub(r.at) < r.pause {
		return false
	}
	return !r.known || r.err != nil || newest(d) != r.newest || !r.begins(d.At).Equal(r.since)
}

// newest is the id of the call that ended last, "" when none is known.
func newest(d *desk.Desk) string {
	if len(d.Board.Recent) == 0 {
		return ""
	}
	return d.Board.Recent[0].ID
}
