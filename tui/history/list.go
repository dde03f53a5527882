package history

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
)

// List is what was decided lately: what the broker told when it was asked, with what the board
// has heard of since in front.
type List struct {
	board *board.Board
	told  []broker.Request // by the broker, newest first; never changed once it is here
	heard bool             // it was told
	err   error
}

// NewList makes an empty list.
func NewList(b *board.Board) *List { return &List{board: b} }

// all lists what was decided lately, newest first. Where the board has heard of a call since, as
// of an alarm, that counts.
func (l *List) all() []*broker.Request {
	told := idsOf(l.told)
	since := make(map[string]*broker.Request, len(l.board.Recent))
	list := make([]*broker.Request, 0, len(l.told)+len(l.board.Recent))
	for _, r := range l.board.Recent { // a copy each: the board moves them
		since[r.ID] = &r
		if !told[r.ID] && !l.before(&r) {
			list = append(list, &r)
		}
	}
	for i := range l.told {
		r := &l.told[i]
		if newer := since[r.ID]; newer != nil {
			r = newer
		}
		list = append(list, r)
	}
	return list
}

// before reports whether r was decided before the newest call that was told.
func (l *List) before(r *broker.Request) bool {
	return len(l.told) > 0 && r.Outcome.At.Before(l.told[0].Outcome.At)
}

// ids are those of all calls in the list.
func (l *List) ids() map[string]bool {
	ids := idsOf(l.told)
	for _, r := range l.board.Recent {
		ids[r.ID] = true
	}
	return ids
}

func idsOf(list []broker.Request) map[string]bool {
	ids := make(map[string]bool, len(list))
	for _, r := range list {
		ids[r.ID] = true
	}
	return ids
}

// find is the call with this id as it is known now, nil when it is not in the list.
func (l *List) find(id string) *broker.Request {
	for _, list := range [][]broker.Request{l.board.Recent, l.told} {
		for _, r := range list {
			if r.ID == id {
				return &r
			}
		}
	}
	return nil
}

// newer reports whether r was decided after the oldest call that was told: then it is not one of
// those behind them.
func (l *List) newer(r *broker.Request) bool {
	n := len(l.told)
	return n > 0 && r.Outcome.At.After(l.told[n-1].Outcome.At)
}

// behind reports whether calls may be missing between what the board has kept and what was told.
func (l *List) behind() bool {
	n := len(l.board.Recent)
	return n == board.RecentKept && len(l.told) > 0 && l.board.Recent[n-1].Outcome.At.After(l.told[0].Outcome.At)
}

// came takes in what the broker tells.
func (l *List) came(msg historyMsg) {
	l.err = msg.err
	if msg.err != nil {
		return
	}
	l.told, l.heard = l.told[:0:0], true
	for _, r := range msg.list {
		if r.Outcome != nil {
			l.told = append(l.told, r)
		}
	}
	for i := min(len(l.told), board.RecentKept) - 1; i >= 0; i-- {
		l.board.Remember(l.told[i])
	}
}
