package board

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/safe"
)

// kindMost is how many cells the name of a kind of call takes.
const kindMost = 32

// Alike names the kind of a call, raw: calls of one kind may be marked by one key. Of
// a command line it is all that it runs, each with its subcommand, and all that it
// changes; of a call about a file the tool and the file's folder. It is worked out
// once for a card.
func (c *Card) Alike() string {
	if c.kind == "" {
		c.kind = kindOf(c)
	}
	return c.kind
}

// Tool is the call's tool in the words that all agents share.
func (c *Card) Tool() string {
	name, _ := c.Req.Call()
	return name
}

// KindName is the kind for the screen.
func (c *Card) KindName() string { return safe.Head(c.Alike(), kindMost) }

// kindOf is Alike without its memory. A call with nothing to tell it by is alike to
// all of its tool.
func kindOf(c *Card) string {
	tool, raw := c.Req.Call()
	input := change.ReadInput(raw)
	if command, ok := input.Text("command"); ok {
		if a := c.Req.Assessment; a != nil && len(a.Elements) > 0 {
			return commandKind(a.Elements)
		}
		return command // nobody knows what it runs: alike only to itself
	}
	for _, field := range []string{"file_path", "notebook_path", "path"} {
		if p, ok := input.Text(field); ok && p != "" {
			return tool + " " + path.Dir(p)
		}
	}
	if address, ok := input.Text("url"); ok {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			return tool + " " + u.Host
		}
		return tool + " " + address
	}
	return tool
}

// commandKind is what all parts of a command line do, each kind once.
func commandKind(all []rules.Judged) string {
	var kinds []string
	for _, e := range all {
		k := elementKind(e)
		if k != "" && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return strings.Join(kinds, " + ")
}

// elementKind is what one part does; "" for what only reads or changes nothing.
func elementKind(e rules.Judged) string {
	switch {
	case e.Neutral, e.Kind == "read":
		return ""
	case e.Kind == "write":
		return "changes " + path.Dir(e.Path)
	case e.Kind == "assign":
		name, _, _ := strings.Cut(e.Text, "=")
		return "sets " + name
	case e.Kind != "command" || len(e.Argv) == 0 || e.Argv[0] == "":
		return e.Text
	}
	// A wrapper such as sudo makes another kind of call of the same program.
	words := append(slices.Clone(e.Via), e.Argv[0])
	if len(e.Argv) > 1 && isSubcommand(e.Argv[1]) && slices.Contains(withSubcommands, path.Base(e.Argv[0])) {
		words = append(words, e.Argv[1])
	}
	return strings.Join(words, " ")
}

// withSubcommands are programs whose first word says what they do. Where one of them
// is missing here, more of its calls count as alike; each is read before it is
// allowed.
var withSubcommands = []string{
	"apt", "apt-get", "aws", "az", "brew", "bun", "bundle", "cargo", "composer", "conda", "deno", "dnf", "docker",
	"docker-compose", "dotnet", "flutter", "gcloud", "gem", "gh", "git", "glab", "go", "gradle", "helm", "ip", "just",
	"kubectl", "make", "mise", "mix", "mvn", "nix", "npm", "pip", "pip3", "pipx", "pnpm", "podman", "poetry", "rails",
	"rustup", "svn", "swift", "systemctl", "terraform", "tofu", "uv", "xcodebuild", "yarn",
}

// isSubcommand reports whether a word can be the name of a subcommand.
func isSubcommand(word string) bool {
	for _, r := range word {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != ':' {
			return false
		}
	}
	return word != "" && word[0] != '-'
}
