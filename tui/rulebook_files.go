package tui

import (
	"errors"
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

func (rb *rulebook) filePlace() int {
	for i, f := range rb.files {
		if f.Path == rb.file {
			return i
		}
	}
	return 0
}

func (rb *rulebook) selectedFile() (broker.RulesFile, bool) {
	if len(rb.files) == 0 {
		return broker.RulesFile{}, false
	}
	return rb.files[rb.filePlace()], true
}

// filesKey takes a key on the list of rules files.
func (m *model) filesKey(msg tea.KeyMsg) tea.Cmd {
	rb := &m.rb
	f, ok := rb.selectedFile()
	switch {
	case !ok:
	case key.Matches(msg, m.keys.Open):
		rb.file, rb.scroll, m.screen = f.Path, 0, screenFile
	case key.Matches(msg, m.ruleKeys.Distrust) && f.Trusted:
		return m.trust(f, "")
	default:
		rb.file = rb.files[m.moved(msg, rb.filePlace(), len(rb.files))].Path
	}
	return nil
}

// fileKey takes a key on the page of one file.
func (m *model) fileKey(msg tea.KeyMsg) tea.Cmd {
	rb := &m.rb
	f, ok := rb.selectedFile()
	if !ok {
		m.screen = screenFiles
		return nil
	}
	switch {
	case key.Matches(msg, m.ruleKeys.Trust):
		return m.askTrust(f)
	case key.Matches(msg, m.ruleKeys.Distrust):
		if !f.Trusted {
			return m.Say(draw.Muted, "its allow rules do not count: it is not trusted")
		}
		return m.trust(f, "")
	}
	width, _ := m.room()
	rb.scroll = m.scrolled(msg, rb.scroll, len(m.fileRows(f, width)))
	return nil
}

// askTrust asks before a file's allow rules count. The page shows them, to the end.
func (m *model) askTrust(f broker.RulesFile) tea.Cmd {
	n := allowRules(f)
	width, height := m.room()
	switch {
	case f.Problem != "":
		return m.Say(draw.Warn, "it cannot be read, so it cannot be trusted")
	case f.Trusted:
		return m.Say(draw.Muted, "it is trusted already; x takes that back")
	case n == 0:
		return m.Say(draw.Muted, "it allows nothing: its rules hold as they are")
	case m.tooSmall():
		return m.Say(draw.Warn, m.tooSmallText())
	case m.rb.scroll+height < len(m.fileRows(f, width)):
		return m.Say(draw.Warn, "read it to the end to trust it: G")
	}
	m.askYes(fmt.Sprintf("let %s allow these calls without a question?", figures.Plural(n, "rule")), "let it allow?", func() tea.Cmd { return m.trust(f, f.Digest) })
	return nil
}

func allowRules(f broker.RulesFile) int {
	n := 0
	for _, r := range f.Rules {
		if r.Decision == rules.Allow {
			n++
		}
	}
	return n
}

// trust lets a file's allow rules count while its digest is this one; "" takes it back.
func (m *model) trust(f broker.RulesFile, digest string) tea.Cmd {
	ctx, console, by := m.Ctx, m.console, m.Operator
	return func() tea.Msg {
		return fileTrustedMsg{path: f.Path, digest: digest, err: console.TrustFile(ctx, f.Path, digest, by)}
	}
}

func (m *model) fileTrusted(msg fileTrustedMsg) tea.Cmd {
	name := draw.SafeLine(msg.path)
	switch {
	case errors.Is(msg.err, broker.ErrStale):
		return m.Say(draw.Danger, "the file was changed meanwhile: it is not trusted. Read it again")
	case msg.err != nil:
		return m.Say(draw.Danger, "not recorded: "+draw.SafeLine(msg.err.Error()))
	case msg.digest == "":
		return m.Say(draw.OK, "no longer trusted: what "+name+" allows asks again")
	}
	// Whether the file still is what was shown, its page says.
	return m.Say(draw.OK, "trusted as it was shown, "+short(msg.digest)+": "+name, "trusted as it was shown, "+draw.SafeLine(short(msg.digest)))
}

// fileStanding is whether a file's allow rules count, in a word.
func fileStanding(f broker.RulesFile) (string, draw.Ink) {
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

func (m *model) filesView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 0)
	rb := &m.rb
	f := draw.Caption{Title: "Rules files " + figures.Count(len(rb.files)), Note: "deny and ask hold; allow counts once you trust the file", Focus: true}
	if len(rb.files) == 0 {
		p := m.Styles.Paper(width - 2)
		p.SayBehind(draw.Text, "", 1, draw.Muted, "no project of a known session has a rules file (.aoctl/rules.toml)")
		return l.Framed(a, f, 0, words.Pad(p.Rows, width))
	}
	at := rb.filePlace()
	top := window(0, at, height, len(rb.files))
	var rows []string
	for i := top; i < min(top+height, len(rb.files)); i++ {
		rows = append(rows, m.fileRow(rb.files[i], i == at, width))
	}
	return l.Framed(a, f, 0, rows)
}

