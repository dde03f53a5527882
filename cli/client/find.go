package client

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
)

// FindSession picks the one session that ref names: its id, a prefix of its id,
// its name, its folder, or its folder's name. Living sessions come before ended
// ones, which only count with endedToo. An ambiguous ref is a usage.Error that
// lists the candidates; an unknown or ended one is an exit.Error with exit.NotFound.
func FindSession(sessions []broker.Session, ref string, endedToo bool) (broker.Session, error) {
	var live, over []broker.Session
	for _, s := range sessions {
		switch {
		case s.ID == ref && (endedToo || !Ended(s) || s.State == broker.SessionStopped):
			return s, nil
		case !namesSession(s, ref):
		case Ended(s):
			over = append(over, s)
		default:
			live = append(live, s)
		}
	}
	if len(live) == 0 && endedToo {
		live = over
	}
	switch {
	case len(live) == 1:
		return live[0], nil
	case len(live) > 1:
		return broker.Session{}, usage.Ambiguous("session", ref, sessionLines(live))
	case len(over) > 0:
		newest := slices.MaxFunc(over, func(a, b broker.Session) int { return a.LastSeenAt.Compare(b.LastSeenAt) })
		if newest.State == broker.SessionStopped { // stopping twice is fine, also when the agent left on the first
			return newest, nil
		}
		return broker.Session{}, exit.Error{
			Code: exit.NotFound, Text: fmt.Sprintf("session %s has already ended (%s)", show.SessionName(newest), newest.State),
			Hint: "there is nothing left to stop",
		}
	}
	return broker.Session{}, exit.Error{
		Code: exit.NotFound, Text: fmt.Sprintf("no session is called %q", ref),
		Hint: "see which there are: aoctl sessions --all",
	}
}

// Session asks for the one session, living or ended, that ref names.
func (c *Client) Session(ctx context.Context, ref string) (broker.Session, error) {
	all, err := c.Sessions(ctx)
	if err != nil {
		return broker.Session{}, err
	}
	return FindSession(Plain(all), ref, true)
}

// Ended reports whether no process stands behind s any more. One that was stopped
// stays "stopped" when its agent leaves.
func Ended(s broker.Session) bool { return s.State.Ended() || !s.EndedAt.IsZero() }

func namesSession(s broker.Session, ref string) bool {
	if strings.HasPrefix(s.ID, ref) || s.Name == ref {
		return true
	}
	if strings.ContainsRune(ref, filepath.Separator) || ref == "." || ref == ".." {
		path, err := filepath.Abs(ref)
		return err == nil && (s.CWD == path || s.ProjectDir == path)
	}
	return folderName(s.CWD) == ref || folderName(s.ProjectDir) == ref
}

func folderName(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}

func sessionLines(sessions []broker.Session) []string {
	ids := make([]string, len(sessions))
	for i, s := range sessions {
		ids[i] = s.ID
	}
	short := show.ShortIDs(ids)
	lines := make([]string, len(sessions))
	for i, s := range sessions {
		lines[i] = fmt.Sprintf("%s  %s  %s  %s", short[s.ID], s.Agent, s.Name, s.CWD)
	}
	return lines
}

// Waiting asks for the one waiting call whose id is ref or begins with it.
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

// FindRequest picks the one waiting call whose id is ref or begins with it.
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
	return broker.Request{}, false, usage.Ambiguous("waiting call", ref, lines)
}
