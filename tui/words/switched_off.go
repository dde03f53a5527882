package words

import "time"

// SwitchedOff says of the rule with this id, which is off and would allow a call, how the operator
// lets it speak; empty where it is not known, or over. called names keys. Safe to draw.
func (b *Book) SwitchedOff(id string, now time.Time, called func(string) string) string {
	at, ok := b.byID[id]
	if !ok || b.Rules[at].Enabled || Over(b.Rules[at], now) != "" {
		return ""
	}
	return "rule " + RuleText(b.Rules[at]) + " would allow it, but is switched off: " + called("r") + ", then space on it"
}
