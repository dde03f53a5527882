// Package effects names what a call may do, as a person decides about it, and says which of
// these a command is known to have by its words.
//
// There are fifteen. Six of them can be granted for a project: look, edit, check, commit, fetch
// and serve. The others are why a person is asked whatever was granted; unknown is the last one,
// and stands for all that nobody has vouched for.
//
// Known is the way in. It looks a command up in tables: looks.go has what only looks, git.go what
// git does, git_brings.go what it brings, checks.go what runs the project's own code, projects.go and web.go the
// tools of some kinds of project, changes.go what edits and fetches; find.go and lists.go read what names are handed
// to others, words.go what tests and patches name, tools.go what a tool for
// edits is given; inline.go reads programs on the command line, whose text
// inline_words.go searches for what reaches further. A command that no row
// names is unknown, and so is one with an option that its row does not name: a program too few
// costs a question, an option too many is a hole.
//
// The words say nothing of where files lie. Known returns those that may name files; package risk
// follows them on the disk, adds what it finds dangerous, and gives each part of a call its Set.
// Package rules compares that with what rules grant.
//
// The package is pure: it looks at no disk and knows neither rules nor projects.
package effects

import (
	"fmt"
	"slices"
	"strings"
)

// Effect is one thing that a call may do.
type Effect uint8

// The effects. Those up to Serve can be granted.
const (
	Look      Effect = iota // reads files of the project, or facts of the machine that tell nothing private
	Edit                    // writes files of the project that git can bring back
	Check                   // runs the project's own code: tests, builds, linters, scripts
	Commit                  // changes the local repository in a way that git can take back
	Fetch                   // gets the dependencies that the project declares
	Serve                   // opens a port on this machine, or asks one
	Push                    // gives work to others: a remote, a registry
	Network                 // talks to another machine
	Outside                 // touches files beyond the project
	Secrets                 // reads keys, tokens, histories
	Delete                  // takes away what git cannot bring back
	Install                 // changes what other projects share
	Privilege               // runs as another user, or changes the machine
	Gate                    // touches what holds aoctl itself
	Unknown                 // nobody knows
)

// names in the order of the effects.
var names = []string{
	"look", "edit", "check", "commit", "fetch", "serve",
	"push", "network", "outside", "secrets", "delete", "install", "privilege", "gate", "unknown",
}

// meanings say what each effect is, in the order of the effects, for whoever grants it.
var meanings = []string{
	"read files of the project",
	"write files of the project that git can bring back",
	"run the project's own tests, builds, linters and scripts",
	"stage, commit and branch in the local repository",
	"get the dependencies that the project declares",
	"open or ask a port of this machine",
	"give work to a remote or a registry",
	"talk to another machine",
	"touch files beyond the project",
	"read keys, tokens or histories",
	"take away what git cannot bring back",
	"change what other projects share",
	"run as another user, or change the machine",
	"touch aoctl or an agent's settings",
	"something that aoctl does not know",
}

// String is the name of the effect. It is total, so that a number from elsewhere has one, too.
func (e Effect) String() string {
	if int(e) < len(names) {
		return names[e]
	}
	return names[Unknown]
}

// MarshalText writes the name of the effect.
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads a name. Any other text is an error, and e stays.
func (e *Effect) UnmarshalText(text []byte) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return fmt.Errorf("%+q is no effect", cut(string(text)))
	}
	*e = Effect(i) //nolint:gosec // G115: a place in names
	return nil
}

// Means says what the effect is, as the end of a sentence that begins with "may".
func (e Effect) Means() string { return meanings[min(e, Unknown)] }

// Set is some effects. The zero Set is none of them. As text it is their names, as in
// "look, edit".
type Set uint16

// Grantable are the effects that a rule may allow.
const Grantable Set = 1<<(Serve+1) - 1

// Of is the set of some effects.
func Of(list ...Effect) (s Set) {
	for _, e := range list {
		s |= 1 << min(e, Unknown)
	}
	return s
}

// Has reports whether e is in s.
func (s Set) Has(e Effect) bool { return s&Of(e) != 0 }

// Within reports whether every effect of s is one of granted.
func (s Set) Within(granted Set) bool { return s&^granted == 0 }

// List are the effects of s, in their order.
func (s Set) List() (list []Effect) {
	for e := range Unknown + 1 {
		if s.Has(e) {
			list = append(list, e)
		}
	}
	return list
}

// String are the names of the effects of s: "look, edit".
func (s Set) String() string {
	var list []string
	for _, e := range s.List() {
		list = append(list, e.String())
	}
	return strings.Join(list, ", ")
}

// Parse reads names that are separated by commas or blanks, in any order. What is none of them
// is an error that lists those that can be granted.
func Parse(text string) (s Set, err error) {
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		i := slices.Index(names, name)
		if i < 0 {
			return 0, fmt.Errorf("%+q is no effect; there are %s", cut(name), Grantable)
		}
		s |= 1 << i
	}
	return s, nil
}

// cut shortens a name for an error.
func cut(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// MarshalText writes s as String does.
func (s Set) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote. Any other text is an error, and s stays.
func (s *Set) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*s = parsed
	}
	return err
}
