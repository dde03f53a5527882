// Package forms reads the questions that an agent puts to its user, and writes the user's
// answers into the call. It is pure: bytes in, values out.
//
// Read turns the input of Claude Code's AskUserQuestion into a Form: its Questions with their
// Options, and every other field as it is. Somebody answers, at the keyboard (an Answer for each
// question, by the place of its options) or by name from a program (Form.Reply finds the options
// meant). Form.Fill then returns the input with the answers in it. Every field that the agent
// sent keeps its very bytes, since the agent runs what it gets back. Said reads the answers of a
// filled input again, and Gist says in one line what is asked.
//
// What is shown must be what is answered. So Read refuses an input that it does not know
// completely: an unknown field, two questions or two options with the same words, a character
// that cannot be drawn as it is, more than fits a screen. Such a call can still be allowed or
// refused as a whole, but nobody can answer what they did not see. Fill refuses answers that the
// agent could read in two ways, as "A, B" is one option or two.
//
// The screen, the API and "aoctl answer" show the questions and take the answers with it; the
// domain takes the gist.
package forms

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/aoctl/aoctl/broker/wire"
)

// What a form may have; more than Claude Code ever asks, and no more than a screen can
// show in a way that a person can answer.
const (
	maxQuestions = 8
	maxOptions   = 20
	maxLabel     = 300      // bytes of a header or a label
	maxText      = 4 << 10  // bytes of a question or a description
	maxPreview   = 32 << 10 // bytes
)

// Form is the input of Claude Code's AskUserQuestion, complete: what is not in it is
// not in the input. It is made by Read alone: one that is put together by hand has no fields to
// fill in.
type Form struct {
	Questions []Question   // 1 to maxQuestions, no two of one text
	Rest      []wire.Field // of the input, beside the questions

	fields []wire.Field // all of the input, in its order
}

// Question is one question of a form. Its texts are the agent's and untrusted. Its place in
// Form.Questions is how answers go by it inside of aoctl; towards the agent they go by its text.
type Question struct {
	Text, Header string // Header may be empty
	Multi        bool   // several options may be picked
	Options      []Option
}

// Option is one answer to pick. No two of a question have one label.
type Option struct{ Label, Description, Preview string } // but for Label each may be empty

// Read takes input apart. An error says why it cannot be shown as a form, as the end of
// a sentence; nobody may fill in then what they cannot see.
//
// Source: sdk-tools.d.ts of Claude Code 2.1.329, AskUserQuestionInput. An answer that is there
// already is refused as well: nobody would see that the agent had answered for its user.
func Read(input json.RawMessage) (Form, error) {
	fields, err := wire.Fields(input)
	if err != nil {
		return Form{}, errors.New("it is no plain JSON object")
	}
	f := Form{fields: fields}
	var list json.RawMessage
	for _, x := range fields {
		switch x.Key {
		case "questions":
			list = x.Value
		// These two are what Fill adds; the agent's own would be taken for the user's.
		case "answers", "annotations":
			return Form{}, fmt.Errorf("it brings %s of its own", x.Key)
		default:
			f.Rest = append(f.Rest, x)
		}
	}
	var raw []json.RawMessage
	if json.Unmarshal(list, &raw) != nil || len(raw) == 0 {
		return Form{}, errors.New("it has no list of questions")
	}
	if len(raw) > maxQuestions {
		return Form{}, fmt.Errorf("it has %d questions, more than %d", len(raw), maxQuestions)
	}
	texts := map[string]bool{}
	for i, r := range raw {
		q, err := readQuestion(r)
		if err != nil {
			return Form{}, fmt.Errorf("question %d %w", i+1, err)
		}
		// Fill writes the answers by text, so two questions of one text would share one.
		if texts[q.Text] {
			return Form{}, fmt.Errorf("question %d has the words of another one, and answers go by the words", i+1)
		}
		texts[q.Text] = true
		f.Questions = append(f.Questions, q)
	}
	return f, nil
}

// readQuestion reads one question. Its errors end the sentence "question 2 …".
func readQuestion(raw json.RawMessage) (Question, error) {
	fields, err := wire.Fields(raw)
	if err != nil {
		return Question{}, errors.New("is no plain object")
	}
	var q Question
	var options []json.RawMessage
	for _, x := range fields {
		var ok bool
		switch x.Key {
		case "question":
			q.Text, ok = text(x.Value)
		case "header":
			q.Header, ok = text(x.Value)
		case "multiSelect":
			ok = json.Unmarshal(x.Value, &q.Multi) == nil && string(x.Value) != "null"
		case "options":
			ok = json.Unmarshal(x.Value, &options) == nil
		default:
			return Question{}, fmt.Errorf("has a field that is not known: %q", clip(x.Key))
		}
		if !ok {
			return Question{}, fmt.Errorf("has %s of another shape than known", x.Key)
		}
	}
	switch {
	case strings.TrimSpace(q.Text) == "":
		return Question{}, errors.New("has no words")
	case len(q.Text) > maxText || len(q.Header) > maxLabel:
		return Question{}, errors.New("is too long")
	case !legible(q.Text, "\n\t") || !legible(q.Header, ""):
		return Question{}, errors.New("has characters that cannot be shown as they are")
	case len(options) == 0:
		return Question{}, errors.New("has no options")
	case len(options) > maxOptions:
		return Question{}, fmt.Errorf("has %d options, more than %d", len(options), maxOptions)
	}
	for i, r := range options {
		o, err := readOption(r)
		if err != nil {
			return Question{}, fmt.Errorf("has an option, number %d, that %w", i+1, err)
		}
		if slices.ContainsFunc(q.Options, func(p Option) bool { return strings.TrimSpace(p.Label) == strings.TrimSpace(o.Label) }) {
			return Question{}, fmt.Errorf("has two options of one label, number %d is the second", i+1)
		}
		q.Options = append(q.Options, o)
	}
	return q, nil
}

// readOption reads one option. Its errors end the sentence "has an option, number 2, that …".
func readOption(raw json.RawMessage) (Option, error) {
	fields, err := wire.Fields(raw)
	if err != nil {
		return Option{}, errors.New("is no plain object")
	}
	var o Option
	for _, x := range fields {
		var ok bool
		switch x.Key {
		case "label":
			o.Label, ok = text(x.Value)
		case "description":
			o.Description, ok = text(x.Value)
		case "preview":
			o.Preview, ok = text(x.Value)
		default:
			return Option{}, fmt.Errorf("has a field that is not known: %q", clip(x.Key))
		}
		if !ok {
			return Option{}, fmt.Errorf("has a %s that is no text", x.Key)
		}
	}
	switch {
	case strings.TrimSpace(o.Label) == "":
		return Option{}, errors.New("has no label")
	case len(o.Label) > maxLabel, len(o.Description) > maxText, len(o.Preview) > maxPreview:
		return Option{}, errors.New("is too long")
	case !legible(o.Label, ""):
		return Option{}, errors.New("has a label that cannot be shown as it is")
	}
	return o, nil
}

// legible reports whether s is drawn as it is: the answer repeats it word for word. also names
// characters that may be there although they do not print, such as a line's end where a text may
// have several.
func legible(s, also string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.IsPrint(r) && !strings.ContainsRune(also, r)
	})
}

// text reads a JSON string; a null is none.
func text(raw json.RawMessage) (string, bool) {
	var s string
	ok := len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil
	return s, ok
}

// clip shortens a foreign name for an error.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}
