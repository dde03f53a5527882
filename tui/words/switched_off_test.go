package words_test

import (
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/words"
)

func TestSwitchedOff(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	off := rules.Rule{ID: "off", Tool: "Bash", Where: map[string]string{"command": "make\x1b *"}, Decision: rules.Allow}
	on, over := off, off
	on.ID, on.Enabled = "on", true
	over.ID, over.ExpiresAt = "over", now
	all := rules.Rule{ID: "all", Tool: "Edit", Decision: rules.Allow}
	b := words.NewBook(broker.RuleBook{Rules: []rules.Rule{on, off, over, all}})
	for id, want := range map[string]string{
		"off": `rule "make\x1b *" would allow it, but is off: [r], then space`,
		"all": "rule Edit would allow it, but is off: [r], then space",
		"on":  "", "over": "", "gone": "", "": "",
	} {
		if got := b.SwitchedOff(id, now, func(key string) string { return "[" + key + "]" }); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}
