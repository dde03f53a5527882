// Package little reads the little languages in which programs are told on the command line what
// to do: those of sed and awk.
//
// A command such as "sed s/a/b/e" or "awk '{print | \"sh\"}'" runs programs and opens files that
// stand in no word of their own. This package reads such a text as far as is needed to say what
// it does beside printing. It knows nothing of commands and options; what it cannot read it says
// so, and the caller doubts the command. Versions of these programs read some texts differently;
// then each reading counts.
package little
