package transcript

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/event"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

// finding is a search through a transcript: from the newest to the oldest, and around.
// The zero value searches for nothing.
type finding struct {
	text  string
	words string // text in lower case
	older bool   // it goes on in what is not read yet
	from  string // key of the entry before which it goes on
	here  bool   // what is typed was found in what is read
}

// askSearch asks what to search for, from the selected entry upwards. It searches with
// every letter.
func (t *Screen) askSearch(tea.KeyMsg) tea.Cmd {
	// A new search does not go on with what an older one waited for.
	t.find.older = false
	t.Read(desk.Line{Lead: "/", Help: "enter keeps · esc forgets", Text: t.find.text, Typed: t.searchFor(t.list.at), Hint: t.hint})
	return nil
}

// searchFor goes to the newest entry with the text that is typed, from the entry with
// key from upwards. While a person types, it looks only in what is read: the rest is
// asked for with enter and n.
func (t *Screen) searchFor(from string) func(string) {
	return func(text string) {
		t.find = finding{text: text, words: strings.ToLower(text)}
		at, ok := t.list.byKey[from]
		if !ok {
			at = len(t.list.items) - 1
		}
		// An emptied line goes back to where the search began.
		if text == "" && ok {
			t.list.at, t.list.reveal = from, true
		}
		i := t.nearest(at, -1)
		if t.find.here = i >= 0; t.find.here {
			t.goTo(i)
		}
	}
}

// hint says that what is typed is not above the entry where the search began.
func (t *Screen) hint(text string) string {
	if text == "" || t.find.here {
		return ""
	}
	return "not here: enter, then n looks further"
}

// again is a key's action that searches on.
func (t *Screen) again(back bool) func(tea.KeyMsg) tea.Cmd {
	return func(tea.KeyMsg) tea.Cmd {
		t.find.older = false
		return t.findAgain(back)
	}
}

// nearest is the first entry with what is searched for, from entry i on in a
// direction; -1 when there is none. i may lie beyond either end.
func (t *Screen) nearest(i, step int) int {
	for ; i >= 0 && i < len(t.list.items); i += step {
		if t.list.items[i].has(t.find.words) {
			return i
		}
	}
	return -1
}

// findAgain goes to the next entry with the text: an older one, or back to a newer
// one.
func (t *Screen) findAgain(back bool) tea.Cmd {
	at, ok := t.list.selected()
	switch {
	case t.find.words == "":
		return t.Say(draw.Muted, "/ searches first")
	case !ok:
		return nil
	case back:
		return t.findFrom(at+1, 1)
	}
	return t.findFrom(at-1, -1)
}

// findFrom looks from entry i on in a direction, then in older parts that are not read
// yet, then from the other end. Each turn is said, so that nobody believes to see the
// next place when it is the first one again.
func (t *Screen) findFrom(i, step int) tea.Cmd {
	if i = t.nearest(i, step); i >= 0 {
		t.goTo(i)
		return nil
	}
	// What is older comes in parts; foundMore goes on when the next one is here.
	if step < 0 && !t.tell.AtStart() {
		// Whoever searches in the past no longer follows the end.
		t.find.older, t.list.follow = true, false
		if t.find.from = ""; len(t.list.items) > 0 {
			t.find.from = t.list.items[0].Key
		}
		return t.Say(draw.Muted, "searching what is older …")
	}
	from, what := 0, "the end is reached: on from the oldest that is read"
	if step < 0 {
		from, what = len(t.list.items)-1, "the start is reached: on from the newest that is read"
	}
	if i = t.nearest(from, step); i >= 0 {
		t.goTo(i)
		return t.Say(draw.Muted, what)
	}
	return t.Say(draw.Warn, "nothing here has "+words.Quoted(t.find.text))
}

// foundMore goes on with a search when an older part has come. It goes on from the
// entry before which the search stood; when the conversation no longer keeps that one,
// from the end.
func (t *Screen) foundMore() tea.Cmd {
	if !t.find.older {
		return nil
	}
	t.find.older = false
	at, ok := t.list.byKey[t.find.from]
	if !ok {
		at = len(t.list.items)
	}
	return t.findFrom(at-1, -1)
}

// goTo selects entry i. It unfolds it when what is searched for is folded away, and
// shows the row with it when the entry is long.
func (t *Screen) goTo(i int) {
	it := t.list.items[i]
	if !it.open && !it.shows(t.find.words) {
		it.open, it.rows = true, nil
	}
	t.list.at, t.list.reveal, t.list.follow = it.Key, true, false
	height := t.list.height
	if row := it.rowWith(t.list.rows(i), t.find.words); row >= height/2 { // far down in a long one
		// A third of the room above it gives what was found some context.
		t.list.top, t.list.offset, t.list.reveal = i, row-height/3, false
	}
}

// rowWith is the first of the entry's rows that has words, 0 when none has. A match
// that goes over the end of a row is not found.
func (it *item) rowWith(rows []string, words string) int {
	for i, r := range rows {
		if strings.Contains(strings.ToLower(ansi.Strip(r)), words) {
			return i
		}
	}
	return 0
}

// has reports whether the entry holds words, in any case of their letters. No words
// are in no entry.
func (it *item) has(words string) bool {
	return words != "" && strings.Contains(strings.ToLower(it.haystack()), words)
}

// haystack is everything that an entry may be searched by: also what is folded away.
func (it *item) haystack() string {
	parts := []string{it.Text, it.Whose, it.Tool}
	if it.Call != nil {
		parts = append(parts, string(it.Call.ToolInput))
		if _, input := it.Call.Call(); len(input) > 0 {
			c := change.ReadInput(input)
			// The text as a person reads it: in JSON its quotes and breaks are
			// escaped.
			parts = append(parts, callview.MainText(c, ""))
		}
	}
	if it.Ran != nil {
		parts = append(parts, it.Ran.Output)
	}
	if it.Moment != nil {
		parts = append(parts, event.New(*it.Moment).Text())
	}
	return strings.Join(parts, "\n")
}

// shows reports whether the entry's rows as they are have words.
func (it *item) shows(words string) bool {
	for _, r := range it.rows {
		if strings.Contains(strings.ToLower(ansi.Strip(r)), words) {
			return true
		}
	}
	return false
}

// highlighted draws what was searched for in an ink of its own. row is safe to draw
// and may have colours; words is in lower case.
func (t *Screen) highlighted(row, words string) string {
	if words == "" {
		return row
	}
	plain := ansi.Strip(row)
	low := strings.ToLower(plain)
	// Lower case may have another length in some scripts, and then places in the one
	// are not places in the other. The row is drawn as it is.
	if len(low) != len(plain) || !strings.Contains(low, words) {
		return row
	}
	var b strings.Builder
	at, cell := 0, 0
	for {
		i := strings.Index(low[at:], words)
		if i < 0 {
			break
		}
		begin := cell + draw.Cells(plain[at:at+i])
		end := begin + draw.Cells(plain[at+i:at+i+len(words)])
		// The row is cut by cells, because its colours and wide signs make bytes
		// useless for that.
		b.WriteString(safe.Slice(row, cell, begin))
		b.WriteString(t.Styles.Row(end-begin).Put(draw.Sign, plain[at+i:at+i+len(words)]).String())
		at, cell = at+i+len(words), end
	}
	b.WriteString(safe.Slice(row, cell, draw.Cells(plain)))
	return b.String()
}