func (m *model) fileRow(f broker.RulesFile, chosen bool, width int) string {
	line := m.Styles.Row(width).Choose(chosen)
	bar := " "
	if chosen {
		bar = "▌"
	}
	word, i := fileStanding(f)
	line.Put(draw.Key, bar).Put(i, word).To(13)
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

// short is the beginning of a digest, enough to compare by eye.
func short(digest string) string { return digest[:min(len(digest), 8)] }

// fileRows is the page of one file: what it says and what trusting it would mean.
func (m *model) fileRows(f broker.RulesFile, width int) []string {
	p := m.Styles.Paper(width)
	word, i := fileStanding(f)
	p.Write(draw.Fixed(draw.Label, "file", formLabel), draw.Text, f.Path)
	p.Write(draw.Fixed(draw.Label, "sha-256", formLabel), draw.Muted, f.Digest)
	p.SayBehind(draw.Label, "standing", formLabel, i, word)
	switch n := allowRules(f); {
	case f.Problem != "":
		p.Write(draw.Fixed(draw.Label, "problem", formLabel), draw.Danger, f.Problem)
		p.Say(draw.Warn, "Every call of this project asks until the file is mended.")
	case f.Trusted:
		p.Say(draw.Text, figures.Plural(n, "allow rule")+" in it: what is named there runs without a question as long as the file stays as it is. x takes that back.")
	case n > 0:
		p.Say(draw.Text, figures.Plural(n, "allow rule")+" in it, without effect now. y trusts the file as it is: then what is named there runs without a question, in this project.")
	}
	for _, r := range f.Rules {
		p.Blank()
		m.writeFileRule(p, r, f.Trusted)
	}
	return p.Rows
}

// writeFileRule lays out one rule of a file. Without trust its allow rules come as
// switched off.
func (m *model) writeFileRule(p *draw.Paper, r rules.Rule, trusted bool) {
	p.Write(draw.Fixed(decisionInk(r.Decision), draw.SafeLine(string(r.Decision)), formLabel), draw.Bold, r.Tool)
	for _, name := range words.Where(r) {
		p.WriteNamed(formLabel, name, r.Where[name])
	}
	if r.Reason != "" {
		p.Write(draw.Fixed(draw.Label, "reason", formLabel), draw.Text, r.Reason)
	}
	holds := m.until(r)
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
		p.SayBehind(draw.Label, "holds", formLabel, draw.Text, holds)
	}
}

// fileHints are the keys for the last line of the screens about rules files.
func (m *model) fileHints(back hint) []hint {
	f, ok := m.rb.selectedFile()
	list := []hint{{"enter", "show"}}
	if m.screen == screenFile {
		list = []hint{{"j k", "scroll"}}
	}
	switch {
	case !ok:
		return []hint{back}
	case f.Trusted:
		list = append(list, hint{"x", "take the trust back"})
	case m.screen == screenFile && f.Problem == "" && allowRules(f) > 0:
		list = append([]hint{{"y", "trust it"}}, list...)
	}
	return append(list, back)
}

func (m *model) settleFiles() {
	rb := &m.rb
	if m.screen != screenFile {
		return
	}
	f, ok := rb.selectedFile()
	if !ok || f.Path != rb.file { // it is gone; no other one may take its page
		m.screen = screenFiles
		return
	}
	width, height := m.room()
	rb.scroll = max(0, min(rb.scroll, len(m.fileRows(f, width))-height))
}

func (m *model) fileView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 1)
	f, _ := m.rb.selectedFile()
	rows := m.fileRows(f, width)
	top := min(m.rb.scroll, len(rows))
	c := draw.Caption{Title: "Rules file", Focus: true}
	if len(rows) > height {
		c.Right = fmt.Sprintf("%s–%s of %s", figures.Count(top+1), figures.Count(min(top+height, len(rows))), figures.Count(len(rows)))
	}
	return l.Framed(a, c, 1, rows[top:min(top+height, len(rows))])
}
