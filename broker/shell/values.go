package shell

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
	"mvdan.cc/sh/v3/syntax"
)

// value is what a variable is known to hold. A variable that is not in source.vars holds
// something unknown.
type value struct {
	text   string
	glob   bool // one of the names of files that fit the pattern text
	braces bool // its braces are text to every shell in which it has this value
}

// survey is what is found out about a text before it is walked. It is made first because an
// assignment further down may have happened already, in a loop or a function, when a variable
// is used.
type survey struct {
	sets     map[string]int // how often a text gives each variable a value
	anything bool           // something may set variables that nobody can name
	home     bool           // HOME is set: nobody knows what a tilde means
	ifs      bool           // IFS is set: unquoted values fall apart in unknown ways

	// functions are the names of all functions of the line so far. Whether one stands for a program
	// when its name is called cannot be told: it may be defined elsewhere, too late, or taken away again.
	functions map[string]bool
}

// often counts for what gives a variable a value that nobody knows. It is above one, which is
// all that known allows.
const often = 2

// look surveys a text, and adds its functions to those of the line. A variable's value is known
// only if the text sets it once. "x=1; echo $x" prints 1; with a second x= anywhere in the
// text, in a branch or behind it, the value counts as unknown.
func look(file *syntax.File, functions map[string]bool) survey {
	s := surveyor{survey{sets: make(map[string]int), functions: functions}}
	syntax.Walk(file, func(n syntax.Node) bool {
		s.node(n)
		return true
	})
	s.ifs, s.home = s.sets["IFS"] > 0, s.sets["HOME"] > 0
	return s.survey
}

// surveyor makes a survey, node by node.
type surveyor struct{ survey }

// node notes what one node of the tree does to variables and functions. It is called for all
// nodes, also those inside substitutions, whose assignments do not reach the outer shell: to
// suspect them costs only a question.
func (s *surveyor) node(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Assign:
		s.assign(n)
	case *syntax.DeclClause:
		s.declare(n)
	// The loop gives its variable a value, once as far as the text goes; rounds know which.
	case *syntax.WordIter:
		s.sets[n.Name.Value]++
	// ${x=…} and ${x:=…} set the variable when it has no value.
	case *syntax.ParamExp:
		if n.Param != nil && n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
			s.sets[n.Param.Value] += often
		}
	case *syntax.BinaryArithm:
		s.arithm(n.X)
	case *syntax.UnaryArithm:
		s.arithm(n.X)
	// {fd}>file puts the number of the descriptor into the variable.
	case *syntax.Redirect:
		if n.N != nil && strings.HasPrefix(n.N.Value, "{") {
			s.sets[strings.Trim(n.N.Value, "{}")] += often
		}
	// It sets an array by a name that may be the shell's own choice.
	case *syntax.CoprocClause:
		s.anything = true
	case *syntax.FuncDecl:
		s.function(n)
	case *syntax.CallExpr:
		s.call(n)
	}
}

// assign notes an assignment. Those that depend on the value before, or set a part of it, leave
// a value that is not in the text.
func (s *surveyor) assign(n *syntax.Assign) {
	switch {
	case n.Naked: // see declare
	case n.Append || n.Index != nil || n.Array != nil:
		s.sets[n.Name.Value] += often
	default:
		s.sets[n.Name.Value]++
	}
}

// declare looks at what declares variables without a value, which hides the one that
// they had, and at options that change what a value means.
func (s *surveyor) declare(n *syntax.DeclClause) {
	keeps := n.Variant.Value == "export" || n.Variant.Value == "readonly"
	for _, a := range n.Args {
		switch {
		case !a.Naked:
		case a.Name == nil && !plainDeclare(a.Value.Lit()):
			s.anything = true
		case a.Name != nil && !keeps:
			s.sets[a.Name.Value] += often
		}
	}
}

// plainDeclare reports whether an option of declare leaves values as they are. Others compute
// them, change their letters, or make the name stand for another variable.
func plainDeclare(option string) bool {
	return option == "-x" || option == "-r" || option == "-g" || option == "-gx"
}

// function notes the names that n declares: zsh lets one body have several. Nobody can tell
// whether a name of this set means the program or the function.
func (s *surveyor) function(n *syntax.FuncDecl) {
	if n.Name != nil {
		s.functions[n.Name.Value] = true
	}
	for _, name := range n.Names {
		s.functions[name.Value] = true
	}
}

