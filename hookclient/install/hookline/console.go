package hookline

// Console says where a hook asks: at a socket, or over TCP. It stands in the hook's line,
// because an agent lets a project's settings set the hook's variables: without it, a
// repository could name a console of its own.
type Console struct {
	Socket    string // absolute path
	URL       string // such as http://localhost:8765, in place of Socket
	TokenFile string // with URL: absolute path of the token's file; empty means AOCTL_TOKEN
}

// flags are the words of a hook's line that name the console, values put into quotes by
// quoted. The order is fixed, so that the same console always gives the same line.
func (c Console) flags(quoted func(string) string) []string {
	var words []string
	for _, f := range []struct{ name, value string }{{"--socket", c.Socket}, {"--url", c.URL}, {"--token-file", c.TokenFile}} {
		if f.value != "" {
			words = append(words, f.name, quoted(f.value))
		}
	}
	return words
}

// Pinned reports whether c names a console.
func (c Console) Pinned() bool { return c.Socket != "" || c.URL != "" }

// String is the console as a person knows it.
func (c Console) String() string {
	if c.URL != "" {
		return c.URL
	}
	return c.Socket
}
