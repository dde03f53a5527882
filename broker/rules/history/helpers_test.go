package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
)

// short is a rule as one line.
func short(r rules.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.Decision, r.Tool)
	for _, key := range slices.Sorted(maps.Keys(r.Where)) {
		fmt.Fprintf(&b, " %s=%s", key, r.Where[key])
	}
	return b.String()
}

func changed(r rules.Rule, change func(*rules.Rule)) rules.Rule {
	change(&r)
	return r
}

func where(d rules.Verdict, tool string, pairs ...string) rules.Rule {
	r := rules.Rule{Enabled: true, Priority: rules.DefaultPriority, Decision: d, Tool: tool, Where: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		r.Where[pairs[i]] = pairs[i+1]
	}
	return r
}
