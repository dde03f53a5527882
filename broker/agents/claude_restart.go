package agents

import "strings"

// How Claude Code's options take values. Source: its --help, 2.1.329, and two that this
// leaves out (--max-turns, --permission-prompt-tool). The keys say how many values follow: none,
// one, any number, or one that may be missing.
var claudeOptions = map[byte]string{
	'0': "--allow-dangerously-skip-permissions --ax-screen-reader --brief --chrome --dangerously-skip-permissions --disable-slash-commands " +
		"--exclude-dynamic-system-prompt-sections --forward-subagent-text --include-hook-events --include-partial-messages --no-chrome " +
		"--restricted --strict-mcp-config --verbose",
	'1': "--agent --agents --append-system-prompt --append-system-prompt-file --autocompact --debug-file --effort --fallback-model " +
		"--json-schema --max-budget-usd --max-turns --model -n --name --output-format --permission-mode --permission-prompts --plugin-dir --plugin-url " +
		"--setting-sources --settings --system-prompt --system-prompt-file --system-prompt-snapshot",
	'n': "--add-dir --allowedTools --allowed-tools --betas --disallowedTools --disallowed-tools --file --mcp-config --tools",
	'o': "-d --debug --prompt-suggestions",
}

// claudeFirst are options of the first start alone: which session it is, what is said to
// it, and how a host speaks to it.
var claudeFirst = map[byte]string{
	'0': "-p --print -c --continue --fork-session --replay-user-messages",
	'1': "--session-id --input-format --permission-prompt-tool",
	'o': "-r --resume --from-pr",
}

// claudeKeepsNothing is the option with which Claude Code forgets a session at its end.
const claudeKeepsNothing = "--no-session-persistence"

// Restart returns those of the arguments with which an agent's process was started that a
// later process of the same session needs as well: neither the prompt, nor which session it
// is. It is false when an argument is not known, or when the session cannot be resumed. An option
// that is not known may take a value or not, so guessing could make a prompt of a value. Then
// nothing is kept, and a person resumes the session by hand.
func Restart(agent string, args []string) (kept []string, ok bool) {
	if agent != claudeName {
		return nil, false
	}
	for i := 0; i < len(args); {
		arg := args[i]
		if arg == "--" {
			break // the prompt is all that follows
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			i++ // the prompt
			continue
		}
		name, _, joined := strings.Cut(arg, "=")
		takes, first := claudeTakes(name)
		if takes == 0 {
			return nil, false
		}
		n := 1
		if !joined {
			n += values(takes, args[i+1:])
		}
		if i+n > len(args) {
			return nil, false
		}
		if !first {
			kept = append(kept, args[i:i+n]...)
		}
		i += n
	}
	return kept, true
}

// claudeTakes is how an option takes values, 0 for one that is not known, and whether it is
// for the first start alone. It runs once for each resume, so two short lists are searched from
// the front.
func claudeTakes(name string) (takes byte, first bool) {
	for takes, names := range claudeFirst {
		if hasWord(names, name) {
			return takes, true
		}
	}
	for takes, names := range claudeOptions {
		if hasWord(names, name) {
			return takes, false
		}
	}
	return 0, false
}

// hasWord compares whole words, so that "--add" is not found in "--add-dir".
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// values is how many of rest an option takes. Any number of values ends at the next word with a
// dash.
func values(takes byte, rest []string) int {
	n := 0
	switch takes {
	case '1':
		return 1
	case 'o':
		if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			n = 1
		}
	case 'n':
		for n < len(rest) && !strings.HasPrefix(rest[n], "-") {
			n++
		}
	}
	return n
}

// Forgets reports whether an agent's process that was started with these arguments keeps
// nothing of its session, so that it cannot be resumed.
func Forgets(agent string, args []string) bool {
	for _, a := range args {
		if agent == claudeName && a == claudeKeepsNothing {
			return true
		}
	}
	return false
}

// Resume is how a session is resumed so that its agent asks again for the call that was put
// off: what comes behind the program's own arguments. A prompt beside it would make the
// agent go on without that call if it were put off once more.
func Resume(agent, sessionID string) []string {
	if agent != claudeName {
		return nil
	}
	return []string{"-p", "--resume", sessionID}
}

// Headless reports whether what a hook's environment says shows that no user sits before
// its agent. Nothing that is not known to be so counts: a user who waits for a call that
// was put off would wait in vain.
//
// Claude Code sets both variables for its hooks itself: under -p they are sdk-cli and 0, in
// a terminal cli and 1 (seen with 2.1.329).
func Headless(agent string, env map[string]string) bool {
	return agent == claudeName && env["CLAUDE_CODE_ENTRYPOINT"] == "sdk-cli" && env["CLAUDE_CODE_SESSION_ATTENDED"] == "0"
}
