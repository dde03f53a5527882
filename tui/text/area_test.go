package text

import (
	"strings"
	"testing"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// passageKeys are the keys that a passage knows, and some that it does not.
var passageKeys = []tea.KeyMsg{
	{Type: tea.KeyUp},
	{Type: tea.KeyDown},
	{Type: tea.KeyLeft},
	{Type: tea.KeyRight},
	{Type: tea.KeyHome},
	{Type: tea.KeyEnd},
	{Type: tea.KeyBackspace},
	{Type: tea.KeyDelete},
	{Type: tea.KeyCtrlW},
	{Type: tea.KeyCtrlU},
	{Type: tea.KeyCtrlK},
	{Type: tea.KeyCtrlJ},
	{Type: tea.KeyEnter, Alt: true},
	{Type: tea.KeyLeft, Alt: true},
	{Type: tea.KeyRight, Alt: true},
	{Type: tea.KeySpace, Runes: []rune{' '}},
	{Type: tea.KeyTab},
	{Type: tea.KeyF1},
	{Type: tea.KeyRunes, Runes: []rune("x"), Alt: true},
	{Type: tea.KeyCtrlA},
}

// FuzzPassage presses any keys between texts that are typed or pasted: the cursor stays
// inside, what is taken is all taken, and what is drawn is safe, fits, and is the
func FuzzPassage(f *testing.F) {
	for _, p := range tuitest.Payloads {
		f.Add(p, []byte{0, 1, 2, 6, 12, 200, 8, 3, 255}, 40)
	}
	f.Add("日本語\r\nab\rc\t  ", []byte{200, 0, 0, 4, 10, 11, 1, 5, 9, 7}, 31)
	f.Fuzz(func(t *testing.T, typed string, keys []byte, width int) {
		width = draw.LeastPaper + int(uint(width)%80)
		p := NewArea("", 300)
		st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
		for _, k := range keys {
			msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(typed), Paste: k%2 == 0}
			if k < 200 {
				msg = passageKeys[int(k)%len(passageKeys)]
			}
			before := p.String()
			refused := p.Edit(msg, DefaultKeys(), DefaultAreaKeys())
			if refused != "" && p.String() != before {
				t.Fatalf("%v was refused, and %q became %q", msg, before, p.String())
			}
			if p.At < 0 || p.At > len(p.text) || len(p.text) > 300 {
				t.Fatalf("after %v the cursor is at %d of %d", msg, p.At, len(p.text))
			}
			for _, r := range p.text {
				if unicode.IsControl(r) && r != '\n' && r != '\t' {
					t.Fatalf("it took %U", r)
				}
			}
			paper := st.Paper(width)
			cursor := p.Write(paper, draw.Gutter{}, true)
			if cursor < 0 || cursor >= len(paper.Rows) || !strings.ContainsAny(paper.Rows[cursor], draw.CursorMid+draw.CursorEnd) {
				t.Fatalf("the cursor is on row %d of %q", cursor, paper.Rows)
			}
			for _, row := range paper.Rows {
				if safe.Width(row) > width || strings.ContainsFunc(row, unicode.IsControl) {
					t.Fatalf("row %q in %d cells", row, width)
				}
			}
			if lines := strings.Count(p.String(), "\n") + 1; len(paper.Rows) < lines {
				t.Fatalf("%d rows for %d lines", len(paper.Rows), lines)
			}
		}
	})
}

func TestPassageKeys(t *testing.T) {
	for name, tc := range map[string]struct {
		start string
		keys  []tea.KeyMsg
		want  string // with | for the cursor
	}{
		"up keeps the column":      {"abc\nde\nfghi", []tea.KeyMsg{passageKeys[0]}, "abc\nde|\nfghi"},
		"up from the first line":   {"abc", []tea.KeyMsg{passageKeys[0]}, "|abc"},
		"down to a shorter line":   {"abc\nd", []tea.KeyMsg{passageKeys[0], passageKeys[5], passageKeys[1]}, "abc\nd|"},
		"down from the last line":  {"abc", []tea.KeyMsg{passageKeys[4], passageKeys[1]}, "abc|"},
		"home and end of the line": {"ab\ncd", []tea.KeyMsg{passageKeys[4]}, "ab\n|cd"},
		"erase to the line's left": {"ab\ncd", []tea.KeyMsg{passageKeys[9]}, "ab\n|"},
		"erase the line's right":   {"ab\ncd", []tea.KeyMsg{passageKeys[0], passageKeys[4], passageKeys[10]}, "|\ncd"},
		"and then its break":       {"ab\ncd", []tea.KeyMsg{passageKeys[0], passageKeys[4], passageKeys[10], passageKeys[10]}, "|cd"},
		"erase a word, not more":   {"ab\ncd ef", []tea.KeyMsg{passageKeys[8], passageKeys[8]}, "ab\n|"},
		"a new line":               {"ab", []tea.KeyMsg{passageKeys[2], passageKeys[12]}, "a\n|b"},
		"a paste":                  {"ab", []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune("x\r\ny\rz"), Paste: true}}, "abx\ny\nz|"},
		"a paste with a sign":      {"ab", []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune("x\x1b[2J"), Paste: true}}, "ab|"},
	} {
		t.Run(name, func(t *testing.T) {
			p := NewArea(tc.start, 100)
			for _, k := range tc.keys {
				p.Edit(k, DefaultKeys(), DefaultAreaKeys())
			}
			if got := string(p.text[:p.At]) + "|" + string(p.text[p.At:]); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// Blanks before the cursor are blanks, and empty lines are rows.
func TestPassageIsDrawnAsItIsWritten(t *testing.T) {
	p := NewArea("one \n\n\n\n\nsix  ", 100)
	paper := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false).Paper(30)
	cursor := p.Write(paper, draw.Gutter{}, true)
	for i := range paper.Rows {
		paper.Rows[i] = strings.TrimRight(paper.Rows[i], " ")
	}
	if got := strings.Join(paper.Rows, "|"); got != "one␠|||||six  █" || cursor != 5 {
		t.Errorf("%q, the cursor on row %d", got, cursor)
	}
}
