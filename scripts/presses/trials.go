package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/ask"
)

// shownFor is how long a call must have been on the screen before a key decides it.
const shownFor = 500 * time.Millisecond

// sure is how long after a change a press must count: the console's time and a slow
// machine's.
const sure = shownFor + 400*time.Millisecond

// recorded is how long after its press a decision is in the log: the console holds one
// whose key was also the last one for a quarter of a second, for it may be held down.
const recorded = 500 * time.Millisecond

// idle is what the console shows while nothing waits.
const idle = "nothing waits"

// result is what one trial showed.
type result struct {
	decided bool          // a key decided a call
	shown   time.Duration // how long that call had been on the screen when the key was pressed
	due     bool          // the press had to count
	fault   string
}

var kinds = []struct {
	name string
	play func(context.Context, *trial) (result, error)
}{
	{"arrival at an empty queue", arrival},
	{"arrival at an empty queue", arrival}, // twice as often: the case that people meet
	{"next card slides in", slide},
	{"another call arrives", another},
	{"key held down", heldDown},
	{"pasted keys", pasted},
	{"resized window", resized},
	{"words for a form", words},
	{"pressed in a freeze", frozen},
}

// trial is one trial at a console whose queue is empty.
type trial struct {
	console *console
	n       int
	moments *rand.Rand
	asked   []call
}

// call is a call that the trial asked.
type call struct {
	id   string
	card string // what its card shows and nothing else does
}

