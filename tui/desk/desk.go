// Package desk is the seam between the console and its screens. A Screen owns its state, its keys,
// its messages and its drawing; a Desk is all that it may use of the console around it: what
// waits (Board), whether a key may decide (Guard), how things are drawn (Styles), the clock, and
// a few orders to the root: say a sentence, ask, read a line, open another screen, go back.
//
// The root keeps a stack of open screens. It draws the top one and gives it the keys; what is not
// a key goes to every screen, also to one that is closed, because an answer may come after its
// screen was left. Each screen is made once and opened again and again: what a person has written
// and not sent is still there.
//
// How a key passes: the guard hears of it first; a screen that is being typed in takes it as it
// is; bursts and pastes end here; then the keys of the top screen come (Keys), then the root's
// own, which act on what the top screen says it is about (Subject). A key that cannot act now
// says why. The key line, the help and the list of actions are made from the same bindings.
//
// How a frame comes about: everything that happened is taken in, each drawn screen settles
// (Settle: selection, scrolling, what is missing is asked for), the guard learns which call is
// drawn, and View draws what was settled.
//
// A new screen is its own folder, and one line in the root's table of screens.
package desk

import (
	"context"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/words"
)

// A Screen is one view. It owns its state, its keys and its messages.
type Screen interface {
	// Opens makes the screen ready to be drawn, about on. It is called each time that the
	// screen is opened.
	Opens(on Subject) tea.Cmd
	// Update takes what happened, and no key. Messages that are not the screen's own are
	// left alone; Settle, News, Tick and the mouse's are for all.
	Update(msg tea.Msg) tea.Cmd
	// View draws the screen: height rows of width cells.
	View(width, height int) []string
	// Keys are the screen's keys as they are now.
	Keys() []Key
	// Subject is the call or session that keys of the root are about.
	Subject() Subject
}

// A Writer is a screen that something is typed in, or that has its own way with keys: while it
// writes, every key is for it, as it comes. tookBack says that the key took back a decision which
// was held for a moment. Its Keys are named in the key line and in the help, and Do is not used.
type Writer interface {
	Writes() bool
	Write(msg tea.KeyMsg, tookBack bool) tea.Cmd
}

// A Strip is a screen that takes only the lower rows of the room and leaves the others to the one
// below it, which is drawn in what is left, with its call. In a low room it may take all rows: then no
// call is drawn.
type Strip interface {
	Strip(width, height int) (rows int)
}

// Subject is what a screen is about.
type Subject struct {
	Session string          // id, "" for none
	Call    *broker.Request // nil for none
	Rule    string          // id of a rule, "" for none
	File    string          // path of a rules file, "" for none
	Drawn   guard.Drawn     // the call that is drawn for a decision; zero for none
	Own     bool            // a key of the operator's own brought that call there
	Speaks  bool            // keys that speak to the session, or end its turn, act here
	Strayed bool            // the session became this one by itself a moment ago, and nobody has seen that yet
}

// Key is a key of a screen: what it is called, what it does, and whether it can.
type Key struct {
	key.Binding                          // its help is one sentence
	Short       string                   // what it does, in a word or two, for the key line; "" keeps it out of there
	Name        string                   // how the key line calls it, where that is not the binding's own name
	Why         string                   // why it cannot act now; "" when it can
	Faint       bool                     // it is asked, and would be refused now: the key line draws it faint
	Decides     bool                     // it changes what agents may do: see Guard.Press
	Loosens     bool                     // it may let agents do more, and no question is asked: only the key itself does it
	Do          func(tea.KeyMsg) tea.Cmd // acts; nil for a key of the root that the key line names here
}

// Action is something that a key does, under the name that the settings file has for it.
type Action struct {
	Group string // of the help screen
	Name  string // deny_why; "" when the settings file cannot give it other keys
	Old   string // what it was called in older settings files; "" when it has always been Name
	key.Binding
}

// Named is the key's name in the key line.
func (k Key) Named() string {
	if k.Name != "" {
		return k.Name
	}
	return k.Help().Key
}

// Bind makes a binding: its name, what it does in a sentence, and the keys.
func Bind(name, help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(name, help))
}

// The messages for every screen.
type (
	// Settle brings a drawn screen in line with what is going to be drawn.
	Settle struct{}
	// News is what changed at the broker. The board knows it already.
	News struct{ List []broker.Update }
	// Tick comes once a second.
	Tick struct{}
	// Start comes once, when the console starts.
	Start struct{}
	// RuleSaved says what became of a rule that a screen saved.
	RuleSaved struct {
		From  any // which of its rules, for that screen itself
		Saved broker.SavedRule
		Err   error
	}
	// NotNow says that the operator wants no line about a project without rules. It is the path as the
	// broker has it.
	NotNow struct{ Project string }
	// Launched says what became of a session that was to be started here.
	Launched struct {
		Form    int    // which of the form's sessions, for the form itself
		What    string // is started; safe to draw
		Session broker.Session
		Err     error
	}
	// Look says that what is drawn by the clock is due; nothing happened.
	Look struct{}
	// Allowed says that a screen on top of the list had this call allowed: the list moves on.
	Allowed struct{ ID string }
)

