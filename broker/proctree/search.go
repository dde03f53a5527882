package proctree

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/aoctl/aoctl/hookclient/profile"
)

// member is a process that counts, and our hold on it. It stays one when the process has gone.
type member struct {
	Found
	depth  int // below the agent; 0 for what left the tree
	handle handle
	err    error // why there is no handle, or why a signal could not be sent
	killed bool

	hook        bool    // an agent waits for its end; see markHooks
	hears       *member // who waits; nil when that process is not a member
	sparedHears bool    // it is one that is never ended
	released    bool    // it may end
}

// search is one search for a session's processes. It remembers what it saw, because a process
// that is gone may have left others behind in its group or session. Members are never taken
// out.
type search struct {
	t        Target
	sys      system
	pace     patience
	members  map[id]*member
	order    []*member
	spared   map[id]Found
	unsure   map[id]Found
	groups   map[int]int  // process groups that the agent's processes made, and a member of each
	sessions map[int]int  // the same for POSIX sessions
	pids     map[int]bool // of all members there ever were
	agent    Process      // as it was first seen; zero when it was gone by then
	problem  string
}

// newSearch is a search that has not looked yet. Errors: ErrUnsupported.
func newSearch(t Target) (*search, error) {
	l := &search{
		t: t, sys: t.sys, pace: usual,
		members: map[id]*member{}, spared: map[id]Found{}, unsure: map[id]Found{},
		groups: map[int]int{}, sessions: map[int]int{}, pids: map[int]bool{},
	}
	if l.sys == nil {
		l.sys = machine()
	}
	if l.sys == nil {
		return nil, ErrUnsupported
	}
	if t.pace != nil {
		l.pace = *t.pace
	}
	return l, nil
}

// table is the process table as of one moment, or nearly: it is read process by process.
type table struct {
	by        map[int]Process
	list      []Process
	untouched map[int]string // processes that are never ended, and why
}

// table reads the process table.
func (l *search) table() (table, error) {
	list, err := l.sys.list()
	if err != nil {
		return table{}, err
	}
	tab := table{by: make(map[int]Process, len(list)), list: list}
	for _, p := range list {
		tab.by[p.PID] = p
	}
	tab.untouched = l.untouchable(tab)
	if root, ok := l.root(tab); ok && l.agent.PID == 0 {
		l.agent = root
	}
	return tab, nil
}

// update looks at the process table and returns the members that are new, parents first. One
// process may make others count, by its group or as their parent, so the table is gone through
// until nothing changes.
func (l *search) update() ([]*member, error) {
	tab, err := l.table()
	if err != nil {
		return nil, err
	}
	known := len(l.order)
	for changed := true; changed; {
		changed = false
		for _, p := range tab.list {
			changed = l.consider(tab, p) || changed
		}
	}
	l.suspect(tab)
	l.markHooks()
	return l.order[known:], nil
}

// untouchable lists what is never ended: us and those above us, those above the agent, the
// first process, what the caller named, and the servers of terminals. It is made anew with each
// table, as all of these may change.
func (l *search) untouchable(tab table) map[int]string {
	kept := map[int]string{0: "the kernel", 1: "the first process"}
	for _, pid := range l.t.Spare {
		kept[pid] = "it asked for this"
	}
	above := func(pid int, why string) {
		for range len(tab.list) {
			p, ok := tab.by[pid]
			if !ok || p.Parent <= 1 {
				return
			}
			pid = p.Parent
			kept[pid] = why
		}
	}
	if root, ok := l.root(tab); ok {
		above(root.PID, "the agent was started below it")
	}
	above(l.sys.self(), "this console was started below it")
	kept[l.sys.self()] = "this is the console itself"
	for _, p := range tab.list {
		if isTerminalServer(p.Name) {
			kept[p.PID] = "it serves terminals, maybe others too"
		}
	}
	return kept
}

