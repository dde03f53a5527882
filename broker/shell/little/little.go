// Package little reads the little languages in which programs are told on the command line what
// to do: those of sed and awk.
//
// A command such as "sed s/a/b/e" or "awk '{print | \"sh\"}'" runs programs and opens files
// that stand in no word of their own. This package reads such a text as far as is needed to say
// what it does beside printing. It knows nothing of commands and options; what it cannot read
// it says so, and the caller doubts the command. Versions of these programs read some texts
// differently; then each reading counts.
//
// The two readers differ in how much they answer. Sed gives a list of what is run and opened,
// as its programs name files plainly. Awk computes the names of its files, so that Awk gives
// one sentence, or none. Neither is a parser: both walk the text once, pass what they need not
// understand, and keep just enough state to know a command from a text. The texts are the
// agent's, of any form; nothing here fails, recurses or looks at the disk.
//
// Package shell/command joins the programs of a command's options and asks here.
package little
