package tmux

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Pane is one pane at one place: a window that is linked into two sessions has its
// panes twice.
type Pane struct {
	Session string // $1
	Window  string // @2
	ID      string // %3
	PID     int    // of the program that tmux started in it
	Dead    bool   // that program has ended and the pane was kept
}

// paneFormat is what list-panes is asked for; paneLine reads it back. No name is in
// it, for names are chosen by programs and could hold anything.
const paneFormat = "#{session_id} #{window_id} #{pane_id} #{pane_pid} #{pane_dead}"

var paneLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\$[0-9]+) (@[0-9]+) (%[0-9]+) ([0-9]+) ([01])$`) })

// Panes lists all panes of the server. A line that is not as it was asked for is
// passed over.
func (s Server) Panes(ctx context.Context) ([]Pane, error) {
	out, err := s.run(ctx, "list-panes", "-a", "-F", paneFormat)
	if err != nil {
		return nil, err
	}
	var list []Pane
	for line := range strings.Lines(out) {
		f := paneLine().FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if f == nil {
			continue
		}
		pid, err := strconv.Atoi(f[4])
		if err != nil {
			return nil, fmt.Errorf("tmux list-panes: pid %q: %w", f[4], err)
		}
		list = append(list, Pane{Session: f[1], Window: f[2], ID: f[3], PID: pid, Dead: f[5] == "1"})
	}
	return list, nil
}

// Find picks pane id out of list, where our own session has it if that does; false
// when it is not there.
func (s Server) Find(list []Pane, id string) (Pane, bool) {
	// A window that is linked into several sessions is shown where the person already
	// is.
	own, _ := pick(list, s.Pane, "")
	return pick(list, id, own.Session)
}

// pick finds a pane, if possible in a session.
func pick(list []Pane, id, session string) (Pane, bool) {
	i := slices.IndexFunc(list, func(p Pane) bool { return p.ID == id && p.Session == session })
	if i < 0 {
		i = slices.IndexFunc(list, func(p Pane) bool { return p.ID == id })
	}
	if i < 0 {
		return Pane{}, false
	}
	return list[i], true
}

// client is a terminal that shows a session.
type client struct {
	activity int64 // last key, Unix time
	session  string
	name     string
}

// A name is kept only if it cannot be taken for anything else.
var clientLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]+) (\$[0-9]+) (/dev/[A-Za-z0-9/._-]+|client-[0-9]+)$`)
})

// client is the terminal at which our pane is looked at: of those that show its
// session the one where a key was pressed last. It is "" when nobody looks.
func (s Server) client(ctx context.Context) (name string, err error) {
	session, err := s.run(ctx, "display-message", "-p", "-t", s.Pane, "#{session_id}")
	if err != nil {
		return "", err
	}
	out, err := s.run(ctx, "list-clients", "-F", "#{client_activity} #{session_id} #{client_name}")
	if err != nil {
		return "", err
	}
	var last client
	for line := range strings.Lines(out) {
		f := clientLine().FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if f == nil {
			continue
		}
		c := client{session: f[2], name: f[3]}
		if c.activity, err = strconv.ParseInt(f[1], 10, 64); err != nil {
			continue
		}
		if c.session == strings.TrimSpace(session) && (last.name == "" || c.activity >= last.activity) {
			last = c
		}
	}
	return last.name, nil
}

// Jump selects pane p, in its window, and shows its session at the terminal that looks
// at our own pane. Other terminals stay where they are, but for those that show that
// very session. p must come from Panes, which has checked its ids.
func (s Server) Jump(ctx context.Context, p Pane) error {
	at, err := s.client(ctx)
	if err != nil {
		return err
	}
	args := []string{"select-window", "-t", p.Session + ":" + p.Window, ";", "select-pane", "-t", p.ID}
	// Without a terminal that looks at us the pane is selected, and nobody is moved.
	if at != "" {
		args = append(args, ";", "switch-client", "-c", at, "-t", p.Session)
	}
	_, err = s.run(ctx, args...)
	return err
}
