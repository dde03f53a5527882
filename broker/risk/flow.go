package risk

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/commands"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/programs"
)

// flow is what the elements of one line do to each other. It is asked after the elements were
// judged one by one: a download and a shell are each harmless enough, and together run whatever
// a stranger sends.
type flow struct {
	j       scene
	l       *shell.Line
	args    []cmdline.Command // of each element
	sources []int             // elements that print what nobody has seen
	moved   map[string]bool   // what mv takes away
	got     map[string]bool   // files that the elements so far have fetched, by absolute path and by last name
	fetched bool
}

// newFlow notes the sources of the line and what mv takes away, which later looks need from the
// start.
func newFlow(j scene, l *shell.Line) *flow {
	f := &flow{j: j, l: l, args: make([]cmdline.Command, len(l.Elements)), moved: map[string]bool{}, got: map[string]bool{}}
	for i, e := range l.Elements {
		a := cmdline.Of(e)
		f.args[i] = a
		if fetches(a) || decodes(a) {
			f.sources = append(f.sources, i)
		}
		if a.Name == "mv" {
			for _, w := range a.Operands() {
				f.moved[f.key(shell.Element{Path: w, Dir: e.Dir})] = true
			}
		}
	}
	return f
}

// key is a path as an element has it, with the folder, so that equal names in two folders
// differ.
func (f *flow) key(e shell.Element) string { return e.Dir + "\x00" + e.Path }

// judge looks for programs that run what another one fetches. It goes from left to right, as a
// file must have been fetched before it runs.
func (f *flow) judge() {
	kills := -1
	for i, e := range f.l.Elements {
		a := f.args[i]
		switch {
		case e.Kind == shell.Unknown || runsInput(a):
			f.runsFetched(i, a)
		case a.Name == "kill" || a.Name == "pkill" || a.Name == "killall":
			kills = i
		}
		f.runsDownload(i, a)
		f.download(i, a)
	}
	// "kill $(pgrep aoctl)" has aoctl in no word of kill.
	if kills >= 0 && f.looksFor("aoctl") {
		f.about(kills)
		f.j.guard("ends or stops aoctl")
	}
}

func (f *flow) about(i int) { f.j.about(i, f.l.Elements[i].Text) }

// looksFor reports whether the line asks for the processes of a program, by any of the usual
// tools.
func (f *flow) looksFor(name string) bool {
	for _, a := range f.args {
		switch a.Name {
		case "pgrep", "pidof", "ps", "lsof", "fuser", "grep", "awk", "ss", "pidwait", "cat":
			if strings.Contains(pathtable.Fold(strings.Join(a.Words, " ")), name) {
				return true
			}
		}
	}
	return false
}

// runsInput reports whether a command may run what it reads or what its words become. A program
// that is not known may be an interpreter.
func runsInput(a cmdline.Command) bool {
	if len(a.Element.Argv) == 0 {
		return false
	}
	return a.Element.Argv[0] == "" || a.Is(programs.Interpreter) || a.ThroughOne(programs.Interpreter)
}

// runsFetched judges an interpreter, element i, by the sources before it in its pipeline and by
// those in its own words, as in "curl x | sh", "sh <(curl x)" and "echo x | base64 -d | sh".
// One source is enough.
func (f *flow) runsFetched(i int, a cmdline.Command) {
	for _, n := range f.sources {
		if n == i || !f.feeds(n, i, a) {
			continue
		}
		f.about(i)
		if fetches(f.args[n]) {
			f.j.sharpen("runs what comes from the network", f.runsSent(n, i))
		} else {
			f.j.danger("runs a text that is hidden by encoding")
		}
		return
	}
}

// fetches and decodes: commands that print what nobody has seen, from the network or out of an
// encoding.
func fetches(a cmdline.Command) bool {
	if a.Name == "openssl" {
		return a.Exactly("s_client")
	}
	return a.Is(programs.Fetches)
}

func decodes(a cmdline.Command) bool {
	return a.Is(programs.Decodes) && (a.Name == "uudecode" || a.Has("-d", "-D", "--decode", "-r", "--decrypt"))
}

// feeds reports whether what element n prints may be what element i runs: inside a substitution
// in its words, by a here-document, or through a pipe. Whether n stands in i is told by the
// texts, as elements have no tree.
func (f *flow) feeds(n, i int, a cmdline.Command) bool {
	from, to := f.l.Elements[n], f.l.Elements[i]
	// The source stands in a substitution of this command.
	if before, _, inside := strings.Cut(to.Text, from.Text); inside && strings.ContainsAny(before, "(`") {
		return a.Name == "" || a.Is(programs.Shell) || runsWord(a) // without a name it is a part that could not be read
	}
	if to.Stdin == "text" && to.Unsure != "" && readsProgram(a) {
		return true // a here-document or here-string of what it prints
	}
	if from.Pipe == 0 || n > i {
		return false
	}
	// Inside of a group in a pipeline, commands have other numbers and read what is piped in.
	if from.Pipe != to.Pipe && to.Stdin != "pipe" {
		return false
	}
	// A part that could not be read runs what it is fed only if a shell reads it.
	if to.Kind == shell.Unknown {
		return runsScript(to.Via)
	}
	return to.Kind == shell.Command && (readsProgram(a) || throughXargs(a))
}

