package broker

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/wire"
)

// ErrDangerous is a dangerous call that was to be allowed as if it were any other.
var ErrDangerous = errors.New("this call is dangerous")

// ErrRefused is a refusal of a rule, which no operator overrules by editing.
var ErrRefused = errors.New("a rule refuses the call with this input")

// Edited is what a waiting call would be with another input.
type Edited struct {
	// Request is the call as it would run: ToolInput, Digest, Assessment, Description and
	// Legible are those of the new input, all else is as it was asked.
	Request Request
	Seal    string // of what the input leads to on the disk; for Decision.Seal
	Deny    string // why a rule refuses it, "" when none does
}

// Dangerous reports whether allowing the call takes more than one key: it may destroy or
// leak what cannot be taken back, or touch aoctl's own files. An input that could not be assessed
// counts as dangerous.
func (e Edited) Dangerous() bool {
	a := e.Request.Assessment
	return a == nil || perilous(*a)
}

// perilous reports whether a takes more than one key to allow. aoctl's own files are beside the
// classes of danger: to change them is to change who may allow.
func perilous(a rules.Assessment) bool { return a.Class >= risk.Dangerous || a.Guarded }

// Perilous reports whether allowing r takes more than one key, as Edited.Dangerous does of another input.
func (r Request) Perilous() bool { return r.Assessment == nil || perilous(*r.Assessment) }

// Two operators, where the owners of a fleet want that: see policy.Eyes.

// ErrTwo is a call that one operator alone cannot let run.
var ErrTwo = errors.New("two operators must allow this call")

// NeedsTwo reports whether two operators must allow r, as its card says.
func (r Request) NeedsTwo() bool { return r.Assessment != nil && r.Assessment.NeedsTwo }

// AllowedData is the data of an EventAllowedOnce.
type AllowedData struct {
	By       Actor  `json:"by"`
	Operator string `json:"operator"` // who that is, whichever console or token they used
	ToolName string `json:"tool_name"`
	Digest   string `json:"digest"`
}

// Fixed says why r cannot be allowed with another input, as a clause; "" when it can.
func (r Request) Fixed() string {
	t := agents.TraitsOf(r.Agent)
	switch {
	case !t.Edit:
		return t.Title + " runs a call as it was asked"
	case !agents.Edits(r.Agent, r.Event, r.ToolName):
		return t.Title + " takes no other input here"
	}
	return ""
}

// TakesInput reports why req cannot run with input: its agent takes none, or its tool
// would not take this one. It is ErrInvalid. It compares shapes because an agent reads an unknown
// input in its own way: a member with another type may be dropped, and then another call runs
// than the one that was shown.
func TakesInput(req Request, input json.RawMessage) error {
	if why := req.Fixed(); why != "" {
		return fmt.Errorf("%w: %s; deny it and say what to run instead", ErrInvalid, why)
	}
	if len(input) > wire.MaxBody {
		return fmt.Errorf("%w: the input has %d bytes, more than %d", ErrInvalid, len(input), wire.MaxBody)
	}
	if err := agents.SameShape(req.Agent, req.ToolName, req.ToolInput, input); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if !agents.Takes(req.Agent, req.Event, req.ToolName, req.ToolInput, input) {
		return fmt.Errorf("%w: %s would not run the call with all of these changes; deny it and say what to run instead", ErrInvalid, agents.TraitsOf(req.Agent).Title)
	}
	return nil
}
