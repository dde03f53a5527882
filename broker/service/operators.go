package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
)

// tokenPrefixes let people, hook clients and secret scanners see what a token is.
var tokenPrefixes = map[broker.TokenKind]string{broker.OperatorToken: "aoctl_op_", broker.AskingToken: "aoctl_ask_"}

// MintToken makes a token and returns it, this once; see Console.
func (b *Broker) MintToken(ctx context.Context, kind broker.TokenKind, label string, by broker.Actor) (string, error) {
	prefix, ok := tokenPrefixes[kind]
	switch {
	case by.Kind != broker.ByOperator:
		return "", fmt.Errorf("mint a token: %w", broker.ErrForbidden)
	case !ok:
		return "", fmt.Errorf("mint a token: %w: there is no kind %q", broker.ErrInvalid, kind)
	}
	if err := broker.CheckName("label", label); err != nil {
		return "", fmt.Errorf("mint a token: %w", err)
	}
	token := prefix + strings.ToLower(rand.Text())
	d := broker.TokenData{ID: uuid.NewString(), Kind: kind, Hash: hashToken(token), Label: label, By: by}
	if err := b.recordFact(ctx, broker.EventTokenMinted, d); err != nil {
		return "", fmt.Errorf("mint a token: %w", err)
	}
	return token, nil
}

// Tokens lists the tokens, oldest first.
func (b *Broker) Tokens(context.Context) []broker.Token {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []broker.Token
	for id, d := range b.keeper.tokens {
		list = append(list, broker.Token{ID: id, Kind: d.KindOrOperator(), Label: d.Label, CreatedAt: b.keeper.minted[id]})
	}
	slices.SortFunc(list, func(x, y broker.Token) int { return x.CreatedAt.Compare(y.CreatedAt) })
	return list
}

// RevokeToken ends a token. Errors: ErrNotFound, ErrNotRecorded.
func (b *Broker) RevokeToken(ctx context.Context, id string, by broker.Actor) error {
	b.mu.Lock()
	_, ok := b.keeper.tokens[id]
	b.mu.Unlock()
	if !ok {
		return fmt.Errorf("revoke token %s: %w", broker.Clip(id), broker.ErrNotFound)
	}
	if err := b.recordFact(ctx, broker.EventTokenRevoked, broker.TokenData{ID: id, By: by}); err != nil {
		return fmt.Errorf("revoke token %s: %w", id, err)
	}
	return nil
}

// recordFact writes a fact and makes it true.
func (b *Broker) recordFact(ctx context.Context, typ string, data any) error {
	b.keeper.changing.Lock()
	defer b.keeper.changing.Unlock()
	ev := broker.NewEvent(now(), typ, broker.Request{}, data)
	if err := b.commit(ctx, &broker.Change{Sync: true, Events: []*broker.Event{ev}}); err != nil {
		return fmt.Errorf("%w: %w", broker.ErrNotRecorded, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.keeper.fold(*ev)
}

func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// TrustFile lets the allow rules of a project's file count; see Console.
func (b *Broker) TrustFile(ctx context.Context, path, digest string, by broker.Actor) error {
	b.forgetFile(path) // what is trusted is what is there now
	b.mu.Lock()
	f, ok := b.keeper.files.known[path]
	var now string
	if ok {
		now = f.Digest
	}
	b.mu.Unlock()
	switch {
	case by.Kind != broker.ByOperator && digest != "":
		return fmt.Errorf("trust %s: %w", broker.Clip(path), broker.ErrForbidden)
	case !ok:
		return fmt.Errorf("trust %s: %w", broker.Clip(path), broker.ErrNotFound)
	case digest != "" && digest != now:
		return fmt.Errorf("trust %s: %w", path, broker.ErrStale)
	}
	if err := b.recordFact(ctx, broker.EventFileTrusted, broker.FileTrustedData{Path: path, Digest: digest, By: by}); err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	b.forgetFile(path)
	b.reassess(nil)
	return nil
}

// Observe switches observing on or off; see Console. It does not outlive the broker: a
// new one holds what the operator does not tell it to let go.
func (b *Broker) Observe(ctx context.Context, sessionID string, on bool, by broker.Actor) error {
	if on && by.Kind != broker.ByOperator {
		b.noteRefusal(ctx, broker.Request{SessionID: sessionID}, broker.RefusedData{Wanted: "observe", Kind: broker.NoOperator, Detail: broker.ErrForbidden.Error(), By: by})
		return fmt.Errorf("observe: %w", broker.ErrForbidden)
	}
	b.keeper.changing.Lock() // the last one in the log is what holds
	defer b.keeper.changing.Unlock()
	b.mu.Lock()
	se, ok := b.sessions[sessionID]
	b.mu.Unlock()
	if sessionID != "" && !ok {
		return fmt.Errorf("observe %s: %w", broker.Clip(sessionID), broker.ErrNotFound)
	}
	ev := broker.NewEvent(now(), broker.EventObserve, broker.Request{SessionID: sessionID}, map[string]any{"on": on, "by": by})
	if err := b.commit(ctx, &broker.Change{Sync: true, Events: []*broker.Event{ev}}); err != nil {
		return fmt.Errorf("observe: %w: %w", broker.ErrNotRecorded, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if sessionID == "" {
		b.observing, b.health.Observing = on, on
		b.publish(broker.Update{Health: new(b.health)})
		return nil
	}
	se.s.Observed = on
	b.publishSession(se)
	return nil
}
