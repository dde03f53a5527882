package words

import (
	"fmt"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// Standing says how long the call has waited and what may still be done.
func Standing(c *board.Card, now time.Time) (string, draw.Ink) {
	if c.Late() {
		return "late: " + callview.Ended(c.Req), draw.Warn
	}
	if c.PutOff() {
		return "deferred " + figures.Ago(now.Sub(c.Req.Checkpoint.At)) + " ago · no deadline", draw.Muted
	}
	d := c.Req.ExpiresAt.Sub(now)
	if c.Held() {
		return "frozen · refused in " + figures.Left(d) + " unless lifted", draw.Frozen
	}
	text := fmt.Sprintf("asked %s ago · %s left", figures.Clock(now.Sub(c.Req.CreatedAt)), figures.Left(d))
	if c.Changed {
		return "a file of it changed · " + text, draw.Warn
	}
	return text, draw.Muted
}

// NoLonger says of a call whose time is half over that it can be given no more.
func NoLonger(c *board.Card, now time.Time) string {
	_, whole := c.Span()
	if c.Late() || c.PutOff() || c.MayWait() || c.Req.ExpiresAt.Sub(now) >= whole/2 {
		return ""
	}
	return " · its asker waits no longer than that"
}

// WhatIsWrong is what is wrong, without what the broker was doing.
func WhatIsWrong(err error) string {
	text := broker.Plain(err)
	if _, rest, ok := strings.Cut(text, broker.ErrInvalid.Error()+": "); ok {
		return rest
	}
	return text
}
