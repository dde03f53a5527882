package claude

import (
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// bashParams are the inputs of Bash that a deny or ask rule may name: Bash(timeout:*).
var bashParams = map[string]bool{"run_in_background": true, "timeout": true, "description": true, "dangerouslyDisableSandbox": true}

// maxSpread bounds the alternatives of one deny pattern, maxStars the wildcards of one
// word: each of them doubles the alternatives.
const (
	maxSpread = 16
	maxStars  = 5
)

const errManyStars = unsaid("it has too many wildcards inside words")

// bashClaude turns a text pattern over one command into a pattern over its words. In the text
// "*" stands for anything, blanks too; ":*" at the end and " *" as the only wildcard also mean
// no further words. A text without wildcards that holds several commands becomes a pattern for
// exactly that line.
func bashClaude(d rules.Verdict, spec string) ([]draft, error) {
	if name, _, ok := strings.Cut(spec, ":"); ok && bashParams[strings.TrimSpace(name)] {
		if d == rules.Allow {
			return nil, unsaid("Claude Code takes no notice of parameters in allow rules")
		}
		return paramClaude("Bash", spec)
	}
	if prefix, ok := strings.CutSuffix(spec, ":*"); ok {
		spec = prefix + " *"
	}
	wild := strings.Contains(spec, "*")
	if strings.Trim(spec, " \t*") == "" {
		if wild {
			return bareClaude(d, "Bash")
		}
		return nil, unsaid("it names no command")
	}
	words, operators := claudeWords(spec)
	// A pattern here fits a command without the variables before it. So a refusing rule leaves
	// them out, and refuses more.
	assigned := 0
	for assigned < len(words)-1 && isAssignment(words[assigned].raw) {
		assigned++
	}
	switch {
	case (operators || assigned > 0 && d == rules.Allow) && !wild:
		return bashDrafts(d, patterns.LinePrefix+spec), nil
	case operators:
		return nil, unsaid("a pattern here fits one command, and this has an operator of the shell beside a wildcard")
	case assigned > 0 && d == rules.Allow:
		return nil, unsaid("a pattern here fits the command without the variables that are set before it")
	}
	pattern, err := wordPattern(d, words[assigned:])
	if err != nil {
		return nil, err
	}
	// The words of the text must not turn into a prefix of our own patterns.
	if strings.HasPrefix(pattern, patterns.Expression) || strings.HasPrefix(pattern, patterns.LinePrefix) {
		pattern = `\` + pattern
	}
	return bashDrafts(d, pattern), nil
}

// bashDrafts: Monitor runs commands as Bash does; refusing rules hold for both.
func bashDrafts(d rules.Verdict, pattern string) []draft {
	tool := "Bash|Monitor"
	if d == rules.Allow {
		tool = "Bash"
	}
	return []draft{{tool: tool, where: map[string]string{"command": pattern}}}
}

// claudeWord is one word of a text pattern, with its quotes.
type claudeWord struct {
	raw    string
	stars  int  // wildcards outside of quotes
	hidden bool // a wildcard inside quotes or after a backslash
}

// any reports whether the word is nothing but wildcards.
func (w claudeWord) any() bool { return strings.Trim(w.raw, "*") == "" }

// claudeWords splits text at blanks outside of quotes. operators says that the shell
// would read more than one command or a redirection.
func claudeWords(text string) (words []claudeWord, operators bool) {
	var w claudeWord
	var quote byte
	flush := func() {
		if w.raw != "" {
			words = append(words, w)
		}
		w = claudeWord{}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(text):
			w.raw += text[i : i+1]
			i++
			c = text[i]
			w.hidden = w.hidden || c == '*'
		case quote != 0:
			w.hidden = w.hidden || c == '*'
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ' ' || c == '\t':
			flush()
			continue
		case c == '*':
			w.stars++
		case strings.IndexByte("|;&<>()`\n\r", c) >= 0:
			operators = true
		}
		w.raw += string([]byte{c})
	}
	flush()
	return words, operators
}

// isAssignment reports whether a word sets a variable, as NAME=value.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// wordPattern writes the words as a command pattern. What "*" may span is said exactly at the
// end and between words; inside a word an allow rule stays in that word, and a refusing one
// lists both readings. An allow for "git * main" becomes "git * ** main", a deny for it "git **
// main".
func wordPattern(d rules.Verdict, words []claudeWord) (string, error) {
	stars := 0
	for _, w := range words {
		stars += w.stars
	}
	alts := []string{""}
	for i, w := range words {
		last := i == len(words)-1
		switch {
		case w.hidden && (d == rules.Allow || i == 0):
			return "", unsaid("it has a wildcard inside quotes")
		// It may be a wildcard to Claude Code, so a refusing rule ends wide open here.
		case w.hidden:
			return joinAlts(alts, "*"), nil
		case w.any():
			alts = spread(alts, anyWords(d, i == 0, last, stars > 1))
		case w.stars > maxStars:
			return "", errManyStars
		default:
			alts = spread(alts, inWord(d, w.raw, last)...)
		}
		if len(alts) > maxSpread {
			return "", errManyStars
		}
	}
	return strings.Join(alts, "|"), nil
}

// anyWords is what a "*" between blanks becomes: for an allow rule one word at least, for a
// refusing one any number. others: the text has more wildcards than this.
func anyWords(d rules.Verdict, first, last, others bool) string {
	switch {
	case d != rules.Allow && !last:
		return "**"
	case first:
		return "*" // an allow rule: one word, the program
	case last && others && d == rules.Allow:
		return "* *"
	case last:
		return "*"
	}
	return "* **"
}

// inWord is a word with wildcards beside other characters. Its "*" may be any part of
// the word, and at the end of the text any further words. For a refusing rule it may
// also be the end of one word, some words, and the beginning of another.
func inWord(d rules.Verdict, raw string, last bool) []string {
	parts := strings.Split(raw, "*")
	out := []string{parts[0]}
	for i, part := range parts[1:] {
		end := i == len(parts)-2 && part == ""
		var next []string
		for _, s := range out {
			switch {
			case part == "" && !end:
				next = append(next, s) // "**" is "*"
			case end && last:
				next = append(next, s+"* *")
			case d == rules.Allow:
				next = append(next, s+"*"+part)
			case end:
				next = append(next, s+"* **")
			case s == "":
				next = append(next, "** *"+part)
			default:
				next = append(next, s+"*"+part, s+"* ** *"+part)
			}
		}
		out = next
	}
	return out
}

// spread adds each of the readings to each of the alternatives, as the next word.
func spread(alts []string, readings ...string) []string {
	var out []string
	for _, a := range alts {
		for _, r := range readings {
			out = append(out, strings.TrimPrefix(a+" "+r, " "))
		}
	}
	return out
}

// joinAlts ends all alternatives with the same word, and is the pattern.
func joinAlts(alts []string, end string) string {
	return strings.Join(spread(alts, end), "|")
}
