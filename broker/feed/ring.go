package feed

import (
	"slices"
	"sort"
	"sync"
)

// What a ring holds at most. A reader that is further behind has to come again.
const (
	ringEntries = 8192
	ringBytes   = 16 << 20
)

// entry is one thing to tell. It is made once and never changed, so that all readers share it.
type entry struct {
	seq     int64  // the event's number; of a message that is no event, that of the newest event before it
	event   string // the event's type in the log; "" for a message
	name    string // what the event is called in a stream; "" for one that is passed over
	session string
	request string // whose wait a message tells of
	whole   []byte // the message of a WebSocket; nil when nothing is told
	json    []byte // the event in it
}

// message reports whether e is for WebSockets alone.
func (e *entry) message() bool { return e.event == "" }

// ring has the newest entries, in order. A place in it is a number that grows by one with each
// entry and stays the entry's own when older ones leave.
type ring struct {
	mu    sync.Mutex
	list  []*entry
	first int           // the place of list[0]
	bytes int           // of the messages in list
	base  int64         // every event after this one is in list, or not read yet
	last  int64         // the newest event that was read
	news  chan struct{} // closed with the next entry
}

// newRing is a ring for events after number after.
func newRing(after int64) *ring {
	return &ring{base: after, last: after, news: make(chan struct{})}
}

// put adds entries in order, and lets the oldest go when there are too many.
func (r *ring) put(list ...*entry) {
	if len(list) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range list {
		r.list = append(r.list, e)
		r.bytes += len(e.whole)
		r.last = e.seq
	}
	drop := 0
	for ; len(r.list)-drop > 1 && (len(r.list)-drop > ringEntries || r.bytes > ringBytes); drop++ {
		r.bytes -= len(r.list[drop].whole)
		r.base = r.list[drop].seq
	}
	r.first += drop
	r.list = slices.Delete(r.list, 0, drop)
	close(r.news)
	r.news = make(chan struct{})
}

// end is the place of the next entry, and the newest event that was read.
func (r *ring) end() (place int, last int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first + len(r.list), r.last
}

// after is the place of the first entry behind event seq. It is false when events in between are
// no longer here; then base is the last of those.
func (r *ring) after(seq int64) (place int, base int64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if seq < r.base {
		return 0, r.base, false
	}
	return r.first + sort.Search(len(r.list), func(i int) bool { return r.list[i].seq > seq }), r.base, true
}

// batchBytes is how much JSON a reader takes out at a time. What it holds while it writes stays in
// memory even if the ring has let it go.
const batchBytes = 64 << 10

// from returns entries from a place on, and a channel that is closed once there are more. It is
// false when the place is no longer in the ring.
func (r *ring) from(place int) (list []*entry, news <-chan struct{}, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if place < r.first {
		return nil, nil, false
	}
	rest, n, size := r.list[place-r.first:], 0, 0
	for ; n < len(rest) && (n == 0 || size+len(rest[n].whole) <= batchBytes); n++ {
		size += len(rest[n].whole)
	}
	return slices.Clone(rest[:n]), r.news, true
}
