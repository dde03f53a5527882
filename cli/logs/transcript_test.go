package logs

import (
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
)

// A transcript says in plain words what came of a call.
func TestTranscriptSaysWhatCameOfACall(t *testing.T) {
	for want, ran := range map[string]broker.RanData{
		"  ↳ output: one\n    two": {Output: "one\ntwo\n"},
		"  ↳ no output":            {},
		"  ↳ failed: no rule":      {Failed: true, Output: "no rule"},
		"  ↳ failed":               {Failed: true},
	} {
		if got := new(teller).text(story.Entry{Ran: &ran}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
