package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/commands"
	"github.com/aoctl/aoctl/broker/risk/said"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/programs"
)

// pathOf is where t surely leads; "" when that is not one plain path, or when links and text
// disagree.
func pathOf(t target) string {
	if t.lost || len(t.reals) != 1 {
		return ""
	}
	return said.Path(t.reals[0])
}

// says names the file that is read, behind why.
func says(why string, t target) string {
	p := pathOf(t)
	return said.Sentence(why+": "+p, p)
}

// runsSent says which program, element i, runs what which host sends to element n. Without a
// certain host it says less, and without a known program nothing.
func (f *flow) runsSent(n, i int) string {
	who := f.runner(i)
	if host := commands.HostOf(f.args[n]); host != "" && f.straight(n, i) {
		if text := said.Sentence(who+" runs whatever "+host+" sends", who); text != "" {
			return text
		}
	}
	return said.Sentence(who+" runs what comes from the network", who)
}

// runsGot says which interpreter runs a file that the line has fetched. From which host it still is, no
// line tells: the file may have been changed in between.
func (f *flow) runsGot(a cmdline.Command) string {
	who := said.Program(a.Name)
	if !a.Is(programs.Interpreter) {
		who = ""
	}
	return said.Sentence(who+" runs a file from the network", who)
}

// runner is the program that runs a text: the command of element i, or the wrapper of one that
// could not be read. It is "" when no table knows it.
func (f *flow) runner(i int) string {
	if via := f.l.Elements[i].Via; f.args[i].Name == "" && len(via) > 0 {
		name, _, _ := strings.Cut(via[len(via)-1], " ")
		return said.Program(cmdline.Program(name))
	}
	return said.Program(f.args[i].Name)
}

// handsOver is a whole line in which a program is given all of another one's output: bash <(…), eval "$(…)".
var handsOver = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]+( -[a-z]+)* ("\$\(§\)"|\$\(§\)|<\(§\))$`)
})

// straight reports whether element i surely runs what element n prints and nothing else:
// nothing stands between them, and nothing in the line changes what a name means. A variable,
// an unread part or another command in the pipeline is enough to say no.
func (f *flow) straight(n, i int) bool {
	from, to := f.l.Elements[n], f.l.Elements[i]
	// The whole line is this one command, so that nothing can stand before it.
	if strings.TrimSpace(f.l.Raw) == to.Text {
		return handsOver().MatchString(strings.Replace(to.Text, from.Text, "§", 1))
	}
	// Some shell may read other words, or there is no plain pipe between the two.
	if !f.l.Plain || from.Pipe == 0 || from.Pipe != to.Pipe || to.Stdin != "pipe" || len(from.Via) > 0 || !readsProgram(f.args[i]) || f.args[i].Through("xargs", "parallel") {
		return false
	}
	return !slices.ContainsFunc(f.l.Elements, func(e shell.Element) bool {
		if e.Kind == shell.Command {
			return e.Text != to.Text && (e.Unsure != "" || e.Pipe == from.Pipe && e.Text != from.Text)
		}
		return e.Kind == shell.Assign || e.Kind == shell.Unknown
	})
}
