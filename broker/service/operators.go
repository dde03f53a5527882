package service

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/once"
	"github.com/aoctl/aoctl/broker/policy"
)

// tokenPrefixes let people, hook clients and secret scanners see what a token is.
var tokenPrefixes = map[broker.TokenKind]string{broker.OperatorToken: "aoctl_op_", broker.AskingToken: "aoctl_ask_"}

// MintToken makes a token and returns it, this once. Errors: ErrForbidden, ErrInvalid,
// ErrNotRecorded. Only its hash is kept, so it cannot be shown again. The token has some 128 bits
// that nobody can guess, and its prefix tells a person what it is for.
func (b *Broker) MintToken(_ context.Context, kind broker.TokenKind, label string, by broker.Actor) (string, error) {
	prefix, ok := tokenPrefixes[kind]
	switch {
	case by.Kind != broker.ByOperator:
		return "", broker.While(broker.ErrForbidden, "mint a token")
	case !ok:
		return "", broker.While(fmt.Errorf("%w: there is no kind %q", broker.ErrInvalid, kind), "mint a token")
	}
	if err := broker.CheckName("label", label); err != nil {
		return "", broker.While(err, "mint a token")
	}
	token := prefix + strings.ToLower(rand.Text())
	d := broker.TokenData{ID: uuid.NewString(), Kind: kind, Hash: broker.HashToken(token), Label: label, By: by}
	if err := b.loop.Do(engine.MintToken{Token: d}).Err; err != nil {
		return "", broker.While(err, "mint a token")
	}
	return token, nil
}

// MintOnce makes a token for call id alone and returns it, this once. It is on record before anybody has
// it. Errors: ErrNotFound, ErrAlreadyDecided, ErrDangerous, once.ErrMost, ErrNotRecorded.
func (b *Broker) MintOnce(id string) (string, error) {
	req, ok := b.view.Request(id)
	if !ok {
		return "", broker.While(broker.ErrNotFound, "mint a token for %s", broker.Clip(id))
	}
	token, err := b.once.Mint(once.Call{ID: req.ID, Digest: req.Digest})
	if err == nil {
		err = b.loop.Do(engine.MintOnce{ID: id}).Err
	}
	if err != nil {
		b.once.Drop(id)
		return "", broker.While(err, "mint a token for %s", broker.Clip(id))
	}
	b.callEnded(id) // it may have, before the token was there to be dropped
	return token, nil
}

// callEnded forgets the token of a call that no longer waits.
func (b *Broker) callEnded(id string) {
	if r, ok := b.view.Request(id); !ok || r.State != broker.Pending || r.Checkpoint != nil {
		b.once.Drop(id)
	}
}

// KeyOf is a console's key. Errors: consoles.ErrNotPaired, and an error of its own while the log
// cannot be trusted to say which keys there are.
func (b *Broker) KeyOf(hash string) (broker.Token, error) {
	for _, t := range b.view.Tokens() {
		if t.Kind == broker.ConsoleKey && t.Hash == hash {
			return shown(t), nil
		}
	}
	if problem := b.view.Health().LogBroken; problem != "" {
		return broker.Token{}, fmt.Errorf("no console's key counts while the log is in doubt: %s", problem)
	}
	return broker.Token{}, consoles.ErrNotPaired
}

// Pair puts a console's key in force. Errors: ErrNotRecorded.
func (b *Broker) Pair(d broker.TokenData) error {
	if err := b.loop.Do(engine.MintToken{Token: d}).Err; err != nil {
		return broker.While(err, "pair a console")
	}
	return nil
}

// NoteLeft records that the broker goes on in another process: "a process of its own", "a console".
// Errors: ErrNotRecorded.
func (b *Broker) NoteLeft(to string, by broker.Actor) error {
	e := broker.NewEvent(now(), broker.EventBrokerLeft, broker.Request{}, map[string]any{"to": to, "by": by})
	if err := b.loop.Do(engine.Note{Events: []*broker.Event{e}, Sync: true}).Err; err != nil {
		return broker.While(err, "hand the broker over")
	}
	return nil
}

// shown is a token as it is listed.
func shown(t engine.Token) broker.Token {
	return broker.Token{ID: t.ID, Kind: t.KindOrOperator(), Label: t.Label, CreatedAt: t.At}
}

// Tokens lists the tokens, oldest first.
func (b *Broker) Tokens(context.Context) []broker.Token {
	var list []broker.Token
	for _, t := range b.view.Tokens() {
		list = append(list, shown(t))
	}
	return list
}

// RevokeToken ends a token. Errors: ErrNotFound, ErrNotRecorded. Who acted with it before stays
// on record by its id.
func (b *Broker) RevokeToken(_ context.Context, id string, by broker.Actor) error {
	if err := b.loop.Do(engine.RevokeToken{ID: id, By: by}).Err; err != nil {
		return broker.While(err, "revoke token %s", broker.Clip(id))
	}
	return nil
}

// NeedTwo has dangerous calls be allowed by two operators from now on, where e says so. It is called
// again when e has changed its mind: cards say what holds.
func (b *Broker) NeedTwo(e policy.Eyes) {
	b.policy.SetEyes(e)
	b.RulesChanged("")
}
