package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	_ "github.com/aoctl/aoctl/tui/quietstart"
	"github.com/aoctl/aoctl/tui/tty"
)

// before Bubble Tea asks the terminal

// console is what the TUI needs from a broker, in this process or in another one.
type console = consoles.Broker

// The themes that say what the terminal's background is. Any other one asks the terminal, for
// a fifth of a second at most.
const (
	themeDark  = "dark"
	themeLight = "light"

	themeHighContrast = "high-contrast"
)

// Notice is something that the operator is to be told, whatever is on the screen.
type Notice struct {
	SessionID string // that it is about; "" for all
	Text      string
}

// Attention is how the operator is called. The zero value is silent.
type Attention struct {
	Notify  tty.Notify    // how the terminal tells that a call waits
	Turns   bool          // it also tells that a session's turn ended
	Notices <-chan Notice // what else is to be told; nil for nothing

	// Desktop shows text as a notification of the desktop; nil for none. It is called for
	// one text at a time, and may take its time.
	Desktop func(ctx context.Context, text string) error
}

// Options tunes Run. The zero value is usable, and silent.
type Options struct {
	Socket  string // where the broker listens, for the help screen
	Version string // of aoctl, for the help screen
	Attention
	Config   Config       // the operator's settings file
	Demo     bool         // say in the header that the agents are scripted
	Operator broker.Actor // who decides here; its Kind becomes ByOperator
	Theme    string       // auto, dark, light or high-contrast; "" is auto

	Editor     string // edits a call's input, as a shell reads it; "vi" when empty
	EditFolder string // where texts lie while they are edited; the system's folder for such when empty

	Keys map[string][]string // the keys that the operator chose, by the names of KeyActions; the others stay

	Folder string // where the console was started, and new sessions begin; the process' own when empty

	// Foreground is called before another program gets the terminal, and what it returns
	// afterwards: an interrupt from the keyboard is then that program's. May be nil.
	Foreground func() (done func())
	Hooks      Hooks // what stands in the settings of agents

	Input  io.Reader // os.Stdin when nil
	Output io.Writer // os.Stdout when nil

	// Jump shows an agent's pane; in this process' tmux when nil.
	Jump func(ctx context.Context, s broker.Session) error

	Now      func() time.Time                  // time.Now when nil
	ReadFile func(path string) ([]byte, error) // what a call would change; regular files of at most 1 MiB when nil
	Stamp    func(path string) string          // differs when the file does; from its times and size when nil

	Place func() Place // asked anew each time; always the zero Place when nil
}

// Place is where the broker is. The zero Place is a broker that ends with the screen.
type Place struct {
	// Elsewhere says that the broker goes on when the screen is closed.
	Elsewhere bool
	// Served says that the broker has no screen of its own, and can come into this process.
	Served bool
	// Empty says what becomes of calls when no console is left, such as "calls wait for their time"; ""
	// where there is always one. Of a broker that ends with the screen it holds once that was left running.
	Empty string
}

// ErrLeave says that the operator wants the broker in another process: in one of its own, or, where
// the screen is attached, in this one.
var ErrLeave = errors.New("the broker is to change its process")

// Hooks tells what stands in the settings of agents. Its functions may read a few files, and may be nil.
type Hooks struct {
	// Others names the hooks of others that hear of an agent's event about a tool in a
	// project, and could change a call after it was allowed.
	Others func(agent, event, tool, project string) []string
	// Ours names the agents with hooks of aoctl, for somebody who has seen none of them here yet.
	Ours func() []string
}

func (o Options) withDefaults() Options {
	o.Operator.Kind = broker.ByOperator
	if o.Input == nil {
		o.Input = os.Stdin
	}
	if o.Output == nil {
		o.Output = os.Stdout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Editor == "" {
		o.Editor = "vi"
	}
	if o.Folder == "" {
		o.Folder, _ = os.Getwd() // without one a folder must be typed
	}
	if o.Hooks.Ours == nil {
		o.Hooks.Ours = func() []string { return nil }
	}
	if o.Place == nil {
		o.Place = func() Place { return Place{} }
	}
	if o.ReadFile == nil {
		o.ReadFile = change.ReadFile
	}
	if o.Stamp == nil {
		o.Stamp = change.StampFile
	}
	return o
}

// Run shows the console until the operator quits or ctx ends, neither of which is an
// error. Errors: ErrLeave, which is a wish.
func Run(ctx context.Context, c console, o Options) error {
	o = o.withDefaults()
	out := tty.NewOutput(o.Output)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	st, typed := terminalStyles(o)
	m := newModel(ctx, c, o, st)
	if typed {
		m.Guard.TypedAhead(m.At)
	}
	m.out, m.Guard.Pulse = out, true
	p := tea.NewProgram(m,
		tea.WithInput(o.Input), tea.WithOutput(out.ForProgram()),
		tea.WithAltScreen(), tea.WithMouseCellMotion(), tea.WithReportFocus(),
		tea.WithoutSignalHandler()) // signals end ctx; a second way to end would wait for the first one for ever
	defer tty.NoticeResume(p)()
	defer context.AfterFunc(ctx, p.Quit)() // not tea.WithContext, whose way to end races with the renderer
	_, err := p.Run()
	if m.leaving { // whatever became of the terminal since
		return ErrLeave
	}
	if err != nil && (ctx.Err() != nil || errors.Is(err, tea.ErrInterrupted)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("run the console: %w", err)
	}
	return nil
}

// terminalStyles fits the palette to the terminal.
func terminalStyles(o Options) (st *draw.Styles, typed bool) {
	f, ok := o.Output.(term.File)
	there := ok && term.IsTerminal(f.Fd())
	profile := lipgloss.NewRenderer(o.Output).ColorProfile()
	dark := o.Theme != themeLight
	if o.Theme != themeLight && o.Theme != themeDark && there && profile != termenv.Ascii {
		dark, typed = tty.DarkBackground(o.Input, f)
	}
	palette := draw.DefaultPalette()
	if o.Theme == themeHighContrast {
		palette = draw.HighContrast()
	}
	return draw.NewStyles(palette, profile, dark, there && os.Getenv("TERM") != "dumb"), typed
}
