// Package command says what one simple command does with its words: what it runs in turn, which
// files it reads and writes, which variables it sets, and how far a rule may vouch for it.
//
// Package shell reads a line into commands and asks Inspect about each. Inspect looks the
// program up in the table, tells options from operands by its row, applies what the row says of
// each option, and hands the rest to the row's special function. The answer is a Meaning: two
// reasons, Exact (only a rule that names the whole command may allow it) and Unsure (no rule
// may), and the runs, scripts, files and assignments that the words hold. A program that the
// table does not know is judged by what most programs mean by such words.
//
// The package is pure, knows nothing of how a shell reads a line, and looks at no file. What it
// does not know it doubts: an option that stands in no list makes its command exact at least.
// Reasons are made from the table's own words, so that nothing of the agent's gets into them.
//
// A call is one command while its row is applied to it. It has the row (spec), the words as
// they were told apart (arguments), and what they are found to mean (Meaning); its own methods
// are what several programs have in common. What a single program does is a function, which its
// page names.
//
// Which of the two reasons a special function gives follows one question. Could a rule that a
// person wrote for the beginning of the command have meant this as well? If not, it is exact.
// Could even a rule with all the words not know what runs, because a file, a variable or
// another program decides? Then it is unsure.
//
// A file is named for the programs in it. Open inspect.go first. The grammar of options is in
// grammar.go, the walk of a row in table.go, questions about words in words.go; foreign.go is
// for programs without a row. A new program is a block on its page in package programs, and a
// function here only if lists of options cannot say what it does.
package command
