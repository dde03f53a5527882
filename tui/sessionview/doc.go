// Package sessionview draws all that is known of one session: what it does and since
// when, how aoctl holds it, what it has used, where it runs, the message that waits
// for it, and what its agent said last. The console's screen about a session and
// "aoctl session view" are both drawn here, so they say the same.
//
// LayOut is the whole. State is the first of it, and Ink the colour of the word for it. Spent,
// Usage and WhenTold are the words for parts of a managed session that other screens say as well.
//
// Names, paths and words of agents go through Write and Say of package draw or through
// safe. Nothing is asked here: what is told beyond the session comes in as an Around.
package sessionview
