package tui

import (
	"crypto/rand"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
)

const (
	// deafFor is how long a card must have been on the screen before a key decides it:
	// half a second when the key goes down, and what the key may take to get here.
	deafFor = 550 * time.Millisecond
	// drawFor is how long a frame takes to be written, at most; a write that begins
	// later is about something else.
	drawFor = 100 * time.Millisecond
	// burstGap is how close to another key no person types: a paste without brackets.
	burstGap = 30 * time.Millisecond
	// holdFor is how long a decision waits for a second key that would make it a burst.
	holdFor = 40 * time.Millisecond
	// repeatFor is the same while the key might be held down: longer than the pause
	// between two repeats of a slow keyboard, also when the line to it stutters.
	repeatFor = 250 * time.Millisecond
	// repeatDelay is how long after a press a keyboard may take to begin repeating.
	repeatDelay = 2 * time.Second
	// typingGap is the pause after which a person is no longer typing a sentence.
	typingGap = 1500 * time.Millisecond
	// wordsGap is the same where only decision keys wait for it: a key that comes by itself
	// is no letter of a word.
	wordsGap = 900 * time.Millisecond
	// beatEvery is how often the program makes sure that it runs, for beatFor after the
	// shown card changed.
	beatEvery = 50 * time.Millisecond
	beatFor   = 1500 * time.Millisecond
	// pauseGap is a silence that only a stopped or sleeping process knows: the clock
	// ticks once a second.
	pauseGap = 2500 * time.Millisecond
)

// guard stands between the keys and the broker. It knows which call is on the screen
// since when, and which keys came how fast.
type guard struct {
	drawn drawnKey
	since time.Time // when drawn came on the screen, or became doubtful
	fresh bool      // drawn changed at since, and its frame has not been seen to be written yet
	own   bool      // the operator's own move brought it there
	alive time.Time // the last message of any kind
	pulse bool      // a beatMsg comes every beatEvery while the card is new

	lastKey      time.Time // any key
	prevKey      time.Time // the one before
	lastDecision time.Time // the last press of a decision key, whether it counted or not
	lastVerdict  string    // the key of it
	held         *held
	heldGen      int
	code         begun  // the digit that was the last key, if it began the drawn card's code
	codeBefore   begun  // the same before the current key
	typing       bool   // D opened no input: what follows may be the words meant for it
	words        string // why words may follow that were not meant as decisions; other keys act
}

// heldMsg says that a held decision has waited.
type heldMsg struct{ gen int }

// held is a decision that waits some milliseconds for a sign that no person made it.
type held struct {
	gen     int
	key     drawnKey
	verdict broker.Verdict
	do      func() tea.Cmd // not about a call: what is to be done instead
	wait    time.Duration
	due     time.Time // when wait is over
}

// begun is the first digit of a code.
type begun struct {
	digit string
	key   drawnKey
	at    time.Time
}

// good is the digit while a second one may follow it.
func (b begun) good(drawn drawnKey, now time.Time) string {
	if b.key != drawn || now.Sub(b.at) >= codeFor {
		return ""
	}
	return b.digit
}

// awake notes that the program runs, at now. After a silence that it cannot have slept
// through by itself, whatever was typed meanwhile is not meant for what is drawn now.
func (g *guard) awake(now time.Time) {
	gap := now.Sub(g.alive)
	wall := now.Round(0).Sub(g.alive.Round(0)) // the monotonic clock stands still in a laptop's sleep
	switch {
	case gap > pauseGap || wall > pauseGap || wall < 0:
		g.doubt(now)
	case gap > 2*beatEvery && g.beats(g.alive):
		g.since = g.since.Add(gap - beatEvery) // a busy machine: a key that is read now may have been pressed then
	}
	g.alive = now
}

// beats reports whether the program is to make sure that it runs.
func (g *guard) beats(now time.Time) bool { return g.pulse && now.Sub(g.since) < beatFor }

// doubt makes the drawn card deaf again.
func (g *guard) doubt(now time.Time) {
	g.since = now
	g.own, g.fresh = false, false
	g.held = nil
	g.code, g.codeBefore = begun{}, begun{}
}

// draws notes which card is on the screen.
func (g *guard) draws(key drawnKey, now time.Time) (changed bool) {
	if key == g.drawn {
		return false
	}
	g.drawn = key
	g.doubt(now)
	g.fresh = true
	return true
}

// written notes that the frame which began at began was on the terminal at end: the
// drawn card has been there since then, not since it was known.
func (g *guard) written(began, end time.Time) {
	if g.fresh && !began.Before(g.since) {
		g.fresh = false
		if began.Sub(g.since) < drawFor {
			g.since = end
		}
	}
}

func (g *guard) deaf(now time.Time) bool { return now.Sub(g.since) < deafFor }

// key notes a key press. Any key takes back a decision that is held.
func (g *guard) key(now time.Time) (tookBack bool) {
	if now.Sub(g.lastKey) > typingGap {
		g.typing = false
	}
	if now.Sub(g.lastKey) > wordsGap {
		g.words = ""
	}
	g.prevKey, g.lastKey = g.lastKey, now
	tookBack = g.held != nil
	g.held = nil
	g.codeBefore, g.code = g.code, begun{}
	return tookBack
}