// runsScript reports whether one of the wrappers is a shell that runs a text. The part that
// could not be read is then that text.
func runsScript(via []string) bool {
	return slices.ContainsFunc(strings.Fields(strings.Join(via, " ")), func(name string) bool { return programs.Is(programs.Shell, cmdline.Program(name)) })
}

// runsWord reports whether an interpreter is given its program as a word.
func runsWord(a cmdline.Command) bool {
	return a.Is(programs.Interpreter) && (a.Has("-c", "-e", "-r", "-E", "--eval", "-p") || len(a.Operands()) > 0)
}

// readsProgram reports whether an interpreter takes its program from standard input: it is
// given none as a file or on the command line. Databases take statements there even behind an
// operand.
func readsProgram(a cmdline.Command) bool {
	if !a.Is(programs.Interpreter) || a.Name == "eval" {
		return len(a.Element.Argv) > 0 && a.Element.Argv[0] == ""
	}
	if a.Name == "busybox" && len(a.Words) > 0 { // busybox sh is sh
		e := a.Element
		e.Argv = a.Words
		return readsProgram(cmdline.Of(e))
	}
	for i, w := range a.Words {
		switch {
		// "deno run -" reads its program from standard input.
		case w == "run" && (a.Name == "deno" || a.Name == "bun"):
		case w == "-" || w == "/dev/stdin" || w == "/dev/fd/0" || w == "/proc/self/fd/0":
			return true
		case a.Is(programs.Shell) && len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "s") && !strings.Contains(w, "c"):
			return true
		case givesProgram(a.Name, w):
			return false
		case w != "" && w[0] == '-':
		// The value of an option is not the name of a program.
		case i > 0 && (a.Words[i-1] == "-W" || a.Words[i-1] == "-X" || a.Words[i-1] == "-o" || a.Words[i-1] == "-O"):
		case a.Name == "psql" || a.Name == "mysql" || a.Name == "sqlite3":
			return true
		default:
			return false
		}
	}
	return true
}

// givesProgram reports whether an option of an interpreter says what to run. The letters are
// those of shells, or of python, node, perl and ruby together.
func givesProgram(name, w string) bool {
	switch {
	case w == "--eval" || w == "--print" || w == "--command":
		return true
	case len(w) < 2 || w[0] != '-' || w[1] == '-':
		return false
	case programs.Is(programs.Shell, name):
		return strings.Contains(w, "c")
	}
	return strings.ContainsAny(w, "cemnpr")
}

// throughXargs reports whether xargs or parallel makes words of an interpreter, or its
// program, of what they read.
func throughXargs(a cmdline.Command) bool {
	runs := a.Is(programs.Shell) || a.ThroughOne(programs.Shell) || a.Is(programs.Interpreter) && a.Has("-c", "-e")
	return runs && a.Through("xargs", "parallel")
}

// runsDownload judges a command that runs, or makes runnable, a file which the line has fetched
// before. Files are known by their path, or by the last name alone where the folder is not
// known.
func (f *flow) runsDownload(i int, a cmdline.Command) {
	if len(a.Element.Argv) == 0 || !f.fetched {
		return
	}
	var runs []string
	switch {
	case a.Is(programs.Interpreter):
		runs = a.Operands()
	// The next call may then run it by its name.
	case a.Name == "chmod" && a.AnyWord(makesRunnable):
		runs = a.Operands()
	// ./install.sh runs by itself.
	case strings.Contains(a.Element.Argv[0], "/"):
		runs = a.Element.Argv[:1]
	}
	for _, w := range runs {
		if t := f.j.resolve(w, f.j.spotOf(a.Element, false)); w != "" && (f.got[t.given] || f.got[path.Base(w)] && t.given == "") {
			f.about(i)
			f.j.sharpen("runs what comes from the network", f.runsGot(a))
			return
		}
	}
}

// makesRunnable reports whether a word of chmod may set an x: by letters, or as any number.
func makesRunnable(w string) bool {
	return strings.Contains(w, "x") && strings.ContainsAny(w, "+=") || len(w) >= 3 && strings.Trim(w, "01234567") == ""
}

// download notes the files that element i fetches. After a download each written file counts as
// one, as the line may have copied it.
func (f *flow) download(i int, a cmdline.Command) {
	e := f.l.Elements[i]
	if e.Kind == shell.Write && f.fetched && !e.Deletes {
		f.keep(e, e.Path)
	}
	if !fetches(a) {
		return
	}
	f.fetched = true
	for _, o := range []string{"-o", "--output", "-O", "--output-document"} {
		if v, ok := a.Value(o); ok {
			f.keep(e, v)
		}
	}
	for _, w := range a.Operands() {
		if commands.PlainURL(w) || commands.Remote(w) {
			// The query is no part of the name that runs later.
			w, _, _ = strings.Cut(w, "?")
			f.keep(e, path.Base(w[strings.LastIndexByte(w, ':')+1:]))
		}
	}
}

// keep notes one file by its name and, where that is known, by its path.
func (f *flow) keep(e shell.Element, p string) {
	if p == "" {
		return
	}
	f.got[path.Base(p)] = true
	if t := f.j.resolve(p, f.j.spotOf(e, false)); t.given != "" {
		f.got[t.given] = true
	}
}
