package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/proctree"
)

// How much of a kill goes into the log.
const (
	maxKilledNoted  = 200 // processes
	maxCommandNoted = 300 // bytes of each command
)

// Processes lists the processes of a session as far as they can be found, without touching them.
// Errors: ErrNotFound, proctree.ErrUnsupported.
func (b *Broker) Processes(ctx context.Context, sessionID string) (broker.Killed, error) {
	s, err := b.Session(ctx, sessionID)
	if err != nil {
		return broker.Killed{}, err
	}
	r, err := proctree.Find(b.treeOf(s, broker.Actor{}))
	if err != nil {
		return broker.Killed{}, fmt.Errorf("processes of %s: %w", broker.Clip(sessionID), err)
	}
	r.Shared = b.sharers(s, r)
	return r, nil
}

// sharers are the other sessions that one of the processes in r serves: an agent may have one
// process for all of its sessions.
func (b *Broker) sharers(s broker.Session, r broker.Killed) []proctree.Sharer {
	var list []proctree.Sharer
	sessions := b.view.Sessions()
	for _, p := range r.Processes {
		if p.Fate == broker.ProcessSpared || p.Fate == proctree.Unsure {
			continue
		}
		for _, other := range sessions {
			if at := other.Process; other.ID != s.ID && !other.State.Ended() && p.PID == at.PID && p.Start == at.Start {
				list = append(list, proctree.Sharer{SessionID: other.ID, Name: cmp.Or(other.Name, broker.Clip(other.ID)), PID: p.PID})
			}
		}
	}
	slices.SortFunc(list, func(x, y proctree.Sharer) int { return cmp.Compare(x.SessionID, y.SessionID) })
	return list
}

// Kill stops a session, then ends its processes: the agent's, what it started, and what left the
// tree. It takes up to eight seconds and says what was seen to end. Errors: those of Processes, and
// ErrNotRecorded (all the same it was done). The stop is on record, and
// holds for its sub-agents too, before anything is touched; so is what is going to be
// ended. A session that has ended may have left processes behind: those are ended.
func (b *Broker) Kill(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, broker.Killed, error) {
	ctx = context.WithoutCancel(ctx) // half a kill is none
	s, err := b.Stop(ctx, sessionID, by)
	if errors.Is(err, broker.ErrSessionEnded) {
		s, err = b.Session(ctx, sessionID)
	}
	if err != nil && !errors.Is(err, broker.ErrNotRecorded) {
		return s, broker.Killed{}, broker.While(err, "kill")
	}
	t := b.treeOf(s, by)
	found, findErr := proctree.Find(t)
	if findErr != nil {
		return s, broker.Killed{}, broker.While(findErr, "kill %s", broker.Clip(sessionID))
	}
	// What cannot be written down is ended all the same: less runs then, not more.
	err = errors.Join(err, b.noteKill(broker.EventKillRequested, s, by, found))
	shared := b.sharers(s, found)
	done, endErr := proctree.End(ctx, t)
	done.Shared = shared
	err = errors.Join(err, endErr, b.noteKill(broker.EventSessionKilled, s, by, done))
	if now, lookErr := b.Session(ctx, sessionID); lookErr == nil {
		s = now
	}
	if err != nil {
		err = broker.While(err, "kill %s", broker.Clip(sessionID))
	}
	return s, done, err
}

// treeOf says which processes are a session's. Who asked for their end is spared, and so
// lives to hear of it.
func (b *Broker) treeOf(s broker.Session, by broker.Actor) proctree.Target {
	// Hook clients wait for this console and are told of the stop, so they are known to the
	// search.
	t := proctree.Target{PID: s.Process.PID, Start: s.Process.Start, SessionID: s.ID, Folder: cmp.Or(s.ProjectDir, s.CWD), Hooks: b.askers()}
	if by.Kind == broker.ByProcess && by.PID > 0 {
		t.Spare = append(t.Spare, by.PID)
	}
	return t
}

// askers are the processes that wait for an answer. A pid of 1 or less is nobody's hook: 0 stands
// for a pid that is not known.
func (b *Broker) askers() []int {
	var pids []int
	for _, r := range b.view.Pending("") {
		if r.Asker.PID > 1 {
			pids = append(pids, r.Asker.PID)
		}
	}
	return pids
}

// noteKill records what a kill is going to end, or what it ended, within the bounds above.
func (b *Broker) noteKill(typ string, s broker.Session, by broker.Actor, r broker.Killed) error {
	d := broker.KilledData{By: by, Unfinished: r.Unfinished, Processes: []broker.KilledProcess{}, Ended: r.Count(proctree.Ended)}
	if typ == broker.EventSessionKilled {
		d.Survivors = r.Count(proctree.Survived) + r.Count(proctree.Spared)
	}
	for i, p := range r.Processes {
		if i == maxKilledNoted {
			d.More = len(r.Processes) - i
			break
		}
		d.Processes = append(d.Processes, broker.KilledProcess{
			PID: p.PID, Start: p.Start, Command: broker.Cut(p.Command, maxCommandNoted), Why: p.Why, Fate: p.Fate, Note: p.Note,
		})
	}
	return b.loop.Do(engine.Note{Sync: true, Events: []*broker.Event{broker.SessionEvent(now(), typ, s, d)}}).Err
}
