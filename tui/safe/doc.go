// Package safe makes text from outside safe to draw on a terminal, without hiding any
// of it.
//
// Commands, paths, names and reasons come from agents, and agents read hostile text.
// Whatever is not plainly printable is drawn as a visible sign, never left out,
// because what is left out still runs:
//
//	\x1b       a control character, or a byte that is not valid UTF-8
//	\u{202e}   a character that is invisible, moves others, or is not assigned
//	\u{94d}    a character that is not equally wide in every terminal, or joins others
//	⇥          a tab (with three blanks after it)
//	␠          a blank at the end of a line
//	␠×412      that many blanks in a row: from 40 on, and from 8 on one line or at the end of a line
//	⏎          a line break, where all is drawn on one line
//	⏎×500      that many line breaks in a row
//
// What is drawn can be turned back into the very bytes (Reverse): text that merely
// looks like one of these signs has its backslash or glyph drawn as a sign itself.
//
// How a text passes: Tokens cuts it into what is to be drawn, one character, one sign
// or a run of plain ASCII at a time, each with its raw bytes and its width in cells.
// Line and Text join what is drawn; package draw lays the tokens out in rows. Which
// characters are plain is one table (table.go, made by a script that asks terminals),
// so a row is as wide as the terminal draws it.
//
// Notes goes further than signs: it remarks on letters that each have a picture and
// may still be taken for others. Open safe.go first.
//
// The package is pure, has no package-level work at start-up, and may be used by any
// goroutine.
package safe