// isTerminalServer knows the programs that hold other people's terminals. What they start is
// not the session's because of that.
func isTerminalServer(name string) bool {
	for _, s := range []string{"tmux: server", "tmux", "screen", "SCREEN", "zellij", "sshd", "dtach", "abduco"} {
		if name == s {
			return true
		}
	}
	return strings.HasPrefix(name, "sshd-")
}

// root is the agent's process, if it still is that run of it; false without a start to compare.
func (l *search) root(tab table) (Process, bool) {
	p, ok := tab.by[l.t.PID]
	return p, ok && l.t.PID > 1 && l.t.Start != 0 && p.Start == l.t.Start
}

// consider takes p in when it counts. It reports whether that is news. What must not be touched
// is noted as spared, and makes its children count all the same.
func (l *search) consider(tab table, p Process) bool {
	if _, known := l.members[p.id()]; known {
		return false
	}
	if _, known := l.spared[p.id()]; known {
		return false
	}
	// Whether it counts comes before whether it may be touched, as a spared one links others.
	why, depth := l.why(tab, p)
	if why == "" {
		return false
	}
	// What was suspected is now known to count.
	delete(l.unsure, p.id())
	if reason, no := tab.untouched[p.PID]; no {
		if p.PID > 1 {
			p.Command = l.sys.command(p)
			l.spared[p.id()] = Found{Process: p, Why: why, Fate: Spared, Note: reason}
		}
		return false
	}
	l.lead(tab, p)
	m := &member{Found: Found{Process: p, Why: why, Fate: Running}, depth: depth}
	l.members[p.id()] = m
	if p.dead {
		return true // it links others, and is no process any more
	}
	m.Command = l.sys.command(p)
	l.order = append(l.order, m)
	return true
}

// lead notes the group and the session of a member when it was made by the agent's processes: a
// member leads it, or its leader is gone and it is not the agent's own, which it may share with
// whatever else was started from the same shell. One that holds a process which is never ended
// does not count.
func (l *search) lead(tab table, p Process) {
	l.pids[p.PID] = true
	for _, kind := range []struct {
		made map[int]int
		of   func(Process) int
	}{
		{l.groups, func(q Process) int { return q.Group }},
		{l.sessions, func(q Process) int { return q.Session }},
	} {
		number := kind.of(p)
		_, leaderRuns := tab.by[number]
		ours := l.pids[number] || !leaderRuns && l.agent.PID != 0 && number != kind.of(l.agent)
		if number > 1 && ours && !tab.shared(number, kind.of) {
			kind.made[number] = p.PID
		}
	}
}

// shared reports whether a group or session holds a process that is never ended.
func (t table) shared(number int, of func(Process) int) bool {
	for pid := range t.untouched {
		if q, ok := t.by[pid]; ok && of(q) == number {
			return true
		}
	}
	return false
}

// why says why p counts as the session's, "" when it does not. depth is how far below the agent
// it is, 0 for what left the tree. A parent must be older than its child: its pid may have been
// another's.
func (l *search) why(tab table, p Process) (why string, depth int) {
	root, alive := l.root(tab)
	if alive && p.PID == root.PID {
		return "the agent", 1
	}
	if parent, ok := tab.by[p.Parent]; ok && parent.Start <= p.Start {
		if m, ok := l.members[parent.id()]; ok {
			return fmt.Sprintf("child of %d", parent.PID), m.depth + 1
		}
		// A spared process may be the session's all the same, and then so are its children.
		if _, ok := l.spared[parent.id()]; ok && !isTerminalServer(parent.Name) {
			return fmt.Sprintf("child of %d", parent.PID), 2
		}
	}
	if l.t.Start != 0 && p.Start < l.t.Start {
		return "", 0 // older than the agent
	}
	if by, ok := l.sessions[p.Session]; ok {
		return fmt.Sprintf("in the session %d of %d", p.Session, by), 0
	}
	if by, ok := l.groups[p.Group]; ok && !l.besideAgent(p) {
		return fmt.Sprintf("in the process group %d of %d", p.Group, by), 0
	}
	return l.tell(tab, p), 0
}

