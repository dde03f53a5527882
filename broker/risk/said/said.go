// Package said makes the sentences of findings: who does what to what.
//
// A finding has general words, of which there are some hundred, and where it is certain a sentence that
// says who does what to what. The sentence holds the agent's texts, so it follows three rules: it is short,
// a text in it is of plain characters, and a text that could be one of our words stands in quotes. A
// path and a host need none: they have a slash or a dot. Whatever does not fit leaves the general words:
// each function returns "" then, and Sentence does for a part that is "".
//
// Packages risk and commands build on it. It knows neither calls nor files.
package said

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Most is the longest sentence, bytes.
const Most = 72

// Sentence is a sentence made of our words and of parts that may be empty, for what is not known or
// not plain. With an empty part, or when it gets too long, there is none.
func Sentence(sentence string, parts ...string) string {
	if len(sentence) > Most || slices.Contains(parts, "") {
		return ""
	}
	return sentence
}

var (
	// Names, paths, addresses and hosts without a character that could be mistaken or mislead.
	pureName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/+@:-]*$`) })
	purePath    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[A-Za-z0-9._/+@:*~-]*$`) })
	pureAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._~/:%?&=+,-]+$`) })
	pureHost    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([a-z0-9][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+|localhost)(:[0-9]{1,5})?$`)
	})
)

// Quoted is a name in quotes; "" when it is not plain. It may be a program, a branch or a
// remote.
func Quoted(name string) string {
	if !pureName().MatchString(name) {
		return ""
	}
	return `"` + name + `"`
}

// Program is the name of a program that a table knows.
func Program(name string) string {
	if !pureName().MatchString(name) {
		return ""
	}
	return name
}

// Path is an absolute path of plain characters.
func Path(p string) string {
	if !purePath().MatchString(p) {
		return ""
	}
	return p
}

// Address is an address of plain characters, with or without its scheme.
func Address(a string) string {
	if !pureAddress().MatchString(a) {
		return ""
	}
	return a
}

// Host is the host of a plain address, with its port; "" for an address with a user, whose
// name could look like the host.
func Host(address string) string {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || !pureHost().MatchString(strings.ToLower(u.Host)) {
		return ""
	}
	return strings.ToLower(u.Host)
}
