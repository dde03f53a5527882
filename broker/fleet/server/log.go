package server

import (
	"context"
	"fmt"
	"log/slog"
)

// logger has the NATS server write into our log.
type logger struct{ log *slog.Logger }

func (l logger) say(level slog.Level, format string, v []any) {
	l.log.Log(context.Background(), level, "nats", "text", fmt.Sprintf(format, v...))
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
