package forms

import (
	"fmt"
	"slices"
	"strings"
)

// MaxOwn is the longest answer in the user's own words, bytes.
const MaxOwn = maxText

// Reply turns what was said to each question, in words, into answers. A question goes by
// its text, or by its header where no other one has that. A word that is a label picks it;
// one other word of a question is the user's own.
//
// An error says what does not fit and names the labels; nothing is left out or guessed.
//
// Names that fit two questions fit none. So a program that was written for one form does not
// answer another by accident.
func (f Form) Reply(said map[string][]string) ([]Answer, error) {
	answers := make([]Answer, len(f.Questions))
	given := make([]bool, len(f.Questions))
	for name, words := range said {
		i, ok := f.find(name)
		switch {
		case !ok:
			return nil, fmt.Errorf("no question reads %q; there are: %s", clip(name), f.texts())
		case given[i]:
			return nil, fmt.Errorf("%q is answered twice", clip(f.Questions[i].Text))
		}
		var err error
		given[i] = true
		if answers[i], err = f.Questions[i].reply(words); err != nil {
			return nil, err
		}
	}
	for i, ok := range given {
		if !ok {
			return nil, fmt.Errorf("%q is not answered", clip(f.Questions[i].Text))
		}
	}
	return answers, nil
}

// find is the place of the question that name means.
func (f Form) find(name string) (int, bool) {
	if i := slices.IndexFunc(f.Questions, func(q Question) bool { return q.Text == name }); i >= 0 {
		return i, true
	}
	found := -1
	for i, q := range f.Questions {
		if q.Header != "" && q.Header == name {
			if found >= 0 {
				return 0, false
			}
			found = i
		}
	}
	return found, found >= 0
}

// texts lists the questions for an error.
func (f Form) texts() string {
	list := make([]string, len(f.Questions))
	for i, q := range f.Questions {
		list[i] = fmt.Sprintf("%q", clip(q.Text))
	}
	return strings.Join(list, ", ")
}

// reply finds the options that words name. One word that is no option is the user's own answer;
// a second one is more likely a label that was mistyped, and refused.
func (q Question) reply(words []string) (Answer, error) {
	var a Answer
	for _, word := range words {
		word = strings.TrimSpace(word)
		i := slices.IndexFunc(q.Options, func(o Option) bool { return strings.TrimSpace(o.Label) == word })
		switch {
		case word == "":
			return a, fmt.Errorf("an answer to %q is empty", clip(q.Text))
		case i >= 0 && slices.Contains(a.Picked, i):
			return a, fmt.Errorf("%q is there twice", clip(word))
		case i >= 0:
			a.Picked = append(a.Picked, i)
		// Two words of one's own could be a label with a typing error and its neighbour.
		case a.Other != "":
			return a, fmt.Errorf("neither %q nor %q is an option of %q, and only one answer may be in your own words; the options: %s",
				clip(a.Other), clip(word), clip(q.Text), q.labels())
		case len(word) > MaxOwn:
			return a, fmt.Errorf("an answer to %q is longer than %d bytes", clip(q.Text), MaxOwn)
		case !legible(word, "\n\t"):
			return a, fmt.Errorf("an answer to %q has characters that cannot be shown as they are", clip(q.Text))
		default:
			a.Other = word
		}
	}
	switch n := len(a.Picked); {
	case a.Empty():
		return a, fmt.Errorf("%q is not answered", clip(q.Text))
	case !q.Multi && (n > 1 || n == 1 && a.Other != ""):
		return a, fmt.Errorf("%q takes one answer; the options: %s", clip(q.Text), q.labels())
	}
	return a, nil
}

// labels lists the options for an error, cut to a length that a line can hold.
func (q Question) labels() string {
	list := make([]string, len(q.Options))
	for i, o := range q.Options {
		list[i] = fmt.Sprintf("%q", clip(o.Label))
	}
	return strings.Join(list, ", ")
}
