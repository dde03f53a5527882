package feed

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Wish is what a reader of a stream asks for.
type Wish struct {
	Resumes bool  // it says after which event it goes on
	After   int64 // that event; 0 for all that there are
	Session string
	Types   []string    // names of a stream, or types of the log; nil for all
	Still   func() bool // whether it may still read: a token may be revoked
}

// WishOf is what r asks for. The header comes before the parameter: a browser repeats the address
// that it began with, and says in the header how far it is. Errors: broker.ErrInvalid.
func WishOf(r *http.Request) (Wish, error) {
	q := r.URL.Query()
	w := Wish{Session: q.Get("session"), Still: func() bool { return true }}
	for name := range strings.SplitSeq(q.Get("types"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			w.Types = append(w.Types, name)
		}
	}
	id := r.Header.Get("Last-Event-ID")
	if id == "" {
		id = q.Get("last_event_id")
	}
	if id == "" {
		return w, nil
	}
	after, err := strconv.ParseInt(id, 10, 64)
	if err != nil || after < 0 {
		return w, fmt.Errorf("%w: the last event's id must be a number", broker.ErrInvalid)
	}
	w.Resumes, w.After = true, after
	return w, nil
}

// wants reports whether e is told. That events are missing is told in any case.
func (w *Wish) wants(e *entry) bool {
	switch {
	case e.name == "" || e.message():
		return false
	case e.event == EventsArchived:
		return true
	}
	return (w.Session == "" || e.session == w.Session) && (len(w.Types) == 0 || slices.Contains(w.Types, e.name) || slices.Contains(w.Types, e.event))
}

// Stream writes what wish asks for until the reader leaves, is too slow or may read no longer, or
// the feed closes. An error means that nothing was written: ErrReaders, broker.ErrClosed, and
// broker.ErrInvalid for a number that no event has yet.
func (f *Feed) Stream(w http.ResponseWriter, r *http.Request, wish Wish) error {
	t, leave, err := f.join()
	if err != nil {
		return err
	}
	defer leave()
	head, _ := f.o.Log.Head()
	if !wish.Resumes {
		wish.After = head
	}
	if wish.After > head {
		return fmt.Errorf("%w: the log has no event %d yet, so the id is of another log", broker.ErrInvalid, wish.After)
	}
	s := &stream{Wish: wish, t: t, w: w, out: http.NewResponseController(w), seen: wish.After, told: -1}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		s.run(r.Context(), f.closed)
	}
	return nil
}

// stream is one reader of Server-Sent Events.
type stream struct {
	Wish
	t    *tail
	w    http.ResponseWriter
	out  *http.ResponseController
	text []byte // what is written next; kept for its room

	live  bool // it reads the ring, from place on; before that the store
	place int
	seen  int64 // the newest event that was told or passed over
	told  int64 // the newest event whose number the reader knows
}

// run ends by returning. The first thing said is how far the reader is: with that number it can
// come again even if it never gets an event.
func (s *stream) run(ctx context.Context, closed <-chan struct{}) {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	s.text = append(s.text, "retry: 1000\n"...)
	for s.send(ctx) {
		list, news, ok := s.next(ctx)
		if !ok || !s.take(list) {
			return
		}
		if len(list) > 0 {
			news = open // there may be more already
		}
		select {
		case <-ctx.Done():
			return
		case <-closed:
			return
		case <-beat.C:
			if !s.Still() {
				return
			}
			s.text = append(s.text, ":\n"...)
		case <-news:
		}
	}
}

// open is a channel on which nobody waits long.
var open = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// next is what comes behind the last entry: from the ring when that reaches back so far, else from
// the store. It is false when the reader fell out of the ring, or the store cannot be read.
func (s *stream) next(ctx context.Context) (list []*entry, news <-chan struct{}, ok bool) {
	if !s.live {
		place, base, here := s.t.after(s.seen)
		if !here {
			list, err := s.stored(ctx, base)
			return list, open, err == nil
		}
		s.place, s.live = place, true
	}
	list, news, ok = s.t.from(s.place)
	s.place += len(list)
	return list, news, ok
}

// stored reads on in the store. When there is nothing up to base, where the ring begins, all of
// that was archived.
func (s *stream) stored(ctx context.Context, base int64) ([]*entry, error) {
	list, err := eventsAfter(ctx, s.t.o.Log, s.seen)
	if err == nil && len(list) == 0 {
		list = append(list, archived(s.seen+1, base))
	}
	return list, err
}

// take writes down what the reader wants of list. It is false when the reader may read no longer.
func (s *stream) take(list []*entry) bool {
	for _, e := range list {
		if e.event == broker.EventTokenRevoked && !s.Still() {
			return false
		}
		// An entry that was in the ring and in the store is told once.
		if e.seq <= s.seen || !s.wants(e) {
			s.seen = max(s.seen, e.seq)
			continue
		}
		s.seen, s.told = e.seq, e.seq
		s.text = append(strconv.AppendInt(append(s.text, "id: "...), e.seq, 10), "\nevent: "...)
		s.text = append(append(s.text, e.name...), "\ndata: "...)
		s.text = append(append(s.text, e.json...), "\n\n"...)
	}
	return true
}

// send writes what was written down. With a comment, or as the first thing, goes the number of
// what was passed over since: an event without data only moves the reader's Last-Event-ID.
func (s *stream) send(ctx context.Context) bool {
	if len(s.text) == 0 {
		return true
	}
	if last := s.text[max(len(s.text)-2, 0):]; string(last) != "\n\n" {
		if s.told < s.seen {
			s.text = append(strconv.AppendInt(append(s.text, "id: "...), s.seen, 10), '\n')
			s.told = s.seen
		}
		s.text = append(s.text, '\n')
	}
	_ = s.out.SetWriteDeadline(time.Now().Add(writeTime)) // the write reports it
	_, err := s.w.Write(s.text)
	if err == nil {
		err = s.out.Flush()
	}
	if s.text = s.text[:0]; cap(s.text) > 4*batchBytes {
		s.text = nil
	}
	return err == nil && ctx.Err() == nil
}
