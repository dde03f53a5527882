package programs

// Kind is something that holds for a program as a whole. A page says it with "kinds", Is
// answers it; a word that is no Kind is an error of the page.
type Kind string

// The kinds that say what a program does.
const (
	// Inert programs have no option that writes, runs or sends, on Linux and macOS alike, whether they
	// are builtins or not. Left out for what some option or operand does: uniq (writes its second
	// operand), sort and tree (-o), base64 (-o on macOS), date (-s), file (-C), arch (runs programs on
	// macOS), printf (-v as a builtin).
	Inert        Kind = "inert"
	Settled      Kind = "settled"        // has no row, and runs nothing, whatever its words name
	Wordless     Kind = "wordless"       // an inert one that opens no file that it is given
	TellsNames   Kind = "tells-names"    // tells of files their names, sizes and times, or judges them as sources, and does not show what is in them
	WordsNoFiles Kind = "words-no-files" // its words are plain text, or the line's elements say which files they open
	PlainReader  Kind = "plain-reader"   // its files are known from the line's elements, so a name among its words need not be one that it writes
	Descends     Kind = "descends"       // looks below a folder by itself
	Relinks      Kind = "relinks"        // makes links, moves files, or unpacks trees that may have links in them, whatever its words are
	Brings       Kind = "brings"         // fills folders, whatever its words are
	Database     Kind = "database"       // runs SQL and the like
	Fetches      Kind = "fetches"        // prints or writes what comes from the network
	Decodes      Kind = "decodes"        // makes a text readable that was not
	Interpreter  Kind = "interpreter"    // runs a text that it is given
	Shell        Kind = "shell"          // an interpreter that runs commands
	FedShell     Kind = "fed-shell"      // a shell that reads its program from what it is fed
	OptionFile   Kind = "option-file"    // takes @FILE for the options that stand in the file, and its row says nothing of it
)

// The kinds that say how a program is called, and what a rule may say of it.
const (
	Versioned     Kind = "versioned"      // is also installed under names with a version behind
	Crossed       Kind = "crossed"        // is also installed under names with a machine or a maker in front, as llvm-ar is
	Raises        Kind = "raises"         // a wrapper that runs a program with other rights
	KeepsFolder   Kind = "keeps-folder"   // a wrapper that does not change the folder unless an option says so
	PlainWrapper  Kind = "plain-wrapper"  // runs what follows as it is
	Transparent   Kind = "transparent"    // runs the very command behind it, on this machine, as this user; behind any other wrapper only an exact pattern speaks for a command
	OperandsOnly  Kind = "operands-only"  // its first word is what it works on
	ExactOnly     Kind = "exact-only"     // a beginning says nothing about what it does
	PackageRunner Kind = "package-runner" // its "run" takes the name of a script of the project
)

// kinds are all of them: a page that names another one is not read, so that a slip of the pen
// cannot leave a program without its kind.
var kinds = map[Kind]bool{
	Inert: true, Settled: true, Wordless: true, TellsNames: true, WordsNoFiles: true, PlainReader: true, Descends: true, Relinks: true,
	Brings: true, Database: true, Fetches: true, Decodes: true, Interpreter: true, Shell: true, FedShell: true, OptionFile: true,
	Versioned: true, Crossed: true, Raises: true, KeepsFolder: true, PlainWrapper: true, Transparent: true, OperandsOnly: true,
	ExactOnly: true, PackageRunner: true,
}