// arithm notes a variable that an operator may change; telling which do is not worth it.
func (s *surveyor) arithm(x syntax.ArithmExpr) {
	if word, ok := x.(*syntax.Word); ok {
		for _, p := range word.Parts {
			if lit, ok := p.(*syntax.Lit); ok {
				s.sets[lit.Value] += often
			}
		}
	}
}

// setters are commands that give values to variables that they name, or to any. One of them
// makes all variables unknown: telling which it sets would mean to know its options in every
// shell.
var setters = wordset.New(`read mapfile readarray getopts unset let eval source . trap wait vared print zparseopts
	zstyle sysread set typeset declare local export readonly integer float emulate zmodload autoload enable fc alias`)

// launchers are builtins that run another builtin, in the shell itself. sudo and env are none:
// what they run sets no variable here.
var launchers = wordset.New("command builtin exec noglob nocorrect - time")

// call looks for a word that may set variables. It looks at all words, not only the
// first: command, builtin and the like stand before others.
func (s *surveyor) call(n *syntax.CallExpr) {
	for i, word := range n.Args {
		name := word.Lit()
		switch {
		case name == "set" && i == 0 && plainSet(n.Args[1:]):
		// printf -v sets a variable too, and its name may be any word.
		case setters.Has(name), name == "printf" && !formats(n.Args[i+1:]):
			s.anything = true
		case (name == "" || strings.Contains(name, "\\")) && (i == 0 || launchers.Has(n.Args[0].Lit())):
			s.anything = true // quoted or computed: it may be any of these
		}
	}
}

// formats reports whether printf prints: its first word is surely no option, such as
// -v, which sets a variable.
func formats(args []*syntax.Word) bool {
	if len(args) == 0 || len(args[0].Parts) == 0 {
		return true
	}
	part := args[0].Parts[0]
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) > 0 {
		part = q.Parts[0]
	}
	switch part := part.(type) {
	case *syntax.Lit:
		return part.Value != "" && strings.IndexByte("-\\{", part.Value[0]) < 0
	case *syntax.SglQuoted:
		return part.Value != "" && strings.IndexByte("-\\", part.Value[0]) < 0
	}
	return false
}

// plainSet reports whether set is only given options such as -euo pipefail.
func plainSet(args []*syntax.Word) bool {
	for _, a := range args {
		switch lit := a.Lit(); {
		case lit == "pipefail":
		case len(lit) > 1 && (lit[0] == '-' || lit[0] == '+') && strings.Trim(lit[1:], "euxo") == "":
		default:
			return false
		}
	}
	return true
}

// known reports whether a variable of that name keeps the value that the text gives it. Shells
// compute some themselves, and zsh ties some to others or makes them read-only.
//
// "Sets it once" is what makes the order of the walk right enough: before that assignment the
// variable is unknown, behind it the value stays.
func (s *survey) known(name string) bool {
	return !s.anything && s.sets[name] == 1 && !special.Has(name)
}

// special are the variables of bash and zsh, by their manuals, whose value is not what was
// assigned last.
var special = wordset.New(`_ BASHOPTS BASHPID BASH_ARGV0 BASH_COMMAND BASH_SUBSHELL COMP_WORDBREAKS DIRSTACK
	EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD LINENO OLDPWD OPTARG OPTIND PIPESTATUS PPID
	PWD RANDOM REPLY SECONDS SHELLOPTS SHLVL SRANDOM UID IFS HOME CDPATH COLUMNS LINES HISTSIZE SAVEHIST
	ARGC EGID ERRNO GID HISTCHARS KEYTIMEOUT LISTMAX LOGCHECK MAILCHECK TMOUT TTY TTYIDLE USERNAME VENDOR
	ZSH_SUBSHELL ZSH_EVAL_CONTEXT argv aliases cdpath commands dirstack fignore fpath functions funcstack
	galiases historywords history jobdirs jobstates jobtexts keymaps mailpath manpath modules module_path
	nameddirs options parameters path patchars pipestatus prompt psvar reswords saliases signals status
	userdirs usergroups watch widgets zsh_eval_context BASH_REMATCH MATCH MBEGIN MEND match mbegin mend builtins functrace funcfiletrace`)
