package install

import (
	"slices"
	"strings"
)

// count is how many hooks of aoctl are in a settings text. A plugin is no hook, and a text that
// the agent would not read has none.
func (a agent) count(data []byte) int {
	if a.plugin != nil || len(data) == 0 {
		return 0
	}
	return len(a.programs(data))
}

// gateLine is what runs at the event that decides, as it stands in the settings: a plugin has the
// words of it.
func (a agent) gateLine(o Options) string {
	if a.plugin != nil {
		return strings.Join(o.Program.List(o.Agent, o.Timeout), " ")
	}
	hooks := a.hooks(o.Program, o.Mode, o.Timeout)
	at := slices.IndexFunc(hooks, func(h Hook) bool { return h.Event == a.gate[o.Mode] })
	if at < 0 {
		return ""
	}
	for _, field := range hooks[at].Handler {
		if line, ok := field[1].(string); ok && field[0] == a.line {
			return line
		}
	}
	return ""
}
