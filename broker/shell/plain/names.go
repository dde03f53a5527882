package plain

import (
	"slices"
	"strings"
	"sync"
)

// reserved are words that begin no plain command: reserved words of some shell, and builtins
// that run text, load code, or change how names and words are read behind them. One list serves
// all shells: a word that means something to one is refused for all.
var reserved = words(`! [[ ]] { } case coproc do done elif else end esac fi for foreach function if in namespace
	nocorrect repeat select then time until while
	. source eval exec trap builtin noglob - command_not_found_handle alias unalias autoload bind bindkey
	compgen complete compctl compopt declare typeset local readonly integer float nameref private emulate enable disable
	fc getopts hash rehash history let mapfile readarray print vared sched setopt unsetopt shopt sysread
	unset unhash unfunction functions zcompile zle zmodload zparseopts zpty zstyle ztcp limit
	login r stop suspend`)

// builtins are words that command must not be given: some shells then run a builtin,
// some a program.
var builtins = words(`: [ bg break cd chdir continue dirs disown echo exit export false fg jobs kill popd printf pushd pwd
	read return set shift test times true type ulimit umask wait whence where which command`)

// wrappers are programs that run another, and hidden are words that they take for a program's name
// where a shell takes them for a builtin.
var (
	wrappers = words("chrt env find ionice nice nohup setsid stdbuf taskset timeout xargs")
	runners  = words("hatch pdm pipenv poetry rye uv") // whose run does so
	hidden   = words("builtin eval exec export nocorrect noglob source trap")
)

// aliased are words that ksh and mksh have as aliases from the start, and that they look up
// behind nohup too, which is one itself.
var aliased = words("autoload functions hash history integer local login nameref r stop suspend type")

// special are variables in small letters that zsh knows. Setting one changes the shell itself.
var special = words(`aliases argv builtins cdpath commands compstate dirstack errnos fignore fpath funcfiletrace
	funcsourcetrace funcstack functions functrace galiases histchars history historywords jobdirs jobstates jobtexts
	keymaps langinfo mailpath manpath mapfile match mbegin mend module_path modules nameddirs options parameters
	patchars path pipestatus prompt psvar reswords saliases signals status sysparams termcap terminfo userdirs
	usergroups watch widgets words zsh_eval_context zsh_scheduled_events`)

// counted are variables that some shell takes for numbers: it computes what it is given, and
// computing runs a command that stands in the index of an array. A plain number is the only
// value that is safe.
var counted = words(`BASHPID COLUMNS EGID EPOCHREALTIME EPOCHSECONDS ERRNO EUID FUNCNEST GID HISTCMD HISTFILESIZE HISTSIZE
	KEYTIMEOUT LINENO LINES LISTMAX LOGCHECK MAILCHECK OPTIND PERIOD PGRP PPID RANDOM SAVEHIST SECONDS SHLVL SRANDOM TMOUT
	TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE UID USER_ID`)

// words makes a set when it is first asked for: the package is part of every run of aoctl.
func words(text string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		all := make(map[string]bool)
		for _, w := range strings.Fields(text) {
			all[w] = true
		}
		return all
	})
}

// tame reports whether a command's words, as they stand in the text, leave the reading of the
// rest as it is. Quotes are still there, so a quoted option is not taken for one and the
// command is refused.
func tame(words []string) bool {
	rest := words[1:]
	if (wrappers()[words[0]] || runners()[words[0]] && len(rest) > 0 && rest[0] == "run") && slices.ContainsFunc(rest, func(w string) bool { return hidden()[w] }) {
		return false
	}
	switch words[0] {
	case "nohup":
		return len(rest) == 0 || !aliased()[rest[0]]
	case "command":
		// These two only tell what a name means.
		if len(rest) > 0 && (rest[0] == "-v" || rest[0] == "-V") {
			return true
		}
		return len(rest) > 0 && name(rest[0]) && !reserved()[rest[0]] && !builtins()[rest[0]]
	case "export":
		return !slices.ContainsFunc(rest, func(w string) bool { return !exports(w) })
	// Without -r a backslash would join lines, and names of other kinds are variables of some
	// shell.
	case "read":
		return len(rest) > 1 && rest[0] == "-r" && !slices.ContainsFunc(rest[1:], func(w string) bool { return !quiet(w) })
	case "set":
		return !slices.ContainsFunc(rest, func(w string) bool {
			return w != "pipefail" && (len(w) < 2 || w[0] != '-' || strings.Trim(w[1:], "euxo") != "")
		})
	case "printf":
		return len(rest) > 0 && prints(rest[0], rest[1:])
	case "test", "[":
		return !compares(rest)
	// Elsewhere an operand is computed.
	case "wait":
		return !slices.ContainsFunc(rest, func(w string) bool { return w != "$!" && strings.Trim(w, "%0123456789") != "" })
	}
	return true
}

