package rules

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
)

// judged explains one element. Rules are in the order in which they would speak.
func (c *Call) judged(f *search, r ruling) Judged {
	x := f.x
	j := Judged{Kind: string(x.kind), Text: c.q.Tool, Effects: c.needs[f.at], Granted: f.have() & c.needs[f.at], Verdict: r.verdict, Neutral: r.silent, Rule: r.id(), Why: c.why(x, r)}
	if x.kind != toolKind {
		e := &c.line.Elements[x.at]
		j.Text, j.Argv, j.Via = e.Text, e.Argv, e.Via
		j.Deletes = e.Operand && e.Deletes && deleter(c.line.Elements[:x.at])
	}
	if p := c.mainPath(x); p != nil {
		j.Path, j.Real = p.abs, p.real
	}
	slices.SortFunc(f.all, func(a, b *entry) int { return cmp.Compare(a.rank, b.rank) })
	for _, e := range f.all {
		j.Matches = append(j.Matches, e.rule.ID)
	}
	slices.SortFunc(f.idle, func(a, b *entry) int { return cmp.Compare(a.rank, b.rank) })
	for _, e := range f.idle {
		j.Idle = append(j.Idle, e.rule.ID)
	}
	if r.builtin {
		j.Matches = append(j.Matches, BuiltinReadOnly)
	}
	return j
}

// deleter reports whether the last command among these, to which the next operand belongs, is one that
// deletes its operands. What mv or a packer takes away is in another place afterwards.
func deleter(before []shell.Element) bool {
	for _, e := range slices.Backward(before) {
		if e.Kind != shell.Command {
			continue
		}
		argv := append(slices.Clone(e.Argv), "", "")
		switch path.Base(argv[0]) {
		case "rm", "rmdir", "unlink", "shred":
			return true
		case "git":
			return argv[1] == "rm" || argv[1] == "clean"
		}
		return false
	}
	return false
}

// mainPath is the file that an element is about, nil when it is about none. Of a tool with
// several paths it is the first by the parameter's name.
func (c *Call) mainPath(x *elem) *located {
	if x.kind != toolKind {
		return x.path
	}
	for _, key := range slices.Sorted(maps.Keys(c.input.params)) {
		if v := c.input.params[key]; len(v.places) > 0 {
			return &v.places[0]
		}
	}
	return nil
}

// why is one sentence about an element. Agents and operators both read it, so it names the rule
// by what the rule says and not by an id.
func (c *Call) why(x *elem, r ruling) string {
	switch r.cause {
	case byRule:
		switch {
		case r.builtin:
			return "reads inside the project"
		case r.entry.rule.ID == BuiltinLook:
			return onlyLooks
		case r.verdict == Deny:
			return denied(r.entry)
		case r.verdict == Ask:
			return "rule " + label(&r.entry.rule) + " asks" + because(r.entry.rule.Reason)
		case r.verdict == Defer:
			return deferred(r.entry)
		}
		return "rule " + label(&r.entry.rule) + " allows it"
	case notKnown:
		if need := c.needs[x.at]; x.known && need != 0 && need.Within(effects.Grantable) {
			return "only a grant of " + need.String() + " can allow " + c.named(x) + ": " + x.unsure
		}
		return c.named(x) + ": " + x.unsure
	case callNotKnown:
		return c.unsure
	case guarded:
		return "no rule may allow it: " + cmp.Or(c.danger(x, true), "another part of the line touches aoctl's own files or an agent's settings")
	case maybeDenied:
		return c.named(x) + " may reach what rule " + label(&r.entry.rule) + " denies"
	case notExact:
		return c.inexact(x, r.matched)
	case notPlain:
		return "some shells may read this line differently from aoctl, so only a rule for exactly this line can allow it (" + c.line.Odd + ")"
	case leavesProject:
		return "outside the project, so only a rule for that file or the whole line can allow " + c.named(x)
	case noSay:
		return c.silent(x)
	case nothingAllows:
	}
	return "no rule allows " + c.named(x)
}

// silentWords say why no rule has to allow a part of the shell itself. Of others it is only known that they
// change nothing outside of it.
var silentWords = map[string]string{
	"echo": "only prints text", "printf": "only prints text", "print": "only prints text", "cat": "only prints text",
	"cd": "only changes the folder", "pushd": "only changes the folder", "popd": "only changes the folder",
	"[": "only tests something", "test": "only tests something", "sleep": "only waits", "wait": "only waits",
	"true": "changes nothing", ":": "changes nothing", "false": "changes nothing",
}

// silent is why an element has no say.
func (c *Call) silent(x *elem) string {
	switch x.kind {
	case shell.Read, shell.Write:
		return "goes with its command"
	case shell.Assign:
		return "only sets a variable"
	case shell.Command, shell.Unknown, toolKind:
	}
	if x.at < len(c.line.Elements) {
		if argv := c.line.Elements[x.at].Argv; len(argv) > 0 && silentWords[argv[0]] != "" {
			return silentWords[argv[0]]
		}
	}
	return "changes nothing outside the shell"
}

