package broker

import (
	"context"

	"github.com/aoctl/aoctl/broker/agents"
)

// Hear lets tests hand in a hook event without a socket.
func (b *Broker) Hear(ctx context.Context, h agents.Hook) (agents.Answer, error) {
	return b.observe(ctx, h, asking{})
}

// TurnStopped lets tests say that an answer which ends a turn was delivered.
func (b *Broker) TurnStopped(ctx context.Context, sessionID, subagentID string) {
	b.noteTurnStopped(ctx, sessionID, subagentID)
}

// AnswerTo is what a request's agent is told.
func AnswerTo(r Request) agents.Answer { return answerTo(r) }
