package install

import (
	"fmt"
	"path/filepath"
	"unicode/utf8"

	"github.com/aoctl/aoctl/hookclient"
)

// Console says where a hook asks: at a socket, or over TCP. It stands in the hook's line,
// because an agent lets a project's settings set the hook's variables: without it, a
// repository could name a console of its own.
type Console struct {
	Socket    string // absolute path
	URL       string // such as http://localhost:8765, in place of Socket
	TokenFile string // with URL: absolute path of the token's file; empty means AOCTL_TOKEN
}

// flags are the words of a hook's line that name the console, values put into quotes by
// quoted.
func (c Console) flags(quoted func(string) string) []string {
	var words []string
	for _, f := range []struct{ name, value string }{{"--socket", c.Socket}, {"--url", c.URL}, {"--token-file", c.TokenFile}} {
		if f.value != "" {
			words = append(words, f.name, quoted(f.value))
		}
	}
	return words
}

// pinned reports whether c names a console.
func (c Console) pinned() bool { return c.Socket != "" || c.URL != "" }

// String is the console as a person knows it.
func (c Console) String() string {
	if c.URL != "" {
		return c.URL
	}
	return c.Socket
}

// check refuses what the hook client would refuse at every call.
func (c Console) check() error {
	switch {
	case !c.pinned():
		return &UsageError{Text: "no console is named for the hook to ask", Hint: "give --socket or --url"}
	case c.Socket != "" && c.URL != "":
		return &UsageError{Text: "--socket and --url name two consoles", Hint: "give one of them"}
	case c.TokenFile != "" && c.URL == "":
		return &UsageError{Text: "--token-file goes with --url", Hint: "a socket takes no token"}
	}
	for _, path := range []string{c.Socket, c.TokenFile} {
		switch {
		case path == "":
		case !filepath.IsAbs(path):
			return &UsageError{Text: fmt.Sprintf("%q is not an absolute path, and a hook runs in any folder", path), Hint: "name it from the root"}
		case !utf8.ValidString(path):
			return &UsageError{Text: fmt.Sprintf("the path %q is not valid UTF-8, which settings cannot hold", path), Hint: "name another"}
		}
	}
	err := hookclient.CheckSocketPath(c.Socket)
	if c.URL != "" {
		err = hookclient.CheckURL(c.URL)
	}
	if err != nil {
		return &UsageError{Text: err.Error()}
	}
	return nil
}

// warnings says what a hook would stumble on today.
func (c Console) warnings() []string {
	if c.TokenFile == "" {
		return nil
	}
	if err := hookclient.CheckTokenFile(c.TokenFile); err != nil {
		return []string{fmt.Sprintf("%v; until then, every call is refused", err)}
	}
	return nil
}
