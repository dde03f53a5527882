package rulebook

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

// File is the page of one rules file: what it says, and what trusting it would mean.
// The file's text is not read here; the broker has parsed it, and the digest stands
// for all of it. It is one screen for all files; Opens says which.
type File struct {
	*desk.Desk
	broker FilesBroker
	path   string
	digest string // of the file as it was drawn last
	top    int    // first row on the screen
}

// NewFile makes the screen.
func NewFile(d *desk.Desk, b FilesBroker) *File { return &File{Desk: d, broker: b} }

// Opens shows the file that on names, from its first row.
func (p *File) Opens(on desk.Subject) tea.Cmd {
	p.path, p.top = on.File, 0
	f, _ := p.file()
	// The digest is noted here, so that a file which changes on the screen is seen to
	// be another one.
	p.digest = f.Digest
	return nil
}

// Subject is the file.
func (p *File) Subject() desk.Subject { return desk.Subject{File: p.path} }

// file is the file as it is now. Another one with the same text is not it. false means
// that it is gone, or that its project is no longer known.
func (p *File) file() (broker.RulesFile, bool) {
	for _, f := range p.Book.Files {
		if f.Path == p.path {
			return f, true
		}
	}
	return broker.RulesFile{}, false
}

// Update keeps the place. Changes of the file come with the desk's book, so no message
// is about them.
func (p *File) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseMsg:
		steps, _ := desk.Wheel(msg)
		p.top += steps * desk.WheelRows
	case desk.Settle:
		return p.settle()
	}
	return nil
}

// settle leaves the page when the file is gone. A file that has changed has to be read
// anew: the page goes back to its first row, and trust can only be given at the last
// one.
func (p *File) settle() tea.Cmd {
	f, ok := p.file()
	if !ok {
		return p.Back()
	}
	if f.Digest != p.digest {
		p.digest, p.top = f.Digest, 0
		// A y that was on its way was meant for the earlier text.
		p.Guard.Doubt(p.At)
	}
	width, height := p.Inner()
	p.top = max(0, min(p.top, len(p.rows(f, width))-height))
	return nil
}

// Keys trust the file, take that back, and scroll. What is trusted is f as it is
// drawn: its digest goes along.
func (p *File) Keys() []desk.Key {
	f, _ := p.file()
	list := []desk.Key{able(desk.Key{
		Binding: desk.Bind("y", "trust the file as it is now", "y"), Short: "trust it", Why: untrustable(f),
		Do: func(tea.KeyMsg) tea.Cmd { return p.askTrust(f) },
	})}
	return append(append(list, desk.Moves("scroll", p.scroll)...), distrustKey(p.Desk, p.broker, f))
}

// scroll moves through the page.
func (p *File) scroll(msg tea.KeyMsg) tea.Cmd {
	f, _ := p.file()
	width, height := p.Inner()
	p.top = desk.Scrolled(msg, p.top, len(p.rows(f, width)), height)
	return nil
}

// untrustable says why there is nothing to trust in a file; empty when there is. A
// file whose rules only refuse and ask needs no trust.
func untrustable(f broker.RulesFile) string {
	switch {
	case f.Problem != "":
		return "it cannot be read, so it cannot be trusted"
	case f.Trusted:
		return "it is trusted already; x takes that back"
	case allowRules(f) == 0:
		return "it allows nothing: its rules hold as they are"
	}
	return ""
}

// askTrust asks before a file's allow rules count. The page has shown them, to the
// end. A file comes with a project, so anybody may have written it.
func (p *File) askTrust(f broker.RulesFile) tea.Cmd {
	width, height := p.Inner()
	switch {
	case p.Small:
		return p.Say(draw.Warn, p.TooSmallText())
	// The last row counts, wherever it stands: the file may be longer than any window.
	case p.top+height < len(p.rows(f, width)):
		return p.Say(draw.Warn, "read it to the end to trust it: G")
	}
	// The question says how many rules it is about; the page has just shown them.
	question := fmt.Sprintf("let %s allow these calls without a question?", figures.Plural(allowRules(f), "rule"))
	// The digest of the question goes along, not that of the file when y is pressed.
	p.Ask(question, "let it allow?", func() tea.Cmd { return trust(p.Desk, p.broker, f, f.Digest) })
	return nil
}

// View draws the rows in sight.
func (p *File) View(_, _ int) []string {
	f, _ := p.file()
	width, height := p.Inner()
	rows := p.rows(f, width)
	return p.Framed(draw.Caption{Title: "Rules file", Right: inSight(p.top, height, len(rows))}, rows, p.top)
}

// rows lay out what the file says and what trusting it would mean. Every rule stands
// there in full, since the person is about to answer for all of them.
func (p *File) rows(f broker.RulesFile, width int) []string {
	paper := p.Styles.Paper(width)
	word, i := standing(f)
	// The whole path and the whole digest are shown: somebody is about to answer for
	// this very file.
	paper.Write(draw.Fixed(draw.Label, "file", label), draw.Text, f.Path)
	paper.Write(draw.Fixed(draw.Label, "sha-256", label), draw.Muted, f.Digest)
	paper.SayBehind(draw.Label, "standing", label, i, word)
	switch n := allowRules(f); {
	case f.Problem != "":
		// A file that cannot be read makes every call ask, which is safe and a
		// nuisance: it says so.
		paper.Write(draw.Fixed(draw.Label, "problem", label), draw.Danger, f.Problem)
		paper.Say(draw.Warn, "Every call of this project asks until the file is mended.")
	case f.Trusted:
		paper.Say(draw.Text, figures.Plural(n, "allow rule")+" in it: what is named there runs without a question as long as the file stays as it is. x takes that back.")
	case n > 0:
		paper.Say(draw.Text, figures.Plural(n, "allow rule")+" in it, without effect now. y trusts the file as it is: then what is named there runs without a question, in this project.")
	}
	for _, r := range f.Rules {
		paper.Blank()
		p.writeRule(paper, r, f.Trusted)
	}
	return paper.Rows
}

// writeRule lays out one rule of a file. Without trust its allow rules come as
// switched off.
func (p *File) writeRule(paper *draw.Paper, r rules.Rule, trusted bool) {
	writeRule(paper, r)
	holds := words.Until(r, p.At)
	if r.Scope.Agent != "" {
		holds += ", by " + safe.Line(r.Scope.Agent)
	}
	switch {
	case r.Decision == rules.Allow && !trusted:
		holds += "; waits for your trust"
	case !r.Enabled:
		holds += "; switched off"
	}
	if holds != "for ever" {
		paper.SayBehind(draw.Label, "holds", label, draw.Text, holds)
	}
}
