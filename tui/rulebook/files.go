package rulebook

import (
	"cmp"
	"context"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

// FilesBroker is what the screens about rules files need of the broker. An empty
// digest takes the trust back; a file whose text has another digest by then is not
// trusted.
type FilesBroker interface {
	TrustFile(ctx context.Context, path, digest string, by broker.Actor) error
}

// Files is the list of the rules files of projects.
type Files struct {
	*desk.Desk
	broker FilesBroker
	at     string // path of the selected file
}

// trustedMsg is the broker's answer to trust that was given or taken back.
type trustedMsg struct {
	path, digest string // digest is empty when trust was taken back
	err          error
}

// NewFiles makes the screen.
func NewFiles(d *desk.Desk, b FilesBroker) *Files { return &Files{Desk: d, broker: b} }

// Opens leaves the selection where it was.
func (l *Files) Opens(desk.Subject) tea.Cmd { return nil }

// Subject is the selected file, or nothing when there is none.
func (l *Files) Subject() desk.Subject {
	f, _ := l.selected()
	return desk.Subject{File: f.Path}
}

// Update says what became of a file's trust, on whatever screen it was asked for.
func (l *Files) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(trustedMsg); ok {
		return l.trusted(msg)
	}
	return nil
}

// Keys are the keys of the list.
func (l *Files) Keys() []desk.Key {
	f, ok := l.selected()
	none := ""
	if !ok {
		none = "there is no rules file"
	}
	list := []desk.Key{
		able(desk.Key{Binding: desk.Enter("show the file"), Short: "show", Why: none, Do: func(tea.KeyMsg) tea.Cmd {
			return l.Open(desk.RulesFile, desk.Subject{File: f.Path})
		}}),
		distrustKey(l.Desk, l.broker, f),
	}
	return append(list, desk.Moves("", l.move)...)
}

// filesOf are the files of a book, by their paths. The book's own list stays as it is.
func filesOf(b *words.Book) []broker.RulesFile {
	return slices.SortedFunc(slices.Values(b.Files), func(x, y broker.RulesFile) int { return cmp.Compare(x.Path, y.Path) })
}

// place is where the selected file is listed. A file that is gone gives way to the
// first one.
func (l *Files) place(list []broker.RulesFile) int {
	return max(0, slices.IndexFunc(list, func(f broker.RulesFile) bool { return f.Path == l.at }))
}

// selected is the file that keys are about; false when there is none.
func (l *Files) selected() (broker.RulesFile, bool) {
	list := filesOf(l.Book)
	if len(list) == 0 {
		return broker.RulesFile{}, false
	}
	return list[l.place(list)], true
}

// move selects another file. The path is kept and not the place, so a file that comes
// or goes does not move the selection to another one.
func (l *Files) move(msg tea.KeyMsg) tea.Cmd {
	if list := filesOf(l.Book); len(list) > 0 {
		_, height := area(l.Desk)
		l.at = list[desk.Moved(msg, l.place(list), len(list), height)].Path
	}
	return nil
}

// distrustKey takes a file's trust back, at once: that only makes more calls ask.
func distrustKey(d *desk.Desk, b FilesBroker, f broker.RulesFile) desk.Key {
	why := ""
	if !f.Trusted {
		why = "its allow rules do not count: it is not trusted"
	}
	return able(desk.Key{
		Binding: desk.Bind("x", "take the trust back", "x"), Short: "take the trust back", Why: why,
		Do: func(tea.KeyMsg) tea.Cmd { return trust(d, b, f, "") },
	})
}

// trust lets a file's allow rules count while its digest is this one; "" takes it
// back. The broker records it and reads the file once more.
func trust(d *desk.Desk, b FilesBroker, f broker.RulesFile, digest string) tea.Cmd {
	ctx, by := d.Ctx, d.Operator
	return func() tea.Msg {
		return trustedMsg{path: f.Path, digest: digest, err: b.TrustFile(ctx, f.Path, digest, by)}
	}
}

// trusted says what became of it.
func (l *Files) trusted(msg trustedMsg) tea.Cmd {
	name := draw.SafeLine(msg.path)
	switch {
	// The broker compares the digest with the file as it is when trust is given.
	case errors.Is(msg.err, broker.ErrStale):
		return l.Say(draw.Danger, "the file was changed meanwhile: it is not trusted. Read it again")
	case msg.err != nil:
		return l.Say(draw.Danger, "not recorded: "+draw.SafeLine(msg.err.Error()))
	case msg.digest == "":
		return l.Say(draw.OK, "no longer trusted: what "+name+" allows asks again")
	}
	// Whether the file still is what was shown, its page says.
	digest := draw.SafeLine(short(msg.digest))
	return l.Say(draw.OK, "trusted as it was shown, "+digest+": "+name, "trusted as it was shown, "+digest)
}

// allowRules is how many of a file's rules allow. Only those need trust.
func allowRules(f broker.RulesFile) int {
	n := 0
	for _, r := range f.Rules {
		if r.Decision == rules.Allow {
			n++
		}
	}
	return n
}

// standing is whether a file's allow rules count, in a word.
func standing(f broker.RulesFile) (string, draw.Ink) {
	switch {
	case f.Problem != "":
		return "problem", draw.Danger
	case f.Trusted:
		return "trusted", draw.OK
	case allowRules(f) == 0:
		return "no allows", draw.Muted
	}
	return "not trusted", draw.Warn
}

// short is the beginning of a digest, enough to compare by eye and not enough to rely
// on.
func short(digest string) string { return digest[:min(len(digest), 8)] }

// View draws the list.
func (l *Files) View(_, _ int) []string {
	width, height := area(l.Desk)
	list := filesOf(l.Book)
	f := draw.Caption{Title: "Rules files " + figures.Count(len(list)), Note: "deny and ask hold; allow counts once you trust the file"}
	if len(list) == 0 {
		p := l.Styles.Paper(width - 2)
		p.SayBehind(draw.Text, "", 1, draw.Muted, "no project of a known session has a rules file (.aoctl/rules.toml)")
		return listed(l.Desk, f, words.Pad(p.Rows, width))
	}
	at := l.place(list)
	top := desk.Window(0, at, height, len(list))
	f.Right = inSight(top, height, len(list))
	var rows []string
	for i := top; i < min(top+height, len(list)); i++ {
		rows = append(rows, l.row(list[i], i == at, width))
	}
	return listed(l.Desk, f, rows)
}

// row is one file: its standing, its path from the end, and in a wide window its rules
// and digest.
func (l *Files) row(f broker.RulesFile, chosen bool, width int) string {
	word, i := standing(f)
	line := begin(l.Desk, chosen, width).Put(i, word).To(13)
	end := width
	if width >= 60 {
		end -= 20
	}
	text := safe.Line(f.Path)
	if n := draw.Cells(text); n > end-14 { // the end of a path tells more than its beginning
		text = "…" + draw.Tail(f.Path, end-15)
	}
	line.Fit(draw.Text, text, end-14).To(end)
	if width >= 60 {
		line.Put(draw.Muted, figures.Plural(len(f.Rules), "rule")).Right(draw.Muted, draw.SafeLine(short(f.Digest)), width-1)
	}
	return line.To(width).String()
}
