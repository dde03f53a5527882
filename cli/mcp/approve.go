package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/broker/wire"
)

// approveTool is the tool approve.
func (a *asker) approveTool() tool {
	return tool{run: a.approve, definition: definition{
		Name: "approve", Title: "Ask the operator whether a call may run",
		Description: `Asks the person at the aoctl console whether a tool call may run, and waits for the answer. ` +
			`Returns JSON: {"behavior":"allow","updatedInput":{…}} or {"behavior":"deny","message":"…"}. ` +
			`It is for permission prompts of clients; calling it allows nothing.`,
		Input: json.RawMessage(`{
			"type": "object",
			"properties": {
				"tool_name": {"type": "string", "description": "The tool that would be called, such as Bash"},
				"input": {"type": "object", "description": "The whole input of that call"},
				"tool_use_id": {"type": "string", "description": "The client's own id of that call"}
			},
			"required": ["tool_name", "input"]
		}`),
	}}
}

// approval is the answer of approve.
//
// Source: runs of Claude Code 2.1.329. A deny with interrupt ends the turn.
type approval struct {
	Behavior     string          `json:"behavior"` // "allow" or "deny"
	UpdatedInput json.RawMessage `json:"updatedInput,omitempty"`
	Message      string          `json:"message,omitempty"`
	Interrupt    bool            `json:"interrupt,omitempty"`
}

// approve asks about one call. Only the console's allow becomes one.
func (a *asker) approve(ctx context.Context, args json.RawMessage) result {
	c, err := readCall(args)
	if err != nil {
		return approval{Behavior: "deny", Message: fmt.Sprintf("aoctl refused this call, because %v; send tool_name and input.", err)}.asResult()
	}
	d, err := a.ask(ctx, c.tool, c.input, c.id)
	switch {
	case err != nil:
		return approval{Behavior: "deny", Message: "aoctl refused this call: " + why(err)}.asResult()
	case !d.Allowed && d.Reason == "":
		return approval{Behavior: "deny", Message: "The operator refused this call in aoctl.", Interrupt: a.stopped(ctx)}.asResult()
	case !d.Allowed:
		return approval{Behavior: "deny", Message: d.Reason, Interrupt: a.stopped(ctx)}.asResult()
	case d.UpdatedInput != nil:
		c.input = d.UpdatedInput
	}
	return approval{Behavior: "allow", UpdatedInput: c.input}.asResult()
}

// why says err to a model or a person. What ended the wait is no word for either.
func why(err error) string {
	if errors.Is(err, context.Canceled) {
		return "the question was taken back before there was an answer."
	}
	return err.Error() + "."
}

// asResult is the answer as the one text that a client reads.
func (p approval) asResult() result {
	raw, err := plainJSON(p)
	if err != nil {
		return failed("aoctl could not write its answer, so the call is refused.")
	}
	return text(string(raw))
}

// call is what approve is asked about.
type call struct {
	tool, id string
	input    json.RawMessage // an object, as it came
}

// readCall reads the arguments of approve strictly: a text that two readers could read differently
// is an error. Names that are not known do no harm, as the console shows tool and input whole.
// Errors end the sentence "because …".
func readCall(args json.RawMessage) (c call, err error) {
	fields, err := wire.Fields(args)
	if err != nil {
		return call{}, fmt.Errorf("its arguments are no plain JSON object: %w", err)
	}
	for _, f := range fields {
		switch f.Key {
		case "tool_name":
			err = readText(f, &c.tool)
		case "tool_use_id":
			err = readText(f, &c.id)
		case "input":
			c.input = f.Value
		}
		if err != nil {
			return call{}, err
		}
	}
	switch {
	case c.tool == "":
		return call{}, errors.New("tool_name is missing")
	case len(c.input) == 0 || c.input[0] != '{':
		return call{}, errors.New("input is no JSON object")
	}
	return c, nil
}

// readText reads a string; null is as good as none.
func readText(f wire.Field, into *string) error {
	if err := json.Unmarshal(f.Value, into); err != nil {
		return fmt.Errorf("%s is no text", f.Key)
	}
	return nil
}
