package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// deaf is longer than the console takes no decision after its card changed.
const deaf = 700 * time.Millisecond

// textWait is how long a text may take to be drawn. The slowest agent of the demo asks after 8 s.
const textWait = time.Minute

// terminal is the demo at an emulated terminal.
type terminal struct {
	ctx           context.Context //nolint:containedctx // of one run from start to end
	cmd           *exec.Cmd
	pty           *os.File
	screen        *vt.SafeEmulator
	width, height int
	ended         chan struct{}
	folder        string // temporary
}

// open starts the demo at a terminal of this look.
func open(ctx context.Context, program string, l look) (*terminal, error) {
	folder, err := os.MkdirTemp("", "aoctl-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the demo: %w", err)
	}
	t := &terminal{
		ctx: ctx, width: l.width, height: l.height, ended: make(chan struct{}), folder: folder,
		screen: vt.NewSafeEmulator(l.width, l.height),
	}
	t.cmd = exec.CommandContext(ctx, program, "demo", "--no-bell")
	t.cmd.Dir = folder
	t.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TMPDIR=" + folder, "LANG=C.UTF-8"}, l.environ()...)
	t.pty, err = pty.StartWithSize(t.cmd, &pty.Winsize{Rows: uint16(l.height), Cols: uint16(l.width)}) //nolint:gosec // small numbers
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", program, err), os.RemoveAll(folder))
	}
	go t.read()
	go t.answer()
	return t, nil
}

// read feeds the emulator with what the program draws, until the program is gone.
func (t *terminal) read() {
	defer close(t.ended)
	buf := make([]byte, 32<<10)
	for {
		n, err := t.pty.Read(buf)
		_, _ = t.screen.Write(buf[:n])
		if err != nil {
			_ = t.cmd.Wait()
			return
		}
	}
}

// answer sends the program what the emulator replies to its questions.
func (t *terminal) answer() {
	buf := make([]byte, 256)
	for {
		n, err := t.screen.Read(buf)
		if err != nil {
			return
		}
		_, _ = t.pty.Write(buf[:n])
	}
}

// close ends the demo in order, as a hangup of the terminal would.
func (t *terminal) close() {
	_ = t.cmd.Process.Signal(os.Interrupt)
	select {
	case <-t.ended:
	case <-time.After(10 * time.Second):
		_ = t.cmd.Process.Kill()
		<-t.ended
	}
	_ = t.pty.Close()
	_ = t.screen.Close()
	_ = os.RemoveAll(t.folder)
}

// press types keys, all at once.
func (t *terminal) press(keys string) error {
	_, err := t.pty.WriteString(keys)
	return err
}

// rows is the text of the screen.
func (t *terminal) rows() []string {
	rows := make([]string, t.height)
	for y := range rows {
		var b strings.Builder
		for x := range t.width {
			if c := t.screen.CellAt(x, y); c != nil && c.Width > 0 {
				b.WriteString(c.Content)
			}
		}
		rows[y] = b.String()
	}
	return rows
}

// shows reports whether a text is on the screen.
func (t *terminal) shows(text string) bool {
	return strings.Contains(strings.Join(t.rows(), "\n"), text)
}

// wait returns once the screen is as it should be.
func (t *terminal) wait(what string, met func() bool) error { return t.within(textWait, what, met) }

// within is wait with a limit of its own.
func (t *terminal) within(limit time.Duration, what string, met func() bool) error {
	for end := time.Now().Add(limit); !met(); {
		select {
		case <-t.ended:
			return fmt.Errorf("the console ended before %s", what)
		case <-t.ctx.Done():
			return t.ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			return fmt.Errorf("not seen: %s; the screen:\n%s", what, strings.Join(t.rows(), "\n"))
		}
	}
	return nil
}

func (t *terminal) waitFor(text string) error {
	return t.wait(fmt.Sprintf("%q", text), func() bool { return t.shows(text) })
}

func (t *terminal) waitGone(text string) error {
	return t.wait(fmt.Sprintf("%q gone", text), func() bool { return !t.shows(text) })
}

// settle waits until the console hears decisions again.
func (t *terminal) settle() { time.Sleep(deaf) }

// again presses a key until the screen is as it should be. It may fall into the time in which
// the console is deaf.
func (t *terminal) again(keys, what string, met func() bool) error {
	return t.repeat(keys, 2*deaf, what, met)
}

// repeat presses keys after each pause, until the screen is as it should be.
func (t *terminal) repeat(keys string, pause time.Duration, what string, met func() bool) error {
	next := time.Now().Add(pause / 4) // what was pressed before may still be on its way
	return t.wait(what, func() bool {
		if met() {
			return true
		}
		if time.Now().After(next) {
			next = time.Now().Add(pause)
			_ = t.press(keys) // wait sees when the program is gone
		}
		return false
	})
}

// choose moves the cursor to the row of the waiting calls that has text: down, and from the last
// row to the first. It waits for each step to be drawn, so that no key is still on its way in the end.
func (t *terminal) choose(text string) error {
	for keys := []string{"j", "g"}; ; {
		at := t.cursor()
		if strings.Contains(at, text) {
			return nil
		}
		if err := t.press(keys[0]); err != nil {
			return err
		}
		moved := func() bool { return t.cursor() != at }
		if err := t.within(time.Second, "the cursor on "+text, moved); err != nil {
			if keys[0] == "g" {
				return err
			}
			keys[0], keys[1] = keys[1], keys[0]
			continue
		}
		keys[0], keys[1] = "j", "g"
	}
}

// cursor is the row that the cursor is on, without the figures in it: clocks run.
func (t *terminal) cursor() string {
	for _, row := range t.rows() {
		if strings.Contains(row, "▌") {
			return strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return -1
				}
				return r
			}, row)
		}
	}
	return ""
}
