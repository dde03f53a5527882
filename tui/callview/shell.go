package callview

import (
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/aoctl/aoctl/tui/draw"
)

// Command lines beyond these are drawn without colours: the parser's time and stack
// grow with them.
const (
	maxColoured = 64 << 10 // bytes
	maxNesting  = 100      // open brackets at once
)

// shellMarks colours a command line. A line that does not parse gets no colours.
func shellMarks(command string) (marks []draw.Mark) {
	if len(command) > maxColoured || nesting(command) > maxNesting {
		return nil
	}
	file, err := syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	p := shellPainter{text: command}
	syntax.Walk(file, p.visit)
	return flatten(p.marks)
}

// nesting is how deep brackets stand in each other at most; quotes are not looked
// at, so the true depth is never larger than twice that.
func nesting(command string) int {
	open, most := 0, 0
	for i := range len(command) {
		switch command[i] {
		case '(', '{', '[', '`':
			open++
			most = max(most, open)
		case ')', '}', ']':
			open = max(0, open-1)
		}
	}
	return most
}

// shellPainter gathers marks; a later one lies on top of earlier ones.
type shellPainter struct {
	marks []draw.Mark
	text  string
}

func (p *shellPainter) add(i draw.Ink, from syntax.Pos, to syntax.Pos) {
	p.span(i, int(from.Offset()), int(to.Offset()))
}

func (p *shellPainter) span(i draw.Ink, from, to int) {
	if from, to = max(0, from), min(to, len(p.text)); from < to {
		p.marks = append(p.marks, draw.Mark{From: from, To: to, Ink: i})
	}
}

func (p *shellPainter) token(pos syntax.Pos, text string) {
	at := int(pos.Offset())
	p.span(draw.Operator, at, at+len(text))
}

// words marks the keyword that stands at each of the places.
func (p *shellPainter) words(places ...syntax.Pos) {
	for _, pos := range places {
		from := int(pos.Offset())
		to := from
		for to < len(p.text) && 'a' <= p.text[to] && p.text[to] <= 'z' {
			to++
		}
		if pos.IsValid() {
			p.span(draw.Keyword, from, to)
		}
	}
}

func (p *shellPainter) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Comment:
		p.add(draw.Comment, n.Pos(), n.End())
	case *syntax.CallExpr:
		if len(n.Args) > 0 {
			p.add(draw.Command, n.Args[0].Pos(), n.Args[0].End())
		}
	case *syntax.SglQuoted:
		p.add(draw.Quoted, n.Pos(), n.End())
	case *syntax.DblQuoted:
		p.add(draw.Quoted, n.Pos(), n.End())
	case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
		p.add(draw.Varies, n.Pos(), n.End())
	case *syntax.BinaryCmd:
		p.token(n.OpPos, n.Op.String())
	case *syntax.Redirect:
		p.token(n.OpPos, n.Op.String())
		if n.Hdoc != nil {
			p.add(draw.Quoted, n.Hdoc.Pos(), n.Hdoc.End())
		}
	case *syntax.Assign:
		if n.Name != nil {
			p.add(draw.Varies, n.Name.Pos(), n.Name.End())
		}
	case *syntax.Stmt:
		if n.Semicolon.IsValid() {
			p.token(n.Semicolon, ";")
		}
	default:
		p.keywords(n)
	}
	return true
}

func (p *shellPainter) keywords(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.IfClause:
		p.words(n.Position, n.ThenPos, n.FiPos)
	case *syntax.WhileClause:
		p.words(n.WhilePos, n.DoPos, n.DonePos)
	case *syntax.ForClause:
		p.words(n.ForPos, n.DoPos, n.DonePos)
	case *syntax.CaseClause:
		p.words(n.Case, n.In, n.Esac)
	}
}

// flatten turns marks that lie on each other into a row of marks that do not
// overlap: the last one wins. Inner nodes come after the ones around them.
func flatten(marks []draw.Mark) []draw.Mark {
	if len(marks) == 0 {
		return nil
	}
	cuts := make([]int, 0, 2*len(marks))
	for _, m := range marks {
		cuts = append(cuts, m.From, m.To)
	}
	sort.Ints(cuts)
	top := make([]int, len(cuts)) // for the stretch that begins at each cut: the mark on top, plus one
	for n, m := range marks {
		for i := sort.SearchInts(cuts, m.From); i < len(cuts) && cuts[i] < m.To; i++ {
			top[i] = n + 1
		}
	}
	var flat []draw.Mark
	for i := 0; i+1 < len(cuts); i++ {
		if cuts[i] == cuts[i+1] || top[i] == 0 {
			continue
		}
		m := draw.Mark{From: cuts[i], To: cuts[i+1], Ink: marks[top[i]-1].Ink}
		if k := len(flat); k > 0 && flat[k-1].To == m.From && flat[k-1].Ink == m.Ink {
			flat[k-1].To = m.To
			continue
		}
		flat = append(flat, m)
	}
	return flat
}
