package broker

import (
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// RuleBook is all that decides calls without a person, as of one moment.
type RuleBook struct {
	Rules []rules.Rule // in the order in which they speak: priority, then age
	Files []RulesFile  // of the projects that sessions work in
	// Problem says why no rule may allow anything now; empty when all is well.
	Problem string
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
