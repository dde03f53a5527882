package shell

import (
	"strings"
	"testing"
)

// What a shell computes by itself, or ties to something else, keeps no value that a line gives it.
func TestSpecialVariablesKeepNoValue(t *testing.T) {
	names := strings.Fields(`_ BASHOPTS BASHPID BASH_ARGV0 BASH_COMMAND BASH_SUBSHELL COMP_WORDBREAKS DIRSTACK
		EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD LINENO OLDPWD OPTARG OPTIND PIPESTATUS PPID
		PWD RANDOM REPLY SECONDS SHELLOPTS SHLVL SRANDOM UID IFS HOME CDPATH COLUMNS LINES HISTSIZE SAVEHIST
		ARGC EGID ERRNO GID HISTCHARS KEYTIMEOUT LISTMAX LOGCHECK MAILCHECK TMOUT TTY TTYIDLE USERNAME VENDOR
		ZSH_SUBSHELL ZSH_EVAL_CONTEXT argv aliases cdpath commands dirstack fignore fpath functions funcstack
		galiases historywords history jobdirs jobstates jobtexts keymaps mailpath manpath modules module_path
		nameddirs options parameters path patchars pipestatus prompt psvar reswords saliases signals status
		userdirs usergroups watch widgets zsh_eval_context BASH_REMATCH MATCH MBEGIN MEND match mbegin mend
		builtins functrace funcfiletrace`)
	for _, name := range names {
		if a := lastArgument(t, name+"=a; m1 $"+name); a != "" {
			t.Errorf("%s is taken for %q", name, a)
		}
	}
	if a := lastArgument(t, "v=a; m1 $v"); a != "a" {
		t.Errorf("v is taken for %q", a)
	}
}

// After a command that may give a variable a value nobody knows which one it has.
func TestSettersTakeTheValueAway(t *testing.T) {
	for _, command := range strings.Fields(`read mapfile readarray getopts unset let eval source . trap wait vared print zparseopts
		zstyle sysread set typeset declare local export readonly integer float emulate zmodload autoload enable fc alias`) {
		for _, line := range []string{"v=a; " + command + " x v=b; m1 $v", "v=a; command " + command + " v=b; m1 $v"} {
			if a := lastArgument(t, line); a != "" {
				t.Errorf("after %s the variable is taken for %q", line, a)
			}
		}
	}
}

// lastArgument is the last word of the last command of a line as it is known, "" when it is not.
func lastArgument(t *testing.T, line string) string {
	t.Helper()
	l := Parse(line)
	e := l.Elements[len(l.Elements)-1]
	if e.Kind != Command || len(e.Argv) != 2 || e.Argv[0] != "m1" {
		t.Fatalf("%s ends in %+v", line, e)
	}
	return e.Argv[1]
}
