package hookline

import "strings"

// Quote makes s one literal word of a POSIX shell. A word with a zero byte cannot be in a command
// line at all; paths have none.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// QuoteIfNeeded is s as a word of a shell command that a person may copy.
func QuoteIfNeeded(s string) string {
	if words, ok := Split(s); ok && len(words) == 1 && words[0] == s {
		return s
	}
	return Quote(s)
}

// Split splits a simple shell command into its words. It reports false for
// anything but literal words: expansions, operators, redirections, broken quotes.
func Split(s string) (words []string, ok bool) {
	var word strings.Builder
	inWord := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' || c == '\t':
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		case c == '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return nil, false
			}
			word.WriteString(s[i+1 : i+1+end])
			i += 1 + end
			inWord = true
		case c == '"':
			end := strings.IndexByte(s[i+1:], '"')
			if end < 0 || strings.ContainsAny(s[i+1:i+1+end], "$`\\") {
				return nil, false
			}
			word.WriteString(s[i+1 : i+1+end])
			i += 1 + end
			inWord = true
		case c == '\\' && i+1 < len(s) && s[i+1] != '\n':
			i++
			word.WriteByte(s[i])
			inWord = true
		case strings.IndexByte("\\|&;<>()$`*?[]#~!{}\r\n", c) >= 0:
			return nil, false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, true
}