// Desk is what a screen may use of the console around it. All of it belongs to the goroutine of
// Update.
type Desk struct {
	Root
	Ctx      context.Context //nolint:containedctx // commands get nothing else to learn that the console ends
	Board    *board.Board
	Guard    *guard.Guard
	Book     *words.Book // the rules
	Styles   *draw.Styles
	Operator broker.Actor // who decides here
	At       time.Time    // the clock, as drawn

	Width, Height int  // of the room that a screen has, in cells
	Stacked       bool // the window is narrow: panes lie one above the other
	Small         bool // no call can be judged in a window of this size
	Proposed      bool // a banner says what somebody asks to be granted
}

// Root is what the console does for its screens.
type Root interface {
	// Say puts a sentence in the last line for some seconds: the first of texts that has
	// room, else the last one. They are safe to draw.
	Say(i draw.Ink, texts ...string) tea.Cmd
	// Stay is Say for a sentence that stays until a key, as long as it is true.
	Stay(holds func() bool, i draw.Ink, texts ...string) tea.Cmd
	// Fitting is the first of texts that the last line has room for, else the last one.
	Fitting(texts ...string) string
	// Open opens a screen on top of this one. Queue, the first one, is always there: to open it
	// closes all others.
	Open(name string, on Subject) tea.Cmd
	// Back closes the top screen.
	Back() tea.Cmd
	// Around is what a call is drawn with beyond itself.
	Around(r broker.Request) callview.Around
	// Ask asks a question for yes or no in the last line. The yes passes the guard.
	Ask(question, brief string, yes func() tea.Cmd)
	// Pose is Ask with all that there is to a question.
	Pose(q Question)
	// Told reports whether a sentence stands in the last line.
	Told() bool
	// Busy reports whether something is written or asked, or another screen than the first is
	// open.
	Busy() bool
	// Meant is the key that msg stands for, when the operator chose other keys.
	Meant(msg tea.KeyMsg) tea.KeyMsg
	// Called is what a sentence calls a key, by the name that it has without the settings file.
	Called(name string) string
	// Read asks for a line of text.
	Read(Line)
	// Copy puts text on the clipboard and says so; what names it.
	Copy(what, text string) tea.Cmd
	// CopyCall puts a call's command, or its input, on the clipboard.
	CopyCall(r broker.Request) tea.Cmd
	// Beside writes a control sequence to the terminal between two frames.
	Beside(sequence string) tea.Cmd
}

// Question is asked in the last line. y is yes; any other key is no.
type Question struct {
	Texts func() []string // the longest first: the one that fits is drawn
	No    string          // what is said on no; "no: nothing was done" when empty
	Yes   func() tea.Cmd
	// Stricter says that yes can only make things stricter: then it need not wait until the
	// question was on the screen for a moment.
	Stricter bool
	// Interrupted says that ctrl+c is a yes, too.
	Interrupted bool
}

// Line is a line of text that is asked for.
type Line struct {
	Lead, Help string                    // stands before it; what the keys do
	Text       string                    // to begin with
	Typed      func(text string)         // hears of each change; may be nil
	Hint       func(text string) string  // what to say beside the text, after Typed; may be nil
	Send       func(text string) tea.Cmd // takes the text; may be nil

	Brief  string        // in place of Lead, where that takes half of the line
	Gone   func() string // how what it is about ended meanwhile, "" while it is there; may be nil
	May    func() string // why the text cannot be sent now; judged as a key that decides when nil
	Cancel func()        // is called when it is left without being sent, in place of Typed; may be nil
}

// TooSmall reports whether the window is too small to judge a call in.
func TooSmall(width, height int) bool { return width < LeastWidth || height < LeastHeight }

// The least window in which calls can be judged, in cells. Windows narrower than StackBelow have
// their panes one above the other.
const (
	LeastWidth  = 40
	LeastHeight = 12
	StackBelow  = 72
)

// The screens that others open by their name.
const (
	Bytes      = "bytes"
	Decided    = "decided"
	EditCall   = "editcall"
	Help       = "help"
	History    = "history"
	Launch     = "launch"
	Managed    = "managed"
	Message    = "message"
	Queue      = "queue"
	Resume     = "resume"
	RuleEdit   = "ruleedit"
	Rules      = "rules"
	RulesFile  = "rules file"
	RulesFiles = "rules files"
	Suggest    = "suggestions"
	Timeline   = "timeline"
	Together   = "marked calls"
	Tokens     = "tokens"
	Transcript = "transcript"
	Trust      = "trust"
)