// prints reports whether printf only prints: its format is no option and not computed, and what
// it takes for a number is one. zsh and ksh compute the operands of %d.
func prints(format string, operands []string) bool {
	format = strings.Trim(format, `'"`)
	if format != "" && strings.IndexByte(`-\$`, format[0]) >= 0 {
		return false
	}
	// A value in the format may bring a %d with it.
	if strings.Contains(format, "$") && len(operands) > 0 {
		return false
	}
	for _, part := range strings.Split(strings.ReplaceAll(format, "%%", ""), "%")[1:] {
		if kind := strings.TrimLeft(part, "-+ 0123456789."); kind == "" || strings.IndexByte("sbc", kind[0]) < 0 {
			return !slices.ContainsFunc(operands, func(w string) bool { return !number(w) })
		}
	}
	return true
}

// compares reports whether test may compare what is no number as one. zsh and ksh compute both
// sides, so that a value could run what stands in an index.
func compares(operands []string) bool {
	unquoted := strings.NewReplacer(`"`, "", "'", "", `\`, "")
	before := "-"
	for i, w := range operands {
		// A quoted -eq is as much an operator as a bare one.
		w = unquoted.Replace(w)
		// An unquoted value could be -eq, and its neighbours would be computed.
		if strings.Contains(w, "$") && i+1 < len(operands) && !strings.HasPrefix(before, "-") && !strings.ContainsAny(before, "=!(") {
			return true // it may be an operator
		}
		before = w
		switch w {
		case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
			if i == 0 || i+1 >= len(operands) || !number(operands[i-1]) || !number(operands[i+1]) {
				return true
			}
		case "-t":
			if i+1 < len(operands) && operands[i+1] != "]" && !number(operands[i+1]) {
				return true
			}
		}
	}
	return false
}

// number reports whether a word, as it stands in the text, is a number in every shell.
func number(word string) bool {
	if word = strings.Trim(word, `"`); word == "$?" {
		return true
	}
	word = strings.TrimPrefix(word, "-")
	return word != "" && strings.Trim(word, "0123456789") == ""
}

// takes reports whether a variable is set to just this value, as it stands in the text, in
// every shell. Capitals are free but for those that some shell computes; package command knows
// which of the others matter to programs.
func takes(variable, value string) bool {
	if lower(variable[0]) {
		return quiet(variable)
	}
	return !Counted(variable) || number(value)
}

// Counted reports whether some shell takes a variable for a number: it computes what it is given.
func Counted(variable string) bool { return counted()[variable] }

// exports reports whether export sets the same in every shell: name=value with a value that is
// all quoted or all plain, or name alone. dash splits other values into words, where bash does
// not.
func exports(word string) bool {
	variable, value, given := strings.Cut(word, "=")
	if !identifier(variable) || !takes(variable, value) && (given || lower(variable[0])) {
		return false
	}
	// The quotes must be around the whole of the value.
	for _, quote := range []string{"'", `"`} {
		if inner, ok := strings.CutPrefix(value, quote); ok {
			return strings.Index(inner, quote) == len(inner)-1
		}
	}
	return strings.IndexFunc(value, func(c rune) bool { return !alnum(c) && !strings.ContainsRune("_-./,+@:%", c) }) < 0
}

// name reports whether a word, as it stands in the text, names a program plainly. A dash, a
// plus or an @ in front is refused: some shell has an operator there, or a person may read an
// option.
func name(word string) bool {
	if word == "[" || word == ":" {
		return true
	}
	word = strings.TrimPrefix(word, "~/")
	if word == "" || strings.IndexByte("-+@", word[0]) >= 0 {
		return false
	}
	return strings.IndexFunc(word, func(c rune) bool { return !alnum(c) && !strings.ContainsRune("_-./+@", c) }) < 0
}

// quiet reports whether a variable's name, in small letters, means nothing to any shell. zsh
// has a table dis_NAME for each of its own.
func quiet(s string) bool {
	return identifier(s) && strings.ToLower(s) == s && s[0] != '_' && !special()[s] && !strings.HasPrefix(s, "dis_")
}

// identifier reports whether s can name a variable.
func identifier(s string) bool {
	for i := range len(s) {
		if !alnum(s[i]) && s[i] != '_' {
			return false
		}
	}
	return s != "" && !digit(s[0])
}

// alnum, lower and digit know ASCII alone; other letters are read by unquoted.
func alnum[C byte | rune](c C) bool { return lower(c) || c >= 'A' && c <= 'Z' || digit(c) }
func lower[C byte | rune](c C) bool { return c >= 'a' && c <= 'z' }
func digit[C byte | rune](c C) bool { return c >= '0' && c <= '9' }
