package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// shOps reads a shell's own options, which its "set" takes as well: -c may stand in a
// cluster, and the text is the first operand after all options, wherever -c stands.
func shOps(c *call) {
	i, code, stdin := 0, false, false
	label := "-"
	for ; i < len(c.words); i++ {
		w := c.words[i]
		if !w.Known || len(w.Text) == 0 || w.Text[0] != '-' && w.Text[0] != '+' {
			break
		}
		if w.Text == "--" || w.Text == "-" {
			i++
			break
		}
		if strings.HasPrefix(w.Text, "--") {
			longShellOption(c, w.Text)
			continue
		}
		on := w.Text[0] == '-'
		for n, letter := range w.Text[1:] {
			switch {
			case letter == 'c' && on:
				code = true
			case letter == 's' && on:
				stdin = true
			case letter == 'o' && n == len(w.Text)-2 && i+1 < len(c.words):
				i++
				shellOption(c, c.words[i])
			case strings.ContainsRune("euxvlbhmnfpC", letter):
			case letter == 'i':
				c.exactf("%s -i reads the start-up files of an interactive shell", c.name)
			default:
				c.unsuref("%s is given an option that may change how it reads commands", c.name)
			}
		}
		// The wrapper is shown with the word that has the c, as in "bash -lc".
		if on && code && label == "-" {
			label = w.Text
		}
	}
	shellProgram(c, c.words[i:], code, stdin, label)
}

// shellProgram is where the shell takes its commands from: the word behind -c, its standard
// input, or a file. label is how the wrapper is shown, such as "-lc".
func shellProgram(c *call, words []Word, code, stdin bool, label string) {
	switch {
	case code && len(words) > 0:
		c.Wrapper = c.name + " " + label
		c.Scripts = append(c.Scripts, Script{Text: words[0], args: len(words) > 1})
	case stdin || len(words) == 0:
		c.exactf("%s reads its program from standard input", c.name)
	default:
		c.exactf("%s runs a script", c.name)
		c.reads(words[0])
	}
}

// longShellOption doubts what is not on its list: --rcfile and --init-file run another file
// first.
func longShellOption(c *call, text string) {
	switch text {
	case "--login", "--norc", "--noprofile", "--posix", "--verbose", "--version", "--help", "--noediting", "--restricted":
	default:
		c.unsuref("%s is given an option that may run another file", c.name)
	}
}

// setOptions are options of set -o that do not change how commands are read.
var setOptions = wordset.New("errexit nounset pipefail xtrace verbose noclobber notify monitor errtrace functrace ignoreeof nolog physical noexec emacs vi err_exit pipe_fail no_unset")

// shellOption doubts the name behind -o, unless it leaves the reading of commands as it is.
func shellOption(c *call, w Word) {
	if !w.Known || !setOptions.Has(w.Text) {
		c.unsuref("%s -o sets an option that may change how it reads commands", c.name)
	}
}

// evalOps: eval joins its words with blanks and reads the result as commands.
func evalOps(c *call) {
	words := undashed(c.words)
	if len(words) == 0 {
		c.Neutral = true
		return
	}
	c.Wrapper = c.name
	c.scripts(joined(words))
}

// sourceOps: what the file says runs in this very shell, so its folder and variables are
// unknown afterwards; package shell sees to that.
func sourceOps(c *call) {
	c.exactf("%s runs the commands of a file", c.name)
	words := undashed(c.words)
	if strings.HasPrefix(textAt(words, 0), "-") {
		c.unsuref("%s is given an option that aoctl does not know", c.name)
	}
	if len(words) > 0 {
		c.reads(words[0])
	}
}

// trapOps: the first word is a text that runs when a signal comes. "trap - INT" and a signal
// alone put the old behaviour back.
func trapOps(c *call) {
	switch {
	case len(c.rest) == 0 || c.has("-l", "-p") || c.rest[0].Text == "-" || c.rest[0].Known && c.rest[0].Text == "":
		c.Neutral = plainWords(c.words)
	case len(c.rest) == 1:
		c.Neutral = plainWords(c.words)
	default:
		c.Wrapper = c.name
		c.scripts(c.rest[0])
	}
}
