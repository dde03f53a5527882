// Package guard stands between the keys and the broker. It knows which call is on the screen and
// since when, and how fast keys came, and says whether a key may decide: only about the call that
// is drawn, only after that has been on the screen for half a second, never by a key that repeats,
// comes in a burst or is pasted, and never by what may be the rest of a text. A decision is held
// for some milliseconds, so that the key behind it can take it back.
//
// The clock comes with each call; a process that was stopped notices that too (see Awake).
package guard

import (
	"crypto/rand"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

const (
	// DeafFor is how long a card must have been on the screen before a key decides it:
	// half a second when the key goes down, and what the key may take to get here.
	DeafFor = 550 * time.Millisecond
	// drawFor is how long a frame takes to be written, at most; a write that begins
	// later is about something else.
	drawFor = 100 * time.Millisecond
	// burstGap is how close to another key no person types: a paste without brackets.
	burstGap = 30 * time.Millisecond
	// HoldFor is how long a decision waits for a second key that would make it a burst.
	HoldFor = 40 * time.Millisecond
	// RepeatFor is the same while the key might be held down: longer than the pause
	// between two repeats of a slow keyboard, also when the line to it stutters.
	RepeatFor = 250 * time.Millisecond
	// RepeatDelay is how long after a press a keyboard may take to begin repeating.
	RepeatDelay = 2 * time.Second
	// TypingGap is the pause after which a person is no longer typing a sentence.
	TypingGap = 1500 * time.Millisecond
	// wordsGap is the same where only decision keys wait for it: a key that comes by itself
	// is no letter of a word.
	wordsGap = 900 * time.Millisecond
	// BeatEvery is how often the program makes sure that it runs, for beatFor after the
	// shown card changed.
	BeatEvery = 50 * time.Millisecond
	beatFor   = 1500 * time.Millisecond
	// pauseGap is a silence that only a stopped or sleeping process knows: the clock
	// ticks once a second.
	pauseGap = 2500 * time.Millisecond
)

// Guard stands between the keys and the broker. It knows which call is on the screen
// since when, and which keys came how fast.
type Guard struct {
	Drawn Drawn
	Since time.Time // when drawn came on the screen, or became doubtful
	fresh bool      // drawn changed at since, and its frame has not been seen to be written yet
	Own   bool      // the operator's own move brought it there
	alive time.Time // the last message of any kind
	Pulse bool      // a beatMsg comes every BeatEvery while the card is new

	lastKey      time.Time // any key
	prevKey      time.Time // the one before
	lastDecision time.Time // the last press of a decision key, whether it counted or not
	lastVerdict  string    // the key of it
	Held         *Held
	HeldGen      int
	code         begun                   // the digit that was the last key, if it began the drawn card's code
	codeBefore   begun                   // the same before the current key
	Typing       bool                    // D opened no input: what follows may be the words meant for it
	Called       func(key string) string // what a sentence calls a key; as it is pressed when nil
	Words        string                  // why words may follow that were not meant as decisions; other keys act
}

// DueMsg says that a held decision has waited.
type DueMsg struct{ Gen int }

// Held is a decision that waits some milliseconds for a sign that no person made it.
type Held struct {
	Gen  int
	Key  Drawn
	Do   func() tea.Cmd // what is decided
	wait time.Duration
	Due  time.Time // when wait is over
}

// begun is the first digit of a code.
type begun struct {
	digit string
	key   Drawn
	at    time.Time
}

// good is the digit while a second one may follow it.
func (b begun) good(drawn Drawn, now time.Time) string {
	if b.key != drawn || now.Sub(b.at) >= CodeFor {
		return ""
	}
	return b.digit
}

// Awake notes that the program runs, at now. After a silence that it cannot have slept
// through by itself, whatever was typed meanwhile is not meant for what is drawn now.
func (g *Guard) Awake(now time.Time) {
	gap := now.Sub(g.alive)
	wall := now.Round(0).Sub(g.alive.Round(0)) // the monotonic clock stands still in a laptop's sleep
	switch {
	case gap > pauseGap || wall > pauseGap || wall < 0:
		g.Doubt(now)
	case gap > 2*BeatEvery && g.Beats(g.alive):
		g.Since = g.Since.Add(gap - BeatEvery) // a busy machine: a key that is read now may have been pressed then
	}
	g.alive = now
}

// Beats reports whether the program is to make sure that it runs.
func (g *Guard) Beats(now time.Time) bool { return g.Pulse && now.Sub(g.Since) < beatFor }

// Doubt makes the drawn card deaf again.
func (g *Guard) Doubt(now time.Time) {
	g.Since = now
	g.Own, g.fresh = false, false
	g.Held = nil
	g.code, g.codeBefore = begun{}, begun{}
}

// Draws notes which card is on the screen.
func (g *Guard) Draws(key Drawn, now time.Time) (changed bool) {
	if key == g.Drawn {
		return false
	}
	g.Drawn = key
	g.Doubt(now)
	g.fresh = true
	return true
}

// Written notes that the frame which began at began was on the terminal at end: the
// drawn card has been there since then, not since it was known.
func (g *Guard) Written(began, end time.Time) {
	if g.fresh && !began.Before(g.Since) {
		g.fresh = false
		if began.Sub(g.Since) < drawFor {
			g.Since = end
		}
	}
}

// Deaf reports whether the drawn card is too new for a key to decide it.
func (g *Guard) Deaf(now time.Time) bool { return now.Sub(g.Since) < DeafFor }

// Key notes a key press. Any key takes back a decision that is held.
func (g *Guard) Key(now time.Time) (tookBack bool) {
	if now.Sub(g.lastKey) > TypingGap {
		g.Typing = false
	}
	if now.Sub(g.lastKey) > wordsGap {
		g.Words = ""
	}
	g.prevKey, g.lastKey = g.lastKey, now
	tookBack = g.Held != nil
	g.Held = nil
	g.codeBefore, g.code = g.code, begun{}
	return tookBack
}

// Burst reports whether the current key came right behind another one.
func (g *Guard) Burst() bool { return g.lastKey.Sub(g.prevKey) < burstGap }

// Press judges the press of a decision key: why it cannot act now, or how long the
// decision is to be held.
func (g *Guard) Press(key string, now time.Time) (wait time.Duration, refusal string) {
	since, again := now.Sub(g.lastDecision), key == g.lastVerdict
	if again && since >= DeafFor && g.prevKey.Equal(g.lastDecision) {
		g.Words = "" // no word is one letter, slowly, again and again
	}
	g.lastDecision, g.lastVerdict = now, key
	switch {
	case g.Typing:
		return 0, g.called("D") + " opened no input here: pause for a moment, then press " + g.called(key) + " again"
	case g.Words != "":
		return 0, g.Words + ": pause for a moment, then press " + g.called(key) + " again"
	case since < DeafFor:
		g.Doubt(now)
		return 0, "held or pressed too fast: let go, look, then press " + g.called(key) + " again"
	case g.Burst():
		g.Doubt(now)
		return 0, "keys came too fast to be typed: nothing was decided"
	case g.Deaf(now) && g.Drawn == (Drawn{}):
		return 0, "the screen just changed: look first, then press " + g.called(key) + " again"
	case g.Deaf(now):
		return 0, "this card just came up: look first, then press " + g.called(key) + " again"
	case again && since < RepeatDelay:
		return RepeatFor, ""
	}
	return HoldFor, ""
}

// called is what a sentence calls a key.
func (g *Guard) called(key string) string {
	if g.Called == nil {
		return key
	}
	return g.Called(key)
}

// Missed notes that these keys did not do what they were meant to. Behind a D come
// words, which must not be taken for keys; behind an m or n as well, but those keys are
// also pressed by mistake.
func (g *Guard) Missed(keys string) {
	g.Typing = g.Typing || strings.Contains(keys, "D")
	if i := strings.IndexAny(keys, "mn"); i >= 0 {
		g.Words = g.called(keys[i:i+1]) + " opened no input here"
	}
}

// TypedAhead notes that keys were typed before there was a screen, and are lost: what
// follows them may be the rest of a text.
func (g *Guard) TypedAhead(now time.Time) {
	g.lastKey, g.Words = now, "what was typed before this screen was dropped"
}

// Leaves notes that an input was left: who goes on typing, as behind a line break that was
// meant for the text and sent it, decides nothing by that.
func (g *Guard) Leaves(now time.Time) {
	g.Doubt(now)
	g.MayGoOn()
}

// MayGoOn is leaves without making the card deaf.
func (g *Guard) MayGoOn() { g.Words = "a text was just left" }

// Digit judges a digit of the drawn card's code, and says which one came before it. A
// first digit is judged as any decision; the second may follow it as fast as people
// type. No digit is the same as the one before, so a key held down types no code.
func (g *Guard) Digit(digit string, now time.Time) (first string, wait time.Duration, refusal string) {
	first = g.codeBefore.good(g.Drawn, now)
	if first == "" || digit == first {
		wait, refusal = g.Press(digit, now)
		return "", wait, refusal
	}
	g.lastDecision, g.lastVerdict = now, digit
	if g.Burst() {
		g.Doubt(now)
		return first, 0, "keys came too fast to be typed: nothing was decided"
	}
	return first, HoldFor, ""
}

// Begin notes the first digit of the drawn card's code.
func (g *Guard) Begin(digit string, now time.Time) { g.code = begun{digit, g.Drawn, now} }

// Begun is the first digit while a second one may follow it.
func (g *Guard) Begun(now time.Time) string { return g.code.good(g.Drawn, now) }

// Hold keeps a decision for a moment; it is about what is drawn.
func (g *Guard) Hold(h Held, wait time.Duration, now time.Time) tea.Cmd {
	g.HeldGen++
	h.Gen, h.Key, h.wait, h.Due = g.HeldGen, g.Drawn, wait, now.Add(wait)
	g.Held = &h
	gen := g.HeldGen
	return tea.Tick(wait, func(time.Time) tea.Msg { return DueMsg{gen} })
}

// Release gives out the held decision when it is still about what is drawn. A timer that
// rang late shows that this program got no time to run, and that a key may have come
// which nobody has read yet: the decision is held once more, and again is the wait.
func (g *Guard) Release(gen int, now time.Time) (h Held, ok bool, again tea.Cmd) {
	if g.Held == nil || g.Held.Gen != gen || g.Held.Key != g.Drawn {
		return Held{}, false, nil
	}
	h = *g.Held
	if now.Sub(h.Due) > h.wait/2 {
		return Held{}, false, g.Hold(h, h.wait, now)
	}
	g.Held = nil
	return h, true, nil
}

// Drawn names what was drawn.
type Drawn struct {
	ID, Digest string
	Late       bool
	Rev        int
}

// SameCall reports whether k and other are the same call, though something about it
// may have changed.
func (k Drawn) SameCall(other Drawn) bool {
	k.Rev = other.Rev
	return k == other
}

// CodeFor is how long the first digit of a code waits for the second one.
const CodeFor = 3 * time.Second

// NewCode makes the code of a dangerous call: two digits that differ, so that no key
// held down types it, and not one that begins with 0. Each is as likely as another.
func NewCode() string {
	for {
		var b [1]byte
		_, _ = rand.Read(b[:]) // never fails: the program ends when there is no randomness
		tens, ones := b[0]/10, b[0]%10
		if tens > 0 && tens < 10 && tens != ones {
			return string([]byte{'0' + tens, '0' + ones})
		}
	}
}
