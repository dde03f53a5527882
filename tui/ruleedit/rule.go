package ruleedit

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// rule is what the form says, as of now. A problem of the form itself comes back as
// wrong; whether the rule means anything is the broker's to say. Id, version, origin
// and uses are those of the rule that is changed.
func (f *form) rule(now time.Time) (rules.Rule, *wrong) {
	r := f.old
	r.Tool, r.Effects = strings.TrimSpace(f.tool.String()), 0
	r.Decision = f.verdict()
	if f.old.ID != "" {
		r.Enabled = !f.off()
	}
	// Only a rule that allows can be meant for dangerous calls; one that refuses
	// speaks about them anyway.
	r.Dangerous = f.dangerous && r.Decision == rules.Allow
	r.Scope = f.place().scope
	if f.agent.at < len(f.agentKinds) {
		r.Scope.Agent = f.agentKinds[f.agent.at]
	}
	switch {
	case r.Decision == rules.Deny:
		r.Reason = f.reason.String()
	// A reason that was given for a denial would be odd on an allow.
	case r.Decision != f.old.Decision:
		r.Reason = ""
	}
	f.live(&r, now)
	if w := f.readPriority(&r); w != nil {
		return r, w
	}
	if f.about {
		return r, f.readEffects(&r)
	}
	return r, f.readWhere(&r)
}

// readEffects sets the effects of a rule that is about them: it has no tool and no parameters.
func (f *form) readEffects(r *rules.Rule) *wrong {
	r.Tool, r.Where = rules.EffectsTool, nil
	set, err := effects.Parse(f.effects.String())
	switch {
	case err != nil:
		return &wrong{field{kind: fieldEffects}, draw.SafeLine(err.Error())}
	case set == 0:
		return &wrong{field{kind: fieldEffects}, "empty: name some, such as look, edit"}
	}
	r.Effects = set
	return nil
}

// readWhere sets the parameters. Those whose pattern is empty do not count, but a rule
// whose patterns are all empty is more likely a slip than meant for every call. A
// parameter that was typed and not yet taken over counts as well.
func (f *form) readWhere(r *rules.Rule) *wrong {
	r.Where = map[string]string{}
	for _, w := range f.where {
		if p := w.pattern.String(); p != "" {
			r.Where[w.name] = p
		}
	}
	if f.more.Blank() {
		if len(r.Where) == 0 && len(f.where) > 0 {
			return &wrong{field{kind: fieldWhere}, "empty: * stands for any"}
		}
		return nil
	}
	more := field{kind: fieldMore}
	name, pattern, ok := moreParameter(f.more.String())
	if !ok {
		return &wrong{more, "write it as parameter = pattern, such as description = *test*"}
	}
	if _, twice := r.Where[name]; twice {
		return &wrong{more, draw.SafeLine(name) + " has a pattern already"}
	}
	r.Where[name] = pattern
	return nil
}

// readPriority sets the priority; an empty field is the default one.
func (f *form) readPriority(r *rules.Rule) *wrong {
	text := strings.TrimSpace(f.priority.String())
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

// faultOf says which field the broker's error is about. An error that names none
// stands above the form.
func (f *form) faultOf(err error) *wrong {
	var re *rules.Error
	if !errors.As(err, &re) {
		return &wrong{field{kind: fieldDecision, n: -1}, draw.SafeLine(err.Error())}
	}
	return &wrong{f.fieldOf(re.Field), draw.SafeLine(re.Problem)}
}

// fieldOf is the field that a rules file calls name. "where.command" names one
// parameter. A rule that must not be about dangerous calls has its mistake in its
// patterns, or in its tool when it has none.
func (f *form) fieldOf(name string) field {
	name, parameter, _ := strings.Cut(name, ".")
	switch name {
	case "tool":
		return field{kind: fieldTool}
	case "effects":
		return field{kind: fieldEffects}
	case "where", "dangerous":
		for i, w := range f.where {
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
