package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// filmLook is a terminal that a README has room for.
var filmLook = look{width: 100, height: 26, ground: "dark", colours: "true"}

// frame is a screen, for how long it is shown, and what is said below it.
type frame struct {
	rows      snapshot
	lasts     time.Duration
	key, says string
}

// film gathers frames while the console is used.
type film struct {
	t         *terminal
	p         painter
	frames    []frame
	key, says string // below the frames to come
}

// say changes what stands below the frames to come: a key, and what it does.
func (f *film) say(key, does string) { f.key, f.says = key, does }

// hold adds the screen as it is, for so long.
func (f *film) hold(lasts time.Duration) {
	f.frames = append(f.frames, frame{f.p.snap(f.t), lasts, f.key, f.says})
}

// typing presses keys one by one, a frame for each few.
func (f *film) typing(text string) error {
	for i, r := range text {
		if err := f.t.press(string(r)); err != nil {
			return err
		}
		if err := f.t.waitFor(strings.TrimRight(text[:i+len(string(r))], " ")); err != nil {
			return err
		}
		if i%3 == 2 {
			f.hold(140 * time.Millisecond)
		}
	}
	f.hold(900 * time.Millisecond)
	return nil
}

// shoot plays the scenes and writes the moving picture.
func shoot(ctx context.Context, program, file string) error {
	t, err := open(ctx, program, filmLook)
	if err != nil {
		return err
	}
	defer t.close()
	f := &film{t: t, p: filmLook.painter()}
	for _, scene := range []func(*film) error{arrive, allow, denyWhy, dangerous, lastingRule} {
		if err := scene(f); err != nil {
			return err
		}
	}
	if err := os.WriteFile(file, []byte(f.svg()), 0o600); err != nil {
		return fmt.Errorf("write the moving picture: %w", err)
	}
	return nil
}

// arrive: agents ask, and wait.
func arrive(f *film) error {
	f.say("", "Agents ask before they act. Nothing runs until you answer.")
	for _, n := range []string{"1 waiting", "3 waiting", "4 waiting"} {
		if err := f.t.waitFor(n); err != nil {
			return err
		}
		f.hold(700 * time.Millisecond)
	}
	return nil
}

// decide presses a key on a call and returns when the call is gone from the list.
func (f *film) decide(call, keys string) error {
	f.t.settle()
	return f.t.again(keys, call+" decided", func() bool { return !f.t.shows(call) })
}

func allow(f *film) error {
	const call = "server.go"
	if err := f.t.choose(call); err != nil {
		return err
	}
	f.say("", "An edit: the change is on the card.")
	f.hold(1600 * time.Millisecond)
	if err := f.readOn(); err != nil {
		return err
	}
	f.say("a", "allow it, once")
	f.hold(600 * time.Millisecond)
	if err := f.decide(call, "a"); err != nil {
		return err
	}
	f.hold(900 * time.Millisecond)
	return nil
}

// readOn scrolls a card to its end: what was not seen cannot be allowed.
func (f *film) readOn() error {
	if !f.t.shows("▼") {
		return nil
	}
	f.say("ctrl+d", "read on: only what was seen can be allowed")
	if err := f.t.again("\x04", "the card's end", func() bool { return !f.t.shows("▼") }); err != nil {
		return err
	}
	f.hold(1000 * time.Millisecond)
	return nil
}

func denyWhy(f *film) error {
	if err := f.t.choose(build); err != nil {
		return err
	}
	f.say("D", "deny it, and say why: the agent reads the reason")
	f.t.settle()
	if err := f.t.again("D", "a place for the reason", func() bool { return f.t.shows("because:") }); err != nil {
		return err
	}
	f.hold(700 * time.Millisecond)
	if err := f.typing("not before the tests are green"); err != nil {
		return err
	}
	if err := f.decide(build, "\r"); err != nil {
		return err
	}
	f.hold(900 * time.Millisecond)
	return nil
}

func dangerous(f *film) error {
	if err := f.t.choose(terraform); err != nil {
		return err
	}
	f.say("", "A dangerous call: no single key allows it.")
	f.hold(1800 * time.Millisecond)
	if err := f.readOn(); err != nil {
		return err
	}
	digits := f.digits()
	if len(digits) != 2 {
		return fmt.Errorf("no two digits on the card but %q", digits)
	}
	f.say(digits, "type the two digits of its card")
	begun := digits[:1] + "_"
	if err := f.t.again(digits[:1], "the first digit", func() bool { return f.t.shows(begun) }); err != nil {
		return err
	}
	f.hold(700 * time.Millisecond)
	f.t.settle() // keys that come faster than a person types decide nothing
	if err := f.t.press(digits[1:]); err != nil {
		return err
	}
	if err := f.t.waitGone(terraform); err != nil {
		return err
	}
	f.hold(900 * time.Millisecond)
	return nil
}

// digits are those that allow the dangerous call whose card is drawn.
func (f *film) digits() string {
	_, rest, _ := strings.Cut(strings.Join(f.t.rows(), "\n"), "type ")
	digits, _, _ := strings.Cut(rest, " ")
	return digits
}

func lastingRule(f *film) error {
	if err := f.t.waitFor(notebook); err != nil {
		return err
	}
	if err := f.t.choose(notebook); err != nil {
		return err
	}
	f.say("A", "allow calls like it from now on: a rule")
	f.hold(900 * time.Millisecond)
	steps := []struct {
		keys, what string
		met        func() bool
		lasts      time.Duration
	}{
		{"\r", "the call on the whole screen", func() bool { return !f.t.shows(list) }, 0},
		{"G", "the call's end", func() bool { return f.t.shows("id  ") }, 0},
		{"A", "the rule editor", func() bool { return f.t.shows(newRule) }, 2200 * time.Millisecond},
		{"\r", "the rule in words", func() bool { return f.t.shows(saveRule) }, 2200 * time.Millisecond},
		{"\r", "the rule saved", func() bool { return !f.t.shows(saveRule) }, 0},
		{"\x1b", "the list of what waits", func() bool { return f.t.shows(list) }, 0},
	}
	for _, s := range steps {
		if err := f.t.again(s.keys, s.what, s.met); err != nil {
			return err
		}
		if s.lasts > 0 {
			f.hold(s.lasts)
		}
	}
	if err := f.t.waitGone(notebook); err != nil {
		return err
	}
	f.say("", "Rules answer the rest. Everything is on record.")
	f.hold(2200 * time.Millisecond)
	return nil
}
