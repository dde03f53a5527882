package main

import (
	"context"
	"fmt"
	"time"
)

// words types a sentence for a form that opens, is left in the middle of it, or never opens,
// while a call arrives: none of its letters decides.
func words(ctx context.Context, t *trial) (result, error) {
	t.console.watchFor(t.name(0).card)
	if t.moments.IntN(2) == 0 { // its card is there for long, and may be decided otherwise
		if _, err := t.shown(ctx, 0, sure); err != nil {
			return result{}, err
		}
	}
	texts := []string{"mzla zld", "mzzzzzzla", "nzla\x1bzzzzla zd", "nd\x1bzzzzzzza", "/a\x1bmzza"}
	text := texts[t.moments.IntN(len(texts))]
	arrives := t.moments.IntN(len(text))
	for i, c := range text {
		if i == arrives && len(t.asked) == 0 {
			if _, err := t.ask(ctx, 0); err != nil {
				return result{}, err
			}
		}
		if t.moments.IntN(8) == 0 {
			if err := t.console.resize(columns - uint16(t.moments.IntN(20))); err != nil { //nolint:gosec // G115: below 20
				return result{}, err
			}
		}
		if _, err := t.console.press(string(c)); err != nil {
			return result{}, err
		}
		sleep(ctx, t.between(60*time.Millisecond, 250*time.Millisecond))
	}
	r := result{}
	allowed, err := t.allowed(ctx, t.asked[0])
	if r.decided = allowed; allowed {
		r.fault = fmt.Sprintf("%q, typed for a form, decided %s", text, t.asked[0].card)
	}
	if err == nil {
		_, err = t.console.press("\x1b") // out of whatever it opened
		sleep(ctx, 2*time.Second)
	}
	if err == nil {
		err = t.console.resize(columns)
	}
	return r, err
}

// frozen freezes everything around a press: once it is said to hold, nothing is allowed.
func frozen(ctx context.Context, t *trial) (result, error) {
	t.console.watchFor(t.name(0).card)
	c, err := t.shown(ctx, 0, t.between(0, sure+200*time.Millisecond))
	if err != nil {
		return result{}, err
	}
	if _, err := t.console.press("f"); err != nil {
		return result{}, err
	}
	if err := t.console.await(ctx, "the freeze", func() bool { return t.isFrozen(ctx) }); err != nil {
		return result{}, err
	}
	sleep(ctx, t.between(0, 1200*time.Millisecond))
	if _, err := t.console.press("a"); err != nil {
		return result{}, err
	}
	allowed, err := t.allowed(ctx, c)
	r := result{decided: allowed}
	if allowed {
		r.fault = "allowed in a freeze: " + c.card
	}
	for tries := 0; err == nil && t.isFrozen(ctx) && tries < 5; tries++ {
		err = t.thaw(ctx)
	}
	return r, err
}

// thaw lifts the freeze as a person does.
func (t *trial) thaw(ctx context.Context) error {
	for _, key := range []string{"\x1b", "f", "y"} {
		sleep(ctx, 800*time.Millisecond)
		if _, err := t.console.press(key); err != nil {
			return err
		}
	}
	sleep(ctx, recorded)
	return nil
}

func (t *trial) isFrozen(ctx context.Context) bool {
	var s struct {
		FrozenAll bool `json:"frozen_all"`
	}
	return t.console.do(ctx, "GET", "/status", nil, &s) == nil && s.FrozenAll
}
