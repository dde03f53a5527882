package words

import "time"

// SwitchedOff says of the rule with this id, which is off and would allow a call, how the operator
// lets it speak; empty where it is not known, or over. called names keys. Safe to draw.
func (b *Book) SwitchedOff(id string, now time.Time, called func(string) string) string {
	at, ok := b.byID[id]
	if !ok || b.Rules[at].Enabled || Over(b.Rules[at], now) != "" {
		return ""
	}
	name := b.RuleName(id)
	if len(b.Rules[at].Where) > 0 {
		name = `"` + name + `"`
	}
	return "rule " + name + " would allow it, but is off: " + called("r") + ", then space"
}
