// Package tomlwords says what is wrong with a TOML text in words for the person who wrote it.
//
// The library says where its parser stood ("expected '=' after key", "decimal number is too
// large to fit in a 64-bit signed integer"). The person needs to know what to write instead.
// So the common mistakes have a sentence here, chosen by what the library says; everything
// else keeps the library's own words, which are short and true.
//
// The texts of the library are not a promise. When it changes one, the mistake is told in the
// library's words again, and the test of this package fails.
//
// rulesfile and the settings file use it. It knows neither of them, and it does no I/O.
package tomlwords

import "strings"

// mistakes are what the library says, or how that begins, and what a person has to hear.
var mistakes = []struct{ begins, means string }{
	{"strings must be quoted", `text needs quotes around it, such as "5m"`},
	{"unexpected character U+000A", "there is no value behind the ="},
	{"unexpected character U+000D", "there is no value behind the ="},
	{"unexpected character U+0023", "there is no value behind the ="}, // a comment
	{"unexpected character", `text needs quotes around it, such as "5m"`},
	{"expected value", "there is no value behind the ="},
	{"expected '=' after key", "there is no = and no value behind the name"},
	{"invalid character at start of key", "a line cannot begin with this character"},
	{"expected ']' to close table name", "the heading does not end with ]"},
	{"expected ']]' to close array table name", "the heading does not end with ]]"},
	{"basic strings cannot have new lines", "the quotes are not closed on this line"},
	{"literal strings cannot have new lines", "the quotes are not closed on this line"},
	{"unterminated", "the quotes are not closed"},
	{"array is incomplete", "the list does not end with ]"},
	{"expected ',' or ']' after array value", "a comma is missing in the list, or the ] at its end"},
	{"inline table is incomplete", "the table does not end with }"},
	{"decimal number is too large", "the number is too large"},
	{"hexadecimal number is too large", "the number is too large"},
	{"invalid escape character", `a \ in quotes needs a second one: write \\`},
	{"expected newline", "there is more on the line than one value"},
	{"integers cannot have leading zeroes", "a number cannot begin with 0"},
	{"impossible date", "there is no such date"},
}

// Plain is what err, an error of the TOML library, says to a person. The caller makes it safe
// to print: the library quotes characters of the text.
func Plain(err error) string {
	said := strings.TrimPrefix(err.Error(), "toml: ")
	for _, m := range mistakes {
		if strings.HasPrefix(said, m.begins) {
			return m.means
		}
	}
	return said
}
