package main

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	reading "github.com/aoctl/aoctl/broker/shell"
)

// comparison counts runs and says which calls no reader has named.
type comparison struct {
	out                   io.Writer
	most                  int
	runs, calls, failures int
}

func (c *comparison) compare(shell string, lines []line, calls []call) {
	runs := 0
	for _, one := range calls {
		if runs = max(runs, min(one.line+1, len(lines))); one.line == len(lines) {
			continue // the end of the batch
		}
		c.calls++
		if one.line >= 0 && one.line < len(lines) && named(lines[one.line].read, one) {
			continue
		}
		if c.failures++; c.failures > c.most {
			continue
		}
		text := "?"
		if one.line >= 0 && one.line < len(lines) {
			text = lines[one.line].text
		}
		fmt.Fprintf(c.out, "%s runs %q (PATH %s)\n\tof %q\n", shell, one.argv, one.path, text)
	}
	c.runs += runs
}

// named reports whether the line names the call: a command with its words, or a wrapper with
// the command that it runs behind it.
func named(l reading.Line, c call) bool {
	if c.path != "/bin" && !slices.ContainsFunc(l.Elements, func(e reading.Element) bool { return e.Kind == reading.Assign && e.Name == "PATH" }) {
		return false
	}
	if len(c.argv) > 1 && c.argv[0] == "time" { // a program in a plain sh
		c.argv = c.argv[1:]
	}
	return slices.ContainsFunc(l.Elements, func(e reading.Element) bool {
		if e.Kind != reading.Command {
			return false
		}
		read := leftOpen(l, e.Argv)
		if fits(read, c.argv, e.Glob) {
			return true
		}
		for i := range c.argv {
			if len(e.Via) > 0 && i > 0 && wraps(e.Via, c.argv[0]) && fits(read, c.argv[i:], e.Glob) {
				return true
			}
		}
		return false
	}) || scripted(l, c)
}

// wraps reports whether program is among the wrappers.
func wraps(via []string, program string) bool {
	return slices.ContainsFunc(via, func(v string) bool { return path.Base(strings.Fields(v)[0]) == path.Base(program) })
}

// scripted reports whether the call is a shell that is given a text: what is in it was read.
func scripted(l reading.Line, c call) bool {
	return len(c.argv) > 2 && strings.HasSuffix(c.argv[1], "c") && slices.ContainsFunc(l.Elements, func(e reading.Element) bool { return wraps(e.Via, c.argv[0]) })
}

// unknown stands for a word that the reader leaves open, as with what $(…) prints.
const unknown = "\x00"

// leftOpen marks the words that are open, where a line has a substitution.
func leftOpen(l reading.Line, argv []string) []string {
	if !strings.Contains(l.Raw, "$(") {
		return argv
	}
	marked := slices.Clone(argv)
	for i, w := range marked {
		if w == "" && i > 0 {
			marked[i] = unknown
		}
	}
	return marked
}

// fits reports whether words that were read are those that a program got. A pattern stands for
// any words that begin as it does, "$?" and its like for a number.
func fits(read, got []string, glob bool) bool {
	if len(read) == 0 {
		return len(got) == 0
	}
	if read[0] == unknown && (fits(read[1:], got, glob) || len(got) > 0 && fits(read[1:], got[1:], glob)) {
		return true
	}
	if i := strings.IndexAny(read[0], "*?["); glob && i >= 0 {
		for n := 0; n < len(got) && strings.HasPrefix(got[n], home(read[0][:i])); n++ {
			if fits(read[1:], got[n+1:], glob) {
				return true
			}
		}
	}
	return len(got) > 0 && (read[0] == got[0] || number(read[0], got[0]) || number(home(read[0]), got[0])) && fits(read[1:], got[1:], glob)
}

// home puts the home of the sandbox in place of a tilde.
func home(s string) string {
	if s == "~" || strings.HasPrefix(s, "~/") {
		return "/w" + s[1:]
	}
	return s
}

// number reports whether got is read with numbers in place of $?, $$ and $!.
func number(read, got string) bool {
	i := strings.IndexByte(read, '$')
	if i < 0 {
		return read == got
	}
	if !strings.HasPrefix(got, read[:i]) {
		return false
	}
	rest := got[i:]
	for _, sign := range []string{"$?", "$$", "$!", "${?}", "${$}", "${!}"} {
		after, ok := strings.CutPrefix(read[i:], sign)
		for n := 0; ok && n < len(rest) && rest[n] >= '0' && rest[n] <= '9'; n++ {
			if number(after, rest[n+1:]) {
				return true
			}
		}
		if ok && sign == "$!" && number(after, rest) { // empty before anything ran in the background
			return true
		}
	}
	return strings.HasPrefix(rest, "$") && number(read[i+1:], rest[1:])
}
