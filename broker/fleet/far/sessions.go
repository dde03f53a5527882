package far

import (
	"context"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/story"
)

// about has the machine of a session do something about it.
func (d sessionDesk) about(sessionID string, do func(on consoles.Stubs, id string) (broker.Session, error)) (broker.Session, error) {
	k, err := d.sessionAt(sessionID)
	if err != nil {
		return broker.Session{}, err
	}
	s, err := do(d.on(k.machine), k.id)
	return d.oursToo(k.machine, s), err
}

// Stop stops a session. For a machine out of reach the stop waits: then there is a LaterError.
func (d sessionDesk) Stop(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, error) {
	return d.about(sessionID, func(on consoles.Stubs, id string) (broker.Session, error) { return on.Stop(ctx, id, by) })
}

// StopAll stops every session of every machine. LaterError says which machines confirmed; the numbers
// are theirs.
func (d sessionDesk) StopAll(ctx context.Context, by broker.Actor) (sessions, denied int, err error) {
	list := each(d.fleet, d.machines(everyone), func(id string) (s consoles.StoppedAll, err error) {
		s.Sessions, s.Denied, err = d.on(id).StopAll(ctx, by)
		return s, err
	})
	for _, r := range list {
		sessions, denied = sessions+r.value.Sessions, denied+r.value.Denied
	}
	return sessions, denied, outcome(list)
}

// Processes are those that a kill would end.
func (d sessionDesk) Processes(ctx context.Context, sessionID string) (broker.Killed, error) {
	k, err := d.sessionAt(sessionID)
	if err != nil {
		return broker.Killed{}, err
	}
	return d.on(k.machine).Processes(ctx, k.id)
}

// Kill ends the processes of a session.
func (d sessionDesk) Kill(ctx context.Context, sessionID string, by broker.Actor) (s broker.Session, killed broker.Killed, err error) {
	s, err = d.about(sessionID, func(on consoles.Stubs, id string) (s broker.Session, err error) {
		s, killed, err = on.Kill(ctx, id, by)
		return s, err
	})
	return s, killed, err
}

// ChangeSession names a session, or puts it away.
func (d sessionDesk) ChangeSession(ctx context.Context, sessionID string, c broker.SessionChange, by broker.Actor) (broker.Session, error) {
	return d.about(sessionID, func(on consoles.Stubs, id string) (broker.Session, error) { return on.ChangeSession(ctx, id, c, by) })
}

// Acknowledge takes an alarm back.
func (d sessionDesk) Acknowledge(ctx context.Context, sessionID string, by broker.Actor) error {
	_, err := d.about(sessionID, func(on consoles.Stubs, id string) (broker.Session, error) {
		return broker.Session{}, on.Acknowledge(ctx, id, by)
	})
	return err
}

// Observe has nothing of a session held, or of all.
func (d sessionDesk) Observe(ctx context.Context, sessionID string, on bool, by broker.Actor) error {
	if sessionID == "" {
		return outcome(each(d.fleet, d.machines(everyone), func(id string) (struct{}, error) {
			return struct{}{}, d.on(id).Observe(ctx, "", on, by)
		}))
	}
	k, err := d.sessionAt(sessionID)
	if err != nil {
		return err
	}
	return d.on(k.machine).Observe(ctx, k.id, on, by)
}

// Say says something to a session.
func (d sessionDesk) Say(ctx context.Context, sessionID, text string, by broker.Actor) (broker.Session, error) {
	return d.about(sessionID, func(on consoles.Stubs, id string) (broker.Session, error) { return on.Say(ctx, id, text, by) })
}

// Interrupt ends a session's turn.
func (d sessionDesk) Interrupt(ctx context.Context, sessionID string, by broker.Actor) error {
	_, err := d.about(sessionID, func(on consoles.Stubs, id string) (broker.Session, error) {
		return broker.Session{}, on.Interrupt(ctx, id, by)
	})
	return err
}

// Launch starts a session. Its folder says on which machine, as "dev-box:/home/ada/src"; the name may
// be left out in a fleet of one machine. Errors: ErrWhere.
func (d sessionDesk) Launch(ctx context.Context, n broker.NewRun, by broker.Actor) (broker.Session, error) {
	id, folder, err := d.where(n.Folder)
	if err != nil {
		return broker.Session{}, err
	}
	n.Folder = folder
	s, err := d.on(id).Launch(ctx, n, by)
	return d.oursToo(id, s), err
}

// where is the machine that a folder with its name in front says, and the folder there.
func (f *fleet) where(folder string) (id, path string, err error) {
	name, path, ok := strings.Cut(folder, ":")
	if ok && !strings.Contains(name, "/") {
		named := f.machines(func(p *peer) bool { return p.member.Name == name })
		if len(named) == 1 {
			return named[0], path, nil
		}
		return "", "", fmt.Errorf("%w: %d machines are called %s", ErrWhere, len(named), broker.Clip(name))
	}
	all := f.machines(everyone)
	if len(all) == 1 {
		return all[0], folder, nil
	}
	example := "dev-box"
	if len(all) > 0 {
		example = f.machine(all[0]).Name
	}
	return "", "", fmt.Errorf("%w: put its name before the folder, such as %s:%s", ErrWhere, broker.Clip(example), broker.Clip(folder))
}

// Resume takes a session up.
func (d sessionDesk) Resume(ctx context.Context, sessionID string, by broker.Actor) (broker.Resumption, error) {
	k, err := d.sessionAt(sessionID)
	if err != nil {
		return broker.Resumption{}, err
	}
	return d.on(k.machine).Resume(ctx, k.id, by)
}

// Timeline is a page of a session's events. Errors: ErrOne for events of no session, in a fleet of
// several machines: each has a log of its own.
func (d sessionDesk) Timeline(ctx context.Context, e broker.EventFilter) ([]story.Moment, error) {
	id := ""
	switch {
	case e.SessionID != "":
		k, err := d.sessionAt(e.SessionID)
		if err != nil {
			return nil, err
		}
		id, e.SessionID = k.machine, k.id
	case e.Ran != "":
		k, err := d.callAt(e.Ran)
		if err != nil {
			return nil, err
		}
		id, e.Ran = k.machine, k.id
	default:
		one, err := d.only()
		if err != nil {
			return nil, err
		}
		id = one
	}
	list, err := d.on(id).Timeline(ctx, e)
	for i := range list {
		if list[i].Call != nil {
			list[i].Call = new(d.ours(id, *list[i].Call))
		}
	}
	return list, err
}

// only is the machine of a fleet of one. Errors: ErrOne.
func (f *fleet) only() (string, error) {
	all := f.machines(everyone)
	if len(all) != 1 {
		return "", ErrOne
	}
	return all[0], nil
}

// Transcript is a part of what a session's agent wrote down.
func (d sessionDesk) Transcript(ctx context.Context, sessionID string, part story.TranscriptPart, have story.TranscriptSpan) (story.Transcript, error) {
	k, err := d.sessionAt(sessionID)
	if err != nil {
		return story.Transcript{}, err
	}
	return d.on(k.machine).Transcript(ctx, k.id, part, have)
}
