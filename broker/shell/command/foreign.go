package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// foreign judges a program that the table does not know by what most programs mean by
// such words. It can only make the command exact: what stands for nothing here is the
// program's own business.
func foreign(argv []Word) Meaning {
	var m Meaning
	if !programs.Is(programs.Settled, argv[0].Text) && !programs.Is(programs.Inert, argv[0].Text) {
		foreignWords(&m, argv[1:])
	}
	return m.done()
}

// foreignWords judges words of which no row says what they mean. It looks for what nearly
// always means the same: names of other programs, options that run something, words behind
// "--", files far away.
func foreignWords(m *Meaning, words []Word) {
	operands := 0
	for i, w := range words {
		if installing.Has(w.Text) && i > 0 && extensions.Has(words[i-1].Text) {
			m.exactf("a program that aoctl does not know installs code into itself")
		}
		switch {
		case !w.Known || w.Text == "":
			continue
		case w.Text == "--":
			if i+1 < len(words) && !words[i+1].Glob && !strings.HasPrefix(words[i+1].Text, "-") {
				m.exactf("a program that aoctl does not know may run the words after --")
			}
			continue
		case w.Text[0] == '-':
			foreignOption(m, w, words[i+1:])
			continue
		}
		foreignOperand(m, w, operands)
		operands++
	}
}

// foreignOption looks at an option of an unknown program, and at the word after it: "--exec=x",
// "-c 'a; b'" and "-o/etc/x" are doubted, "--color=auto" is not.
func foreignOption(m *Meaning, w Word, next []Word) {
	name, value, has := strings.Cut(w.Text, "=")
	if runsSomething(name) {
		m.exactf("an option of a program that aoctl does not know may run something")
	}
	switch {
	case has && elsewhereIn(tail(w, value)):
		m.exactf("a program that aoctl does not know is given a file outside of its folder")
	case has:
		foreignText(m, tail(w, value))
	case (name == "-c" || name == "-e") && len(next) > 0 && strings.ContainsAny(next[0].Text, " (;!"):
		m.exactf("an option of a program that aoctl does not know may run something")
	}
	if len(name) > 2 && name[1] != '-' {
		// Nobody knows whether a single dash begins letters, a name, or a letter with its
		// value.
		foreignText(m, tail(w, name[1:])) // -/tmp/a, -@list
		foreignText(m, tail(w, name[2:]))
		if path := strings.TrimLeftFunc(name, noPath); faraway(tail(w, path)) { // -xf/tmp/a
			m.exactf("a program that aoctl does not know is given a file outside of its folder")
		}
	}
}

// noPath reports whether no path begins with r.
func noPath(r rune) bool { return !strings.ContainsRune("/.~", r) }

// running are parts of the names of long options that commonly run or load something.
var running = strings.Fields(`exec command cmd eval run-under shell pager editor browser rsh ssh-cmd plugin preload
	require node-arg node-option init-script startup hook callback prepipe preprocess postprocess post-renderer wrapper launcher runner plug-in agentpath javaagent`)

// runsSomething reports whether an option's name says that it runs or loads its value.
func runsSomething(option string) bool {
	return strings.HasPrefix(option, "--") && !strings.HasPrefix(option, "--no-") && holds(option, running...)
}

// hands are subcommands that hand the words after them to another program or machine.
var hands = wordset.New("exec ssh shell rsh eval console repl ssh-command send-command run-command execute-command nsenter attach")

// extensions are subcommands about code that a program loads; installing those of them that fetch some.
var (
	extensions = wordset.New("plugin plugins extension extensions addon addons")
	installing = wordset.New("install add update upgrade import link")
)

// programNames are names that hardly ever are an operand, but of something that runs them.
var programNames = wordset.New(`rm rmdir sh bash zsh dash ksh fish csh tcsh sudo doas su env eval curl wget nc ncat socat dd shred chmod chown
	ssh scp rsync xargs python python3 perl ruby php osascript pwsh crontab`)

// foreignOperand looks at one operand, of which at stand before it. Only the first few can be a
// subcommand; later ones are texts.
func foreignOperand(m *Meaning, w Word, at int) {
	if at < 3 && (hands.Has(w.Text) || strings.HasSuffix(w.Text, ":eval") || strings.HasSuffix(w.Text, ":exec") || strings.HasSuffix(w.Text, ":shell") || strings.HasSuffix(w.Text, ":psql")) {
		m.exactf("a subcommand of a program that aoctl does not know may run something")
	}
	if programNames.Has(w.Text) {
		m.exactf("a program that aoctl does not know is given the name of another one")
	}
	foreignText(m, w)
}

// foreignText is an operand or the value of an option. It doubts what looks like code, a file
// of options (@NAME, but not a scoped package such as @types/node), and files elsewhere.
func foreignText(m *Meaning, w Word) {
	switch {
	case w.Text == "":
	case strings.ContainsAny(w.Text[:1], "!|"), holds(w.Text, "command=", "exec(", "system("):
		m.exactf("a program that aoctl does not know is given what looks like code")
	case strings.HasPrefix(w.Text, "@") && (strings.HasPrefix(w.Text, "@.") || !strings.Contains(w.Text, "/")) && !strings.ContainsAny(w.Text, ":{"):
		m.exactf("a program that aoctl does not know may read options from a file")
	case faraway(w), w.Text[0] == '@' && faraway(tail(w, w.Text[1:])):
		m.exactf("a program that aoctl does not know is given a file outside of its folder")
	}
}

// local judges a program that is named by a path of its own. One of a known name may be
// that program, so what its row objects to counts; but it need not be, so it is no
// wrapper and never neutral.
func local(argv []Word, name string) Meaning {
	s, name, ok := lookUp(name)
	if !ok || s.Builtin {
		return Meaning{}
	}
	c := newCall(s, name, argv[1:], &Meaning{})
	c.inspect()
	m := c.done()
	// A wrapper would vanish behind what it runs, and a script of the project called sudo with
	// it.
	m.Wrapper, m.Neutral, m.Chdir, m.Host = "", false, nil, ""
	return m
}
