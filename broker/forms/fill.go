package forms

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Answer is what the user says to one question.
type Answer struct {
	Picked []int  // of its options, by place
	Other  string // in the user's own words; may be empty
}

// Empty reports whether a says nothing.
func (a Answer) Empty() bool { return len(a.Picked) == 0 && a.Other == "" }

// Says is a as the agent reads it: the labels in the question's order, then the user's
// own words, joined with a comma.
func (q Question) Says(a Answer) string {
	var parts []string
	for i, o := range q.Options {
		for _, p := range a.Picked {
			if p == i {
				parts = append(parts, o.Label)
				break
			}
		}
	}
	if a.Other != "" {
		parts = append(parts, a.Other)
	}
	return strings.Join(parts, ", ")
}

// ambiguous reports whether the agent could read what is picked as other options too:
// both "A" and "B" read like the one option "A, B".
func (q Question) ambiguous(a Answer) bool {
	return q.Multi && a.Other == "" && q.readings(q.Says(a), 0, map[[2]int]int{}) > 1
}

// readings counts the ways, up to 2, in which text is the labels of options from number
// from on, in their order.
func (q Question) readings(text string, from int, known map[[2]int]int) int {
	at := [2]int{len(text), from}
	if n, ok := known[at]; ok {
		return n
	}
	n := 0
	for i := from; i < len(q.Options) && n < 2; i++ {
		rest, is := strings.CutPrefix(text, q.Options[i].Label)
		if is && rest == "" {
			n++
		} else if rest, more := strings.CutPrefix(rest, ", "); is && more {
			n += q.readings(rest, i+1, known)
		}
	}
	known[at] = min(n, 2)
	return known[at]
}

// Fill is the input with the answers to all of its questions: the very bytes of each
// field that it had, then answers, by the questions' words, and the preview of what was
// picked where there is one.
//
// Errors say which question is at fault, for a person. What is returned was checked as a whole
// once more, because it is what the agent runs.
func (f Form) Fill(answers []Answer) (json.RawMessage, error) {
	if len(answers) != len(f.Questions) {
		return nil, fmt.Errorf("%d answers for %d questions", len(answers), len(f.Questions))
	}
	var said, notes object
	for i, q := range f.Questions {
		a := answers[i] //nolint:gosec // G602: there are as many as questions
		switch n := len(a.Picked); {
		case a.Empty():
			return nil, fmt.Errorf("question %d is not answered", i+1)
		case !q.Multi && n > 1, !q.Multi && n == 1 && a.Other != "":
			return nil, fmt.Errorf("question %d takes one answer", i+1)
		}
		for _, p := range a.Picked {
			if p < 0 || p >= len(q.Options) {
				return nil, fmt.Errorf("question %d has no option %d", i+1, p+1)
			}
		}
		// What the agent would read is what counts, not what was picked here.
		if q.ambiguous(a) {
			return nil, fmt.Errorf("question %d: the agent could take %q for other options; say it in words of your own", i+1, clip(q.Says(a)))
		}
		said.add(q.Text, quoted(q.Says(a)))
		if !q.Multi && len(a.Picked) == 1 && q.Options[a.Picked[0]].Preview != "" {
			var note object
			note.add("preview", quoted(q.Options[a.Picked[0]].Preview))
			notes.add(q.Text, note.raw())
		}
	}
	var all object
	// The agent's own fields come first and unchanged, in their order; Read has made sure that
	// none of them is "answers".
	for _, x := range f.fields {
		all.add(x.Key, x.Value)
	}
	all.add("answers", said.raw())
	if len(notes) > 0 {
		all.add("annotations", notes.raw())
	}
	out := all.raw()
	if !json.Valid(out) {
		return nil, errors.New("the filled form is not valid JSON") // what came in is, so never
	}
	return out, nil
}

// object is a JSON object being written, its members in the order of adding.
type object []byte

// add writes a member as it is: value must be JSON.
func (o *object) add(key string, value json.RawMessage) {
	if len(*o) > 0 {
		*o = append(*o, ',')
	}
	*o = append(*o, quoted(key)...)
	*o = append(*o, ':')
	*o = append(*o, value...)
}

// raw is the object so far; it may be written on afterwards.
func (o object) raw() json.RawMessage { return json.RawMessage("{" + string(o) + "}") }

// quoted is s as a JSON string.
func quoted(s string) json.RawMessage {
	raw, _ := json.Marshal(s) //nolint:errchkjson // strings never fail
	return raw
}

// Said are the answers in a filled input, by the questions' words; nil when there are
// none. It reads loosely, for showing: whether an input is a filled form was found out when it
// was allowed.
func Said(filled json.RawMessage) map[string]string {
	var in struct {
		Answers map[string]string `json:"answers"`
	}
	if json.Unmarshal(filled, &in) != nil {
		return nil
	}
	return in.Answers
}
