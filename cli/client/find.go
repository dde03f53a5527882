package client

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/sessionnames"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
)

// Living and Recorded are what most commands look for: sessions that can still do
// something, and those on record, where an ended one counts only when no living one fits.
// Neither is ever changed.
var (
	Living   = []sessionnames.Kind{sessionnames.Alive}
	Recorded = []sessionnames.Kind{sessionnames.Alive, sessionnames.Any}
)

// FindSession picks the one session that ref names: by what the screen calls it, its name, its
// id or the beginning or end of it, its folder, or its folder's name. Sessions of an earlier
// kind come before those of a later one. An ambiguous ref is a usage.Error that lists
// the candidates; an unknown or ended one is an exit.Error with exit.NotFound.
func FindSession(sessions []broker.Session, ref string, kinds ...sessionnames.Kind) (broker.Session, error) {
	switch found := sessionnames.Pick(sessions, ref, kinds...); len(found) {
	case 0:
		return lastEnded(sessionnames.Pick(sessions, ref, sessionnames.Any), ref)
	case 1:
		return found[0], nil
	default:
		return broker.Session{}, usage.Ambiguous("session", ref, sessionLines(sessions, found))
	}
}

// lastEnded answers for sessions that are not of the kind that is asked for. Stopping twice
// is fine, also when the agent left on the first stop. Of several the one seen last is
// meant.
func lastEnded(over []broker.Session, ref string) (broker.Session, error) {
	if len(over) == 0 {
		return broker.Session{}, exit.Error{
			Code: exit.NotFound, Text: fmt.Sprintf("no session is called %q", ref),
			Hint: "see which there are: aoctl session list --all",
		}
	}
	newest := slices.MaxFunc(over, func(a, b broker.Session) int { return a.LastSeenAt.Compare(b.LastSeenAt) })
	if newest.State == broker.SessionStopped {
		return newest, nil
	}
	return broker.Session{}, exit.Error{
		Code: exit.NotFound, Text: fmt.Sprintf("session %s has already ended (%s)", show.SessionName(newest), newest.State),
		Hint: "see which go on: aoctl session list",
	}
}

// Named is a session with what the screen calls it among all there are.
type Named struct {
	broker.Session
	Label string
}

// Session asks for the one session that ref names, of the kinds given. The errors are those
// of FindSession.
func (c *Client) Session(ctx context.Context, ref string, kinds ...sessionnames.Kind) (Named, error) {
	all, err := c.Sessions(ctx)
	if err != nil {
		return Named{}, err
	}
	s, err := FindSession(Plain(all), ref, kinds...)
	return Named{s, show.SessionNames(Plain(all))[s.ID]}, err
}

// sessionLines lists candidates, the word that means each of them in front.
func sessionLines(all, found []broker.Session) []string {
	words := SessionWords(all)
	lines := make([]string, len(found))
	for i, s := range found {
		lines[i] = words[s.ID] + "  " + strings.Join(sessionText(s, words[s.ID]), "  ")
	}
	return lines
}

// sessionText is what tells s from others, beside the word for it: its name where the word
// does not show it, its agent, its state and its folder.
func sessionText(s broker.Session, word string) []string {
	parts := []string{s.Agent, s.Word(), s.CWD}
	if name := show.SessionName(s); !strings.HasPrefix(word, name) {
		parts = append([]string{name}, parts...)
	}
	return parts
}

// SessionWords are the words to type for sessions: what the screen calls them, where every
// shell takes that as it is, else the id.
func SessionWords(sessions []broker.Session) map[string]string {
	words := show.SessionNames(sessions)
	for id, word := range words {
		if !usage.Typable(word) {
			words[id] = id
		}
	}
	return words
}

// Waiting asks for the one waiting call whose id is ref or begins with it. None is no
// error: a command may look elsewhere.
func (c *Client) Waiting(ctx context.Context, ref string) (call broker.Request, found bool, err error) {
	waiting, err := c.Pending(ctx, "")
	if err != nil {
		return call, false, err
	}
	plain := make([]broker.Request, len(waiting))
	for i, r := range waiting {
		plain[i] = r.Request
	}
	return FindRequest(plain, ref)
}

// FindRequest picks the one waiting call whose id is ref or begins with it. A whole id wins
// over one that only begins with it. None is no error, several are a usage.Error that lists
// them.
func FindRequest(pending []broker.Request, ref string) (broker.Request, bool, error) {
	var found []broker.Request
	for _, r := range pending {
		if r.ID == ref {
			return r, true, nil
		}
		if strings.HasPrefix(r.ID, ref) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return broker.Request{}, false, nil
	case 1:
		return found[0], true, nil
	}
	lines := make([]string, len(found))
	for i, r := range found {
		lines[i] = fmt.Sprintf("%s  %s", r.ID, show.Call(r))
	}
	return broker.Request{}, false, usage.Ambiguous("call", ref, lines)
}
