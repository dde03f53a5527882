package consoles

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/calls"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/history"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/tally"
)

// Asker carries orders to a broker.
type Asker interface {
	// Ask has the broker carry out a method, and fills in out, a pointer to the method's Reply. Its
	// error says that there is none.
	Ask(ctx context.Context, method string, in, out any) error
}

// Stubs are the methods of Broker, but Watch, and those of Place: each asks the broker's desk of the
// same name. Who acts is not sent: the broker knows that by the key.
type Stubs struct {
	callStubs
	sessionStubs
	ruleStubs
	figureStubs
	placeStubs
}

// NewStubs has a broker asked through a.
func NewStubs(a Asker) Stubs {
	return Stubs{callStubs{a}, sessionStubs{a}, ruleStubs{a}, figureStubs{a}, placeStubs{a}}
}

type (
	callStubs    struct{ Asker }
	sessionStubs struct{ Asker }
	ruleStubs    struct{ Asker }
	figureStubs  struct{ Asker }
	placeStubs   struct{ Asker }
)

// ask asks the broker and returns its answer.
func ask[T any](ctx context.Context, a Asker, method string, in any) (T, error) {
	var out Reply[T]
	if err := a.Ask(ctx, method, in, &out); err != nil {
		return *new(T), err // what comes late is filled in all the same
	}
	return out.Value, out.Failed.err()
}

// do is ask for an order that gives nothing back.
func do(ctx context.Context, a Asker, method string, in any) error {
	_, err := ask[struct{}](ctx, a, method, in)
	return err
}

func (c callStubs) Decide(ctx context.Context, id string, d broker.Decision) (broker.Request, error) {
	return ask[broker.Request](ctx, c.Asker, "Calls.Decide", Decided{ID: id, Decision: d})
}

func (c callStubs) DecideAll(ctx context.Context, picks []broker.Pick, d broker.Decision) ([]broker.Request, error) {
	return ask[[]broker.Request](ctx, c.Asker, "Calls.DecideAll", Decided{Picks: picks, Decision: d})
}

func (c callStubs) AssessEdited(ctx context.Context, id string, input json.RawMessage) (broker.Edited, error) {
	return ask[broker.Edited](ctx, c.Asker, "Calls.AssessEdited", Edit{id, input})
}

func (c callStubs) Defer(ctx context.Context, id string, _ broker.Actor) (broker.Request, error) {
	return ask[broker.Request](ctx, c.Asker, "Calls.Defer", id)
}

func (c callStubs) Extend(ctx context.Context, id string, _ broker.Actor) (broker.Request, error) {
	return ask[broker.Request](ctx, c.Asker, "Calls.Extend", id)
}

func (c callStubs) Freeze(ctx context.Context, sessionID string, on bool, _ broker.Actor) error {
	return do(ctx, c.Asker, "Calls.Freeze", Switch{sessionID, on})
}

func (c callStubs) History(ctx context.Context, limit int) ([]broker.Request, error) {
	return ask[[]broker.Request](ctx, c.Asker, "Calls.History", limit)
}

func (c callStubs) Story(ctx context.Context, id string) (story.Story, error) {
	return ask[story.Story](ctx, c.Asker, "Calls.Story", id)
}

func (c sessionStubs) Stop(ctx context.Context, sessionID string, _ broker.Actor) (broker.Session, error) {
	return ask[broker.Session](ctx, c.Asker, "Sessions.Stop", sessionID)
}

func (c sessionStubs) StopAll(ctx context.Context, _ broker.Actor) (sessions, denied int, err error) {
	s, err := ask[StoppedAll](ctx, c.Asker, "Sessions.StopAll", struct{}{})
	return s.Sessions, s.Denied, err
}

func (c sessionStubs) Processes(ctx context.Context, sessionID string) (broker.Killed, error) {
	return ask[broker.Killed](ctx, c.Asker, "Sessions.Processes", sessionID)
}

func (c sessionStubs) Kill(ctx context.Context, sessionID string, _ broker.Actor) (broker.Session, broker.Killed, error) {
	e, err := ask[Ended](ctx, c.Asker, "Sessions.Kill", sessionID)
	return e.Session, e.Killed, err
}

func (c sessionStubs) ChangeSession(ctx context.Context, sessionID string, change broker.SessionChange, _ broker.Actor) (broker.Session, error) {
	return ask[broker.Session](ctx, c.Asker, "Sessions.ChangeSession", Changed{sessionID, change})
}

func (c sessionStubs) Acknowledge(ctx context.Context, sessionID string, _ broker.Actor) error {
	return do(ctx, c.Asker, "Sessions.Acknowledge", sessionID)
}

func (c sessionStubs) Observe(ctx context.Context, sessionID string, on bool, _ broker.Actor) error {
	return do(ctx, c.Asker, "Sessions.Observe", Switch{sessionID, on})
}

func (c sessionStubs) Say(ctx context.Context, sessionID, text string, _ broker.Actor) (broker.Session, error) {
	return ask[broker.Session](ctx, c.Asker, "Sessions.Say", Text{sessionID, text})
}

func (c sessionStubs) Interrupt(ctx context.Context, sessionID string, _ broker.Actor) error {
	return do(ctx, c.Asker, "Sessions.Interrupt", sessionID)
}

func (c sessionStubs) Launch(ctx context.Context, n broker.NewRun, _ broker.Actor) (broker.Session, error) {
	return ask[broker.Session](ctx, c.Asker, "Sessions.Launch", n)
}

func (c sessionStubs) Resume(ctx context.Context, sessionID string, _ broker.Actor) (broker.Resumption, error) {
	return ask[broker.Resumption](ctx, c.Asker, "Sessions.Resume", sessionID)
}

