package command

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// tail is the last part of a word as a word of its own. A tilde that it begins with is taken
// for the home folder, as some shells do: that is the reading that a rule about files must not
// miss.
func tail(w Word, text string) Word {
	t := Word{Text: text, Known: w.Known, Glob: w.Glob, Raw: text}
	if text == "~" || strings.HasPrefix(text, "~/") {
		t.Tilde = true
	}
	return t
}

// literal is a word that no text was written for.
func literal(text string) Word { return Word{Text: text, Known: true, Raw: text} }

// literals are words that no text was written for.
func literals(texts []string) []Word {
	words := make([]Word, len(texts))
	for i, text := range texts {
		words[i] = literal(text)
	}
	return words
}

// joined is the words as one, as programs do that hand them to a shell. One word that is not
// known makes the whole text unknown.
func joined(words []Word) Word {
	w := Word{Known: true}
	var texts, raws []string
	for _, part := range words {
		if !part.Known || part.Glob || part.Tilde {
			w.Known = false
		}
		texts, raws = append(texts, part.Text), append(raws, part.Raw)
	}
	w.Raw = strings.Join(raws, " ")
	if w.Known {
		w.Text = strings.Join(texts, " ")
	}
	return w
}

// textAt is the text of one of several words, "" where there is none.
func textAt(words []Word, i int) string {
	if i >= len(words) {
		return ""
	}
	return words[i].Text
}

// undashed is words without a "--" at their beginning.
func undashed(words []Word) []Word {
	if textAt(words, 0) == "--" {
		return words[1:]
	}
	return words
}

// plainWords says whether all words are known.
func plainWords(words []Word) bool {
	return !slices.ContainsFunc(words, func(w Word) bool { return !w.Known })
}

// isShort reports whether a word is options of one letter.
func isShort(text string) bool { return len(text) > 1 && text[0] == '-' && text[1] != '-' }

// begins reports whether text begins with one of several, holds whether one of them is in it.
func begins(text string, starts ...string) bool {
	return slices.ContainsFunc(starts, func(s string) bool { return strings.HasPrefix(text, s) })
}

// holds is for texts in which a name may stand anywhere.
func holds(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(s string) bool { return strings.Contains(text, s) })
}

// anyBegins, anyHolds and anyBut ask of several words whether one begins with a text, holds it, or is
// none of a set, as is a word that nobody knows.
func anyBegins(words []Word, starts ...string) bool {
	return slices.ContainsFunc(words, func(w Word) bool { return begins(w.Text, starts...) })
}

func anyHolds(words []Word, parts ...string) bool {
	return slices.ContainsFunc(words, func(w Word) bool { return holds(w.Text, parts...) })
}

func anyBut(words []Word, set *wordset.Set) bool {
	return slices.ContainsFunc(words, func(w Word) bool { return !w.Known || !set.Has(w.Text) })
}

// afterEquals is what stands behind the first equals sign of a text.
func afterEquals(text string) string {
	_, value, _ := strings.Cut(text, "=")
	return value
}

// orHere is words, or the folder that a program works in where there are none.
func orHere(words []Word) []Word {
	if len(words) == 0 {
		return []Word{literal(".")}
	}
	return words
}

// without is words less the first that is w.
func without(words []Word, w Word) []Word {
	if i := slices.Index(words, w); i >= 0 {
		return slices.Delete(slices.Clone(words), i, i+1)
	}
	return words
}

// isBelow says whether a path plainly leads below the folder that it starts in. It looks at the
// text alone: package workspace follows links, when a rule asks about files.
func isBelow(path string) bool {
	return path != "" && path[0] != '/' && path[0] != '~' && !strings.ContainsAny(path, ":$`") && !slices.Contains(strings.Split(path, "/"), "..")
}

// outside reports whether a word leads out of the folder that it starts in.
func outside(w Word) bool { return !isBelow(w.Text) }

// faraway says that a word names a file that surely is no part of a project: in the home
// folder, above the working folder, or in a folder of the system or for temporary files. It
// knows neither the project nor links; package rules gives it words that lead elsewhere as such
// files.
func faraway(w Word) bool {
	return w.Tilde || w.Text == "/" || strings.HasPrefix(w.Text, "~") || strings.Contains("/"+w.Text+"/", "/../") || begins(w.Text+"/", systemRoots...) && !Streams.Has(w.Text)
}

// systemRoots have no slash behind them where several folders begin so, as /lib64 does.
var systemRoots = []string{"/tmp/", "/var/", "/private/", "/etc", "/dev/", "/usr/", "/opt/", "/bin/", "/sbin/", "/lib", "/boot", "/root", "/proc/", "/sys/", "/run/", "/Library/", "/System/"}

// elsewhereIn reports whether the value of an option is, or holds behind a key, an @ or in
// a list, a file that is surely no part of a project.
func elsewhereIn(value Word) bool {
	if faraway(value) {
		return true
	}
	parts := strings.FieldsFunc(value.Text, func(r rune) bool { return strings.ContainsRune("=:,@ ", r) })
	for _, part := range parts {
		if part != value.Text && faraway(tail(value, part)) {
			return true
		}
	}
	return false
}
