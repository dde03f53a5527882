// Package text is text that is being typed: a Line, and an Area of several lines. What is not plain
// is drawn as a sign here too, so that the text that is sent is the one that was seen.
package text
