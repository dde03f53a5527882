package hookclient

import (
	"encoding/json"
	"time"
)

// ToolCall is one thing that an agent's model wants done.
type ToolCall struct {
	Tool  string          // required: its name, such as "Bash"
	Input json.RawMessage // required: a JSON object
	ID    string          // the model's own id of the call; empty: one is made up

	Timeout time.Duration // how long a person has to answer; 0 means the agent's
}

// Ruling is what a Policy says of a call. Its zero value asks a person.
type Ruling struct {
	verdict verdict
	reason  string
}

// verdict is not exported, so that a Ruling is made by one of the three functions only.
type verdict int

const (
	askPerson verdict = iota
	allowed
	denied
)

// AskPerson puts the call before the person at the console.
func AskPerson() Ruling { return Ruling{} }

// Allow lets the call run without asking anybody. The console is told of it before it runs,
// and a call that the console cannot be told of does not run.
func Allow() Ruling { return Ruling{verdict: allowed} }

// Deny refuses the call without asking anybody; reason is for the model.
func Deny(reason string) Ruling { return Ruling{verdict: denied, reason: reason} }

// Policy is the program's own word on a call, before anybody is asked. It belongs to the
// program and holds in it only: the console's rules have no say about what it allows, so
// let it allow what can do no harm whatever its input.
//
// A nil Policy asks about every call. It may be called by many goroutines at once.
type Policy func(ToolCall) Ruling

// ByTool is a Policy that goes by the tool's exact name. A tool that is not listed asks.
func ByTool(rulings map[string]Ruling) Policy {
	own := make(map[string]Ruling, len(rulings))
	for tool, r := range rulings {
		own[tool] = r
	}
	return func(c ToolCall) Ruling { return own[c.Tool] }
}

// rule asks the policy, or a person where there is none. A panic of the policy is the program's
// own.
func (p Policy) rule(c ToolCall) Ruling {
	if p == nil {
		return Ruling{}
	}
	return p(c)
}