// burst reports whether the current key came right behind another one.
func (g *guard) burst() bool { return g.lastKey.Sub(g.prevKey) < burstGap }

// press judges the press of a decision key: why it cannot act now, or how long the
// decision is to be held.
func (g *guard) press(key string, now time.Time) (wait time.Duration, refusal string) {
	since, again := now.Sub(g.lastDecision), key == g.lastVerdict
	if again && since >= deafFor && g.prevKey.Equal(g.lastDecision) {
		g.words = "" // no word is one letter, slowly, again and again
	}
	g.lastDecision, g.lastVerdict = now, key
	switch {
	case g.typing:
		return 0, "D opened no input here: pause for a moment, then press " + key + " again"
	case g.words != "":
		return 0, g.words + ": pause for a moment, then press " + key + " again"
	case since < deafFor:
		g.doubt(now)
		return 0, "held or pressed too fast: let go, look, then press " + key + " again"
	case g.burst():
		g.doubt(now)
		return 0, "keys came too fast to be typed: nothing was decided"
	case g.deaf(now):
		return 0, "this card just came up: look first, then press " + key + " again"
	case again && since < repeatDelay:
		return repeatFor, ""
	}
	return holdFor, ""
}

// missed notes that these keys did not do what they were meant to. Behind a D come
// words, which must not be taken for keys; behind an m or n as well, but those keys are
// also pressed by mistake.
func (g *guard) missed(keys string) {
	g.typing = g.typing || strings.Contains(keys, "D")
	if i := strings.IndexAny(keys, "mn"); i >= 0 {
		g.words = keys[i:i+1] + " opened no input here"
	}
}

// typedAhead notes that keys were typed before there was a screen, and are lost: what
// follows them may be the rest of a text.
func (g *guard) typedAhead(now time.Time) {
	g.lastKey, g.words = now, "what was typed before this screen was dropped"
}

// leaves notes that an input was left: who goes on typing, as behind a line break that was
// meant for the text and sent it, decides nothing by that.
func (g *guard) leaves(now time.Time) {
	g.doubt(now)
	g.mayGoOn()
}

// mayGoOn is leaves without making the card deaf.
func (g *guard) mayGoOn() { g.words = "a text was just left" }

// digit judges a digit of the drawn card's code, and says which one came before it. A
// first digit is judged as any decision; the second may follow it as fast as people
// type. No digit is the same as the one before, so a key held down types no code.
func (g *guard) digit(digit string, now time.Time) (first string, wait time.Duration, refusal string) {
	first = g.codeBefore.good(g.drawn, now)
	if first == "" || digit == first {
		wait, refusal = g.press(digit, now)
		return "", wait, refusal
	}
	g.lastDecision, g.lastVerdict = now, digit
	if g.burst() {
		g.doubt(now)
		return first, 0, "keys came too fast to be typed: nothing was decided"
	}
	return first, holdFor, ""
}

// begin notes the first digit of the drawn card's code.
func (g *guard) begin(digit string, now time.Time) { g.code = begun{digit, g.drawn, now} }

// begun is the first digit while a second one may follow it.
func (g *guard) begun(now time.Time) string { return g.code.good(g.drawn, now) }

// hold keeps a decision for a moment; it is about what is drawn.
func (g *guard) hold(h held, wait time.Duration, now time.Time) tea.Cmd {
	g.heldGen++
	h.gen, h.key, h.wait, h.due = g.heldGen, g.drawn, wait, now.Add(wait)
	g.held = &h
	gen := g.heldGen
	return tea.Tick(wait, func(time.Time) tea.Msg { return heldMsg{gen} })
}

// release gives out the held decision when it is still about what is drawn. A timer that
// rang late shows that this program got no time to run, and that a key may have come
// which nobody has read yet: the decision is held once more, and again is the wait.
func (g *guard) release(gen int, now time.Time) (h held, ok bool, again tea.Cmd) {
	if g.held == nil || g.held.gen != gen || g.held.key != g.drawn {
		return held{}, false, nil
	}
	h = *g.held
	if now.Sub(h.due) > h.wait/2 {
		return held{}, false, g.hold(h, h.wait, now)
	}
	g.held = nil
	return h, true, nil
}

// drawnKey names what was drawn.
type drawnKey struct {
	id, digest string
	late       bool
	rev        int
}

// sameCall reports whether k and other are the same call, though something about it
// may have changed.
func (k drawnKey) sameCall(other drawnKey) bool {
	k.rev = other.rev
	return k == other
}

// codeFor is how long the first digit of a code waits for the second one.
const codeFor = 3 * time.Second

// newCode makes the code of a dangerous call: two digits that differ, so that no key
// held down types it, and not one that begins with 0. Each is as likely as another.
func newCode() string {
	for {
		var b [1]byte
		_, _ = rand.Read(b[:]) // never fails: the program ends when there is no randomness
		tens, ones := b[0]/10, b[0]%10
		if tens > 0 && tens < 10 && tens != ones {
			return string([]byte{'0' + tens, '0' + ones})
		}
	}
}
