package history

import (
	"context"
	"encoding/json"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
)

const (
	pageSize  = 200      // events that are read at a time
	foundMost = 5000     // older calls that are kept
	bytesMost = 64 << 20 // of their inputs
)

// record is how far the broker's record was read back, beyond the calls of the List. It is read in
// pages of events, as far as the screen has room for what passes the filter.
type record struct {
	found   []*broker.Request // older calls that pass, newest first
	bytes   int               // of their inputs
	looked  int               // older calls that were looked at
	before  int64             // the lowest number of an event that was read; 0 before any was
	edge    int64             // the same, where the List ends: reading anew begins there
	whole   bool              // nothing is older, or nothing more can be read
	loading bool
	gen     int // of what is asked for
	err     error

	unheard map[string]bool          // by call: what the newest event about that says
	alarms  map[string]*broker.Alarm // by call; read with the first page
}

// olderMsg brings a page of the record.
type olderMsg struct {
	gen    int
	list   []story.Moment
	alarms map[string]*broker.Alarm // only of the first page
	err    error
}

// recorded are the types of events that say how a call ended, and whether anybody heard it.
var recorded = []string{broker.EventRequestDecided, broker.EventUnheard, broker.EventAnsweredAgain}

// alarmsMost is how many alarms are read.
const alarmsMost = 1000

// forget has the record read anew from the end of the List, which may be another one.
func (o *record) forget() { *o = record{gen: o.gen + 1} }

// again has the record read anew from the end of the same List.
func (o *record) again() {
	*o = record{gen: o.gen + 1, before: o.edge, edge: o.edge, unheard: o.unheard, alarms: o.alarms}
}

// full reports whether no more calls are kept.
func (o *record) full() bool { return len(o.found) >= foundMost || o.bytes >= bytesMost }

// readOn asks for the next page.
func (h *Screen) readOn() tea.Cmd {
	o := &h.record
	o.loading = true
	ctx, b, gen, first := h.Ctx, h.broker, o.gen, o.alarms == nil
	f := broker.EventFilter{Types: recorded, Before: o.before, Limit: pageSize}
	return func() tea.Msg {
		msg := olderMsg{gen: gen}
		if first {
			msg.alarms, msg.err = alarms(ctx, b)
		}
		if msg.err == nil {
			msg.list, msg.err = b.Timeline(ctx, f)
		}
		return msg
	}
}

// alarms are those on record, by call: the log of the console has them all.
func alarms(ctx context.Context, b Broker) (map[string]*broker.Alarm, error) {
	list, err := b.Timeline(ctx, broker.EventFilter{Console: true, Types: []string{broker.EventAlarm}, Limit: alarmsMost})
	byCall := map[string]*broker.Alarm{}
	for _, m := range list {
		var a broker.Alarm
		if json.Unmarshal(m.Event.Data, &a) == nil && m.Event.RequestID != "" {
			byCall[m.Event.RequestID] = &a
		}
	}
	return byCall, err
}

func (h *Screen) olderCame(msg olderMsg) {
	o := &h.record
	if msg.gen != o.gen {
		return
	}
	o.loading, o.whole = false, msg.err != nil || len(msg.list) == 0
	if msg.err != nil {
		o.err = fmt.Errorf("older calls cannot be read: %w", msg.err)
		return
	}
	if msg.alarms != nil {
		o.alarms = msg.alarms
	}
	lately := h.list.ids()
	for _, m := range msg.list {
		o.before = m.Event.Seq
		if m.Event.Type != broker.EventRequestDecided {
			o.heard(m.Event)
		} else if r := m.Call; r != nil && r.Outcome != nil && !lately[r.ID] && !h.list.newer(r) {
			h.older(*r, m.Event)
		}
	}
	if o.looked == 0 {
		o.edge = o.before
	}
}

// older looks at a call of the record, which ended with e.
func (h *Screen) older(r broker.Request, e broker.Event) {
	o := &h.record
	o.looked++
	var d broker.DecidedData
	_ = json.Unmarshal(e.Data, &d) // what cannot be read tells no danger
	r.Danger = d.Danger
	r.Unheard, r.Alarm = o.unheard[r.ID], o.alarms[r.ID]
	if !h.filter.passes(h.traitsOf(&r)) {
		return
	}
	o.found = append(o.found, &r)
	o.bytes += len(r.ToolInput) + len(r.Outcome.UpdatedInput)
}

// heard takes in an event that says whether the answer of a call was heard. Newer ones were read
// before.
func (o *record) heard(e broker.Event) {
	if _, newer := o.unheard[e.RequestID]; newer {
		return
	}
	if o.unheard == nil {
		o.unheard = map[string]bool{}
	}
	o.unheard[e.RequestID] = e.Type == broker.EventUnheard
}
