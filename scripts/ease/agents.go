package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/aoctl/aoctl/cli/drill/fakemodel"
)

// guest is an agent that can play a day: it has words of its own for the tools.
type guest struct {
	name, title string
	words       func(call) call
}

var guests = []guest{
	{"claude", "Claude Code", claudeWords},
	{"codex", "Codex", codexWords},
	{"gemini", "Gemini CLI", geminiWords},
}

// step is c as a reply of the agent's model. The rules know Codex's shell as Bash, which is
// what its hook calls it.
func (g guest) step(c call) fakemodel.Step {
	c = g.words(c)
	if g.name == "codex" {
		return fakemodel.UseTool("exec_command", map[string]any{"cmd": c.text("command")})
	}
	return fakemodel.UseTool(c.tool, c.input)
}

// claudeWords are the corpus's own. Claude Code has no tools for searching any more and does it
// with its shell; of a line it takes away a cd to where it is.
func claudeWords(c call) call {
	switch c.tool {
	case "Glob":
		return shellCall("find . -path './" + c.text("pattern") + "'")
	case "Grep":
		return shellCall("grep -rn '" + c.text("pattern") + "' " + c.text("path"))
	case "Bash":
		if to, rest, ok := strings.Cut(c.text("command"), " && "); ok && strings.HasPrefix(to, "cd /") {
			return shellCall(rest)
		}
	}
	return c
}

func shellCall(line string) call { return call{"Bash", map[string]any{"command": line}} }

// codexWords has a shell do all of it, as Codex does: it looks with sed and rg, and changes
// files with patches.
func codexWords(c call) call {
	line := c.text("command")
	path := c.text("file_path")
	switch c.tool {
	case "Read":
		line = "sed -n '1,240p' " + path
	case "Glob":
		line = "rg --files -g '" + c.text("pattern") + "'"
	case "Grep":
		line = "rg -n '" + c.text("pattern") + "' " + c.text("path")
	case "Write":
		line = patch("Add", path, plus(c.text("content")))
	case "Edit":
		line = patch("Update", path, "@@\n"+updated(path, c.text("old_string"), c.text("new_string")))
	}
	return shellCall(line)
}

// patch is a line that changes one file, as Codex's model writes it.
func patch(what, path, body string) string {
	return fmt.Sprintf("apply_patch <<'EOF'\n*** Begin Patch\n*** %s File: %s\n%s*** End Patch\nEOF", what, path, body)
}

func plus(text string) string { return marked("+", strings.TrimSuffix(text, "\n")) }

func marked(sign, text string) string {
	return sign + strings.ReplaceAll(text, "\n", "\n"+sign) + "\n"
}

// updated is a change of whole lines: a patch knows no parts of a line.
func updated(path, old, replacement string) string {
	text, err := os.ReadFile(path) //nolint:gosec // G304: a file of the corpus
	if err != nil {
		return marked("-", old) + marked("+", replacement)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.Contains(line, old) {
			return marked("-", line) + marked("+", strings.Replace(line, old, replacement, 1))
		}
	}
	return marked("-", old) + marked("+", replacement)
}

// geminiWords are Gemini CLI's names for the tools and their parameters.
func geminiWords(c call) call {
	in := map[string]any{}
	for k, v := range c.input {
		in[k] = v
	}
	switch c.tool {
	case "Bash":
		return call{"run_shell_command", map[string]any{"command": c.text("command"), "description": "run a command"}}
	case "Read":
		delete(in, "offset")
		delete(in, "limit")
		return call{"read_file", in}
	case "Write":
		return call{"write_file", in}
	case "Edit":
		in["instruction"] = "change it"
		return call{"replace", in}
	case "Glob":
		return call{"glob", in}
	case "Grep":
		return call{"grep_search", map[string]any{"pattern": c.text("pattern")}}
	}
	return c
}
