package server

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// logger has the NATS server write into our log.
type logger struct{ log *slog.Logger }

// ordinary is what a server warns of while a cluster comes together: it tries again until it does. It
// cannot know that routes prove the fleet's key to each other (see identity).
var ordinary = []string{
	"TLS certificate chain and hostname of solicited routes",
	"Error trying to connect to route",
	"Waiting for routing to be established",
	"JetStream has not established contact with a meta leader",
}

func (l logger) say(level slog.Level, format string, v []any) {
	text := fmt.Sprintf(format, v...)
	if slices.ContainsFunc(ordinary, func(begins string) bool { return strings.HasPrefix(text, begins) }) {
		level = slog.LevelInfo
	}
	l.log.Log(context.Background(), level, "nats", "text", text)
}

// Noticef is ordinary.
func (l logger) Noticef(format string, v ...any) { l.say(slog.LevelInfo, format, v) }

// Warnf is a warning.
func (l logger) Warnf(format string, v ...any) { l.say(slog.LevelWarn, format, v) }

// Fatalf is the end of the server.
func (l logger) Fatalf(format string, v ...any) { l.say(slog.LevelError, format, v) }

// Errorf is an error.
func (l logger) Errorf(format string, v ...any) { l.say(slog.LevelError, format, v) }

// Debugf is not asked for.
func (l logger) Debugf(format string, v ...any) { l.say(slog.LevelDebug, format, v) }

// Tracef is not asked for.
func (l logger) Tracef(format string, v ...any) { l.say(slog.LevelDebug, format, v) }