func (c sessionStubs) Timeline(ctx context.Context, f broker.EventFilter) ([]story.Moment, error) {
	return ask[[]story.Moment](ctx, c.Asker, "Sessions.Timeline", f)
}

func (c sessionStubs) Transcript(ctx context.Context, sessionID string, part story.TranscriptPart, have story.TranscriptSpan) (story.Transcript, error) {
	return ask[story.Transcript](ctx, c.Asker, "Sessions.Transcript", Part{sessionID, part, have})
}

func (c ruleStubs) SaveRule(ctx context.Context, r rules.Rule, _ broker.Actor) (broker.SavedRule, error) {
	return ask[broker.SavedRule](ctx, c.Asker, "Rules.SaveRule", r)
}

func (c ruleStubs) RemoveRule(ctx context.Context, id string, _ broker.Actor) error {
	return do(ctx, c.Asker, "Rules.RemoveRule", id)
}

func (c ruleStubs) Preview(ctx context.Context, r rules.Rule) (broker.Preview, error) {
	return ask[broker.Preview](ctx, c.Asker, "Rules.Preview", r)
}

func (c ruleStubs) Offer(ctx context.Context, id string) ([]rules.Rule, error) {
	return ask[[]rules.Rule](ctx, c.Asker, "Rules.Offer", id)
}

func (c ruleStubs) Suggest(ctx context.Context) (history.Suggestions, error) {
	return ask[history.Suggestions](ctx, c.Asker, "Rules.Suggest", struct{}{})
}

func (c ruleStubs) ProjectAt(ctx context.Context, dir string) broker.Project {
	p, _ := ask[broker.Project](ctx, c.Asker, "Rules.ProjectAt", dir) // nothing is known of it
	return p
}

func (c ruleStubs) TrustFile(ctx context.Context, path, digest string, _ broker.Actor) error {
	return do(ctx, c.Asker, "Rules.TrustFile", Trusted{path, digest})
}

func (c ruleStubs) Proposals() []broker.Proposal {
	list, _ := ask[[]broker.Proposal](context.Background(), c.Asker, "Rules.Proposals", struct{}{}) // it is asked again
	return list
}

func (c ruleStubs) AnswerProposal(id string, saved *broker.SavedRule) {
	_ = do(context.Background(), c.Asker, "Rules.AnswerProposal", Answered{id, saved}) // the asker leaves by itself
}

func (c ruleStubs) MintToken(ctx context.Context, kind broker.TokenKind, label string, _ broker.Actor) (string, error) {
	return ask[string](ctx, c.Asker, "Rules.MintToken", Minted{kind, label})
}

func (c ruleStubs) Tokens(ctx context.Context) []broker.Token {
	list, _ := ask[[]broker.Token](ctx, c.Asker, "Rules.Tokens", struct{}{})
	return list
}

func (c ruleStubs) RevokeToken(ctx context.Context, id string, _ broker.Actor) error {
	return do(ctx, c.Asker, "Rules.RevokeToken", id)
}

func (c figureStubs) Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error) {
	return ask[broker.Stats](ctx, c.Asker, "Rules.Stats", Since{sessionID, since})
}

func (c figureStubs) Tally(ctx context.Context, since time.Time) (tally.Report, error) {
	return ask[tally.Report](ctx, c.Asker, "Rules.Tally", since)
}

func (c figureStubs) Spending(ctx context.Context, r tally.Report) (tally.Report, error) {
	return ask[tally.Report](ctx, c.Asker, "Rules.Spending", r)
}

func (c figureStubs) RuleTook() calls.Took {
	took, _ := ask[calls.Took](context.Background(), c.Asker, "Rules.RuleTook", struct{}{})
	return took
}

// The methods of Place.

// ReadFile reads a file on the broker's machine.
func (c placeStubs) ReadFile(path string) ([]byte, error) {
	return ask[[]byte](context.Background(), c.Asker, "Place.ReadFile", path)
}

// Stamp is a file's there. Where it cannot be told it differs each time, so that nothing counts as
// unchanged.
func (c placeStubs) Stamp(path string) string {
	s, err := ask[string](context.Background(), c.Asker, "Place.Stamp", path)
	if err != nil {
		return rand.Text()
	}
	return s
}

func (c placeStubs) OtherHooks(agent, event, tool, project string) []string {
	list, _ := ask[[]string](context.Background(), c.Asker, "Place.OtherHooks", Heard{agent, event, tool, project}) // a hint, no more
	return list
}

func (c placeStubs) OurHooks() []string {
	list, _ := ask[[]string](context.Background(), c.Asker, "Place.OurHooks", struct{}{})
	return list
}

// Leave asks the broker to go on in this process, and returns the flags that it has. It ends once the
// client is closed. Errors: ErrScreen.
func (c *Client) Leave(ctx context.Context) ([]string, error) {
	return ask[[]string](ctx, c.link, "Place.Leave", struct{}{})
}

// JoinFleet has the broker be a machine of a fleet.
func (c *Client) JoinFleet(ctx context.Context, m Membership) error {
	return do(ctx, c.link, "Place.JoinFleet", m)
}

// LeaveFleet ends that. Errors: broker.ErrNotFound where it is in none.
func (c *Client) LeaveFleet(ctx context.Context) error {
	return do(ctx, c.link, "Place.LeaveFleet", struct{}{})
}

// Fleet says how the broker's link with its fleet is.
func (c *Client) Fleet(ctx context.Context) (FleetStatus, error) {
	return ask[FleetStatus](ctx, c.link, "Place.Fleet", struct{}{})
}
