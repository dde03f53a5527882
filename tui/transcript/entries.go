package transcript

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
)

// entries are the parts of a transcript that are read, and the place among them. The
// place is an entry and a row of it, so that only what is on the screen must be laid
// out. It knows nothing of where entries come from. The zero value is empty and needs
// a painter. follow and news are about the end: whoever is there sees what comes, and
// whoever is not is told how much came.
type entries struct {
	paint         painter
	width, height int // of the room, since it was drawn last

	items  []*item
	byKey  map[string]int
	all    bool // all are unfolded
	at     string
	follow bool // stay at the end
	reveal bool // bring the selected entry into sight
	top    int  // the entry in the first row, and which row of it
	offset int
	news   int // entries that came at the end while the reader was elsewhere
}

// item is an entry and how it is drawn.
type item struct {
	story.Entry

	open  bool
	rows  []string // nil before it was laid out
	width int      // for which rows hold
}

// waits reports whether the entry is a call that waits for an answer here. A call that
// only the agent's file has does not.
func (it *item) waits() bool {
	return it.OnRecord && it.Call != nil && it.Call.State == broker.Pending
}

// take takes over the entries as they are now: the layout of those that did not
// change, what is unfolded, and the place. Entries are known by their keys; one whose
// key is gone is forgotten.
func (l *entries) take(list []story.Entry) {
	topKey := ""
	// The first row on the screen stays where it was, whatever came above it.
	if l.top < len(l.items) {
		topKey = l.items[l.top].Key
	}
	// Everything is made anew and what is kept is copied over, so nothing of a dropped
	// entry stays.
	old, was := l.items, l.byKey
	l.items, l.byKey = make([]*item, len(list)), make(map[string]int, len(list))
	// Everything is built anew: entries may have been dropped at either end.
	for i, e := range list {
		it := &item{Entry: e, open: l.all}
		if j, ok := was[e.Key]; ok {
			// What a person has unfolded stays so when the entry changes.
			it.open = old[j].open
			if sameEntry(&old[j].Entry, &e) {
				it.rows, it.width = old[j].rows, old[j].width
			}
		}
		l.items[i], l.byKey[e.Key] = it, i
	}
	if i, ok := l.byKey[topKey]; ok {
		l.top = i
	}
}

// sameEntry reports whether two states of an entry are drawn alike. It compares what
// is drawn and nothing else, as entries are large and there are many.
func sameEntry(a, b *story.Entry) bool {
	if a.By != b.By || a.Text != b.Text || a.Whose != b.Whose || a.OnRecord != b.OnRecord || a.Large != b.Large || a.Retold != b.Retold || (a.InFile == nil) != (b.InFile == nil) || (a.Ran == nil) != (b.Ran == nil) || (a.Call == nil) != (b.Call == nil) {
		return false
	}
	if a.Ran != nil && (a.Ran.Output != b.Ran.Output || a.Ran.Failed != b.Ran.Failed || a.Ran.DurationMS != b.Ran.DurationMS) {
		return false
	}
	return a.Call == nil || a.Call.State == b.Call.State && string(a.Call.ToolInput) == string(b.Call.ToolInput) &&
		(a.Call.Checkpoint == nil) == (b.Call.Checkpoint == nil) && a.Call.Held == b.Call.Held
}

// rows are entry i laid out. A call that waits is laid out each time: what is to be
// said of it changes without the log. Laying out is what costs time here, so it is
// kept until the entry or the width changes.
func (l *entries) rows(i int) []string {
	it := l.items[i]
	if it.rows == nil || it.width != l.width || it.waits() {
		it.rows, it.width = l.paint.layOut(it, i > 0, l.width), l.width
	}
	return it.rows
}

// selected is the place of the selected entry; ok is false when there is none.
func (l *entries) selected() (i int, ok bool) {
	i, ok = l.byKey[l.at]
	return i, ok
}

// tall is how many rows entry i has, at the width of the room.
func (l *entries) tall(i int) int { return len(l.rows(i)) }

// settle finds the first row on the screen: the same one as before, whatever was added
// around it, unless it follows the end or an entry is to be brought into sight. It
// must come before anything is drawn, since it takes in the size of the room.
func (l *entries) settle(width, height int) {
	l.width, l.height = width, height
	n := len(l.items)
	if n == 0 {
		l.top, l.offset = 0, 0
		return
	}
	// Following wins over the place, and over a wish to see another entry.
	if l.follow {
		l.at, l.news, l.reveal = l.items[n-1].Key, 0, false
		l.endAt(n - 1)
		return
	}
	// The list may have become shorter at its end.
	l.top = max(0, min(l.top, n-1))
	l.offset = max(0, min(l.offset, l.tall(l.top)-1))
	at, ok := l.byKey[l.at]
	// The selected entry is no longer kept; the one at the top takes its place.
	if !ok {
		at, l.at = l.top, l.items[l.top].Key
	}
	if l.reveal {
		l.bring(at)
		l.reveal = false
	}
	// There are no empty rows at the foot while there is something above to fill them.
	if l.below(height) < height {
		l.endAt(n - 1)
	}
}

// bring scrolls as little as possible until entry i is on the screen, or its beginning
// when it is higher than the room.
func (l *entries) bring(i int) {
	// What is higher than the room is shown from its beginning.
	if i < l.top || i == l.top && l.offset > 0 || l.tall(i) >= l.height {
		l.top, l.offset = i, 0
		return
	}
	rows := -l.offset
	for j := l.top; j <= i; j++ {
		if rows += l.tall(j); rows > l.height {
			l.endAt(i)
			return
		}
	}
}

// endAt puts the last row of entry i at the foot of the screen. When there is too
// little above, the first entry stands at the top.
func (l *entries) endAt(i int) {
	rows := 0
	for ; i >= 0; i-- {
		if rows += l.tall(i); rows >= l.height {
			l.top, l.offset = i, rows-l.height
			return
		}
	}
	l.top, l.offset = 0, 0
}

// below counts the rows from the first one on the screen to the end, up to some more
// than most: to count all of a long transcript would lay out all of it.
func (l *entries) below(most int) int {
	rows := -l.offset
	for i := l.top; i < len(l.items) && rows <= most; i++ {
		rows += l.tall(i)
	}
	return rows
}

// above counts the rows before the first one on the screen, up to some more than most.
func (l *entries) above(most int) int {
	rows := l.offset
	for i := l.top - 1; i >= 0 && rows <= most; i-- {
		rows += l.tall(i)
	}
	return rows
}

// onScreen are the first and the last entry of which a row is on the screen.
func (l *entries) onScreen() (first, last int) {
	rows := -l.offset
	for last = l.top; last < len(l.items)-1; last++ {
		if rows += l.tall(last); rows >= l.height {
			break
		}
	}
	return l.top, last
}
