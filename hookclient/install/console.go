package install

import (
	"fmt"
	"path/filepath"
	"unicode/utf8"

	"github.com/aoctl/aoctl/hookclient"
)

// checkConsole refuses what the hook client would refuse at every call. An installed line
// outlives the shell that it was written in, so paths must be absolute.
func checkConsole(c Console) error {
	switch {
	case !c.Pinned():
		return &UsageError{Text: "the hook has no console to ask", Hint: "give --socket or --url"}
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
	// The client's own checks are asked, so that nothing is installed that it would refuse.
	err := hookclient.CheckSocketPath(c.Socket)
	if c.URL != "" {
		err = hookclient.CheckURL(c.URL)
	}
	if err != nil {
		return &UsageError{Text: err.Error()}
	}
	return nil
}

// consoleWarnings says what a hook would stumble on today. It is no error: the token may be
// written after the hooks are.
func consoleWarnings(c Console) []string {
	if c.TokenFile == "" {
		return nil
	}
	if err := hookclient.CheckTokenFile(c.TokenFile); err != nil {
		return []string{fmt.Sprintf("%v; until then, every call is refused", err)}
	}
	return nil
}
