// Package cli is aoctl's command line: one file per command, each of which reads
// its flags into a small struct and calls the room that does the work.
//
// Commands for people print aligned tables; with --json they print an array of
// objects, each with an "id", for programs. Whatever agents sent is made safe
// before it reaches a terminal, in both forms.
package cli
