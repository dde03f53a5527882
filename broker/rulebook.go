package broker

import (
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// RuleBook is all that decides calls without a person, as of one moment.
type RuleBook struct {
	Rules []rules.Rule // in the order in which they speak: priority, then age
	Files []RulesFile  // of the projects that sessions work in
	// Problem says why no rule may allow anything now; empty when all is well.
	Problem string
}

// About reports whether a rule names this project, or a folder above it, as the place where it holds.
// Rules that hold everywhere do not count, nor do those of one session. One that is off or over counts:
// a person has decided about it.
func (b RuleBook) About(project string) bool {
	return slices.ContainsFunc(b.Rules, func(r rules.Rule) bool {
		return r.Scope.Project != "" && patterns.Below(r.Scope.Project, project)
	})
}

// Grant is the rule by which agents may do things in this very project, whatever their session and
// kind, and for good; its ID is "" when there is none. One of a project's file is not meant.
func (b RuleBook) Grant(project string) rules.Rule {
	for _, r := range b.Rules {
		ends := !r.ExpiresAt.IsZero() || r.MaxUses > 0
		if r.Tool == rules.EffectsTool && r.Decision == rules.Allow && r.Source == "" && !ends && r.Scope == (rules.Scope{Project: project}) {
			return r
		}
	}
	return rules.Rule{}
}

// GrantWith is Grant with more effects, and that rule as a new one when there is none.
func (b RuleBook) GrantWith(project string, more effects.Set) rules.Rule {
	r := b.Grant(project)
	if r.ID == "" {
		r = rules.Rule{Priority: rules.DefaultPriority, Tool: rules.EffectsTool, Decision: rules.Allow, Scope: rules.Scope{Project: project}}
	}
	if r.Enabled {
		more |= r.Effects
	}
	r.Effects, r.Enabled = more, true
	return r
}

// Project is what is known of a project's folder, for whoever says what agents may do there.
type Project struct {
	Path  string   `json:"path"`             // as the disk has it; "" for a folder that is no project, such as home
	Holds []string `json:"holds,omitempty"`  // what says which kind of project it is: go.mod, git
	NoGit bool     `json:"no_git,omitempty"` // no repository holds it, so nothing brings an edited file back
}

// RulesFile is one project's own rules file, .aoctl/rules.toml. Its deny and ask rules
// hold as they are; its allow rules only while its digest is trusted.
type RulesFile struct {
	Path    string       `json:"path"`
	Digest  string       `json:"digest"` // hex SHA-256 of its content
	Trusted bool         `json:"trusted"`
	Problem string       `json:"problem,omitempty"` // why it cannot be read; then every call of the project asks
	Rules   []rules.Rule `json:"rules"`
}

// SavedRule is what saving a rule did.
type SavedRule struct {
	Rule    rules.Rule `json:"rule"`
	Decided []Request  `json:"decided"` // waiting calls that the rule ended
}

// Preview says what a rule would have done.
type Preview struct {
	Past    int       `json:"past"`    // recorded calls that were looked at
	Matched int       `json:"matched"` // of these, calls that the rule would have decided
	Allowed int       `json:"allowed"` // of the matched: a person allowed them
	Denied  int       `json:"denied"`  // a person denied them
	Other   int       `json:"other"`   // ended otherwise: a rule, the deadline, a stop …
	Against []Request `json:"against"` // those where a person said the opposite, newest first, at most 5
	Waiting []Request `json:"waiting"` // waiting calls that saving it would end now
	// Recorded calls of the rule's project, and how many of these would run without a question, by
	// this rule or another one. Both are 0 for a rule that is about no project.
	Here   int `json:"here,omitempty"`
	Passed int `json:"passed,omitempty"`
}

// Stats counts how calls ended.
type Stats struct {
	Calls    int           `json:"calls"`
	ByRule   int           `json:"allowed_by_rule"`
	ByHand   int           `json:"allowed_by_hand"`
	Denied   int           `json:"denied"`           // by hand, by a stop: by all but rules
	RuleDeny int           `json:"denied_by_rule"`   //
	Expired  int           `json:"expired"`          //
	Other    int           `json:"other"`            // cancelled, answered elsewhere …
	Median   time.Duration `json:"median_decide_ns"` // of the calls that a person decided; 0 when there is none
	Saved    int           `json:"prompts_saved"`    // calls that a rule decided at once, so that nobody was asked
	Observed int           `json:"observed,omitempty"`
}

// EndedCall is what the figures need of a call that is over: little enough to read of every call
// there is. It tells what the row says, without asking the log.
type EndedCall struct {
	SessionID string
	Agent     string
	Tool      string
	State     State
	By        ActorKind
	ByID      string // a rule, a token, or the grant that let the call pass
	Asked     time.Time
	Ended     time.Time
}

// Token is a token as the console lists it; the token itself is shown once, when it is
// minted.
type Token struct {
	ID        string    `json:"id"`
	Kind      TokenKind `json:"kind"`
	Label     string    `json:"label,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// Pick names one call of a decision about several, as it was shown.
type Pick struct{ ID, Digest string }

// SuggestedByAgent stands in CreatedBy of a draft that the agent itself suggests. Who saves
// the rule is its author.
const SuggestedByAgent = "suggested by the agent"

// Proposal is what a process that is no operator would like agents to be allowed in a project. It
// allows nothing: the person at the console's keyboard answers it.
type Proposal struct {
	ID        string        `json:"id,omitempty"` // UUID; "" where nobody had to be asked
	Project   string        `json:"project"`      // path, as the disk has it
	Effects   effects.Set   `json:"effects"`
	State     ProposalState `json:"state"`
	By        Actor         `json:"by"`              // who asks
	Agent     string        `json:"agent,omitempty"` // why the process counts as an agent's; "" when it does not
	CreatedAt time.Time     `json:"created_at,omitzero"`
	// What was saved, once it was granted: the person may have ticked other effects.
	Rule *rules.Rule `json:"rule,omitempty"`
	// The waiting calls that went on by it, or were ended otherwise.
	Decided []Request `json:"decided,omitempty"`
}

// ProposalState is what became of a proposal.
type ProposalState string

// The states of a proposal.
const (
	Proposed         ProposalState = "waiting"
	ProposalGranted  ProposalState = "granted"
	ProposalDeclined ProposalState = "declined"
)
