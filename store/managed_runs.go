package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
)

// How a managed session was started is run again when it is resumed, and the message that
// waits is said in its user's name. Both stand in the session's row, which is written too
// often to be sealed, so they count only when the log vouches for them.

var (
	sqlRunStarted = `SELECT ` + vouching("e") + ` FROM events e LEFT JOIN events ep ON ep.seq = e.seq - 1
		WHERE e.seq = (SELECT max(seq) FROM events WHERE session_id = ? AND type = '` + broker.EventRunStarted + `')`

	sqlMessageQueued = `SELECT ` + vouching("e") + ` FROM events e LEFT JOIN events ep ON ep.seq = e.seq - 1
		WHERE e.seq = (SELECT max(seq) FROM events WHERE session_id = ? AND type = '` + broker.EventMessageQueued + `'
			AND ` + inJSON("data", "id") + ` = ?)`
)

// vouchRun takes from s what it says of its run and its messages that the log does not.
// doubt says what the first of that was; nil when all is well.
func vouchRun(ctx context.Context, q querier, s *broker.Session) (doubt, err error) {
	if r := s.Run; r != nil && r.Program != "" {
		why, err := doubtStart(ctx, q, s)
		if err != nil {
			return nil, err
		}
		if why != nil {
			r.Program, r.Args, r.EnvSeal, r.EnvNames = "", nil, "", nil
			doubt = aboutRun("how it was started", why)
		}
	}
	for _, m := range messagesOf(s) {
		if *m == nil {
			continue
		}
		why, err := doubtMessage(ctx, q, s.ID, **m)
		if err != nil {
			return nil, err
		}
		if why != nil {
			*m = nil
			doubt = cmp.Or(doubt, aboutRun("its message", why))
		}
	}
	return doubt, nil
}

// errArchived says that what would vouch for a row may be in an archive: the row does not
// count, and nobody need have changed it.
var errArchived = errors.New("what the log had of it is archived")

func aboutRun(what string, doubt error) error {
	if errors.Is(doubt, errArchived) {
		return nil
	}
	return fmt.Errorf("%s: %w", what, doubt)
}

// messagesOf are where s has messages.
func messagesOf(s *broker.Session) []**broker.Message {
	if s.Run == nil {
		return []**broker.Message{&s.Message}
	}
	return []**broker.Message{&s.Message, &s.Run.Told}
}

// readRun reads into s the columns of its row that are JSON. What another program made
// unreadable is left out, so that nobody is kept from all the rest: a session of which it is
// not known how it is held has a Run that can neither go on nor be resumed, and says why.
// doubt is the first of it.
func readRun(s *broker.Session, subagents, run, message string) (doubt error) {
	note := func(what string, err error) {
		if err == nil {
			return
		}
		doubt = cmp.Or(doubt, fmt.Errorf("%s cannot be read: %w", what, err))
		if s.Run != nil {
			s.Run.Error = "its record is damaged: " + doubt.Error()
		}
	}
	var err error
	if s.Run, err = optionally[broker.Run](run); err == nil && s.Run != nil && !s.Run.Turn.Valid() {
		err = fmt.Errorf("turn %q", s.Run.Turn)
	}
	if err != nil {
		s.Run = &broker.Run{Turn: broker.TurnEnded}
		note("how it is held", err)
	}
	s.Message, err = optionally[broker.Message](message)
	note("its message", err)
	if err = json.Unmarshal([]byte(subagents), &s.Subagents); err != nil || len(s.Subagents) == 0 {
		s.Subagents = nil
	}
	note("its sub-agents", err)
	return doubt
}

// optionally reads what optional wrote; nil when that is nothing, or cannot be read.
func optionally[T any](text string) (*T, error) {
	if text == "" {
		return nil, nil
	}
	v := new(T)
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return nil, err
	}
	return v, nil
}

func doubtStart(ctx context.Context, q querier, s *broker.Session) (doubt, err error) {
	var start wire.RunStart
	said, doubt, err := readWitness(ctx, q, &start, broker.EventRunStarted, sqlRunStarted, s.ID)
	if err != nil || doubt != nil {
		return doubt, err
	}
	same := start.Program == s.Run.Program && start.CWD == s.CWD && slices.Equal(start.Args, s.Run.Args) &&
		start.EnvSeal == s.Run.EnvSeal && slices.Equal(start.EnvNames, s.Run.EnvNames)
	if !same {
		return fmt.Errorf("it is not what event %d recorded", said.seq.Int64), nil
	}
	return nil, nil
}

func doubtMessage(ctx context.Context, q querier, session string, m broker.Message) (doubt, err error) {
	var queued broker.Message
	said, doubt, err := readWitness(ctx, q, &queued, broker.EventMessageQueued, sqlMessageQueued, session, m.ID)
	if err != nil || doubt != nil {
		return doubt, err
	}
	if m.Failures = 0; m != queued {
		return fmt.Errorf("it is not what event %d recorded", said.seq.Int64), nil
	}
	return nil, nil
}

// readWitness reads the data of one event into v. doubt says why the log does not vouch for it.
func readWitness(ctx context.Context, q querier, v any, typ, query string, args ...any) (said witness, doubt, err error) {
	err = each(ctx, q, func(row scanner) error { return row.Scan(said.dest()...) }, query, args...)
	if err != nil {
		return said, nil, err
	}
	if !said.present() {
		b, err := readBase(ctx, q)
		if err == nil && b.seq > 0 {
			return said, errArchived, nil
		}
		return said, said.follows(typ, ""), err
	}
	if doubt = said.follows(typ, ""); doubt == nil {
		doubt = json.Unmarshal([]byte(said.data.String), v)
	}
	return said, doubt, nil
}