// besideAgent reports whether p is in the agent's own group because the same shell started
// both, as it does with a pipeline. An orphan's parent says nothing about who started it.
func (l *search) besideAgent(p Process) bool {
	return p.Group == l.agent.Group && p.Parent == l.agent.Parent && !l.agent.orphan
}

// sessionVariables hold an agent's own session id, in what it starts.
var sessionVariables = profile.Gather(func(p *profile.Profile) []string { return []string{p.Session} })

// tell finds in p's environment that the agent started it. A pid there means the agent only
// while no other process had that pid. The environment is the one that the program was started
// with, which it cannot take back.
func (l *search) tell(tab table, p Process) string {
	if p.dead {
		return ""
	}
	pid := ""
	// Without a start nobody can say whose pid it was.
	if l.t.PID > 1 && l.t.Start != 0 {
		pid = "CLAUDE_PID=" + strconv.Itoa(l.t.PID)
		// Another process has the agent's pid by now, and may have put it there.
		if later, ok := tab.by[l.t.PID]; ok && later.Start != l.t.Start && p.Start >= later.Start {
			pid = ""
		}
	}
	for _, kv := range l.sys.environ(p) {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case pid != "" && kv == pid:
			return "its environment has " + pid
		case l.t.SessionID != "" && value == l.t.SessionID && slices.Contains(sessionVariables, name):
			return "its environment has the session's id in " + name
		}
	}
	return ""
}

// suspect notes what may belong to the session and cannot be shown to: orphans that started
// after the agent and work in its folder. The list is made anew with each look.
func (l *search) suspect(tab table) {
	clear(l.unsure)
	if l.t.Folder == "" || l.t.Start == 0 {
		return
	}
	for _, p := range tab.list {
		_, member := l.members[p.id()]
		_, spared := l.spared[p.id()]
		if member || spared || p.dead || !p.orphan || p.Start < l.t.Start || tab.untouched[p.PID] != "" || l.agent.PID != 0 && p.UID != l.agent.UID {
			continue
		}
		if dir := l.sys.folder(p); within(dir, l.t.Folder) {
			p.Command = l.sys.command(p)
			l.unsure[p.id()] = Found{Process: p, Why: "has no parent, and works in the session's folder", Fate: Unsure, Note: "nothing shows that the agent started it"}
		}
	}
}

// within reports whether path is folder or lies in it. The root holds everything and so says
// nothing.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return path != "" && err == nil && filepath.Clean(folder) != "/" && rel != ".." && !strings.HasPrefix(rel, "../")
}

// report tells what is known now. The order is the same each time: by depth, then as found.
func (l *search) report() Report {
	r := Report{Processes: []Found{}, Unfinished: l.problem}
	if r.Unfinished == "" && (l.t.PID == 0 || l.t.Start == 0) {
		r.Unfinished = "the agent's own process is not known"
	}
	slices.SortStableFunc(l.order, func(x, y *member) int {
		return cmp.Compare(orLast(x.depth), orLast(y.depth))
	})
	for _, m := range l.order {
		r.Processes = append(r.Processes, m.Found)
	}
	for _, list := range []map[id]Found{l.spared, l.unsure} {
		from := len(r.Processes)
		for _, f := range list {
			r.Processes = append(r.Processes, f)
		}
		slices.SortFunc(r.Processes[from:], func(x, y Found) int { return cmp.Compare(x.PID, y.PID) })
	}
	return r
}

// orLast puts what left the tree behind what is in it: it ends after its parents.
func orLast(depth int) int {
	if depth == 0 {
		return 1 << 20
	}
	return depth
}

// close lets go of all handles. Processes that are held stay so; letGo is for them.
func (l *search) close() {
	for _, m := range l.order {
		if m.handle != nil {
			m.handle.close()
		}
	}
}
