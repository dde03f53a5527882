// Package text holds text while it is typed: a Line, and an Area of several lines.
//
// A form owns one of them, passes key presses to Edit and draws it with Write. Edit
// says when it refused something, such as more characters than fit or a pasted control
// character, and the form shows that sentence.
//
// What is typed here becomes a reason that an agent reads, a rule, or an answer. So a
// sign that is invisible or looks like another is drawn as an escape here too: the
// text that is sent is the one that was seen. This is why the console has an input of
// its own and does not take the one of a library, which would print such characters as
// they are.
//
// The cursor is a glyph between two characters and not a colour on one of them (see
// draw.CursorMid). It is seen without colours, and it covers no character.
//
// field.go draws what a form has besides: names of fields, and choices.
package text