// danger is what makes x itself dangerous, or guarded; "" when that is another part of the line.
func (c *Call) danger(x *elem, guarded bool) string {
	for i, f := range c.risk.Findings {
		if f.Class == risk.Dangerous && (f.Guarded || !guarded) && (x.kind == toolKind || f.Element == x.at || c.blamed[i] == x.at) {
			return f.Words()
		}
	}
	if len(c.elems) > 1 {
		return ""
	}
	return c.risk.Why
}

// blame notes for each finding which element it is told with: an operand's with its command. It is asked
// for each element of a line, so it is worked out once.
func (c *Call) blame() {
	operands := map[int]bool{}
	for i := range c.elems {
		if x := &c.elems[i]; x.operand {
			operands[x.at] = true
		}
	}
	for _, f := range c.risk.Findings {
		at := f.Element
		for at > 0 && operands[at] {
			at--
		}
		c.blamed = append(c.blamed, at)
	}
}

// speaks has the element speak for the whole call that is dangerous itself, where the one that decides
// asks only because of that.
func (c *Call) speaks(o *outcome, all []ruling) {
	if o.cause != guarded && (o.cause != notExact || c.risk.Class != risk.Dangerous) {
		return
	}
	for i, r := range all {
		if r.cause == o.cause && r.verdict == Ask && c.danger(&c.elems[i], o.cause == guarded) != "" {
			o.at, o.ruling = i, r
			return
		}
	}
}

// inexact says that a rule has to name x itself. Where a rule matches x and still may not
// allow it, the sentence says what that rule lacks.
func (c *Call) inexact(x *elem, matched bool) string {
	dangerous := c.risk.Class == risk.Dangerous
	why := x.exact
	if dangerous {
		why = cmp.Or(c.danger(x, false), x.exact, "another part of the line is dangerous")
	}
	switch {
	case !matched:
		return "no wildcard rule can allow " + c.named(x) + ": " + why
	case dangerous:
		return "only a rule for dangerous calls that names " + c.named(x) + " exactly can allow it: " + why
	}
	return "only a rule that names " + c.named(x) + " exactly can allow it: " + why
}

// named is an element in a sentence. A path is told as the agent has given it.
func (c *Call) named(x *elem) string {
	switch x.kind {
	case toolKind:
		return c.q.Tool
	case shell.Read:
		return "reading " + quote(x.path.given)
	case shell.Write:
		return "writing " + quote(x.path.given)
	case shell.Command, shell.Assign, shell.Unknown:
	}
	return quote(strings.TrimSpace(c.line.Elements[x.at].Text))
}

// denied, deferred and because make the ends of such sentences. A rule's reason was checked
// when the rule was made, and can be shown as it is.
func denied(e *entry) string {
	return "denied by rule " + label(&e.rule) + because(e.rule.Reason)
}

func deferred(e *entry) string {
	return "deferred by rule " + label(&e.rule) + because(e.rule.Reason)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// allowed names the rules that an allow rests on, at most three of them. list has a ruling for
// each element that has a say.
func allowed(list []*ruling) string {
	var labels []string
	builtin, looks := false, false
	for _, r := range list {
		builtin = builtin || r.builtin
		for _, e := range r.entries() {
			looks = looks || e.rule.ID == BuiltinLook
			if l := label(&e.rule); e.rule.ID != BuiltinLook && !slices.Contains(labels, l) {
				labels = append(labels, l)
			}
		}
	}
	switch {
	case len(labels) == 0 && looks:
		return onlyLooks
	case len(labels) == 0:
		return "reads inside the project"
	case builtin || looks:
		labels = append(labels, "for reads inside the project")
	}
	if len(labels) == 1 {
		return "rule " + labels[0] + " allows it"
	}
	const most = 3
	if n := len(labels); n > most {
		labels = append(labels[:most], "…")
	}
	return "rules " + strings.Join(labels[:len(labels)-1], ", ") + " and " + labels[len(labels)-1] + " allow it"
}

// onlyLooks is why the built-in grant allows something.
const onlyLooks = "only looks, inside the project"

// label is a rule in a sentence: its command, else its tool with its first pattern by name.
func label(r *Rule) string {
	if r.Effects != 0 {
		return quote(r.Effects.String())
	}
	for _, key := range []string{commandKey, cmdKey} {
		if p := r.Where[key]; p != "" {
			return quote(p)
		}
	}
	if len(r.Where) == 0 {
		return quote(r.Tool)
	}
	key := slices.Sorted(maps.Keys(r.Where))[0]
	return quote(r.Tool + " " + key + " " + r.Where[key])
}

// PatternWords is a pattern as it reads in a sentence: its alternatives with "or" between
// them, since a | in a command looks like a pipe.
func PatternWords(pattern string) string { return patterns.Words(pattern) }
