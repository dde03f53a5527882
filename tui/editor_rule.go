package tui

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// rule is what the form says, as of now. A problem of the form itself comes back as
// wrong; whether the rule means anything is the broker's to say.
func (e *editor) rule(now time.Time) (rules.Rule, *wrong) {
	r := e.old
	r.Tool = strings.TrimSpace(e.tool.String())
	r.Decision = e.verdict()
	if e.old.ID != "" {
		r.Enabled = !e.off()
	}
	r.Dangerous = e.dangerous && r.Decision == rules.Allow
	r.Scope = e.place().scope
	if e.agent.at < len(e.agentKinds) {
		r.Scope.Agent = e.agentKinds[e.agent.at]
	}
	switch {
	case r.Decision == rules.Deny:
		r.Reason = e.reason.String()
	case r.Decision != e.old.Decision:
		r.Reason = ""
	}
	e.live(&r, now)
	if w := e.readPriority(&r); w != nil {
		return r, w
	}
	return r, e.readWhere(&r)
}

// readWhere sets the parameters. Those whose pattern is empty do not count, but a rule
// whose patterns are all empty is more likely a slip than meant for every call.
func (e *editor) readWhere(r *rules.Rule) *wrong {
	r.Where = map[string]string{}
	for _, w := range e.where {
		if p := w.pattern.String(); p != "" {
			r.Where[w.name] = p
		}
	}
	if e.more.Blank() {
		if len(r.Where) == 0 && len(e.where) > 0 {
			return &wrong{field{kind: fieldWhere}, "empty: * stands for any"}
		}
		return nil
	}
	f := field{kind: fieldMore}
	name, pattern, ok := moreParameter(e.more.String())
	if !ok {
		return &wrong{f, "write it as parameter = pattern, such as description = *test*"}
	}
	if _, twice := r.Where[name]; twice {
		return &wrong{f, draw.SafeLine(name) + " has a pattern already"}
	}
	r.Where[name] = pattern
	return nil
}

func (e *editor) readPriority(r *rules.Rule) *wrong {
	text := strings.TrimSpace(e.priority.String())
	if text == "" {
		r.Priority = rules.DefaultPriority
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > rules.MaxPriority {
		return &wrong{field{kind: fieldPriority}, "a number from 0 to " + figures.Count(rules.MaxPriority) + "; lower speaks first"}
	}
	r.Priority = n
	return nil
}

// faultOf says which field the broker's error is about.
func (e *editor) faultOf(err error) *wrong {
	var re *rules.Error
	if !errors.As(err, &re) {
		return &wrong{field{kind: fieldDecision, n: -1}, draw.SafeLine(err.Error())}
	}
	return &wrong{e.fieldOf(re.Field), draw.SafeLine(re.Problem)}
}

// fieldOf is the field that a rules file calls name.
func (e *editor) fieldOf(name string) field {
	name, parameter, _ := strings.Cut(name, ".")
	switch name {
	case "tool":
		return field{kind: fieldTool}
	case "where", "dangerous":
		for i, w := range e.where {
			if w.name == parameter || name == "dangerous" {
				return field{kind: fieldWhere, n: i}
			}
		}
		if name == "dangerous" {
			return field{kind: fieldTool}
		}
		return field{kind: fieldMore}
	case "scope":
		return field{kind: fieldScope}
	case "expires_at", "max_uses":
		return field{kind: fieldLife}
	case "reason":
		return field{kind: fieldReason}
	case "priority":
		return field{kind: fieldPriority}
	}
	return field{kind: fieldDecision}
}
