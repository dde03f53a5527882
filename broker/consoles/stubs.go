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

// The methods of Broker in groups, each of which asks the broker's desk of the same name. Who acts is not
// sent: the broker knows that by the key.

type (
	callStubs    struct{ *link }
	sessionStubs struct{ *link }
	ruleStubs    struct{ *link }
	figureStubs  struct{ *link }
	placeStubs   struct{ *link }
)

func (c callStubs) Decide(ctx context.Context, id string, d broker.Decision) (broker.Request, error) {
	return ask[broker.Request](ctx, c.link, "Calls.Decide", Decided{ID: id, Decision: d})
}

func (c callStubs) DecideAll(ctx context.Context, picks []broker.Pick, d broker.Decision) ([]broker.Request, error) {
	return ask[[]broker.Request](ctx, c.link, "Calls.DecideAll", Decided{Picks: picks, Decision: d})
}

func (c callStubs) AssessEdited(ctx context.Context, id string, input json.RawMessage) (broker.Edited, error) {
	return ask[broker.Edited](ctx, c.link, "Calls.AssessEdited", Edit{id, input})
}

func (c callStubs) Defer(ctx context.Context, id string, _ broker.Actor) (broker.Request, error) {
	return ask[broker.Request](ctx, c.link, "Calls.Defer", id)
}

func (c callStubs) Extend(ctx context.Context, id string, _ broker.Actor) (broker.Request, error) {
	return ask[broker.Request](ctx, c.link, "Calls.Extend", id)
}

func (c callStubs) Freeze(ctx context.Context, sessionID string, on bool, _ broker.Actor) error {
	return do(ctx, c.link, "Calls.Freeze", Switch{sessionID, on})
}

func (c callStubs) History(ctx context.Context, limit int) ([]broker.Request, error) {
	return ask[[]broker.Request](ctx, c.link, "Calls.History", limit)
}

func (c callStubs) Story(ctx context.Context, id string) (story.Story, error) {
	return ask[story.Story](ctx, c.link, "Calls.Story", id)
}

func (c sessionStubs) Stop(ctx context.Context, sessionID string, _ broker.Actor) (broker.Session, error) {
	return ask[broker.Session](ctx, c.link, "Sessions.Stop", sessionID)
}

func (c sessionStubs) StopAll(ctx context.Context, _ broker.Actor) (sessions, denied int, err error) {
	s, err := ask[StoppedAll](ctx, c.link, "Sessions.StopAll", struct{}{})
	return s.Sessions, s.Denied, err
}

func (c sessionStubs) Processes(ctx context.Context, sessionID string) (broker.Killed, error) {
	return ask[broker.Killed](ctx, c.link, "Sessions.Processes", sessionID)
}

func (c sessionStubs) Kill(ctx context.Context, sessionID string, _ broker.Actor) (broker.Session, broker.Killed, error) {
	e, err := ask[Ended](ctx, c.link, "Sessions.Kill", sessionID)
	return e.Session, e.Killed, err
}

func (c sessionStubs) ChangeSession(ctx context.Context, sessionID string, change broker.SessionChange, _ broker.Actor) (broker.Session, error) {
	return ask[broker.Session](ctx, c.link, "Sessions.ChangeSession", Changed{sessionID, change})
}

func (c sessionStubs) Acknowledge(ctx context.Context, sessionID string, _ broker.Actor) error {
	return do(ctx, c.link, "Sessions.Acknowledge", sessionID)
}

func (c sessionStubs) Observe(ctx context.Context, sessionID string, on bool, _ broker.Actor) error {
	return do(ctx, c.link, "Sessions.Observe", Switch{sessionID, on})
}

func (c sessionStubs) Say(ctx context.Context, sessionID, text string, _ broker.Actor) (broker.Session, error) {
	return ask[broker.Session](ctx, c.link, "Sessions.Say", Text{sessionID, text})
}

func (c sessionStubs) Interrupt(ctx context.Context, sessionID string, _ broker.Actor) error {
	return do(ctx, c.link, "Sessions.Interrupt", sessionID)
}

func (c sessionStubs) Launch(ctx context.Context, n broker.NewRun, _ broker.Actor) (broker.Session, error) {
	return ask[broker.Session](ctx, c.link, "Sessions.Launch", n)
}

func (c sessionStubs) Resume(ctx context.Context, sessionID string, _ broker.Actor) (broker.Resumption, error) {
	return ask[broker.Resumption](ctx, c.link, "Sessions.Resume", sessionID)
}

func (c sessionStubs) Timeline(ctx context.Context, f broker.EventFilter) ([]story.Moment, error) {
	return ask[[]story.Moment](ctx, c.link, "Sessions.Timeline", f)
}

