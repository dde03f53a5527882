package broker

import (
	"encoding/json"
	"slices"
	"time"
)

// RanData is the data of an EventPostTool that an agent's hook told: a call came to its
// end. The event's RequestID is the request for it, where that is known.
type RanData struct {
	ToolName   string `json:"tool_name"`
	ToolUseID  string `json:"tool_use_id,omitempty"`
	Failed     bool   `json:"failed"`
	Digest     string `json:"digest"`                // of the call that ran
	DurationMS int64  `json:"duration_ms,omitempty"` // 0 when the agent does not tell

	// Output is what the tool gave back, as text. When that is long, only its beginning and its
	// end are kept, and CutAt is where in Output the rest is missing.
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

// MaxOutput is how much of a tool's output is recorded, in bytes of text, and twice that
// in JSON. The second limit is for texts that grow in JSON, such as control characters, which
// take six bytes each there.
const MaxOutput = 16 << 10

// HeadAndTail is text in at most most bytes, and in at most twice that of JSON: its first
// and its last part, and where they meet; 0 when nothing is missing. A command says at the end
// what went wrong and at the beginning what it did, so both are kept and the middle goes.
func HeadAndTail(text string, most int) (kept string, at int) {
	kept = text
	// Each turn of the loop halves what is kept until the JSON fits as well.
	for len(kept) > most || jsonSize(kept) > 2*MaxOutput {
		head := cutRunes(text, most/2)
		tail := text[max(len(head), len(text)-most/2):]
		for tail != "" && tail[0]&0xC0 == 0x80 {
			tail = tail[1:]
		}
		if kept, at = head+tail, len(head); jsonSize(kept) > 2*MaxOutput {
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

// jsonSize is how many bytes s takes as a JSON string. A string that cannot be marshalled counts
// with its bytes; text that is not UTF-8 is replaced before it comes here.
func jsonSize(s string) int {
	raw, err := json.Marshal(s)
	if err != nil {
		return len(s)
	}
	return len(raw)
}

// asking are the modes of agents in which they ask their user about what that user's settings leave
// open. Where an agent tells no mode nobody knows.
var asking = map[string]bool{"default": true, "plan": true, "acceptEdits": true}

// MayBeLetRun reports whether r is a call that was only observed, of an agent that asks its user: then
// an event that it ran says that its user, or that user's settings, let it run.
func MayBeLetRun(r Request) bool {
	return r.Outcome != nil && r.Outcome.By.Kind == ByObserve && asking[r.Mode]
}

// RanWell reports whether one of a list of EventPostTool says that this very call of r ran, and did not
// fail.
func RanWell(r Request, list []Event) bool {
	return slices.ContainsFunc(list, func(e Event) bool {
		var d RanData
		return e.RequestID == r.ID && json.Unmarshal(e.Data, &d) == nil && !d.Failed && d.Digest == r.Digest
	})
}
