// Package vet reads hostile texts in a process of its own before the broker reads them.
//
// A parser may run out of stack, which ends a Go program whatever it does about it, or run away
// in time or memory. So the console starts itself again as a parse guard: a process without
// database, secrets or rights of its own, with little memory, that reads each text exactly as
// the broker would and says that it came through. Only then does the broker read the text.
// Otherwise it parses nothing: a person is asked, and sees the text raw.
//
// That rests on the readers being deterministic: they are pure functions of the text, and the
// guard is the very program that the console is, held to less stack and memory. What is left:
// links on the disk are followed in the broker only (a path at a time, with a limit), and a
// text that takes nearly all the time it may take there can take longer in a busy broker.
//
// A Guard is the console's side (guard.go): a few processes, turns for each session, a cache of
// what came of texts. Serve is the other side (serve.go), frame.go what passes between them.
// examine, below, is what is read; a new reader of agents' texts in the broker has to be added
// there, or its faults are met for the first time in the console.
//
// The package decides nothing about a call. It knows the readers, and package policy asks it.
package vet

import (
	"encoding/json"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulesfile"
)

// Patience is how long reading one text may take. Tests on a busy machine lengthen it where they
// are not about texts that take too long.
var Patience = 400 * time.Millisecond

// Trial is what tests put in the place of a parser's fault: it is called with every text
// before it is parsed, in the guard and in the broker. It is nil in the program.
var Trial func(text []byte)

// Prepare is rules.Prepare, by way of Trial.
func Prepare(q rules.Question) *rules.Call {
	if Trial != nil {
		Trial(q.Input)
	}
	return rules.Prepare(q)
}

// LoadFile is rulesfile.Load, by way of Trial.
func LoadFile(path string, data []byte, trusted bool, project string) ([]rules.Rule, error) {
	if Trial != nil {
		Trial(data)
	}
	return rulesfile.Load(path, data, trusted, project)
}

// The kinds of text.
const (
	kindCall  = 'c' // a tool call
	kindOffer = 'o' // a tool call for which rules are to be drafted
	kindFile  = 'f' // a project's rules file
)

// text is one text that is vetted: all that its reading depends on. Two equal texts have the
// same result, which is what the cache rests on.
type text struct {
	kind   byte
	fields []string
}

// callText is a call as the guard reads it. Who asks does not change how it is read.
func callText(kind byte, q rules.Question) text {
	return text{kind, append([]string{
		q.Tool, string(q.Input), q.Agent, q.Place.CWD, q.Place.Project, q.Place.Home, yes(q.Trusted),
	}, q.Place.Own...)}
}

// fileText is a rules file as the guard reads it.
func fileText(path string, data []byte, project string) text {
	return text{kindFile, []string{path, string(data), project}}
}

// yes is a truth as a field.
func yes(v bool) string {
	if v {
		return "yes"
	}
	return ""
}

// callFields is how many fields a call has before aoctl's own paths, of which there may be any
// number.
const callFields = 7

// examine reads t as the broker will. It reports whether there is a command line in it that the
// screen may read as well. A text of an unknown form, which the console never sends, is not
// read. It may panic, or never return: that is what it is for.
func examine(t text) (legible bool) {
	switch {
	case t.kind == kindFile && len(t.fields) == 3:
		// The broker may read it either way, before and after somebody trusts it.
		for _, trusted := range []bool{false, true} {
			list, err := LoadFile(t.fields[0], []byte(t.fields[1]), trusted, t.fields[2])
			if err == nil {
				_, _ = rules.Compile(list) // how it fails is for the broker to say
			}
		}
	case len(t.fields) >= callFields:
		q := rules.Question{Tool: t.fields[0], Input: json.RawMessage(t.fields[1]), Agent: t.fields[2], Trusted: t.fields[6] != ""}
		q.Place.CWD, q.Place.Project, q.Place.Home, q.Place.Own = t.fields[3], t.fields[4], t.fields[5], t.fields[callFields:]
		c := Prepare(q)
		if t.kind == kindOffer {
			_ = rules.Offer(c)
			_, _ = rules.OfferEffects(c)
		}
		if l := c.Line(); l != nil && l.Parsed {
			_, _ = syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(l.Raw), "") // as the screen does
			return true
		}
	}
	return false
}
