// Package wordset has sets of words that cost nothing before they are asked.
//
// What aoctl knows of programs fills long lists of names. They are linked into every run of
// aoctl, also into those that never judge a command, so a list stays a text until the first
// question about it.
package wordset

import (
	"strings"
	"sync"
)

// Set is a set of words, safe for several goroutines.
type Set struct {
	text  string
	once  sync.Once
	words map[string]bool
}

// New makes a set of the words of text, which blanks separate.
func New(text string) *Set { return &Set{text: text} }

// Has reports whether word is one of the set.
func (s *Set) Has(word string) bool { return s.All()[word] }

// All are the words of the set; the map is the set's own.
func (s *Set) All() map[string]bool {
	s.once.Do(func() { s.words = Map(s.text) })
	return s.words
}

// Map makes a map of the words of text.
func Map(text string) map[string]bool {
	m := make(map[string]bool)
	for _, name := range strings.Fields(text) {
		m[name] = true
	}
	return m
}
