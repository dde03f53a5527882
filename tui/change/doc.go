// Package change reads what a tool call would do to files, and compares that with the files as they
// are now.
//
// A call passes through in three steps:
//
//  1. ReadChanges takes the tool's input apart: edits, whole texts, cells of a notebook, patches.
//  2. Changes.Targets names the files. The caller reads them with ReadFile, away from the screen, since
//     a disk may be slow.
//  3. Changes.Compare puts both together. Each Section is one comparison, with the sentences that
//     belong beside it, such as "the old text is not in the file".
//
// An agent may describe an edit that its file does not fit. A section then says so and shows what the
// agent wrote, because the person decides about the call and not about what we make of it. For the
// same reason Input keeps a tool's fields in the order in which they came: fields that this package
// does not understand are drawn as well.
//
// The package changes no file and decides nothing. Package callview draws the sections.
package change
