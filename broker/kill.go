package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/aoctl/aoctl/broker/proctree"
)

// Killed is what was found of a session's processes, and what became of them. Commands in
// it are foreign text.
type Killed = proctree.Report

// What may become of a process; proctree says more of each.
const (
	ProcessRunning  = proctree.Running
	ProcessEnded    = proctree.Ended
	ProcessSurvived = proctree.Survived
	ProcessSpared   = proctree.Spared
)

// How much of a kill goes into the log.
const (
	maxKilledNoted   = 200 // processes
	maxCommandNoted  = 300 // bytes of each command
	maxProcessesTold = 2000
)

// KilledData is the data of an EventKillRequested and an EventSessionKilled.
type KilledData struct {
	By         Actor           `json:"by"`
	Processes  []KilledProcess `json:"processes"`      // the first 200
	More       int             `json:"more,omitempty"` // processes that are not listed
	Ended      int             `json:"ended"`          // processes that were seen to be gone
	Survivors  int             `json:"survivors"`      // processes that were to end and were not seen to
	Unfinished string          `json:"unfinished,omitempty"`
}

// KilledProcess is one process in a KilledData.
type KilledProcess struct {
	PID     int           `json:"pid"`
	Start   uint64        `json:"start"`
	Command string        `json:"command"`
	Why     string        `json:"why"`
	Fate    proctree.Fate `json:"fate"`
	Note    string        `json:"note,omitempty"`
}

// Processes lists a session's processes; see Console.
func (b *Broker) Processes(ctx context.Context, sessionID string) (Killed, error) {
	s, err := b.Session(ctx, sessionID)
	if err != nil {
		return Killed{}, err
	}
	r, err := proctree.Find(b.treeOf(s, Actor{}))
	if err != nil {
		return Killed{}, fmt.Errorf("processes of %s: %w", clip(sessionID), err)
	}
	r.Shared = b.sharers(s, r)
	return r, nil
}

// sharers are the other sessions that one of the processes in r serves: an agent may have one
// process for all of its sessions.
func (b *Broker) sharers(s Session, r Killed) []proctree.Sharer {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []proctree.Sharer
	for _, p := range r.Processes {
		if p.Fate == ProcessSpared || p.Fate == proctree.Unsure {
			continue
		}
		for id, se := range b.sessions {
			if at := se.s.Process; id != s.ID && !se.s.State.Ended() && p.PID == at.PID && p.Start == at.Start {
				list = append(list, proctree.Sharer{SessionID: id, Name: cmp.Or(se.s.Name, clip(id)), PID: p.PID})
			}
		}
	}
	slices.SortFunc(list, func(x, y proctree.Sharer) int { return cmp.Compare(x.SessionID, y.SessionID) })
	return list
}

// Kill stops a session and ends its processes; see Console. The stop is on record, and
// holds for its sub-agents too, before anything is touched; so is what is going to be
// ended. A session that has ended may have left processes behind: those are ended.
func (b *Broker) Kill(ctx context.Context, sessionID string, by Actor) (Session, Killed, error) {
	ctx = context.WithoutCancel(ctx) // half a kill is none
	s, err := b.Stop(ctx, sessionID, by)
	if errors.Is(err, ErrSessionEnded) {
		s, err = b.Session(ctx, sessionID)
	}
	if err != nil && !errors.Is(err, ErrNotRecorded) {
		return s, Killed{}, fmt.Errorf("kill: %w", err)
	}
	t := b.treeOf(s, by)
	found, findErr := proctree.Find(t)
	if findErr != nil {
		return s, Killed{}, fmt.Errorf("kill %s: %w", clip(sessionID), findErr)
	}
	// What cannot be written down is ended all the same: less runs then, not more.
	err = errors.Join(err, b.noteKill(ctx, EventKillRequested, s, by, found))
	shared := b.sharers(s, found)
	done, endErr := proctree.End(ctx, t)
	done.Shared = shared
	err = errors.Join(err, endErr, b.noteKill(ctx, EventSessionKilled, s, by, done))
	if now, lookErr := b.Session(ctx, sessionID); lookErr == nil {
		s = now
	}
	if err != nil {
		err = fmt.Errorf("kill %s: %w", clip(sessionID), err)
	}
	return s, done, err
}

// treeOf says which processes are a session's. Who asked for their end is spared, and so
// lives to hear of it.
func (b *Broker) treeOf(s Session, by Actor) proctree.Target {
	t := proctree.Target{PID: s.Process.PID, Start: s.Process.Start, SessionID: s.ID, Folder: cmp.Or(s.ProjectDir, s.CWD), Hooks: b.askers()}
	if by.Kind == ByProcess && by.PID > 0 {
		t.Spare = append(t.Spare, by.PID)
	}
	return t
}

// askers are the processes that wait for an answer.
func (b *Broker) askers() []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	var pids []int
	for _, e := range b.requests {
		if !e.req.State.Terminal() && e.req.Asker.PID > 1 {
			pids = append(pids, e.req.Asker.PID)
		}
	}
	return pids
}

func (b *Broker) noteKill(ctx context.Context, typ string, s Session, by Actor, r Killed) error {
	d := KilledData{By: by, Unfinished: r.Unfinished, Processes: []KilledProcess{}, Ended: r.Count(proctree.Ended)}
	if typ == EventSessionKilled {
		d.Survivors = r.Count(proctree.Survived) + r.Count(proctree.Spared)
	}
	for i, p := range r.Processes {
		if i == maxKilledNoted {
			d.More = len(r.Processes) - i
			break
		}
		d.Processes = append(d.Processes, KilledProcess{
			PID: p.PID, Start: p.Start, Command: cut(p.Command, maxCommandNoted), Why: p.Why, Fate: p.Fate, Note: p.Note,
		})
	}
	if err := b.commit(ctx, &Change{Sync: true, Events: []*Event{sessionEvent(typ, s, d)}}); err != nil {
		return fmt.Errorf("%w: %w", ErrNotRecorded, err)
	}
	return nil
}

// kill is POST /sessions/{id}/stop with {"kill": true}.
func (b *Broker) kill(w http.ResponseWriter, r *http.Request) {
	s, done, err := b.Kill(r.Context(), r.PathValue("id"), actorOf(r))
	if err != nil && len(done.Processes) == 0 {
		fail(w, err)
		return
	}
	answer := struct {
		sessionView

		Killed   Killed `json:"killed"`
		Over     bool   `json:"over"`     // nothing that was to end is known to live on
		Recorded bool   `json:"recorded"` // all of it is in the log
	}{sessionView{s, s.Status()}, told(done), done.Over(), err == nil}
	writeJSON(w, http.StatusOK, answer)
}

func (b *Broker) getSessionProcesses(w http.ResponseWriter, r *http.Request) {
	found, err := b.Processes(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, told(found))
}

// told keeps an answer to a size that can be read.
func told(r Killed) Killed {
	if more := len(r.Processes) - maxProcessesTold; more > 0 {
		r.Processes = r.Processes[:maxProcessesTold]
		r.Unfinished = cmp.Or(r.Unfinished, fmt.Sprintf("%d more are not listed", more))
	}
	return r
}
