// Package programs has what aoctl knows of programs: one page for each family, which is a text file in
// this folder, and the reader of these pages.
//
// A page has blocks. A block begins with a line "program" and the names that share it, and what is said
// of them stands below, one tab further in; "also" has more names. "sub" begins a block of subcommands in
// the same way, and "let NAME" before the blocks of a page is a list of options that they name as @NAME:
//
//	program tool tool2
//		kinds inert
//		is lax stop
//		ok -a -b= --color?
//		writes -o=
//		then far-operands
//		sub run
//			whole runs code
//
// The lists of options say what an option does; a value that an option takes is marked as in Row. A
// fact that the reader does not know, or that stands twice, is an error, and the tests read every page.
//
// "kinds" are those of Kind, "words" is what Words says, and "as NAME" gives a block the row of another
// program that is of other kinds. "name" begins a block of programs that have no row, but are of a kind.
//
// What takes more than a list to say is a function of package shell/command, which a page calls by
// its name: "then NAME" once options and operands are told apart, "by NAME" for words that the function
// reads itself.
package programs

import (
	"embed"
	"sync"
)

// Row is what is known of a program, or of a subcommand of one. Its option lists are separated by
// blanks: "-abc" are three flags, "-o=" and "--out=" take a value, "-i?" and "--color?" take one only
// when it is attached. An option that is in no list makes the command exact, as it might do
// anything, unless the row is lax.
type Row struct {
	OK     string // options that neither run nor write anything
	Reads  string // their value is a file that is read
	Writes string // their value is a file that is written, as everybody expects
	Spills string // their value is a file that is written, unexpectedly: exact
	Code   string // their value is code: exact
	Loads  string // their value is a file of code or of settings: read, and exact
	Exact  string // only a rule that names the whole command may allow these
	Unsure string // no rule may allow these

	Lax     bool   // options that are in no list are flags that do no harm
	Stop    bool   // options end at the first operand
	Mild    bool   // with Stop: an option that is in no list makes it exact, not unsure
	Single  bool   // options are words after one dash, such as -name
	Builtin bool   // only the bare name means it; a program of that name is plain
	Wraps   bool   // what follows options and the first Skip operands is a command
	Skip    int    // operands before that command
	Last    string // after one of these and its value come no more options
	Whole   string // always exact, for this reason
	Never   string // always unsure, for this reason
	Other   string // with Subs: exact for a subcommand that is not among them

	Then string // the function that says what options and operands mean, and its arguments
	By   string // the function that reads the words itself, and its arguments
	Subs map[string]*Row
}

//go:embed *.txt
var pages embed.FS

// all is what the pages say, read when it is first asked for. A page that cannot be read is a fault of
// this build, which the tests find, and a panic.
var all = sync.OnceValue(func() *book {
	b, err := readAll(pages)
	if err != nil {
		panic(err)
	}
	return b
})

// Rows are all rows by the program's name. Nobody may change them.
func Rows() map[string]*Row { return all().rows }

// Is reports whether a program is of a kind.
func Is(k Kind, program string) bool { return all().kinds[k][program] }

// Words is how many words after a program's name say what it does, 0 when that is not known.
// git has one, such as push; package rules offers patterns of that length.
func Words(program string) int { return all().words[program] }
