package feed_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// A tap hears of each event once, in order, also of those that nobody says, and of the last ones.
func TestTapHearsAllOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.happen("before")
		var got []string
		tap, remove := w.f.Tap(func(e broker.Event) { got = append(got, fmt.Sprintf("%d %s", e.Seq, e.Type)) })
		w.happen("a", "b")
		w.happenIn("", nil, "of no session")
		synctest.Wait()
		want := []string{"2 a", "3 b", "4 of no session"}
		if !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		time.Sleep(100 * time.Millisecond) // it has nothing to do, and is woken
		w.happen("woken")
		synctest.Wait()
		if want = append(want, "5 woken"); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		for n := range 200 { // more than are read at a time
			w.happen(fmt.Sprintf("e%d", n))
			want = append(want, fmt.Sprintf("%d e%d", 6+n, n))
		}
		if tap.Catch(t.Context()); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		w.mu.Lock()
		w.log = append(w.log, broker.Event{Seq: int64(len(w.log)) + 1, Type: "unsaid"}, broker.Event{Seq: int64(len(w.log)) + 2, Type: "archived"})
		w.archived[207] = true
		w.mu.Unlock()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if want = append(want, "206 unsaid"); !slices.Equal(got, want) {
			t.Errorf("%q", got[len(got)-2:])
		}
		w.happen("last")
		remove()
		if want = append(want, "208 last"); !slices.Equal(got, want) {
			t.Errorf("%q", got[len(got)-2:])
		}
		w.happen("after")
		synctest.Wait()
		if !slices.Equal(got, want) {
			t.Errorf("%q", got[len(got)-2:])
		}
	})
}

// Who records waits for no tap.
func TestTapHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		held, n := make(chan struct{}), 0
		_, remove := w.f.Tap(func(broker.Event) { <-held; n++ })
		began := time.Now()
		for range 100 {
			w.happen("a")
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("it took %v", d)
		}
		close(held)
		if remove(); n != 100 {
			t.Errorf("%d of 100", n)
		}
	})
}
