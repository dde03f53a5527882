package sim

import (
	"fmt"
	"strings"
)

// Result is what became of a world. Wrong names the first promise only: what comes after it may
// follow from it.
type Result struct {
	Steps int    // inputs that the engine took
	Wrong string // the promise that was broken; "" when none was
}

// play makes moves until a promise is broken, and lets everything come to its end. A panic of the
// engine is a broken promise like any other, and is told with the moves that led there.
func play(moves []Move, tell bool) (w *world) {
	w = newWorld(tell)
	defer func() {
		if v := recover(); v != nil {
			w.fail("it panicked: %v", v)
		}
	}()
	for _, m := range moves {
		if w.do(m); w.wrong != "" {
			return w
		}
	}
	w.settle()
	return w
}

// settle lets every agent hear its answer, and every call end. The disk is sound from here on,
// and no agent is paused, so whatever still waits would wait for ever.
func (w *world) settle() {
	w.disk.faults = nil
	// Paying a debt may set something free that is to be written as well, so it is done more than
	// once.
	for range 3 {
		w.mend()
	}
	// More rounds than any agent needs to ask, wait, be woken and hear.
	for range 12 {
		for _, a := range w.askers {
			if a != nil {
				a.paused = false
				a.goOn()
			}
		}
		w.round()
	}
	for _, c := range w.consoles {
		if c != nil {
			c.draw(0)
		}
	}
	// Long enough for every deadline, also one that was moved.
	w.wait(3 * timeout)
	for _, r := range w.pending() {
		// What is put off waits for a person as long as it takes, and a late card has its end.
		if r.Checkpoint == nil && r.Outcome == nil {
			w.fail("%s waits for ever", r.ID)
		}
	}
}

// Play plays the world of a seed, of so many moves. It may be called from several goroutines at a
// time; worlds share nothing.
func Play(seed uint64, moves int) Result {
	w := play(visited(seed, draw(seed, moves)), false)
	return Result{w.steps, w.wrong}
}

// Story plays the world of a seed again and tells the shortest list of moves that breaks the
// same promise; "" when none is broken. It plays the world many times, so it takes much longer
// than Play.
func Story(seed uint64, moves int) string {
	list := visited(seed, draw(seed, moves))
	w := play(list, false)
	if w.wrong == "" {
		return ""
	}
	// The shortened list is played once more, now with its story told.
	list = shrink(list, w.wrong, func(l []Move) string { return play(l, false).wrong })
	w = play(list, true)
	return fmt.Sprintf("seed %d, %d moves of %d:\n%s", seed, len(list), moves, strings.Join(w.said, "\n"))
}

// kindOf is a broken promise without the names in it. Two lists that break the same promise name
// other calls and times in it, since leaving out a move changes the ids.
func kindOf(wrong string) string {
	words := strings.Fields(wrong)
	var kept []string
	for _, word := range words {
		if !strings.ContainsAny(word, "0123456789") {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

// shrink leaves out moves as long as the same promise is broken, large parts first, and makes
// the numbers of those that are left small. A list from which nothing can be left out is not the
// shortest there is, but it is one that a person can read.
func shrink(list []Move, wrong string, play func([]Move) string) []Move {
	kind := kindOf(wrong)
	breaks := func(l []Move) bool { return kindOf(play(l)) == kind }
	for size := len(list) / 2; size > 0; {
		removed := false
		for at := 0; at+size <= len(list); {
			shorter := append(append([]Move{}, list[:at]...), list[at+size:]...)
			if breaks(shorter) {
				list, removed = shorter, true
			} else {
				at += size
			}
		}
		if !removed || size == 1 {
			if size == 1 && removed {
				continue
			}
			size /= 2
		}
	}
	// Small numbers name the first agent, session or call, so the story has few names.
	for i := range list {
		for _, small := range []Move{{list[i].Kind, 0, 0}, {list[i].Kind, list[i].Who, 0}, {list[i].Kind, 0, list[i].N}} {
			was := list[i]
			if list[i] = small; breaks(list) {
				break
			}
			list[i] = was
		}
	}
	return list
}