func (c sessionStubs) Transcript(ctx context.Context, sessionID string, part story.TranscriptPart, have story.TranscriptSpan) (story.Transcript, error) {
	return ask[story.Transcript](ctx, c.link, "Sessions.Transcript", Part{sessionID, part, have})
}

func (c ruleStubs) SaveRule(ctx context.Context, r rules.Rule, _ broker.Actor) (broker.SavedRule, error) {
	return ask[broker.SavedRule](ctx, c.link, "Rules.SaveRule", r)
}

func (c ruleStubs) RemoveRule(ctx context.Context, id string, _ broker.Actor) error {
	return do(ctx, c.link, "Rules.RemoveRule", id)
}

func (c ruleStubs) Preview(ctx context.Context, r rules.Rule) (broker.Preview, error) {
	return ask[broker.Preview](ctx, c.link, "Rules.Preview", r)
}

func (c ruleStubs) Offer(ctx context.Context, id string) ([]rules.Rule, error) {
	return ask[[]rules.Rule](ctx, c.link, "Rules.Offer", id)
}

func (c ruleStubs) Suggest(ctx context.Context) (history.Suggestions, error) {
	return ask[history.Suggestions](ctx, c.link, "Rules.Suggest", struct{}{})
}

func (c ruleStubs) ProjectAt(ctx context.Context, dir string) broker.Project {
	p, _ := ask[broker.Project](ctx, c.link, "Rules.ProjectAt", dir) // nothing is known of it
	return p
}

func (c ruleStubs) TrustFile(ctx context.Context, path, digest string, _ broker.Actor) error {
	return do(ctx, c.link, "Rules.TrustFile", Trusted{path, digest})
}

func (c ruleStubs) Proposals() []broker.Proposal {
	list, _ := ask[[]broker.Proposal](context.Background(), c.link, "Rules.Proposals", struct{}{}) // it is asked again
	return list
}

func (c ruleStubs) AnswerProposal(id string, saved *broker.SavedRule) {
	_ = do(context.Background(), c.link, "Rules.AnswerProposal", Answered{id, saved}) // the asker leaves by itself
}

func (c ruleStubs) MintToken(ctx context.Context, kind broker.TokenKind, label string, _ broker.Actor) (string, error) {
	return ask[string](ctx, c.link, "Rules.MintToken", Minted{kind, label})
}

func (c ruleStubs) Tokens(ctx context.Context) []broker.Token {
	list, _ := ask[[]broker.Token](ctx, c.link, "Rules.Tokens", struct{}{})
	return list
}

func (c ruleStubs) RevokeToken(ctx context.Context, id string, _ broker.Actor) error {
	return do(ctx, c.link, "Rules.RevokeToken", id)
}

func (c figureStubs) Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error) {
	return ask[broker.Stats](ctx, c.link, "Rules.Stats", Since{sessionID, since})
}

func (c figureStubs) Tally(ctx context.Context, since time.Time) (tally.Report, error) {
	return ask[tally.Report](ctx, c.link, "Rules.Tally", since)
}

func (c figureStubs) Spending(ctx context.Context, r tally.Report) (tally.Report, error) {
	return ask[tally.Report](ctx, c.link, "Rules.Spending", r)
}

func (c figureStubs) RuleTook() calls.Took {
	took, _ := ask[calls.Took](context.Background(), c.link, "Rules.RuleTook", struct{}{})
	return took
}

// The methods of Place.

// ReadFile reads a file on the broker's machine.
func (c placeStubs) ReadFile(path string) ([]byte, error) {
	return ask[[]byte](context.Background(), c.link, "Place.ReadFile", path)
}

// Stamp is a file's there. Where it cannot be told it differs each time, so that nothing counts as
// unchanged.
func (c placeStubs) Stamp(path string) string {
	s, err := ask[string](context.Background(), c.link, "Place.Stamp", path)
	if err != nil {
		return rand.Text()
	}
	return s
}

func (c placeStubs) OtherHooks(agent, event, tool, project string) []string {
	list, _ := ask[[]string](context.Background(), c.link, "Place.OtherHooks", Heard{agent, event, tool, project}) // a hint, no more
	return list
}

func (c placeStubs) OurHooks() []string {
	list, _ := ask[[]string](context.Background(), c.link, "Place.OurHooks", struct{}{})
	return list
}

// Leave asks the broker to go on in this process, and returns the flags that it has. It ends once the
// client is closed. Errors: ErrScreen.
func (c *Client) Leave(ctx context.Context) ([]string, error) {
	return ask[[]string](ctx, c.link, "Place.Leave", struct{}{})
}
