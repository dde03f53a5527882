package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
)

// saidFolded is how many lines of one part of a transcript are shown while it is folded.
const saidFolded = 12

// transcript is the screen with the end of what an agent wrote down of its session.
type transcript struct {
	session string
	from    screen // where esc leads
	got     broker.Transcript
	known   bool
	err     error
	asking  bool
	due     bool // it is time to look again
	gen     int

	unfolded bool
	version  int // of got, for the cache of what is laid out
	top      int
	follow   bool // stay at the end
}

type transcriptMsg struct {
	gen int
	got broker.Transcript
	err error
}

func (m *model) openTranscript(id string) tea.Cmd {
	m.tr = transcript{session: id, from: m.screen, gen: m.tr.gen + 1, version: m.tr.version + 1, due: true, follow: true}
	m.screen = screenTranscript
	return nil
}

// settleTranscript keeps the place, and looks whether the file grew.
func (m *model) settleTranscript() tea.Cmd {
	t := &m.tr
	if m.screen != screenTranscript {
		return nil
	}
	width, height := m.room()
	most := max(0, len(m.transcriptDoc(width).rows)-height)
	if t.follow {
		t.top = most
	}
	t.top = max(0, min(t.top, most))
	if !t.due || t.asking {
		return nil
	}
	t.due, t.asking = false, true
	ctx, c, gen, session, mark := m.ctx, m.console, t.gen, t.session, t.got.Mark
	return func() tea.Msg {
		got, err := c.Transcript(ctx, session, mark)
		return transcriptMsg{gen: gen, got: got, err: err}
	}
}

func (m *model) transcriptCame(msg transcriptMsg) {
	t := &m.tr
	if msg.gen != t.gen {
		return
	}
	t.asking = false
	if msg.err == nil && msg.got.Same && t.known && t.err == nil {
		return
	}
	t.err, t.known = msg.err, true
	if msg.err == nil {
		t.got = msg.got
	}
	t.version++
}

func (m *model) transcriptKey(msg tea.KeyMsg) tea.Cmd {
	t := &m.tr
	switch {
	case key.Matches(msg, m.keys.Transcript):
		return m.back()
	case key.Matches(msg, m.keys.Events):
		id, from := t.session, t.from
		if from == screenEvents {
			return m.back()
		}
		m.screen = from
		return m.openSession(msg, id)
	case key.Matches(msg, m.keys.Open, m.keys.Unfold):
		t.unfolded = !t.unfolded
		t.version++
	default:
		width, height := m.room()
		n := len(m.transcriptDoc(width).rows)
		t.top = m.scrolled(msg, t.top, n)
		t.follow = t.top >= n-height
	}
	return nil
}

// scroll moves by rows; settleTranscript keeps it within the text.
func (t *transcript) scroll(by int) {
	t.top += by
	t.follow = t.follow && by > 0
}

func (m *model) transcriptDoc(width int) *doc {
	t := &m.tr
	return m.docs.get(docKey{id: fmt.Sprint("transcript ", t.version), width: width}, func() *doc {
		d := &doc{paper: *m.st.paper(width)}
		switch {
		case t.err != nil:
			d.say(inkWarn, transcriptTrouble(t.err))
		case !t.known:
			d.say(inkMuted, "reading …")
		case len(t.got.Said) == 0:
			d.say(inkMuted, "nothing is written there yet")
		}
		if t.got.From > 0 {
			d.say(inkMuted, fmt.Sprintf("the last %s of %s", size(int(t.got.Mark.Size-t.got.From)), size(int(t.got.Mark.Size))))
		}
		for list := t.got.Said; len(list) > 0; {
			n := 0
			if !t.unfolded {
				n = d.books(list)
			}
			if n == 0 {
				d.said(list[0], t.unfolded, m)
				n = 1
			}
			list = list[n:]
		}
		d.callEnd = len(d.rows)
		return d
	})
}

// transcriptTrouble says why there is nothing to show; safe to draw.
func transcriptTrouble(err error) string {
	if errors.Is(err, broker.ErrNoTranscript) {
		_, why, found := strings.Cut(err.Error(), broker.ErrNoTranscript.Error()+": ")
		if found {
			return "the transcript cannot be shown: " + safeLine(why)
		}
		return "the agent of this session did not say where it writes a transcript"
	}
	return "the transcript cannot be read: " + safeLine(err.Error())
}

// books draws those first parts of a list that are the agent's books on one row, and says
// how many they are.
func (d *doc) books(list []broker.Said) int {
	var names []string
	for _, s := range list {
		if string(s.By) != "other" || s.Tool == "" {
			break
		}
		names = append(names, safeLine(s.Tool))
	}
	if n := len(names); n > 0 {
		r := d.st.row(d.width).put(inkFaint, "· "+plural(n, "line")+" of its books: ")
		slices.Sort(names)
		d.add(r.fit(inkFaint, strings.Join(slices.Compact(names), ", "), d.width-r.width))
	}
	return len(names)
}

// said draws one part of a transcript.
func (d *doc) said(s broker.Said, unfolded bool, m *model) {
	label, i, body := "", inkMuted, inkText
	switch string(s.By) {
	case "user":
		label, i = "» you", inkKey
	case "agent":
		label, i = "agent", inkTitle
	case "call":
		label, i = "▸ "+safeLine(s.Tool), inkBold
	case "result":
		label, body = "↳ gave back", inkMuted
	case "failed":
		label, i, body = "↳ failed", inkDanger, inkMuted
	default:
		label, i, body = strings.TrimSpace("· "+safeLine(s.Tool)), inkFaint, inkFaint
	}
	if s.Side {
		label += " (sub-agent)"
	}
	r := d.st.row(d.width).put(i, label)
	if !s.At.IsZero() {
		r.right(inkFaint, s.At.In(m.at.Location()).Format("15:04:05"), d.width)
	}
	d.add(r)
	text, more := s.Text, 0
	if string(s.By) == "call" {
		text = callText(s)
	}
	if !unfolded {
		text, more = firstLines(text, saidFolded)
	}
	d.write(gutter{width: 2, next: "↪"}, body, text)
	if more > 0 {
		d.sayBehind(inkFaint, "⋮", 2, inkMuted, plural(more, "more line")+", enter unfolds")
	}
}

// callText is the input of a call in a transcript, as people read it.
func callText(s broker.Said) string {
	sum := summarise(s.Tool, []byte(s.Text), "")
	c := readCall([]byte(s.Text))
	if c.broken != "" || !sum.whole {
		return valueText([]byte(s.Text))
	}
	return mainText(c, "")
}

// firstLines is text without what comes after n lines, or after as many cells as fill
// them, and how many lines those are.
func firstLines(text string, n int) (head string, more int) {
	const longest = 200 // bytes of a line, on average
	at := 0
	for range n {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			at = len(text)
			break
		}
		at += i + 1
	}
	if at > n*longest {
		cut := n * longest
		for cut > 0 && text[cut]&0xC0 == 0x80 {
			cut--
		}
		return text[:cut], max(1, countLines(text[cut:]))
	}
	return text[:at], countLines(text[at:])
}

func (m *model) transcriptView(l layout, a area) []string {
	width, height := l.inner(a, 1)
	t := &m.tr
	d := m.transcriptDoc(width)
	f := caption{title: "Transcript of " + m.board.label(t.session), focus: true, right: position(t.top, height, d)}
	if t.follow && t.known && t.err == nil {
		f.right = "following"
	}
	f.below, f.belowInk = safeLine(t.got.Path), inkMuted
	return m.frame(l, a, f, 1, d.rows[min(t.top, len(d.rows)):min(t.top+height, len(d.rows))])
}