func (t *trial) between(low, high time.Duration) time.Duration {
	return low + time.Duration(t.moments.Int64N(int64(high-low)))
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func (t *trial) name(i int) call {
	return call{card: cardEdge + fmt.Sprintf("$ echo mark%dx%dx", t.n, i)}
}

// cardEdge stands before a command on its card; a row of the list has more blanks there.
const cardEdge = "│ "

// ask submits a call named by name(i).
func (t *trial) ask(ctx context.Context, i int) (call, error) {
	c := t.name(i)
	body := map[string]any{
		"session_id": fmt.Sprintf("s-%d", t.n%5), "tool_name": "Bash", "cwd": t.console.home,
		"tool_input": map[string]any{"command": c.card[len(cardEdge+"$ "):]},
	}
	var made struct {
		RequestID string `json:"request_id"`
	}
	err := t.console.do(ctx, "POST", "/create-approval-request", body, &made)
	c.id = made.RequestID
	t.asked = append(t.asked, c)
	return c, err
}

// shown asks a call and waits until its card has been on the screen for d.
func (t *trial) shown(ctx context.Context, i int, d time.Duration) (call, error) {
	c, err := t.ask(ctx, i)
	if err != nil {
		return c, err
	}
	err = t.console.await(ctx, "the card of "+c.card, func() bool {
		at := t.console.seen(c.card)
		return !at.IsZero() && time.Since(at) >= d
	})
	return c, err
}

// end denies a call from elsewhere.
func (t *trial) end(ctx context.Context, c call) error {
	return t.console.do(ctx, "POST", "/approval-requests/"+c.id+"/decide", map[string]any{"decision": "deny"}, nil)
}

// allowed gives a press time to be recorded, ends the call, and tells whether the press
// came first.
func (t *trial) allowed(ctx context.Context, c call) (bool, error) {
	sleep(ctx, recorded)
	if err := t.end(ctx, c); err == nil || !alreadyDecided(err) {
		return false, err
	}
	s, err := t.status(ctx, c)
	return s == "allowed", err
}

func (t *trial) status(ctx context.Context, c call) (string, error) {
	var r struct {
		Status string `json:"status"`
	}
	err := t.console.do(ctx, "GET", "/approval-requests/"+c.id, nil, &r)
	return r.Status, err
}

// clear ends what still waits, so that the next trial begins with an empty queue.
func (t *trial) clear(ctx context.Context) error {
	for _, c := range t.asked {
		if err := t.end(ctx, c); err != nil && !alreadyDecided(err) {
			return err
		}
	}
	return t.console.await(ctx, "the empty queue", func() bool {
		at := t.console.seen(idle)
		return !at.IsZero() && time.Since(at) > 50*time.Millisecond
	})
}

// judge is the result of a press at pressed for c, which was drawn at drawn.
func judge(c call, allowed bool, pressed, drawn time.Time) result {
	r := result{decided: allowed}
	if !drawn.IsZero() {
		r.shown = pressed.Sub(drawn)
	}
	r.due = !drawn.IsZero() && r.shown >= sure
	if allowed && (drawn.IsZero() || r.shown < shownFor) {
		r.fault = fmt.Sprintf("%q was allowed by a key pressed %v after it was drawn", c.card, r.shown)
	}
	return r
}

// arrival presses around the moment at which a call comes to an empty queue.
func arrival(ctx context.Context, t *trial) (result, error) {
	t.console.watchFor(t.name(0).card)
	start := time.Now()
	after := t.between(-100*time.Millisecond, 1200*time.Millisecond)
	if after < 0 {
		at, err := t.console.press("a")
		if err != nil {
			return result{}, err
		}
		sleep(ctx, -after)
		c, err := t.shown(ctx, 0, 100*time.Millisecond)
		if err != nil {
			return result{}, err
		}
		allowed, err := t.allowed(ctx, c)
		return judge(c, allowed, at, t.console.seen(c.card)), err
	}
	c, err := t.ask(ctx, 0)
	if err != nil {
		return result{}, err
	}
	sleep(ctx, after-time.Since(start))
	at, err := t.console.press("a")
	if err != nil {
		return result{}, err
	}
	allowed, err := t.allowed(ctx, c)
	return judge(c, allowed, at, t.console.seen(c.card)), err
}

// slide presses around the moment at which the shown call ends elsewhere and the next
// one takes its place.
func slide(ctx context.Context, t *trial) (result, error) {
	t.console.watchFor(t.name(0).card, t.name(1).card)
	first, err := t.shown(ctx, 0, shownFor+100*time.Millisecond)
	if err != nil {
		return result{}, err
	}
	second, err := t.ask(ctx, 1)
	if err != nil {
		return result{}, err
	}
	sleep(ctx, t.between(20*time.Millisecond, 150*time.Millisecond))
	ended := make(chan error, 1)
	wait := t.between(0, 100*time.Millisecond)
	go func() {
		sleep(ctx, wait)
		ended <- t.end(ctx, first)
	}()
	sleep(ctx, t.between(0, 1100*time.Millisecond))
	at, err := t.console.press("a")
	if err != nil {
		return result{}, err
	}
	if err := <-ended; err != nil && !alreadyDecided(err) {
		return result{}, err
	}
	allowed, err := t.allowed(ctx, second)
	r := judge(second, allowed, at, t.console.seen(second.card))
	r.due = r.due && at.Sub(t.console.seen(second.card)) >= sure
	return r, err
}

// another presses around the arrival of a second call; only the shown one may be decided.
func another(ctx context.Context, t *trial) (result, error) {
	t.console.watchFor(t.name(0).card, t.name(1).card)
	first, err := t.shown(ctx, 0, sure)
	if err != nil {
		return result{}, err
	}
	asked := make(chan error, 1)
	var second call
	wait := t.between(0, 60*time.Millisecond)
	go func() {
		sleep(ctx, wait)
		var err error
		second, err = t.ask(ctx, 1)
		asked <- err
	}()
	sleep(ctx, t.between(0, 120*time.Millisecond))
	at, err := t.console.press("a")
	if err != nil {
		return result{}, err
	}
	if err := <-asked; err != nil {
		return result{}, err
	}
	allowed, err := t.allowed(ctx, second)
	if err != nil {
		return result{}, err
	}
	if allowed {
		return judge(second, true, at, t.console.seen(second.card)), nil
	}
	allowed, err = t.allowed(ctx, first)
	return judge(first, allowed, at, t.console.seen(first.card)), err
}

// heldDown holds the key from before the arrival until long after it.
func heldDown(ctx context.Context, t *trial) (result, error) {
	t.console.watchFor(t.name(0).card)
	every := t.between(25*time.Millisecond, 45*time.Millisecond)
	before := t.between(0, 300*time.Millisecond)
	var c call
	var err error
	for held := time.Duration(0); held < 1200*time.Millisecond; held += every {
		if _, err := t.console.press("a"); err != nil {
			return result{}, err
		}
		if c.id == "" && held >= before {
			if c, err = t.ask(ctx, 0); err != nil {
				return result{}, err
			}
		}
		sleep(ctx, every)
	}
	allowed, err := t.allowed(ctx, c)
	r := result{decided: allowed}
	if allowed {
		r.fault = "a key that was held down decided " + c.card
	}
	return r, err
}

// pasted sends text with the key in it, with and without the marks of a paste.
func pasted(ctx context.Context, t *trial) (result, error) {
	t.console.watchFor(t.name(0).card)
	c, err := t.shown(ctx, 0, t.between(100*time.Millisecond, 1200*time.Millisecond))
	if err != nil {
		return result{}, err
	}
	texts := []string{"aa", "a\r", "say a word", "\x1b[200~a\x1b[201~", "\x1b[200~aaaa\r\x1b[201~", "a\na\na", "ja", "aj", "yes\r"}
	text := texts[t.moments.IntN(len(texts))]
	if _, err := t.console.press(text); err != nil {
		return result{}, err
	}
	allowed, err := t.allowed(ctx, c)
	if err != nil {
		return result{}, err
	}
	_, err = t.console.press("\x1b") // out of whatever it opened
	sleep(ctx, 100*time.Millisecond)
	r := result{decided: allowed}
	if allowed {
		r.fault = fmt.Sprintf("pasted %q decided %s", text, c.card)
	}
	return r, err
}

// resized presses after the window changed under a card that was shown for long.
func resized(ctx context.Context, t *trial) (result, error) {
	t.console.watchFor(t.name(0).card)
	c, err := t.shown(ctx, 0, sure)
	if err != nil {
		return result{}, err
	}
	if err := t.console.resize(columns - 1 - uint16(t.moments.IntN(20))); err != nil { //nolint:gosec // G115: below 20
		return result{}, err
	}
	changed := time.Now()
	sleep(ctx, t.between(50*time.Millisecond, 1200*time.Millisecond))
	at, err := t.console.press("a")
	if err != nil {
		return result{}, err
	}
	allowed, err := t.allowed(ctx, c)
	if err != nil {
		return result{}, err
	}
	return judge(c, allowed, at, changed), t.console.resize(columns)
}

// alreadyDecided reports whether the key was faster than the end from elsewhere.
func alreadyDecided(err error) bool {
	e, ok := errors.AsType[*ask.Error](err)
	return ok && e.Status == http.StatusConflict
}
