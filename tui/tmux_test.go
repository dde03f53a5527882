package tui

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/safe/measure"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// scriptsTogether is how many scripts one hostile text holds.
const scriptsTogether = 40

// hostileScripts are texts of all scripts, with all that joins letters or has a width that
// terminals disagree about.
func hostileScripts() []string {
	names := make([]string, 0, len(unicode.Scripts))
	for name := range unicode.Scripts {
		names = append(names, name)
	}
	slices.Sort(names)
	list := []string{strings.Repeat("क्षि", 60), strings.Repeat("न्द्र", 60), strings.Repeat("ক্ষ", 60)}
	for some := range slices.Chunk(names, scriptsTogether) {
		var b strings.Builder
		for _, name := range some {
			b.WriteString(scriptText(unicode.Scripts[name]))
		}
		list = append(list, b.String())
	}
	return list
}

func scriptText(script *unicode.RangeTable) string {
	var letters, marks []string
	for r := rune('!'); r < 0x20000 && (len(letters) < 12 || len(marks) < 12); r++ {
		switch {
		case !unicode.Is(script, r):
		case unicode.IsMark(r):
			marks = append(marks, string(r))
		default:
			letters = append(letters, string(r))
		}
	}
	if letters == nil {
		letters = []string{"e"}
	}
	var b strings.Builder
	for i, m := range append(marks, "\u094d", "\u09cd", "\u200d", "\ufe0f", "\u20e3", "\u1160") {
		b.WriteString(letters[i%len(letters)] + m + letters[(i+1)%len(letters)] + m + m)
	}
	return b.String()
}

// Every row takes exactly the window's cells, whatever script an agent writes in, in the
// tmux that is installed: a row that is wider wraps, and pushes others off the screen.
func TestTmuxDrawsEachRowAsWideAsTheWindow(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("draws each screen in each script; not with -short")
	}
	tmux, ok := measure.Tmux(t.Context())
	if !ok {
		t.Skip("tmux is not installed: nothing to compare with")
	}
	widthOf := map[string]int{}
	for _, p := range hostileScripts() {
		sessions, requests := hostile(p, "Bash", seconds(10))
		snap := broker.Snapshot{Sessions: sessions, Requests: requests, Health: broker.Health{StoreErr: p}}
		s := newStill(t, snap, requests[2:], termenv.Ascii)
		drawAll(t, s, sizes, func(view string, width, height int) {
			tuitest.CheckView(t, view, width, height)
			for _, row := range strings.Split(view, "\n") {
				widthOf[row] = width
			}
		})
	}
	rows := make([]string, 0, len(widthOf))
	for row := range widthOf {
		rows = append(rows, row)
	}
	cells, err := tmux.Cells(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if cells[i] != widthOf[row] {
			t.Errorf("%s draws %q in %d cells, the window has %d", tmux.Name, row, cells[i], widthOf[row])
		}
	}
}

// The end of a command is on one of its pages, whatever script stands before it.
func TestDangerousRowStays(t *testing.T) {
	const tail = "; rm -rf ~"
	for _, p := range hostileScripts() {
		for _, size := range sizes {
			s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{bash("r1", "s1", seconds(5), "echo "+p+"\n"+tail)}}, nil, termenv.Ascii)
			view := s.draw(size[0], size[1])
			for page := 0; page < 600 && !strings.Contains(view, tail); page++ {
				view = s.draw(size[0], size[1], "ctrl+d")
			}
			if !strings.Contains(view, tail) {
				t.Errorf("%.20q at %v: the tail is on no page", p, size)
			}
		}
	}
}

// A row of the console's own keeps its words, however long the agent's are that it cites.
func TestAlarmRowsAreTheConsolesOwn(t *testing.T) {
	long := "/" + strings.Repeat("all is well, press a now ", 200)
	snap := broker.Snapshot{Health: broker.Health{Settings: []broker.SettingsFound{{File: long, Why: long}}}}
	s := newStill(t, snap, nil, termenv.Ascii)
	row := strings.Split(s.draw(120, 40), "\n")[1]
	if !strings.HasPrefix(row, " ! settings that can switch hooks off are in «/all is well") || !strings.Contains(row, "…» (") {
		t.Errorf("the row is %q", row)
	}
}
