package service

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// A call may be allowed with another input than it was asked with. That input comes from
// an operator and is judged like any other: by rules and risk, through the vetter, when
// it is shown and again when it is allowed.

// AssessEdited says what request id would be with input in place of its own, and what
// the rules say of that; see Console.
func (b *Broker) AssessEdited(ctx context.Context, id string, input json.RawMessage) (broker.Edited, error) {
	req, err := b.Request(ctx, id)
	if err == nil {
		err = broker.TakesInput(req, input)
	}
	if err != nil {
		return broker.Edited{}, fmt.Errorf("edit %s: %w", id, err)
	}
	return b.edited(req, input), nil
}

// edited reads and judges req with another input.
func (b *Broker) edited(req broker.Request, input json.RawMessage) broker.Edited {
	b.mu.Lock()
	project := b.projectOf(req)
	b.mu.Unlock()
	req.ToolInput = input
	req.Digest = broker.Digest(req.ToolName, input, req.CWD)
	call, legible := b.read(req, project, req.Vouched(), b.opts.Vet.Call)
	a := b.assess(call, project, time.Now())
	req.Assessment, req.Legible = &a, legible
	sum := sha256.Sum256([]byte(req.Digest + workspace.CallStamp(call)))
	e := broker.Edited{Request: req, Seal: hex.EncodeToString(sum[:])}
	if a.Verdict == rules.Deny {
		e.Deny = cmp.Or(b.denyReason(a), "a rule")
	}
	return e
}

// mayEdit reports why d must not allow req with the input that it brings.
func (b *Broker) mayEdit(req broker.Request, d broker.Decision) error {
	if err := broker.TakesInput(req, d.UpdatedInput); err != nil {
		return err
	}
	e := b.edited(req, d.UpdatedInput)
	switch {
	case e.Deny != "":
		return fmt.Errorf("%w: %s", broker.ErrRefused, e.Deny)
	case d.Seal != "" && d.Seal != e.Seal:
		return broker.ErrChanged
	case e.Dangerous() && !d.Dangerous:
		return fmt.Errorf("%w with its new input: %s", broker.ErrDangerous, cmp.Or(e.Request.Assessment.Why, "it touches aoctl's own files"))
	}
	return nil
}
