package broker

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/wire"
)

// RanData is the data of an EventPostTool that an agent's hook told: a call came to its
// end. The event's RequestID is the request for it, where that is known.
type RanData struct {
	ToolName   string `json:"tool_name"`
	ToolUseID  string `json:"tool_use_id,omitempty"`
	Failed     bool   `json:"failed"`
	Digest     string `json:"digest"`                // of the call that ran
	DurationMS int64  `json:"duration_ms,omitempty"` // 0 when the agent does not tell

	// What the tool gave back, as text. Of a long one only the beginning and the end are
	// kept; CutAt is where in Output the rest is missing.
	Output      string `json:"output,omitempty"`
	OutputBytes int    `json:"output_bytes,omitempty"` // of the whole text
	CutAt       int    `json:"output_cut_at,omitempty"`

	SubagentID   string `json:"subagent_id,omitempty"`
	SubagentType string `json:"subagent_type,omitempty"`
}

// Missing is how many bytes of the text are not in Output.
func (d RanData) Missing() int { return max(0, d.OutputBytes-len(d.Output)) }

// Took is how long the call ran, 0 when nobody told.
func (d RanData) Took() time.Duration { return time.Duration(d.DurationMS) * time.Millisecond }

// maxOutput is how much of a tool's output is recorded, in bytes of text, and twice that
// in JSON.
const maxOutput = 16 << 10

// ranData is what is recorded of the end that h tells.
func (b *Broker) ranData(h agents.Hook) RanData {
	text := strings.ToValidUTF8(agents.ResultText(h.Result), "\uFFFD")
	d := RanData{
		ToolName: h.ToolName, ToolUseID: h.ToolUseID, Failed: h.Failed, Digest: Digest(h.ToolName, h.ToolInput, h.CWD),
		DurationMS: h.Duration.Milliseconds(), OutputBytes: len(text), SubagentID: h.SubagentID, SubagentType: h.SubagentType,
	}
	if h.Duration > 0 && d.DurationMS == 0 {
		d.DurationMS = 1
	}
	if !b.opts.NoOutput {
		d.Output, d.CutAt = headAndTail(text, maxOutput)
	}
	return d
}

// headAndTail is text in at most most bytes, and in at most twice that of JSON: its first
// and its last part, and where they meet; 0 when nothing is missing.
func headAndTail(text string, most int) (kept string, at int) {
	kept = text
	for len(kept) > most || jsonSize(kept) > 2*maxOutput {
		head := cutRunes(text, most/2)
		tail := text[max(len(head), len(text)-most/2):]
		for tail != "" && tail[0]&0xC0 == 0x80 {
			tail = tail[1:]
		}
		if kept, at = head+tail, len(head); jsonSize(kept) > 2*maxOutput {
			most /= 2
		}
	}
	return kept, at
}

// cutRunes is the first bytes of s, at most n, between characters.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// jsonSize is how many bytes s takes as a JSON string.
func jsonSize(s string) int {
	raw, err := json.Marshal(s)
	if err != nil {
		return len(s)
	}
	return len(raw)
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
		if e.heardEnd || !mayHaveRun(e.req, h) || found != nil && !older(e.req, found.req) {
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

// older compares by time and, within a millisecond, by id, which grows with time.
func older(x, y Request) bool {
	return cmp.Or(x.CreatedAt.Compare(y.CreatedAt), cmp.Compare(x.ID, y.ID)) < 0
}

// mayHaveRun reports whether the call of req may be the one that h reports, leaving its
// input aside.
func mayHaveRun(req Request, h agents.Hook) bool {
	return req.SessionID == h.SessionID && req.SubagentID == h.SubagentID && req.ToolName == h.ToolName && req.ToolUseID == "" && req.Event != "" &&
		slices.Contains([]State{Pending, Allowed, Answered}, req.State)
}
