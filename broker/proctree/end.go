package proctree

import (
	"context"
	"errors"
	"time"
)

const (
	// groupAfter is how many looks of killing one by one may go by before whole groups
	// are killed: a group cannot start anything while it is being killed.
	groupAfter = 1
	// quietLooks is how many looks in a row must find nothing: what starts its successor
	// and ends can slip through one.
	quietLooks = 3
	// killLooks is how many looks there are for killing at the least, however long they take: on a
	// busy machine its time may be over after two.
	killLooks = 10
)

// end stops everything that is found, asks it to end, and kills what does not. After each step
// it looks again, since what was found late may have started more. Whatever happens, it leaves
// no process held that it has not asked to end.
func (l *search) end(ctx context.Context) (Report, error) {
	_, err := l.until(ctx, l.pace.hold, 1, func(int) (bool, error) {
		fresh, err := l.fresh(hold)
		return len(fresh) == 0, err
	})
	for _, m := range l.order {
		if !m.hook {
			l.send(m, term)
			l.send(m, resume) // what is held does not hear that it is to end
		}
	}
	defer l.letGo()
	if err != nil { // whatever comes now is not seen; but nothing stays held for good
		return l.report(), err
	}
	// What ends by itself can still put its things in order.
	over, err := l.until(ctx, l.pace.grace, 1, func(int) (bool, error) {
		fresh, err := l.fresh(term)
		l.release()
		if err != nil || len(fresh) > 0 || l.living() > 0 {
			return false, err
		}
		return true, l.killGroups() // what runs in them now is what no look has caught
	})
	// Only what had its time to end by itself is killed.
	if err == nil && !over {
		over, err = l.until(ctx, l.pace.kill, killLooks, l.killAll)
	}
	if !over && l.problem == "" && l.living() == 0 {
		l.problem = "new processes kept appearing until there was no time left"
	}
	return l.verdict(), err
}

// until calls quiet until it has said yes for several looks in a row, or the time is over and there
// were so many looks. quiet gets the number of the look, from 0. An error of quiet ends it at once.
func (l *search) until(ctx context.Context, most time.Duration, looks int, quiet func(round int) (bool, error)) (bool, error) {
	over := time.NewTimer(most)
	defer over.Stop()
	next := time.NewTicker(l.pace.pause)
	defer next.Stop()
	late := false
	for round, in := 0, 0; ; round++ {
		yes, err := quiet(round)
		if err != nil {
			return false, err
		}
		if in++; !yes {
			in = 0
		}
		if in == quietLooks {
			return true, nil
		}
		select {
		case <-next.C:
		case <-over.C:
			late = true
		case <-ctx.Done():
			l.problem = "it was interrupted"
			return false, nil
		}
		if late && round+1 >= looks {
			return false, nil
		}
	}
}

// fresh looks again and sends s to what is new, parents first. A hook is only held, whatever s
// is.
func (l *search) fresh(s signal) ([]*member, error) {
	fresh, err := l.update()
	for _, m := range fresh {
		l.take(m)
		if m.hook {
			l.send(m, hold)
			continue
		}
		l.send(m, s)
	}
	return fresh, err
}

// killAll kills what lives, and reports whether there was nothing. From the second look on it
// kills groups as well.
func (l *search) killAll(round int) (bool, error) {
	fresh, err := l.fresh(kill)
	if err != nil {
		return false, err
	}
	living := 0
	for _, m := range l.order {
		if m.handle == nil || !m.handle.alive() {
			continue
		}
		living++
		// A hook that is still heard would be taken for an answer.
		if !m.hook || !m.isHeard() {
			m.killed, m.released = true, true
			l.send(m, kill)
		}
	}
	if round >= groupAfter {
		return len(fresh) == 0 && living == 0, l.killGroups()
	}
	return len(fresh) == 0 && living == 0, nil
}

// killGroups kills the groups that the agent's processes made, as a whole, but for those that
// hold somebody else. The table is read anew, as a group may have new members by now.
func (l *search) killGroups() error {
	tab, err := l.table()
	if err != nil {
		return err
	}
	// A shell puts a pipeline into one group, and the rest of the pipeline is not the agent's.
	besides := map[int]bool{}
	for _, p := range tab.list {
		if _, counts := l.members[p.id()]; !counts && l.besideAgent(p) {
			besides[p.Group] = true
		}
	}
	for group := range l.groups {
		if !besides[group] && !l.holdsHook(group) && !tab.shared(group, func(q Process) int { return q.Group }) {
			_ = l.sys.signalGroup(group, kill) // what it did is seen with the next look
		}
	}
	return nil
}

// take gets hold of a process, so that no other one can be met in its place. Without a hold
// nothing is ever sent to it.
func (l *search) take(m *member) {
	m.handle, m.err = l.sys.open(m.Process)
	if m.handle == nil && m.err == nil {
		m.err = errGone
	}
}

// send keeps the error for the verdict: most often the process has gone, which is what is
// wanted.
func (l *search) send(m *member, s signal) {
	if m.handle == nil {
		return
	}
	m.err = m.handle.send(s)
}

// living is how many members still run.
func (l *search) living() int {
	n := 0
	for _, m := range l.order {
		if m.handle != nil && m.handle.alive() {
			n++
		}
	}
	return n
}

// verdict says what became of each. It asks once more, as a killed process takes a moment to
// go.
func (l *search) verdict() Report {
	for _, m := range l.order {
		gone := m.handle == nil && errors.Is(m.err, errGone) || m.handle != nil && !m.handle.alive()
		switch {
		case gone:
			m.Fate = Ended
			if m.killed {
				m.Note = "killed: it did not end when it was asked to"
			}
		case m.err != nil && !errors.Is(m.err, errGone):
			m.Fate, m.Note = Survived, m.err.Error()
		case m.hook && m.isHeard():
			m.Fate, m.Note = Survived, "its agent still runs, and would take its end for permission"
		case m.killed:
			m.Fate, m.Note = Survived, "it still runs after having been killed"
		default:
			m.Fate, m.Note = Survived, "it was not killed: there was no time left"
		}
	}
	return l.report()
}
