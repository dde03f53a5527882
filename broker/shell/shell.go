// Package shell says what a command line would do: every program it would run, through pipes,
// lists, substitutions, functions and wrappers, every file that it names for reading or
// writing, and every variable that it sets.
//
// It reads bash, as an agent's shell is mostly bash or zsh. Where those two or a plain sh would
// read a text differently, and wherever a value is not known from the text alone, the part is
// marked as unsure; it never guesses. The package is pure: it runs nothing and looks at no
// file. It knows no rules and no risks: package rules matches the elements against rules, and
// package risk says how dangerous they are.
//
// A line goes through five types, one below the other:
//
//   - output is what one Parse has gathered: elements, and counts that end a hostile line.
//   - source is one text: the line, or a script inside it. It expands words, by what the text says
//     of its variables (survey) and what they hold so far. parts makes one word.
//   - state is the shell that reads a source, at one place of it: the folder, what commands read,
//     the wrappers around the text. Assignments and redirections change it or add to its output.
//   - invocation is one simple command, which package command judges; what wrappers run in turn
//     is an invocation of its own, and a script has a walker of its own.
//   - walker goes through the syntax tree with a state, and into what is inside of words.
//
// Open parse.go first, then walk.go and invocation.go. agree.go has a second reader's opinion
// of each text, and moves.go what a line that makes links leaves uncertain.
//
// Three things hold for every line. Each part of it that runs something has an element, so that
// a rule cannot allow a line and miss a part. An element that is neither Exact nor Unsure does
// what its words say in all shells, as far as their differences are known here; Line.Plain says
// whether the second reader agrees. And no text, however long or twisted, is to end the program:
// limits, a guard in front of the parser and one recover see to that, and the answer is then a
// single unsure element.
package shell

// Limits of Parse. A line beyond them is one unsure element.
const (
	MaxBytes    = 64 << 10 // of a line
	MaxNesting  = 100      // of brackets, quotes and substitutions in each other
	MaxElements = 2000     // of a line
)

// Kind is what an element does.
type Kind string

// The kinds of element.
const (
	Command Kind = "command" // runs a program, a shell builtin or a function
	Read    Kind = "read"    // opens the file at Path for reading
	Write   Kind = "write"   // creates, changes, replaces or removes the file at Path
	Assign  Kind = "assign"  // sets variable Name to Value
	Unknown Kind = "unknown" // a part that could not be read at all; Unsure says why
)

// Line is what one command line would do. A rule that allows must cover every element; one that
// refuses needs a single one.
type Line struct {
	Raw      string
	Elements []Element // in the order of the text; what a wrapper runs follows the wrapper
	Parsed   bool      // false: the line is one Unknown element

	// Plain says that every shell reads the line, and each script inside it, in the words and
	// operators that Elements are made of: a second reader that knows only what all shells
	// have in common has read the same. Of a command with braces there are two elements, for shells that
	// expand them and for those that do not. Where it is false, no wildcard may vouch for the line,
	// and Odd says what stands against it.
	Plain bool
	Odd   string
}

// Element is one thing that a line would do. All texts are the agent's and untrusted. What a
// field means for which kind is said at the field; elsewhere it is zero.
type Element struct {
	Kind Kind
	Text string // the element as it stands in the line; for the screen

	// Argv are the words of a Command after quote removal, without its wrappers:
	// "sudo env A=1 rm -rf x" has the commands rm (Via sudo, env) and the assignment A.
	// A word that is not known is "", and then Unsure is set, or it does not matter as
	// in [ -n "$x" ], which is Neutral. "$?", "$$" and "$!" stand for numbers.
	Argv []string
	Via  []string // the wrappers it runs through, outermost first, such as sudo, xargs, bash -c

	// ViaAs is Via with the programs as the line calls them, such as /bin/bash -c.
	ViaAs []string

	// Path is what a Read or Write opens, after quote removal. "~" and "~/…" stand for
	// the user's home when Home is set; a relative path starts in Dir.
	Path string
	Home bool // Path begins with an unquoted tilde

	// Dir is the folder that the element works in, as far as the line says: "" is the
	// folder that the line starts in, else a path as in Path, relative ones below that
	// folder. DirUnsure says that a cd before it leads nobody knows where.
	Dir       string
	DirUnsure bool

	Name, Value string // of an Assign
	Exported    bool   // of an Assign: programs that run later, or the command itself, get to see it

	// Operand marks a Read or Write that is no redirection: the command before it
	// names the file among its words, as cat, cp and rm do. The command's own rule
	// covers it; refusing rules and the risk look at it too.
	Operand bool
	Deletes bool // of a Write: the file, or all below it, is removed
	Tree    bool // of a Read or Write: with everything below Path
	Glob    bool // Path or a word of Argv is a pattern that the shell expands
	Relinks bool // of a Command: it makes links, or puts whole trees in place, in which there may be links

	Pipe  int    // elements of one pipeline share a number; 0: in no pipeline
	Stdin string // what a Command reads from: "" its own, "pipe", "file", "text" (a here-document or here-string)

	// Program is the here-document that a Command may run, as it gets it: known to the last letter, and
	// all that Unsure is about.
	Program string

	// Shown says of an echo that Unsure is only about what variables hold that tell nothing private.
	Shown bool

	Host string // the other machine that it runs on, as with ssh; "" is this one

	// Neutral: a shell builtin that does nothing by itself (cd, true, echo of plain words
	// …), or the cat of a quoted here-document whose text is a word. Never with Exact or
	// Unsure, and never a name that the line has a function for.
	Neutral bool
	Exact   string // not empty: only a rule that names the whole command may allow it, because of this (code on the command line, a runner …)
	Named   int    // with Exact, when not 0: a rule that spells out the first Named words may allow it, too
	Unsure  string // not empty: no rule may allow it, because of this; with Program, Shown or Names a grant of effects may

	// Names: Unsure is about nothing but names of files, so whoever looks at the disk may know better. A
	// pattern in front may stand for an option, a wrapper hands names on, an earlier command may have moved
	// what a path leads to, or links below a folder are followed.
	Names bool
}
