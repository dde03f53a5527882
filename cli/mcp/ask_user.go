package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/broker/wire"
)

// askUserTool is the tool ask_user.
func (a *asker) askUserTool() tool {
	return tool{run: a.askUser, definition: definition{
		Name: "ask_user", Title: "Ask the operator a question",
		Description: `Puts questions to the person at the aoctl console and waits for the answers. ` +
			`Give "questions" with options to pick from, or one "question" with a list of options or without. ` +
			`The person may answer in their own words instead.`,
		Input: json.RawMessage(`{
			"type": "object",
			"properties": {
				"questions": {"type": "array", "minItems": 1, "items": {
					"type": "object",
					"properties": {
						"question": {"type": "string", "description": "The whole question"},
						"header": {"type": "string", "description": "One or two words that stand for it"},
						"options": {"type": "array", "minItems": 1, "items": {
							"type": "object",
							"properties": {"label": {"type": "string"}, "description": {"type": "string"}},
							"required": ["label"]
						}},
						"multiSelect": {"type": "boolean", "description": "Several options may be picked"}
					},
					"required": ["question", "options"]
				}},
				"question": {"type": "string", "description": "One question, in the place of questions"},
				"options": {"type": "array", "items": {"type": "string"}, "description": "Answers to pick from"}
			}
		}`),
		Output: json.RawMessage(`{
			"type": "object",
			"properties": {"answers": {"type": "object", "additionalProperties": {"type": "string"}, "description": "The answers, by the words of the questions"}},
			"required": ["answers"]
		}`),
	}}
}

// askUser puts the questions before the operator. Only answers that the operator gave are answers.
func (a *asker) askUser(ctx context.Context, args json.RawMessage) result {
	input, form, err := readQuestions(args)
	if err != nil {
		return failed(fmt.Sprintf("Nothing was asked: the questions cannot be shown, because %v.", err))
	}
	d, err := a.ask(ctx, agents.AskUserQuestion, input, "")
	switch {
	case err != nil:
		return failed("There is no answer: " + why(err))
	case !d.Allowed && d.Reason == "":
		return failed("The operator declined to answer.")
	case !d.Allowed:
		return failed("There is no answer: " + d.Reason)
	}
	said := forms.Said(d.UpdatedInput)
	if len(said) != len(form.Questions) {
		return failed("There is no answer: the questions were let through in aoctl without one. Ask the user yourself, or go on without.")
	}
	return answers(form, said)
}

// answers is the result with what was said, in the order of the questions.
func answers(form forms.Form, said map[string]string) result {
	lines := make([]string, 0, len(form.Questions))
	for _, q := range form.Questions {
		lines = append(lines, q.Text+"\n→ "+said[q.Text])
	}
	r := text(strings.Join(lines, "\n"))
	r.Structured = map[string]any{"answers": said}
	return r
}

// noAnswer stands where a question brings no options: the form has at least one.
const noAnswer = "No answer"

// option and question are written for a question that came in the simple form.
type option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

type question struct {
	Question    string   `json:"question"`
	Header      string   `json:"header"`
	Options     []option `json:"options"`
	MultiSelect bool     `json:"multiSelect"`
}

// readQuestions reads the arguments of ask_user and returns the input of AskUserQuestion that the
// console shows, and the form that it will be. Errors end the sentence "because …".
func readQuestions(args json.RawMessage) (json.RawMessage, forms.Form, error) {
	fields, err := wire.Fields(args)
	if err != nil {
		return nil, forms.Form{}, fmt.Errorf("the arguments are no plain JSON object: %w", err)
	}
	var list, one, options json.RawMessage
	for _, f := range fields {
		switch f.Key {
		case "questions":
			list = f.Value
		case "question":
			one = f.Value
		case "options":
			options = f.Value
		default:
			return nil, forms.Form{}, fmt.Errorf("the field %.40q is not known", f.Key)
		}
	}
	switch {
	case list == nil && one == nil:
		return nil, forms.Form{}, errors.New("there is no question")
	case list != nil && (one != nil || options != nil):
		return nil, forms.Form{}, errors.New("there are both questions and a question")
	case list == nil:
		if list, err = simple(one, options); err != nil {
			return nil, forms.Form{}, err
		}
	}
	input := json.RawMessage(`{"questions":` + string(list) + `}`)
	form, err := forms.Read(input)
	if err != nil {
		return nil, forms.Form{}, err
	}
	return input, form, nil
}

// simple makes the list of questions from one question and the labels of its options.
func simple(one, options json.RawMessage) (json.RawMessage, error) {
	var q question
	var labels []string
	if json.Unmarshal(one, &q.Question) != nil {
		return nil, errors.New("the question is no text")
	}
	if options != nil && json.Unmarshal(options, &labels) != nil {
		return nil, errors.New("the options are no list of texts")
	}
	for _, l := range labels {
		q.Options = append(q.Options, option{Label: l})
	}
	if len(q.Options) == 0 {
		q.Options = []option{{noAnswer, "or say it in words of your own"}}
	}
	list, err := json.Marshal([]question{q})
	if err != nil {
		return nil, fmt.Errorf("they cannot be written: %w", err)
	}
	return list, nil
}
