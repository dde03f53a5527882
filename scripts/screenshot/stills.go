package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// look is a terminal that pictures are taken at.
type look struct {
	width, height int
	ground        string // "dark" or "light"
	colours       string // "true", "none" (NO_COLOR) or "dumb"
}

// looks are those that still pictures are taken at: the sizes that golden files have, and one
// without colours, where words and signs must say everything.
var looks = func() []look {
	var all []look
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}} {
		for _, ground := range []string{"dark", "light"} {
			all = append(all, look{size[0], size[1], ground, "true"})
		}
	}
	return append(all, look{80, 24, "dark", "256"}, look{80, 24, "light", "256"}, look{80, 24, "dark", "16"},
		look{80, 24, "dark", "none"}, look{80, 24, "dark", "dumb"})
}()

func (l look) name() string {
	name := fmt.Sprintf("%dx%d-%s", l.width, l.height, l.ground)
	if l.colours != "true" {
		name += "-" + l.colours
	}
	return name
}

// environ tells the console what its terminal can do. COLORFGBG saves it from asking.
func (l look) environ() []string {
	env := []string{"COLORFGBG=15;0"}
	if l.ground == "light" {
		env[0] = "COLORFGBG=0;15"
	}
	switch l.colours {
	case "true":
		return append(env, "TERM=xterm-256color", "COLORTERM=truecolor")
	case "256":
		return append(env, "TERM=xterm-256color")
	case "16":
		return append(env, "TERM=xterm")
	case "none":
		return append(env, "TERM=xterm-256color", "NO_COLOR=1")
	}
	return append(env, "TERM=dumb")
}

func (l look) painter() painter {
	if l.ground == "light" {
		return painter{text: "#24292f", back: "#ffffff"}
	}
	return painter{text: "#d8dee9", back: "#0d1117"}
}

// still is one screen: how it is reached from the list of what waits, and what tells that it is
// there. With no text to tell, it is that the list is gone.
type still struct {
	name  string
	call  string // the cursor is put on this call first
	keys  string
	shows string
	last  bool // esc has another meaning there, so nothing comes after it
}

// there reports whether the screen is drawn.
func (s still) there(t *terminal) bool {
	if s.shows == "" {
		return !t.shows(list)
	}
	return t.shows(s.shows)
}

// The list's title, and calls of the demo by words that are not cut in a narrow window.
const (
	list      = "Waiting"
	build     = "npm run"
	terraform = "terraform"
	edit      = "internal/h"
	notebook  = "sales"
	which     = "Which"
	newRule   = "New rule"
	saveRule  = "Save this"
)

// stills are in the order in which they are taken, all in one run of the demo.
var stills = []still{
	{name: "list", call: build},
	{name: "danger", call: terraform},
	{name: "card", call: terraform, keys: "\r"},
	{name: "diff", call: edit, keys: "\r"},
	{name: "rule-editor", call: build, keys: "A", shows: newRule},
	{name: "rules", keys: "r", shows: "Rules"},
	{name: "history", keys: "h", shows: "Decided"},
	{name: "events", keys: "E", shows: "Events"},
	{name: "transcript", keys: "T", shows: "Transcript"},
	{name: "help", keys: "?", shows: "Keys"},
	{name: "question", call: which, keys: "\r", shows: "▸ 1", last: true},
}

// prepare has all calls wait that the pictures show, and one decided by a lasting rule.
func prepare(t *terminal, program string) error {
	if err := t.waitFor("5 waiting"); err != nil {
		return err
	}
	if err := lasting(t, notebook); err != nil {
		return err
	}
	if err := ask(t, program); err != nil {
		return err
	}
	return t.waitFor("6 waiting") // with the one that notes asks next
}

// lasting allows a call by a new rule. It is read to its end first, on the whole screen: a small
// window shows only part of it, and the console allows nothing that was not seen.
func lasting(t *terminal, call string) error {
	if err := t.choose(call); err != nil {
		return err
	}
	steps := []struct {
		keys, what string
		met        func() bool
	}{
		{"\r", "the call on the whole screen", func() bool { return !t.shows(list) }},
		{"G", "the call's end", func() bool { return t.shows("id  ") }},
		{"A", "the rule editor", func() bool { return t.shows(newRule) }},
		{"\r", "the rule in words", func() bool { return t.shows(saveRule) }},
		{"G", "what it decides now", func() bool { return t.shows("waiting call now") }},
		{"\r", "the rule saved", func() bool { return !t.shows(saveRule) }},
		{"\x1b", "the list of what waits", func() bool { return t.shows(list) }},
	}
	for _, s := range steps {
		if err := t.again(s.keys, s.what, s.met); err != nil {
			return err
		}
	}
	return t.waitGone(call)
}

// takeAll takes every still picture at a look.
func (l look) takeAll(ctx context.Context, program, out string) error {
	if err := os.MkdirAll(out, 0o750); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	t, err := open(ctx, program, l)
	if err != nil {
		return err
	}
	defer t.close()
	if err := prepare(t, program); err != nil {
		return err
	}
	for _, s := range stills {
		if err := l.take(t, s, out); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (l look) take(t *terminal, s still, out string) error {
	if s.call != "" {
		if err := t.choose(s.call); err != nil {
			return err
		}
	}
	if s.keys != "" {
		if err := t.again(s.keys, "the screen", func() bool { return s.there(t) }); err != nil {
			return err
		}
	}
	p := l.painter()
	file := filepath.Join(out, l.name()+"-"+s.name+".svg")
	if err := os.WriteFile(file, []byte(p.picture(p.snap(t), t.width)), 0o600); err != nil {
		return fmt.Errorf("write a picture: %w", err)
	}
	if s.keys == "" || s.last {
		return nil
	}
	return t.again("\x1b", "the list of what waits", func() bool { return t.shows(list) && !s.there(t) })
}
