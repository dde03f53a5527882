package broker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/broker/workspace"
)

// A call may be allowed with another input than it was asked with. That input comes from
// an operator and is judged like any other: by rules and risk, through the vetter, when
// it is shown and again when it is allowed.

// errDangerous is a dangerous call that was to be allowed as if it were any other.
var errDangerous = errors.New("this call is dangerous")

// errRefused is a refusal of a rule, which no operator overrules by editing.
var errRefused = errors.New("a rule refuses the call with this input")

// Edited is what a waiting call would be with another input.
type Edited struct {
	// Request is the call as it would run: ToolInput, Digest, Assessment, Description and
	// Legible are those of the new input, all else is as it was asked.
	Request Request
	Seal    string // of what the input leads to on the disk; for Decision.Seal
	Deny    string // why a rule refuses it, "" when none does
}

// Dangerous reports whether allowing the call takes more than one key: it may destroy or
// leak what cannot be taken back, or touch aoctl's own files.
func (e Edited) Dangerous() bool {
	a := e.Request.Assessment
	return a == nil || perilous(*a)
}

func perilous(a rules.Assessment) bool { return a.Class >= risk.Dangerous || a.Guarded }

// AssessEdited says what request id would be with input in place of its own, and what
// the rules say of that; see Console.
func (b *Broker) AssessEdited(ctx context.Context, id string, input json.RawMessage) (Edited, error) {
	req, err := b.Request(ctx, id)
	if err == nil {
		err = takesInput(req, input)
	}
	if err != nil {
		return Edited{}, fmt.Errorf("edit %s: %w", id, err)
	}
	return b.edited(req, input), nil
}

// edited reads and judges req with another input.
func (b *Broker) edited(req Request, input json.RawMessage) Edited {
	b.mu.Lock()
	project := b.projectOf(req)
	b.mu.Unlock()
	req.ToolInput = input
	req.Digest = Digest(req.ToolName, input, req.CWD)
	call, legible := b.read(req, project, req.Vouched(), b.opts.Vet.Call)
	a := b.assess(call, project, time.Now())
	req.Assessment, req.Legible = &a, legible
	sum := sha256.Sum256([]byte(req.Digest + workspace.CallStamp(call)))
	e := Edited{Request: req, Seal: hex.EncodeToString(sum[:])}
	if a.Verdict == rules.Deny {
		e.Deny = cmp.Or(b.denyReason(a), "a rule")
	}
	return e
}

// mayEdit reports why d must not allow req with the input that it brings.
func (b *Broker) mayEdit(req Request, d Decision) error {
	if err := takesInput(req, d.UpdatedInput); err != nil {
		return err
	}
	e := b.edited(req, d.UpdatedInput)
	switch {
	case e.Deny != "":
		return fmt.Errorf("%w: %s", errRefused, e.Deny)
	case d.Seal != "" && d.Seal != e.Seal:
		return ErrChanged
	case e.Dangerous() && !d.Dangerous:
		return fmt.Errorf("%w with its new input: %s", errDangerous, cmp.Or(e.Request.Assessment.Why, "it touches aoctl's own files"))
	}
	return nil
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

// takesInput reports why req cannot run with input: its agent takes none, or its tool
// would not take this one. It is ErrInvalid.
func takesInput(req Request, input json.RawMessage) error {
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
