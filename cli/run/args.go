package run

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/usage"
)

// maxPrompt is the longest first message, bytes: what the console takes.
const maxPrompt = 256 << 10

// managedProgram finds the agent called name, which may be a path. The result is absolute:
// a session that is resumed elsewhere must run the same program. Only Claude Code has the
// channel by which a runner holds a session, so only it can be run.
func managedProgram(name string) (string, error) {
	if base := filepath.Base(name); base != "claude" {
		hint := `start it as usual; its calls ask here through its hooks ("aoctl install" puts them in)`
		return "", usage.Error{Text: fmt.Sprintf("%s cannot be run as a managed session: claude can", base), Hint: hint}
	}
	// A name without a slash is looked for in PATH, as the shell would; the path that is
	// found is kept.
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", exit.Error{Code: exit.Failed, Text: name + " is in none of the folders of PATH", Hint: "install it, or name its path after --", Cause: err}
	}
	if err != nil {
		return "", exit.Error{Code: exit.Failed, Text: fmt.Sprintf("%s was not found: %v", name, exit.RootCause(err)), Hint: "install it, or name its path after --", Cause: err}
	}
	return path, nil
}

// What claude's options mean for a command line of ours. They are those of its --help; an
// option that is not here takes no value as far as run can tell, and goes to the agent as
// it is.
var (
	claudeSetHere = []string{
		"--print", "--input-format", "--output-format", "--permission-prompt-tool", "--permission-prompts", "--session-id", "--resume",
	}
	claudeElsewhere = []string{ // they begin or continue another session, or none
		"--continue", "--fork-session", "--from-pr", "--teleport", "--cloud", "--environment", "--bg", "--background", "--desktop",
		"--remote-control", "--tmux", "--help", "--version", "--replay-user-messages",
	}
	claudeTakesValue = []string{
		"--agent", "--agents", "--append-system-prompt", "--append-system-prompt-file", "--autocompact", "--debug-file", "--effort",
		"--fallback-model", "--json-schema", "--max-budget-usd", "--max-turns", "--model", "--name", "-n", "--permission-mode",
		"--plugin-dir", "--plugin-url", "--setting-sources", "--settings", "--system-prompt", "--system-prompt-file",
		"--system-prompt-snapshot", "--remote-control-session-name-prefix",
		"--add-dir", "--allowedTools", "--allowed-tools", "--betas", "--disallowedTools", "--disallowed-tools", "--file",
		"--mcp-config", "--tools",
	}
)

// splitPrompt takes the prompt from the agent's arguments: the last one, unless it begins
// with "-" or is the value of the option right before it. A "--" before it makes it the
// prompt in any case. prompt is "-" for one that is to be read from standard input, and ""
// for none.
func splitPrompt(args []string) (rest []string, prompt string, err error) {
	n := len(args)
	switch {
	case n == 0:
	case n > 1 && args[n-2] == "--":
		rest, prompt = args[:n-2], args[n-1]
	case args[n-1] != "-" && strings.HasPrefix(args[n-1], "-"), n > 1 && slices.Contains(claudeTakesValue, args[n-2]):
		rest = args
	default:
		rest, prompt = args[:n-1], args[n-1]
	}
	if err = checkAgentArgs(rest); err != nil {
		return nil, "", err
	}
	if prompt != "" {
		err = checkPrompt(prompt)
	}
	// rest is kept with the session, while args is the command line's own.
	return slices.Clone(rest), prompt, err
}

// checkAgentArgs refuses arguments for the agent that would take the session out of the
// runner's hands: those that aoctl run sets itself, and those that start something else
// than one session.
//
// It is a help for people and no guard: what an agent may do is decided call by call.
func checkAgentArgs(args []string) error {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return usage.Error{Text: fmt.Sprintf("%q is neither an option nor the last argument", args[0]), Hint: "put the prompt in quotes, and last"}
	}
	for i, a := range args {
		if i > 0 && slices.Contains(claudeTakesValue, args[i-1]) {
			continue // a value, whatever it looks like
		}
		name, _, _ := strings.Cut(a, "=")
		// Only the first letter is looked at. -pc would be the print option with something
		// behind it.
		if len(name) > 1 && name[0] == '-' && name[1] != '-' { // options of one letter may stand together
			name = map[byte]string{'p': "--print", 'r': "--resume", 'c': "--continue", 'h': "--help", 'v': "--version"}[name[1]]
		}
		switch {
		case slices.Contains(claudeSetHere, name):
			hint := "leave it out"
			if name == "--session-id" || name == "--resume" {
				hint = "give it to aoctl run, before --"
			}
			return usage.Error{Text: fmt.Sprintf("aoctl run sets %s itself", name), Hint: hint}
		case slices.Contains(claudeElsewhere, name):
			return usage.Error{Text: fmt.Sprintf("%s does not go with aoctl run, which holds one session", name), Hint: "see aoctl run --help"}
		}
	}
	return nil
}

// checkPrompt refuses what the console would not take. A NUL cannot be in an argument, and
// what is no UTF-8 cannot be in JSON.
func checkPrompt(prompt string) error {
	switch {
	case strings.TrimSpace(prompt) == "":
		return usage.Error{Text: "the prompt is empty"}
	case len(prompt) > maxPrompt:
		return usage.Error{Text: fmt.Sprintf("the prompt is longer than %d KiB", maxPrompt>>10), Hint: "put it in a file, and tell the agent to read that"}
	case !utf8.ValidString(prompt) || strings.ContainsRune(prompt, 0):
		return usage.Error{Text: "the prompt is not text"}
	}
	return nil
}

// readPrompt reads the prompt from standard input. Newlines at its end go, which every
// shell adds.
func readPrompt(stdin io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(stdin, maxPrompt+1))
	if err != nil {
		return "", exit.Error{Code: exit.Failed, Text: fmt.Sprintf("the prompt cannot be read: %v", err), Cause: errors.Unwrap(err)}
	}
	prompt := strings.TrimRight(string(raw), "\n")
	return prompt, checkPrompt(prompt)
}
