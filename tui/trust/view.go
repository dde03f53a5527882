package trust

import (
	"path/filepath"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

const (
	nameWidth = 8  // cells of an effect's name
	airy      = 14 // rows from which the form has empty ones
	shown     = 3  // calls that are listed
)

// View draws the form.
func (x *Screen) View(_, _ int) []string {
	width, height := x.Inner()
	rows, _ := x.rows(width, height)
	f := draw.Caption{Title: "What agents may do", Right: desk.Position(x.top, height, len(rows))}
	if x.project.Path != "" {
		x.headed(&f, width, height)
	}
	return x.Framed(f, rows, min(x.top, max(0, len(rows)-height)))
}

// headed puts the project into the head of the form. Where no row below has room for its path, as much of its end
// stands here as fits: two projects may have one name.
func (x *Screen) headed(f *draw.Caption, width, height int) {
	before, after := f.Title+" in ", ""
	if width < draw.Narrow {
		before, after = "In ", " agents may"
	}
	name := x.name()
	if height >= airy {
		f.Note = strings.Join(x.holds(), ", ")
	} else {
		room := width - draw.Cells(before+after) - 2
		if f.Right != "" {
			room -= draw.Cells(f.Right) + 3
		}
		name = pathEnd(x.project.Path, room)
	}
	f.Title = before + name + after
}

// pathEnd is a path, or as many of its last names as fit into some cells; at least one. Safe to draw.
func pathEnd(path string, room int) string {
	whole := draw.SafeLine(path)
	if draw.Cells(whole) <= room {
		return whole
	}
	end := words.Project(path)
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		longer := words.Project(dir) + "/" + end
		if dir == filepath.Dir(dir) || draw.Cells("…/"+longer) > room {
			break
		}
		end = longer
	}
	if draw.Cells("…/"+end) <= room {
		end = "…/" + end
	}
	return end
}

// holds is what says which kind of project it is; safe to draw.
func (x *Screen) holds() []string {
	names := make([]string, len(x.project.Holds))
	for i, n := range x.project.Holds {
		names[i] = draw.SafeLine(n)
	}
	return names
}

// rows lays the form out; at is the row of the cursor.
func (x *Screen) rows(width, height int) (rows []string, at int) {
	p := x.Styles.Paper(width)
	blank := func() {
		if height >= airy {
			p.Blank()
		}
	}
	switch {
	case !x.looked:
		p.Say(draw.Muted, "looking at the project …")
		return p.Rows, 0
	case x.project.Path == "":
		p.Say(draw.Warn, "this folder is too wide for one project, or is not there: a rule for it would be one for everything")
		return p.Rows, 0
	}
	if x.asked.ID != "" {
		asker(p, x.asked)
	}
	if height >= airy {
		p.Say(draw.Muted, "without asking, in "+draw.SafeLine(x.project.Path))
	}
	blank()
	at = len(p.Rows) + x.at
	for i := range choices {
		x.choice(p, i)
	}
	blank()
	x.warn(p)
	x.would(p)
	return p.Rows, at
}

// choice draws one effect, its key and its tick.
func (x *Screen) choice(p *draw.Paper, i int) {
	c := choices[i]
	bar, box, ink := " ", "☐", draw.Muted
	if i == x.at {
		bar = "▌"
	}
	if x.ticks.Has(c.effect) {
		box, ink = "☑", draw.Bold
	}
	r := p.Styles.Row(p.Width).Choose(i == x.at).Put(draw.Key, bar+c.key+" ").Put(ink, box+" "+c.effect.String())
	if means, ink := x.means(p, c.effect); r.Width < p.Width {
		r.To(5+nameWidth).Fit(ink, means, p.Width-r.Width)
	}
	p.Add(r)
}

// means says what an effect is. Where no git could bring a file back, an edit counts as more than one, and
// its tick would promise too much.
func (x *Screen) means(p *draw.Paper, e effects.Effect) (string, draw.Ink) {
	if e == effects.Edit && x.project.NoGit {
		return p.Either("no git here: edits go on asking", "no git here: still asks"), draw.Warn
	}
	return e.Means(), draw.Text
}

// warn says what must not be overlooked: that no rule may allow now, and what two ticks come to.
func (x *Screen) warn(p *draw.Paper) {
	if problem := x.Book.Problem; problem != "" {
		p.Say(draw.Danger, "no rule may allow anything now: "+draw.SafeLine(problem))
	}
	if effects.Of(effects.Edit, effects.Check).Within(x.ticks) {
		p.Say(draw.Warn, p.Either(words.EditAndCheck, words.EditAndCheckBrief))
	}
}

// would says what the ticks would have done, and what they do now.
func (x *Screen) would(p *draw.Paper) {
	got := x.trial.Preview
	switch {
	case x.ticks == 0:
		p.Say(draw.Muted, "nothing is ticked: every call asks")
		return
	case !x.trial.Known():
		p.Say(draw.Muted, "trying it on the past calls …")
		return
	case x.trial.Err != nil:
		p.Say(draw.Warn, "could not be tried: "+draw.SafeLine(x.trial.Err.Error()))
		return
	case got.Here == 0:
		p.Say(draw.Text, "there are no past calls here yet to try it on")
	default:
		x.passed(p)
	}
	x.against(p)
	if n := len(got.Waiting); n > 0 {
		p.Say(draw.Text, "lets "+figures.Plural(n, "waiting call")+" go on now")
	}
}

// passed says how many of the project's calls would have run without a question.
func (x *Screen) passed(p *draw.Paper) {
	v := x.trial.Preview
	n, all := figures.Count(v.Passed), figures.Plural(v.Here, "call")
	if v.Denied > 0 {
		p.Say(draw.Text, p.Either("would have passed "+n+" of the "+all+" so far", "passes "+n+" of "+all))
		return
	}
	p.Say(draw.Text, p.Either("would have passed "+n+" of the "+all+" so far; you denied none of these", "passes "+n+" of "+all+", none you denied"))
}

// against says which calls would have passed that a person denied.
func (x *Screen) against(p *draw.Paper) {
	v := x.trial.Preview
	if v.Denied > 0 {
		p.Say(draw.Danger, "! "+figures.Count(v.Denied)+" of them you denied:")
	}
	for _, r := range v.Against[:min(len(v.Against), shown)] {
		s := callview.SummaryOf(r)
		line := p.Styles.Row(p.Width).Put(draw.Muted, "  ")
		if s.Tool != "Bash" {
			line.Put(draw.Warn, s.Tool+" ")
		}
		s.Put(line, draw.Warn, p.Width-line.Width)
		p.Add(line)
	}
}
