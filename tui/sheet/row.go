package sheet

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// WouldHave is the end that an observed call would have had, in few letters, as far as
// the broker's words about it begin in a known way.
func WouldHave(o *broker.Outcome) string {
	for start, word := range map[string]string{
		"the rules would have allowed": "would allow",
		"the rules would have denied":  "would deny",
		"a person would have been":     "would ask",
	} {
		if strings.HasPrefix(o.Reason, start) {
			return word
		}
	}
	return callview.Actor(o.By)
}

// summariesKept is how many decided calls' summaries are kept: more than any history
// screen draws, so that drawing one does not read all inputs again.
const summariesKept = 1000

// WithWait is from how many cells on a row says by whom the call was decided, and how long it had waited.
const WithWait = 66

// withWord is from how many cells on a row says in a word how the call ended.
const withWord = 90

// marks draws before a call what its text does not tell: that it was dangerous, and that it ran edited
// where no word has said so.
func marks(line *draw.Row, r broker.Request, edited bool) {
	if r.DangerKnown() != "" {
		line.Put(draw.Danger, "!! ")
	}
	if edited && callview.RanEdited(r) {
		line.Put(draw.Muted, "edited ")
	}
}

// Row draws one decided call on a line.
func (s *Sheets) Row(r broker.Request, width int, chosen bool) string {
	o := r.Outcome
	if o == nil {
		return draw.Spaces(width)
	}
	line := s.Styles.Row(width).Choose(chosen)
	bar := " "
	if chosen {
		bar = "▌"
	}
	glyph, i := callview.VerdictGlyph(o.State)
	word := callview.EndWord(r)
	if callview.WasObserved(o) {
		glyph, i, word = "○", draw.Warn, "observed"
	}
	if r.Unheard {
		glyph, i, word = "-", draw.Warn, "unheard"
	}
	if r.Alarm != nil {
		glyph, i, word = "!", draw.Danger, "ALARM"
	}
	line.Put(draw.Key, bar)
	if width >= 50 {
		line.Put(draw.Muted, when(o.At.In(s.At.Location()), s.At, width)+" ")
	}
	line.Put(i, glyph+" ")
	if width >= withWord { // in less room the sign alone: the call and its rule tell more
		line.Put(i, word).To(line.Width + 10 - len(word))
	}
	marks(line, r, width < withWord)
	sum := s.summary(r)
	took := figures.Brief(o.At.Sub(r.CreatedAt))
	by, whose := s.Book.Actor(o.By), words.Whose(r, s.Board)
	if callview.WasObserved(o) {
		by = WouldHave(o)
	}
	end := width - 2
	if width >= WithWait {
		end -= 8
	}
	byWidth, whoseWidth := 0, 0
	if width >= WithWait {
		byWidth = 16
	}
	if width >= 50 {
		whoseWidth = 13
	}
	if width >= 80 {
		byWidth, whoseWidth = 16, min(width/5, 24)
	}
	if width >= 100 {
		byWidth = 20
	}
	sum.PutWhole(line, draw.Bold, draw.Text, end-byWidth-whoseWidth-line.Width-1)
	if whoseWidth > 0 {
		line.To(end-byWidth-whoseWidth).Fit(draw.Muted, whose, whoseWidth-1)
	}
	if byWidth > 0 {
		decider(line, by, strings.HasPrefix(by, "rule "), end, byWidth)
		line.Right(draw.Muted, took, width-1)
	}
	return line.To(width).String()
}

// decider draws who decided in a column of that width before end. A longer name begins earlier, as far as
// the row is free.
func decider(line *draw.Row, by string, rule bool, end, width int) {
	room := max(width-1, end-line.Width-3)
	name := strings.TrimPrefix(by, "rule ")
	if brief := strings.TrimPrefix(by, "the built-in grant: "); draw.Cells(by) > room {
		by = brief
	}
	if !rule || draw.Cells(by) <= room {
		line.To(min(end-width, end-1-draw.Cells(by))).Fit(draw.Muted, by, room)
		return
	}
	// A rule's name tells more than the word.
	line.To(min(end-width, end-1-min(room, draw.Cells(name)+2)))
	line.Put(draw.Muted, `"`).Fit(draw.Muted, name, room-2).Put(draw.Muted, `"`)
}

// when is the time of a decision, with the date where that is another day.
func when(at, now time.Time, width int) string {
	if width >= 80 && !figures.SameDay(at, now) {
		return at.Format("2 Jan 15:04")
	}
	return figures.When(at, now)
}

func (s *Sheets) summary(r broker.Request) callview.Summary {
	if known, ok := s.summaries[r.ID]; ok {
		return known
	}
	if s.summaries == nil || len(s.summaries) >= summariesKept {
		s.summaries = map[string]callview.Summary{}
	}
	sum := callview.SummaryOf(r)
	s.summaries[r.ID] = sum
	return sum
}
