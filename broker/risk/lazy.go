package risk

import "sync"

// wordSet is a set of words that is made when it is first asked. This package is part
// of every run of aoctl, also of its hook client, which never asks.
type wordSet struct {
	text  string
	once  sync.Once
	words map[string]bool
}

func newWords(text string) *wordSet { return &wordSet{text: text} }

func (s *wordSet) has(word string) bool { return s.all()[word] }

func (s *wordSet) all() map[string]bool {
	s.once.Do(func() { s.words = set(s.text) })
	return s.words
}
