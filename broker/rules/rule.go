// Package rules is the language in which an operator says beforehand what may run, what must
// not, and what a person has to answer: rules, how they match a call, which of them speaks, and
// why.
//
// The package is pure but for the Place of a call, through which it asks where paths lead, and
// the functions of a Question. It stores nothing; package policy says which rules are in force.
//
// # Precedence
//
//  1. A matching deny rule anywhere wins.
//  2. Otherwise the best (lowest) priority among the matching rules counts.
//  3. At equal priority ask beats defer, and defer beats allow.
//  4. Among those, the rule with the narrower scope is the one that is named: session
//     before project before agent before everywhere; then the older rule.
//  5. No match asks.
//
// A command line is several elements (see package shell). Each gets its own verdict and the
// worst one stands: deny, then ask by a rule, then defer, then a question that no rule asks,
// then allow: who waits for a person anyway may as well wait without holding the agent, unless
// a rule wants it held. Neutral elements have no say, and a line of nothing but neutral
// elements asks. An element that is unsure asks whatever the rules say, unless its program is
// known to the last letter and a grant speaks for it; one that is exact needs a grant, or a rule
// without wildcards, which every call of class dangerous needs; deny rules see all of them, and
// the raw text.
//
// # Strict and lenient
//
// Every pattern is read in one of two ways. In a rule that allows it is strict: it has to fit
// what the call surely is, where a path really leads, in every reading. In a rule that denies,
// asks or defers it is lenient: it fits if any reading does, without regard to capitals, behind
// wrappers, through a wildcard of the line. So a doubt always ends with a question or a
// refusal. Where one of these functions has a branch for entry.lenient, this is why.
//
// # Rooms
//
// The patterns in Rule.Where are a language of their own, in package patterns. Files of rules
// are read and written in rulesfile, rules of Claude Code in claude, and past calls are judged
// anew in history; these three know this package, and it knows none of them.
//
// Prepare takes a call apart once, and a Set, which Compile makes, then judges it as often as
// asked:
//
//   - input is what the tool is given: its parameters, the files of a patch (call_input.go, call_patch.go);
//   - commandLine is the line of a tool that runs one (call_line.go), read by a lineReader, which makes
//     an elem of each of its parts (call_element.go, call_copy.go);
//   - paths follows whatever of this is a path to where it leads, a located (call_path.go), and a follower
//     those words of a command that may be files elsewhere (call_elsewhere.go, call_words.go);
//   - Call holds what came of it, the risk of it all and what the built-in rule says (builtin.go).
//
// A search finds the rules that match one elem (match.go), a ruling is what they say of it
// (judge.go). Open call.go first, then judge.go and match.go.
package rules

import (
	"time"

	"github.com/aoctl/aoctl/broker/effects"
)

// Verdict is what a rule, or all of them together, say about a call. As the decision of a rule,
// Ask holds the agent until a person answers, and Defer sends it on its way with the question
// open.
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
	Ask   Verdict = "ask"   // a person must answer, whatever mode the agent is in
	Defer Verdict = "defer" // a person must answer, and the agent does not wait for it where it can be told so
)

// Limits of a rule.
const (
	MaxWhere    = 10   // parameters
	MaxReason   = 1000 // bytes
	MaxPriority = 1_000_000
	MaxRules    = 20_000
	MaxFile     = 1 << 20 // bytes of a project's own file of rules, or of an agent's settings

	DefaultPriority = 100
)

// Rule is one rule. Its JSON is that of the API, its TOML that of rules files. A rule is
// checked by Check before it is stored or used; the zero Rule is refused. Each change raises
// Version, so that two operators who change the same rule do not overwrite each other unseen.
type Rule struct {
	ID       string            `json:"id"`       // UUID
	Version  int               `json:"version"`  // 1, and one more with every change
	Priority int               `json:"priority"` // 0 to MaxPriority, lower first
	Enabled  bool              `json:"enabled"`
	Scope    Scope             `json:"scope,omitzero"`
	Tool     string            `json:"tool"`            // pattern: "Bash", "Edit|Write", "mcp__github__*"
	Where    map[string]string `json:"where,omitempty"` // parameter to pattern; all must match
	// Effects make the rule one about what calls do, whatever their tool: an allow rule is a grant. Tool is
	// EffectsTool then, and Where is empty.
	Effects  effects.Set `json:"effects,omitempty"`
	Decision Verdict     `json:"decision"`
	// Dangerous lets an allow rule speak about calls of class dangerous as well. Its
	// patterns must be exact then.
	Dangerous   bool      `json:"dangerous,omitempty"`
	Reason      string    `json:"reason,omitempty"` // told to the agent on deny
	ExpiresAt   time.Time `json:"expires_at,omitzero"`
	MaxUses     int       `json:"max_uses,omitempty"` // 0: no limit
	Uses        int       `json:"uses"`
	LastUsedAt  time.Time `json:"last_used_at,omitzero"`
	CreatedBy   string    `json:"created_by,omitempty"`
	CreatedFrom string    `json:"created_from,omitempty"` // id of a request
	CreatedAt   time.Time `json:"created_at,omitzero"`
	UpdatedAt   time.Time `json:"updated_at,omitzero"`

	// Source says where a rule stands that is not in the database: the path of a
	// project's rules file, or "built in". Such rules cannot be changed here.
	Source string `json:"source,omitempty"`
}

// EffectsTool stands for the tool in a rule about effects. No agent has a tool of that name, so whoever
// does not know effects takes it for a rule about nothing.
const EffectsTool = "(effects)"

// Scope narrows a rule. Empty fields do not; all that are set must hold. A project covers the
// folders below it.
type Scope struct {
	Project string `json:"project,omitempty"` // absolute path of a project's folder
	Session string `json:"session,omitempty"` // id
	Agent   string `json:"agent,omitempty"`   // kind: "claude"
}
