package rules

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// Error says which field of a rule is wrong, and why. It is meant for the one who wrote the
// rule; the field's name may come from a file, and is made printable.
type Error struct {
	Field   string // as in a rules file: "where.command"
	Problem string // follows the field's name: "is empty"
}

// Error is the field and the problem, fit for one line.
func (e *Error) Error() string { return Printable(e.Field) + ": " + e.Problem }

// maxName is the length of ids and names, in bytes.
const maxName = 300

// Check says whether r can be used. What it refuses is an *Error. It looks at r alone, not at
// other rules, the clock or the disk.
func (r Rule) Check() error {
	_, err := r.compile()
	return err
}

// compile checks r and makes it ready. The cheap checks of single fields come first, so that a
// pattern is only parsed when its length and characters are right.
func (r Rule) compile() (*entry, error) {
	for _, check := range []func(Rule) *Error{checkDecision, checkNumbers, checkTexts, checkScope, checkWhere, checkEffects} {
		if err := check(r); err != nil {
			return nil, err
		}
	}
	e, err := build(r)
	if err != nil {
		return nil, err
	}
	if err := e.checkMeaning(); err != nil {
		return nil, err
	}
	return e, nil
}

// checkDecision: an empty decision is refused as well, so that no rule decides by accident.
func checkDecision(r Rule) *Error {
	switch r.Decision {
	case Allow, Deny, Ask, Defer:
		return nil
	}
	return &Error{"decision", fmt.Sprintf("is %+q; use allow, deny, ask or defer", cut(string(r.Decision)))}
}

// checkNumbers: negative numbers would make a rule speak first, or for ever.
func checkNumbers(r Rule) *Error {
	switch {
	case r.Priority < 0 || r.Priority > MaxPriority:
		return &Error{"priority", fmt.Sprintf("is %d; use 0 to %d", r.Priority, MaxPriority)}
	case r.MaxUses < 0:
		return &Error{"max_uses", "is negative; use 0 for no limit"}
	case r.Uses < 0:
		return &Error{"uses", "is negative"}
	case r.Version < 0:
		return &Error{"version", "is negative"}
	case !r.ExpiresAt.IsZero() && !r.CreatedAt.IsZero() && !r.ExpiresAt.After(r.CreatedAt):
		return &Error{"expires_at", "is not after the time the rule was made"}
	}
	return nil
}

// checkTexts: texts of a rule are shown where operators decide, so they must be drawable as
// they are, and short.
func checkTexts(r Rule) *Error {
	if len(r.Reason) > MaxReason {
		return &Error{"reason", fmt.Sprintf("has %d bytes; at most %d are allowed", len(r.Reason), MaxReason)}
	}
	for _, f := range []struct{ field, text string }{
		{"id", r.ID},
		{"reason", r.Reason},
		{"scope.project", r.Scope.Project},
		{"scope.session", r.Scope.Session},
		{"scope.agent", r.Scope.Agent},
		{"created_by", r.CreatedBy},
		{"created_from", r.CreatedFrom},
	} {
		if err := patterns.CheckShown(f.text); err != nil {
			return &Error{f.field, err.Error()}
		}
		if f.field != "reason" && f.field != "scope.project" && len(f.text) > maxName {
			return &Error{f.field, fmt.Sprintf("has %d bytes; at most %d are allowed", len(f.text), maxName)}
		}
	}
	return nil
}

// checkScope: the project is compared as text, and so has to be written in the one plain way.
func checkScope(r Rule) *Error {
	p := r.Scope.Project
	switch {
	case p == "":
		return nil
	case len(p) > maxPath:
		return &Error{"scope.project", "is too long for a path"}
	case !strings.HasPrefix(p, "/"):
		return &Error{"scope.project", "is not an absolute path"}
	case path.Clean(p) != p:
		return &Error{"scope.project", fmt.Sprintf("is not written plainly; use %s", Printable(path.Clean(p)))}
	}
	return nil
}

