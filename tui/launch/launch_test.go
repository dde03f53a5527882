package launch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/tuitest"
	"github.com/aoctl/aoctl/tui/words"
)

const home = "/home/ada/src/api-server"

// opened is the form, about nothing.
func opened(t *testing.T, width, height int) *Screen {
	t.Helper()
	x := New(&desk.Desk{
		Board: board.NewBoard(), Book: words.NewBook(broker.RuleBook{}), Guard: new(guard.Guard), Ctx: t.Context(), At: tuitest.Noon,
		Styles: tuitest.PlainStyles(), Width: width, Height: height, Stacked: width < desk.StackBelow,
	}, nil, func() string { return home })
	x.Guard.Key(tuitest.Noon.Add(-time.Second))
	x.Opens(desk.Subject{})
	return x
}

// What the typed folder may become stands below it, other people's signs drawn as such.
func TestGoldenFolder(t *testing.T) {
	var b strings.Builder
	for _, size := range [][2]int{{40, 10}, {80, 22}, {120, 38}} {
		x := opened(t, size[0], size[1])
		for range 2 {
			x.Write(tea.KeyMsg{Type: tea.KeyShiftTab}, false)
		}
		x.Update(foldersMsg{gen: x.gen, typed: home, common: home, list: []string{home + "/", home + "-old/", home + "-\x1b[2J/"}})
		x.Update(desk.Settle{})
		fmt.Fprintf(&b, "%d×%d\n%s\n\n", size[0], size[1], strings.Join(x.View(size[0], size[1]), "\n"))
	}
	tuitest.Golden(t, "folder", b.String())
}

// Folders that were looked for before the text changed complete nothing.
func TestLateFoldersCompleteNothing(t *testing.T) {
	x := opened(t, 80, 22)
	x.form.focus = fieldFolder
	for name, msg := range map[string]foldersMsg{
		"of another form": {gen: x.gen - 1, typed: home},
		"of another text": {gen: x.gen, typed: home + "/a"},
	} {
		msg.common, msg.list = "/tmp/", []string{"/tmp/"}
		x.Update(msg)
		if got := x.form.folder.String(); got != home {
			t.Errorf("%s: completed to %q", name, got)
		}
	}
}

// The form with folders below fits a room of any size.
func TestFoldersFitEveryRoom(t *testing.T) {
	for width := 1; width <= 130; width += 1 + width/12 {
		for height := 2; height <= 42; height += 1 + height/5 {
			x := opened(t, width, height)
			x.form.focus, x.form.folders = fieldFolder, []string{home + "/", home + "-\x1b[2J/"}
			x.Update(desk.Settle{})
			if problem := tuitest.Misfit(strings.Join(x.View(width, height), "\n"), width, height); problem != "" {
				t.Fatalf("%d×%d: %s", width, height, problem)
			}
		}
	}
}
