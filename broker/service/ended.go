package service

import (
	"context"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/wire"
)

// ranData is what is recorded of the end that h tells.
func (b *Broker) ranData(h agents.Hook) broker.RanData {
	text := strings.ToValidUTF8(agents.ResultText(h.Result), "\uFFFD")
	d := broker.RanData{
		ToolName: h.ToolName, ToolUseID: h.ToolUseID, Failed: h.Failed, Digest: broker.Digest(h.ToolName, h.ToolInput, h.CWD),
		DurationMS: h.Duration.Milliseconds(), OutputBytes: len(text), SubagentID: h.SubagentID, SubagentType: h.SubagentType,
	}
	if h.Duration > 0 && d.DurationMS == 0 {
		d.DurationMS = 1
	}
	if !b.opts.NoOutput {
		d.Output, d.CutAt = broker.HeadAndTail(text, broker.MaxOutput)
	}
	return d
}

// whatRan is the id of the request whose call h reports to have ended, "" when none is
// known: the one with the call's id, else, as for calls that were asked for without an
// id, the oldest with this very input whose end was not heard of yet.
func (b *Broker) whatRan(ctx context.Context, h agents.Hook) string {
	if h.ToolUseID != "" {
		if req, err := b.requestOfRun(ctx, h); err == nil {
			return req.ID
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var found *entry
	for _, e := range b.requests {
		if e.heardEnd || !broker.MayHaveRun(e.req, h) || found != nil && !broker.OlderCall(e.req, found.req) {
			continue
		}
		if wire.Same(e.req.ToolInput, h.ToolInput) || e.req.Outcome != nil && wire.Same(e.req.Outcome.UpdatedInput, h.ToolInput) {
			found = e
		}
	}
	if found == nil {
		return ""
	}
	found.heardEnd = true
	return found.req.ID
}