// checkEffects: a rule about effects is about nothing else. What nobody may grant can be refused, or
// asked about.
func checkEffects(r Rule) *Error {
	switch {
	case r.Effects == 0 && r.Tool == EffectsTool:
		return &Error{"effects", "is empty; name some, as in \"look, edit\""}
	case r.Effects == 0:
		return nil
	case r.Tool != EffectsTool:
		return &Error{"tool", "does not go with effects: such a rule is about every tool"}
	case len(r.Where) > 0:
		return &Error{"where", "does not go with effects: what a call does is not a matter of its words"}
	case r.Dangerous:
		return &Error{"dangerous", "does not go with effects: dangerous calls need a rule that names them exactly"}
	case r.Decision == Allow && !r.Effects.Within(effects.Grantable):
		return &Error{"effects", fmt.Sprintf("has what no rule may allow: %s; there are %s", r.Effects&^effects.Grantable, effects.Grantable)}
	}
	return nil
}

// checkWhere is about the names of parameters; build reads the patterns.
func checkWhere(r Rule) *Error {
	if len(r.Where) > MaxWhere {
		return &Error{"where", fmt.Sprintf("has %d parameters; at most %d are allowed", len(r.Where), MaxWhere)}
	}
	for key := range r.Where {
		switch {
		case key == "":
			return &Error{"where", "has a parameter without a name"}
		case len(key) > maxName:
			return &Error{"where", "has a parameter with a very long name"}
		case patterns.CheckShown(key) != nil:
			return &Error{"where", "has a parameter whose name cannot be shown as it is"}
		case strings.Count(key, ".") >= maxDots:
			return &Error{"where." + key, fmt.Sprintf("goes deeper into the input than %d names", maxDots)}
		}
	}
	return nil
}

// checkMeaning refuses combinations that cannot mean what they seem to say. A rule that
// silently never matches is worse than an error: its author believes in it.
func (e *entry) checkMeaning() error {
	if strings.Contains(e.rule.Tool, " ") && e.tool.RE == nil {
		return &Error{"tool", "has a blank; names of tools have none"}
	}
	if !e.runsCommands() {
		if err := e.checkPlainTool(); err != nil {
			return err
		}
	}
	if !e.rule.Dangerous {
		return nil
	}
	switch {
	case e.rule.Decision != Allow:
		return &Error{"dangerous", "means nothing in a rule that does not allow"}
	case e.parts+len(e.conds) == 0:
		return &Error{"dangerous", "needs exact patterns: name in where what exactly may run"}
	case e.runsCommands() && e.parts == 0:
		return &Error{"dangerous", "needs where.command with the exact command"}
	case !e.exact():
		return &Error{"dangerous", "needs exact patterns; this rule has wildcards, alternatives or an expression"}
	}
	return nil
}

// checkPlainTool is about tools that run no command lines. Those of MCP servers may have a
// parameter of that name all the same; its text is not read as a line, so a wildcard in it
// would vouch for a text that nobody understands.
func (e *entry) checkPlainTool() error {
	for _, k := range []struct {
		key string
		set bool
	}{{readKey, e.read != nil}, {writeKey, e.write != nil}, {assignKey, e.assign != nil}} {
		if k.set {
			return &Error{"where." + k.key, "is for tools that run command lines, such as Bash; this tool runs none"}
		}
	}
	if e.command == nil {
		return nil
	}
	if !strings.HasPrefix(e.rule.Tool, "mcp__") {
		return &Error{"where." + e.commandKey, "is for tools that run command lines, such as Bash; this tool runs none"}
	}
	if e.rule.Decision == Allow && !e.commandText.Exact {
		return &Error{"where." + e.commandKey, "has to be exact here: aoctl does not read the command lines of this tool"}
	}
	return nil
}

// cut shortens a text for an error, by characters and with a mark.
func cut(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// Printable makes text from a file fit for one line of a message. What cannot be drawn is
// written as its code point, so that nothing is hidden or lost.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<%U>", r)
		}
	}
	return b.String()
}
