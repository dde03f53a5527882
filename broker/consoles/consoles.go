// Package consoles lets screens in other processes use a broker as the one in its own process
// does.
//
// Broker is all that a screen may do. A Server has one and serves it over connections that package
// api hands to it; a Client in another process has the same methods, so a screen does not know
// which of the two it has.
//
// A connection is TLS from end to end, over the Unix socket too: each end has a key of its own
// (identity.go), and the console's key is who it is. A key that is not paired opens nothing but the
// pairing (pairing.go): a person reads a code off the terminal of the broker, or of a console that
// is paired, and types it at the new one. From then on the key stands in the broker's log like a
// token, is listed with them and is revoked like them. The key is not all: a process with an agent
// behind it is no console, whatever it holds, and that is looked at again with every order.
//
// Inside are orders and answers in CBOR (codec.go), without net/rpc, which brings encoding/gob along:
// every hook run would wait for that to start. What an order does is on record with the key that
// gave it; who it is never comes from the order. Errors keep their kind (failure.go). What changes
// at the broker is fetched by the console, batch after batch (watch.go), so that a console that is
// slow or stands still holds up nobody.
//
// Open Broker first, then server.go and client.go.
package consoles

import (
	"context"
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/calls"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/history"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/tally"
)

// Broker is what a screen may do. by is who does it; a Server puts the console's own key in its
// place.
type Broker interface {
	Calls
	Sessions
	Rules
	Figures
}

// Calls is what waits, and what may be done about it.
type Calls interface {
	// Watch returns all that is, and a channel of what changes from then on. The channel is closed
	// when ctx ends, the broker ends or is out of reach, or the reader falls behind.
	Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update)
	Decide(ctx context.Context, id string, d broker.Decision) (broker.Request, error)
	DecideAll(ctx context.Context, picks []broker.Pick, d broker.Decision) ([]broker.Request, error)
	AssessEdited(ctx context.Context, id string, input json.RawMessage) (broker.Edited, error)
	Defer(ctx context.Context, id string, by broker.Actor) (broker.Request, error)
	Extend(ctx context.Context, id string, by broker.Actor) (broker.Request, error)
	Freeze(ctx context.Context, sessionID string, on bool, by broker.Actor) error
	History(ctx context.Context, limit int) ([]broker.Request, error)
	Story(ctx context.Context, id string) (story.Story, error)
}

// Sessions is what may be done about sessions.
type Sessions interface {
	Stop(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, error)
	StopAll(ctx context.Context, by broker.Actor) (sessions, denied int, err error)
	Processes(ctx context.Context, sessionID string) (broker.Killed, error)
	Kill(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, broker.Killed, error)
	ChangeSession(ctx context.Context, sessionID string, c broker.SessionChange, by broker.Actor) (broker.Session, error)
	Acknowledge(ctx context.Context, sessionID string, by broker.Actor) error
	Observe(ctx context.Context, sessionID string, on bool, by broker.Actor) error
	Say(ctx context.Context, sessionID, text string, by broker.Actor) (broker.Session, error)
	Interrupt(ctx context.Context, sessionID string, by broker.Actor) error
	Launch(ctx context.Context, n broker.NewRun, by broker.Actor) (broker.Session, error)
	Resume(ctx context.Context, sessionID string, by broker.Actor) (broker.Resumption, error)
	Timeline(ctx context.Context, f broker.EventFilter) ([]story.Moment, error)
	Transcript(ctx context.Context, sessionID string, part story.TranscriptPart, have story.TranscriptSpan) (story.Transcript, error)
}

// Rules is what may be done about rules, about what is proposed, and about tokens.
type Rules interface {
	SaveRule(ctx context.Context, r rules.Rule, by broker.Actor) (broker.SavedRule, error)
	RemoveRule(ctx context.Context, id string, by broker.Actor) error
	Preview(ctx context.Context, r rules.Rule) (broker.Preview, error)
	Offer(ctx context.Context, id string) ([]rules.Rule, error)
	Suggest(ctx context.Context) (history.Suggestions, error)
	ProjectAt(ctx context.Context, dir string) broker.Project
	TrustFile(ctx context.Context, path, digest string, by broker.Actor) error
	// Proposals are what processes ask to be granted, oldest first.
	Proposals() []broker.Proposal
	// AnswerProposal notes what became of one: the rule that was saved, or nil for a no.
	AnswerProposal(id string, saved *broker.SavedRule)
	MintToken(ctx context.Context, kind broker.TokenKind, label string, by broker.Actor) (string, error)
	Tokens(ctx context.Context) []broker.Token
	RevokeToken(ctx context.Context, id string, by broker.Actor) error
}

// Figures are numbers about the past.
type Figures interface {
	Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error)
	// Tally counts the calls that ended since a time. It may take its time.
	Tally(ctx context.Context, since time.Time) (tally.Report, error)
	// Spending adds to a Report what its sessions spent. It may take longer: agents tell that in
	// files.
	Spending(ctx context.Context, r tally.Report) (tally.Report, error)
	// RuleTook says what the broker itself added to calls that a rule decided at once.
	RuleTook() calls.Took
}

// Place is the machine that the broker is on: what a call would change lies there, and so do the
// settings of agents.
type Place interface {
	// ReadFile reads a regular file of at most 1 MiB.
	ReadFile(path string) ([]byte, error)
	// Stamp differs when the file does, as far as its times and size tell.
	Stamp(path string) string
	// OtherHooks names hooks that are not ours and hear of an agent's event about a tool.
	OtherHooks(agent, event, tool, project string) []string
	// OurHooks names the agents that have hooks of ours.
	OurHooks() []string
}

// Fleet is the fleet that the broker is in.
type Fleet interface {
	// Join has the broker be a machine of a fleet from now on; a broker is in one at a time.
	Join(ctx context.Context, m Membership, by broker.Actor) error
	// Leave ends that. Errors: broker.ErrNotFound where it is in none.
	Leave(ctx context.Context, by broker.Actor) error
	// Status says how that goes.
	Status() FleetStatus
}

// Membership is what a machine must know of its fleet. It stands in the log, since agents may write
// all files that the user may.
type Membership struct {
	Roster  []byte   `json:"roster"`           // the newest one: a keys.Signed, CBOR
	Joined  []byte   `json:"joined,omitempty"` // how the machine joined, where no roster has it yet: the same
	Servers []string `json:"servers"`          // addresses, such as nats://host:4222
	Pin     []byte   `json:"pin,omitempty"`    // SHA-256 of the servers' public key; none: authorities vouch for it
}

// FleetStatus says how a broker's link with its fleet is.
type FleetStatus struct {
	ID      string    `json:"id,omitempty"`      // the fleet's; "" for none
	Name    string    `json:"name,omitempty"`    // the fleet's
	Machine string    `json:"machine,omitempty"` // the broker's own id in it
	Up      bool      `json:"up"`                // a server is connected
	Since   time.Time `json:"since,omitzero"`    // of Up, or of that it is not
	Problem string    `json:"problem,omitempty"` // why something does not go out or come in
	Head    int64     `json:"head"`              // the newest event of the log
	Sent    int64     `json:"sent"`              // the newest that the fleet has
}
