package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest/operated"
	"github.com/aoctl/aoctl/broker/forms"
)

const twoQuestions = `{"questions":[
	{"question":"Which region?","header":"Region","multiSelect":false,"options":[{"label":"eu","description":"near"},{"label":"us"}]},
	{"question":"Which parts?","header":"Parts","multiSelect":true,"options":[{"label":"api"},{"label":"ui"},{"label":"docs"}]}]}`

// The operator answers in the console's form, and the client reads the answers.
func TestAskUser(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args    string
		answers []forms.Answer
		want    map[string]string
		text    string
	}{
		"several questions": {
			twoQuestions,
			[]forms.Answer{{Picked: []int{1}}, {Picked: []int{0, 2}}},
			map[string]string{"Which region?": "us", "Which parts?": "api, docs"},
			"Which region?\n→ us\nWhich parts?\n→ api, docs",
		},
		"own words": {
			`{"question":"Which name?","options":["shop","store"]}`,
			[]forms.Answer{{Other: "corner shop"}},
			map[string]string{"Which name?": "corner shop"},
			"Which name?\n→ corner shop",
		},
		"without options": {
			`{"question":"Why?"}`,
			[]forms.Answer{{Other: "because"}},
			map[string]string{"Why?": "because"},
			"Why?\n→ because",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socket := operated.Socket(t)
			c := operated.Open(t, socket)
			done := connect(t, socket).call(t.Context(), "ask_user", tt.args)
			r := c.Next()
			if r.ToolName != "AskUserQuestion" {
				t.Errorf("%s waits, want a question", r.ToolName)
			}
			c.Answers(r, tt.answers...)
			got := <-done
			if text := got.text(t); got.IsError || text != tt.text {
				t.Errorf("the client reads %q, error %v", text, got.IsError)
			}
			raw, err := json.Marshal(got.StructuredContent)
			must(t, err)
			var structured struct{ Answers map[string]string }
			must(t, json.Unmarshal(raw, &structured))
			if diff := cmp.Diff(tt.want, structured.Answers); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	}
}

// What is no answer is an error in plain words.
func TestAskUserUnanswered(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]broker.Decision{
		"ask my boss":                      {Verdict: broker.Deny, Reason: "ask my boss"},
		"let through in aoctl without one": {Verdict: broker.Allow},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			socket := operated.Socket(t)
			c := operated.Open(t, socket)
			done := connect(t, socket).call(t.Context(), "ask_user", twoQuestions)
			c.Says(c.Next(), d)
			got := <-done
			if text := got.text(t); !got.IsError || !strings.Contains(text, want) || got.StructuredContent != nil {
				t.Errorf("the client reads %q, error %v", text, got.IsError)
			}
		})
	}
	got := <-connect(t, operated.Socket(t)).call(t.Context(), "ask_user", twoQuestions)
	if text := got.text(t); !got.IsError || !strings.Contains(text, "no console is listening") {
		t.Errorf("without a console the client reads %q", text)
	}
}

// Nobody is asked what cannot be shown as a form.
func TestAskUserJunk(t *testing.T) {
	t.Parallel()
	s := connect(t, operated.Socket(t)) // no console: a question would be an error of another kind
	for args, want := range map[string]string{
		`{}`:                                 "there is no question",
		`{"question":7}`:                     "the question is no text",
		`{"question":" "}`:                   "has no words",
		`{"question":"?","options":[1]}`:     "the options are no list of texts",
		`{"questions":[]}`:                   "no list of questions",
		`{"questions":[{"question":"?"}]}`:   "has no options",
		`{"questions":[],"question":"?"}`:    "both questions and a question",
		`{"question":"?","answers":{"?":1}}`: "is not known",
		`{"question":"?","question":"!"}`:    "no plain JSON object",
		`{"questions":[{"question":"?","options":[{"label":"a"},{"label":"a"}]}]}`: "two options of one label",
	} {
		got := <-s.call(t.Context(), "ask_user", args)
		if text := got.text(t); !got.IsError || !strings.Contains(text, "Nothing was asked") || !strings.Contains(text, want) {
			t.Errorf("%s: the client reads %q, want %q", args, text, want)
		}
	}
}
