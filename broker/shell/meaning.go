package shell

// word is one word of a command after quote removal.
type word struct {
	text  string // "" when not known
	known bool   // text is what the program will get, but for glob and tilde
	glob  bool   // has an unquoted pattern: the program gets the names of files that fit, or text itself; it is no code
	tilde bool   // begins with an unquoted tilde: "~" or "~/…"
	raw   string // as it stands in the line
}

// meaning is what a program does with its words, as far as they tell. inspect makes
// it from the table of commands; Parse turns it into elements.
type meaning struct {
	runs    []run    // what a wrapper runs in its place or beside it
	scripts []script // texts that a shell runs: sh -c '…', eval '…', git -c alias.x='!…'
	assigns []assign // variables set for what runs: env A=1 …
	files   []file   // files that it names: operands, and options that take a path
	neutral bool     // a builtin that does nothing by itself
	wrapper string   // not empty: it is nothing but a wrapper around runs and scripts, shown as this ("sudo", "bash -c"); it makes no element of its own
	exact   string   // as Element.Exact
	named   int      // as Element.Named
	unsure  string   // as Element.Unsure
	chdir   *word    // cd: where later elements work; a zero word is the home folder
	host    string   // runs and scripts happen on this machine
}

// run is a command inside a command's words.
type run struct {
	words []word
	more  bool // further words that nobody knows are appended, as by xargs
	fed   bool // {} and the like are replaced in words by names that nobody knows
}

// script is a text that a shell reads as a command line of its own.
type script struct {
	text word
	args bool // it is given arguments, $1 and so on
}

type assign struct{ name, value word }

// file is a file that a command names.
type file struct {
	path    word
	write   bool
	deletes bool
	tree    bool
}
